// The views of a page as a row of words, the chosen one underlined. UI thread.
#pragma once

#include "ui/widgets/choice_row.h"

namespace ui {

class TabRow final : public ChoiceRow {
    Q_OBJECT

public:
    explicit TabRow(QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    QRectF target(int index) const override;
    void describe() override;
    void paintEvent(QPaintEvent* event) override;

private:
    QRectF place(int index) const;
};

} // namespace ui
