// The stages of one first token below each other, each where it lies in time; shown numbers add up
// to the shown total. UI thread.
#pragma once

#include "app/observe/request_row.h"

#include <QWidget>

#include <optional>

namespace ui {

class Waterfall final : public QWidget {
    Q_OBJECT

public:
    explicit Waterfall(QWidget* parent = nullptr);

    void setLedger(std::optional<app::LedgerView> ledger);
    // Narrow columns and a short label: for side panels.
    void setCompact(bool isCompact);
    QString asText() const; // "Queue\t1.7\n...": what copying gives
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void describe();
    int labelWidth() const;

    std::optional<app::LedgerView> m_ledger;
    bool m_isCompact = false;
};

} // namespace ui
