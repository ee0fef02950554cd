#include "ui/models/run_columns.h"

#include "app/compare/run_views.h"
#include "app/definitions.h"
#include "app/labels.h"
#include "app/plot/plot.h"
#include "app/run_labels.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/chip.h"

#include <QCoreApplication>
#include <QPainter>

#include <algorithm>

namespace ui {

namespace {

using Run = app::RunSummary;

QString say(const char* english) {
    return QCoreApplication::translate("RunColumns", english);
}

double orNan(std::optional<double> value) {
    return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

// Why a tail is grey; empty where there are enough samples.
QString tooFew(const Run& run, double quantile) {
    const std::int64_t least = app::leastCount(quantile);
    return run.ttftMs.n >= least
               ? QString()
               : say(QT_TRANSLATE_NOOP("RunColumns", "n %1: %2 more would make it sure"))
                     .arg(app::numberText(static_cast<double>(run.ttftMs.n)),
                          app::numberText(static_cast<double>(least - run.ttftMs.n)));
}

std::vector<std::pair<QString, Tone>> runTags(const Run& run) {
    std::vector<std::pair<QString, Tone>> tags;
    if (run.run.state == app::RunState::Interrupted) {
        tags.emplace_back(app::runStateLabel(run.run.state), Tone::Warn);
    } else if (run.run.state == app::RunState::Failed) {
        tags.emplace_back(app::runStateLabel(run.run.state), Tone::Bad);
    }
    if (run.run.isIncomplete) {
        tags.emplace_back(say(QT_TRANSLATE_NOOP("RunColumns", "events lost")), Tone::Warn);
    }
    if (!run.run.workloadName.empty()) {
        tags.emplace_back(QString::fromStdString(run.run.workloadName), Tone::Neutral);
    }
    for (const std::string& tag : run.run.tags) {
        if (tag != run.run.workloadName) {
            tags.emplace_back(QString::fromStdString(tag), Tone::Info);
        }
    }
    return tags;
}

QString toBaselineText(const Run& run, const RunBaseline& baseline) {
    if (!baseline) {
        return {};
    }
    const app::ToBaseline to = app::toBaseline(run, *baseline);
    switch (to.bar) {
    case app::BaselineBar::Itself:
        return say(QT_TRANSLATE_NOOP("RunColumns", "baseline"));
    case app::BaselineBar::OtherWorkload:
        return say(QT_TRANSLATE_NOOP("RunColumns", "other workload"));
    case app::BaselineBar::OtherModel:
        return say(QT_TRANSLATE_NOOP("RunColumns", "other model"));
    case app::BaselineBar::TooShort:
        return say(QT_TRANSLATE_NOOP("RunColumns", "too short"));
    case app::BaselineBar::NoValue:
        return QStringLiteral("—");
    case app::BaselineBar::None:
        break;
    }
    const QString text = app::millisecondsText(to.differenceMs);
    return (*to.differenceMs > 0 ? QStringLiteral("+") : QString()) + text + QStringLiteral(" ms");
}

} // namespace

std::vector<Column<Run>> runColumns(const RunTicks& ticks, const RunBaseline& baseline) {
    using C = Column<Run>;
    const auto number = [](std::optional<double> value, int decimals) {
        return app::numberText(value, decimals);
    };
    const auto quantile = [](const char* title, std::optional<double> app::Quantiles::*member,
                             double share) {
        return C([title] { return say(title); },
                 [member](const Run& run) { return app::millisecondsText(run.ttftMs.*member); })
            .sortedBy([member](const Run& run) { return orNan(run.ttftMs.*member); })
            .withToolTip([share](const Run& run) { return tooFew(run, share); })
            .atRight()
            .wide(88);
    };
    return {
        C([] { return QString(); }, [](const Run&) { return QString(); })
            .checkedWhere([&ticks](const Run& run) {
                return std::optional(std::ranges::find(ticks, run.run.id) != ticks.end());
            })
            .wide(36),
        C([] { return say(QT_TRANSLATE_NOOP("RunColumns", "Run")); },
          [](const Run& run) { return QString::number(run.run.id); })
            .sortedBy([](const Run& run) { return static_cast<double>(run.run.id); })
            .wide(48),
        C([] { return say(QT_TRANSLATE_NOOP("RunColumns", "Name")); },
          [](const Run& run) { return QString::fromStdString(run.run.name); })
            .withToolTip([](const Run& run) { return QString::fromStdString(run.run.note); })
            .wide(220),
        C([] { return say(QT_TRANSLATE_NOOP("RunColumns", "Started")); },
          [](const Run& run) {
              return app::startedText(run.run.startedUtc, QDateTime::currentDateTime());
          })
            .sortedBy([](const Run& run) { return static_cast<double>(run.run.id); })
            .withToolTip([](const Run& run) { return QString::fromStdString(run.run.startedUtc); })
            .wide(112),
        C([] { return say(QT_TRANSLATE_NOOP("RunColumns", "Length")); },
          [](const Run& run) { return app::runTimeText(run.run.seconds); })
            .sortedBy([](const Run& run) { return run.run.seconds; })
            .atRight()
            .wide(66),
        C([] { return say(QT_TRANSLATE_NOOP("RunColumns", "Settings")); }, app::settingsText)
            .withToolTip(app::settingsText)
            .wide(150),
        C([] { return say(QT_TRANSLATE_NOOP("RunColumns", "Requests")); },
          [number](const Run& run) { return number(static_cast<double>(run.requests), 0); })
            .sortedBy([](const Run& run) { return static_cast<double>(run.requests); })
            .atRight()
            .wide(78),
        quantile(QT_TRANSLATE_NOOP("RunColumns", "TTFT p50 ms"), &app::Quantiles::p50, 0.50),
        quantile(QT_TRANSLATE_NOOP("RunColumns", "TTFT p99 ms"), &app::Quantiles::p99, 0.99),
        C([] { return say(QT_TRANSLATE_NOOP("RunColumns", "Hits")); },
          [](const Run& run) {
              return run.hitShare ? app::numberText(100 * *run.hitShare, 1) + QStringLiteral(" %")
                                  : QStringLiteral("—");
          })
            .sortedBy([](const Run& run) { return orNan(run.hitShare); })
            .withToolTip([](const Run&) { return app::definitionTip("hits"); })
            .atRight()
            .wide(62),
        C([] { return say(QT_TRANSLATE_NOOP("RunColumns", "To baseline")); },
          [&baseline](const Run& run) { return toBaselineText(run, baseline); })
            .sortedBy([&baseline](const Run& run) {
                return baseline ? orNan(app::toBaseline(run, *baseline).differenceMs)
                                : std::numeric_limits<double>::quiet_NaN();
            })
            .withToolTip([](const Run&) {
                return say(QT_TRANSLATE_NOOP(
                    "RunColumns", "TTFT p99 against the pinned run's; compare the two for "
                                  "an interval"));
            })
            .atRight()
            .wide(100),
        C([] { return say(QT_TRANSLATE_NOOP("RunColumns", "Output tok/s")); },
          [number](const Run& run) { return number(run.outputPerSecond, 1); })
            .sortedBy([](const Run& run) { return orNan(run.outputPerSecond); })
            .atRight()
            .wide(92),
        C([] { return say(QT_TRANSLATE_NOOP("RunColumns", "Goodput req/s")); },
          [number](const Run& run) { return number(run.goodputPerSecond, 2); })
            .sortedBy([](const Run& run) { return orNan(run.goodputPerSecond); })
            .withToolTip([](const Run& run) {
                return say(QT_TRANSLATE_NOOP("RunColumns", "within TTFT %1 and TPOT %2"))
                    .arg(app::limitText(run.run.sloTtftMs), app::limitText(run.run.sloTpotMs));
            })
            .atRight()
            .wide(106),
        C([] { return say(QT_TRANSLATE_NOOP("RunColumns", "Tags")); },
          [](const Run& run) {
              QStringList texts;
              for (const auto& [text, tone] : runTags(run)) {
                  texts << text;
              }
              return texts.join(QStringLiteral(", "));
          })
            .withToolTip([](const Run& run) {
                QStringList texts;
                for (const auto& [text, tone] : runTags(run)) {
                    texts << text;
                }
                return texts.join(QStringLiteral(", "));
            })
            .wide(150),
    };
}

RunDelegate::RunDelegate(const RunModel& model, const RunTicks& ticks, const RunBaseline& baseline,
                         QObject* parent)
    : TableDelegate(parent),
      m_model(model),
      m_ticks(ticks),
      m_baseline(baseline) {}

std::optional<int> RunDelegate::side(const Run& run) const {
    const auto place = std::ranges::find(m_ticks, run.run.id);
    return place == m_ticks.end() ? std::nullopt
                                  : std::optional(static_cast<int>(place - m_ticks.begin()));
}

TableDelegate::CellStyle RunDelegate::style(const QModelIndex& index) const {
    const Run& run = m_model.rowAt(index.row());
    switch (static_cast<RunColumn>(index.column())) {
    case RunColumn::Name:
        return {.color = ColorRole::Text1, .isStrong = true};
    case RunColumn::Id:
    case RunColumn::Started:
    case RunColumn::Length:
    case RunColumn::Settings:
        return {.color = ColorRole::Text2};
    case RunColumn::TtftP50:
        return {.color = tooFew(run, 0.5).isEmpty() ? ColorRole::Text1 : ColorRole::Text3};
    case RunColumn::TtftP99:
        return {.color = tooFew(run, 0.99).isEmpty() ? ColorRole::Text1 : ColorRole::Text3,
                .isStrong = true};
    case RunColumn::ToBaseline: {
        const auto difference =
            m_baseline ? app::toBaseline(run, *m_baseline).differenceMs : std::nullopt;
        return {.color = !difference       ? ColorRole::Text3
                         : *difference < 0 ? ColorRole::Better
                         : *difference > 0 ? ColorRole::Worse
                                           : ColorRole::Text1,
                .isStrong = difference.has_value()};
    }
    default:
        return {};
    }
}

std::optional<app::ColorRole> RunDelegate::rowTint(const QModelIndex& index) const {
    return side(m_model.rowAt(index.row())) ? std::optional(ColorRole::Hover) : std::nullopt;
}

void RunDelegate::paintCell(QPainter& painter, const QRect& bounds,
                            const QModelIndex& index) const {
    const Run& run = m_model.rowAt(index.row());
    const double middle = bounds.top() + bounds.height() / 2.0;
    switch (static_cast<RunColumn>(index.column())) {
    case RunColumn::Tick: {
        const std::optional<int> at = side(run);
        painter.setRenderHint(QPainter::Antialiasing);
        const QRectF box(bounds.left() + 2.5, middle - 6.5, 13, 13);
        const QColor fill = !at        ? color(ColorRole::Input)
                            : *at == 0 ? color(ColorRole::SideA)
                                       : color(ColorRole::SideB);
        painter.setPen(QPen(at ? fill : color(ColorRole::LineStrong), 1));
        painter.setBrush(fill);
        painter.drawRoundedRect(box, radius::kPin, radius::kPin);
        if (at) {
            paintIcon(painter, QStringLiteral("check-bold"), box.adjusted(1.5, 1.5, -1.5, -1.5),
                      color(ColorRole::Card));
        }
        return;
    }
    case RunColumn::Name: {
        TableDelegate::paintCell(painter, bounds, index);
        if (run.run.state == app::RunState::Recording) {
            const int width = QFontMetrics(ui::font(type::kControl, QFont::DemiBold))
                                  .horizontalAdvance(index.data().toString());
            paintTag(painter, QPointF(bounds.left() + width + 8, middle),
                     app::runStateLabel(run.run.state), Tone::Bad, QStringLiteral("record"));
        }
        return;
    }
    case RunColumn::Tags: {
        double x = bounds.left();
        const auto tags = runTags(run);
        for (std::size_t i = 0; i < tags.size(); ++i) {
            // What has no room is counted: a tag cut in the middle says nothing.
            const QString more = QStringLiteral("+%1").arg(tags.size() - i);
            const bool isLast = i + 1 == tags.size();
            const double needed =
                tagWidth(tags[i].first) + (isLast ? 0.0 : 4.0 + tagWidth(QStringLiteral("+9")));
            if (x + needed > bounds.right() + 1.0 && (i > 0 || !isLast)) {
                paintTag(painter, QPointF(x, middle), more, Tone::Neutral);
                return;
            }
            x = paintTag(painter, QPointF(x, middle), tags[i].first, tags[i].second) + 4;
        }
        return;
    }
    default:
        TableDelegate::paintCell(painter, bounds, index);
    }
}

} // namespace ui
