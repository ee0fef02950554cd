// A claim and what was measured on one scale: the claim a white stroke or a box, the measured value
// a dot with its interval, in the colour of the verdict. UI thread.
#pragma once

#include "app/experiment/verdict.h"
#include "ui/theme.h"
#include "ui/widgets/chip.h"

#include <QPainter>
#include <QWidget>

namespace ui {

// Word, sign and colour of a claim's verdict.
VerdictLook claimLook(app::ClaimVerdict verdict);

// What the scale spans: claim, value and interval, with some room. Empty without either.
std::optional<app::Interval> claimSpan(const app::Claim& claim, const app::ClaimResult& result);
void paintClaim(QPainter& painter, const QRectF& bounds, const app::Claim& claim,
                const app::ClaimResult& result, const app::Interval& span);

class ClaimScale final : public QWidget {
    Q_OBJECT

public:
    explicit ClaimScale(QWidget* parent = nullptr);
    void setClaim(const app::Experiment& experiment, const app::ClaimResult& result);
    QSize sizeHint() const override { return {240, 48}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    app::Claim m_claim;
    app::ClaimResult m_result;
};

} // namespace ui
