#include "ui/widgets/fit_width.h"

#include "ui/theme.h"

#include <QComboBox>
#include <QFontMetrics>

#include <algorithm>

namespace ui {

void fitWidth(QComboBox* combo) {
    const QFontMetrics metrics(font(type::kControl, QFont::Medium)); // the sheet's, from the start
    int widest = 0;
    for (int index = 0; index < combo->count(); ++index) {
        widest = std::max(widest, metrics.horizontalAdvance(combo->itemText(index)));
    }
    combo->setFixedWidth(widest + 35);
}

} // namespace ui
