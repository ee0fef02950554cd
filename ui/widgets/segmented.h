// A framed control of a few choices: "Form | TOML". UI thread.
#pragma once

#include "ui/widgets/choice_row.h"

namespace ui {

class Segmented final : public ChoiceRow {
    Q_OBJECT

public:
    explicit Segmented(const QStringList& items, QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    QRectF target(int index) const override;
    void describe() override;
    void paintEvent(QPaintEvent* event) override;
};

} // namespace ui
