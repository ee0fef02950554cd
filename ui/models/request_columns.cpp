#include "ui/models/request_columns.h"

#include "app/labels.h"
#include "app/plot/plot.h"
#include "app/value_text.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/ledger_bar.h"

#include <QCoreApplication>
#include <QPainter>

namespace ui {

namespace {

using Row = app::RequestRow;

QString say(const char* english) {
    return QCoreApplication::translate("RequestColumns", english);
}

double orNan(std::optional<double> value) {
    return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

QString dueText(const Row& row) {
    if (!row.dueSeconds) {
        return QStringLiteral("—");
    }
    // "07:41.9": tenths tell apart what arrives in one second.
    const double seconds = std::max(0.0, *row.dueSeconds);
    const double whole = std::floor(seconds * 10.0) / 10.0;
    const int tenth = static_cast<int>(std::lround((whole - std::floor(whole)) * 10.0)) % 10;
    return app::runTimeText(std::floor(whole)) + u'.' + QString::number(tenth);
}

QString tagText(std::string_view key) {
    constexpr std::array<std::pair<std::string_view, const char*>, 11> kTexts = {{
        {"warm", QT_TRANSLATE_NOOP("RequestColumns", "warm")},
        {"cold", QT_TRANSLATE_NOOP("RequestColumns", "cold")},
        {"idle_start", QT_TRANSLATE_NOOP("RequestColumns", "idle start")},
        {"warm_up", QT_TRANSLATE_NOOP("RequestColumns", "warm-up")},
        {"preempted", QT_TRANSLATE_NOOP("RequestColumns", "preempted")},
        {"degraded", QT_TRANSLATE_NOOP("RequestColumns", "degraded")},
        {"cached", QT_TRANSLATE_NOOP("RequestColumns", "stored answer")},
        {"light_model", QT_TRANSLATE_NOOP("RequestColumns", "light model")},
        {"config_changed", QT_TRANSLATE_NOOP("RequestColumns", "settings changed")},
        {"streamed", QT_TRANSLATE_NOOP("RequestColumns", "fed while typing")},
        {"mixed", QT_TRANSLATE_NOOP("RequestColumns", "mixed weights")},
    }};
    for (const auto& [known, text] : kTexts) {
        if (known == key) {
            return say(text);
        }
    }
    return QString::fromUtf8(key.data(), static_cast<qsizetype>(key.size()));
}

Tone tagTone(std::string_view key) {
    if (key == "cold") {
        return Tone::Bad;
    }
    if (key == "preempted" || key == "config_changed" || key == "degraded" || key == "mixed") {
        return Tone::Warn;
    }
    if (key == "streamed") {
        return Tone::Accent;
    }
    return key == "idle_start" ? Tone::Info : Tone::Neutral;
}

// Refused and failed requests say why where the ledger would be.
QString ledgerText(const Row& row) {
    const bool hasEndedBadly =
        row.outcome == engine::Outcome::Rejected || row.outcome == engine::Outcome::Failed;
    if ((row.tags & engine::kNotComputed) != 0) {
        return say(QT_TRANSLATE_NOOP("RequestColumns", "not a latency sample"));
    }
    return hasEndedBadly && !row.ledgerMs ? QString::fromStdString(row.message) : QString();
}

struct OutcomeLook {
    QString iconName;
    ColorRole icon = ColorRole::Text3;
    ColorRole text = ColorRole::Text2;
};

OutcomeLook outcomeLook(engine::Outcome outcome) {
    switch (outcome) {
    case engine::Outcome::Completed:
        return {QStringLiteral("check"), ColorRole::Accent, ColorRole::Text1};
    case engine::Outcome::Cancelled:
        return {QStringLiteral("cross"), ColorRole::Text3, ColorRole::Text2};
    case engine::Outcome::Failed:
        return {QStringLiteral("warning"), ColorRole::Bad, ColorRole::Bad};
    case engine::Outcome::Rejected:
        break;
    }
    return {QStringLiteral("warning"), ColorRole::Warn, ColorRole::Warn};
}

} // namespace

std::vector<TagLook> requestTags(const Row& row) {
    std::vector<TagLook> looks;
    // What never got a first token is neither warm nor cold.
    if (row.ttftMs || row.tags != 0) {
        for (const std::string_view key : app::tagKeys(row.tags)) {
            looks.push_back({tagText(key), tagTone(key)});
        }
    }
    if (!row.label.empty()) {
        looks.push_back({app::requestLabelText(row.label),
                         row.label == "playground" ? Tone::Accent : Tone::Neutral});
    }
    return looks;
}

std::vector<Column<Row>> requestColumns(std::function<double()> scaleMs) {
    using C = Column<Row>;
    const auto count = [](std::int64_t value) {
        return app::numberText(static_cast<double>(value));
    };
    return {
        C([] { return say(QT_TRANSLATE_NOOP("RequestColumns", "Id")); },
          [count](const Row& row) { return count(static_cast<std::int64_t>(row.id)); })
            .sortedBy([](const Row& row) { return static_cast<double>(row.id); })
            .wide(62),
        C([] { return say(QT_TRANSLATE_NOOP("RequestColumns", "Due")); }, dueText)
            .sortedBy([](const Row& row) { return orNan(row.dueSeconds); })
            .withToolTip([](const Row&) {
                return say(QT_TRANSLATE_NOOP(
                    "RequestColumns", "When the request was due, from the start of the run"));
            })
            .wide(76),
        C([] { return say(QT_TRANSLATE_NOOP("RequestColumns", "Lane")); },
          [](const Row& row) {
              return app::laneLabel(row.lane).toLower();
          }).wide(70),
        C([] { return say(QT_TRANSLATE_NOOP("RequestColumns", "Tags")); },
          [](const Row& row) {
              QStringList texts;
              for (const TagLook& tag : requestTags(row)) {
                  texts << tag.text;
              }
              return texts.join(QStringLiteral(", "));
          }).wide(140),
        C([] { return say(QT_TRANSLATE_NOOP("RequestColumns", "Prompt")); },
          [count](const Row& row) { return count(row.promptTokens); })
            .sortedBy([](const Row& row) { return static_cast<double>(row.promptTokens); })
            .atRight()
            .wide(72),
        C([] { return say(QT_TRANSLATE_NOOP("RequestColumns", "Hit")); },
          [count](const Row& row) { return count(row.hitTokens); })
            .sortedBy([](const Row& row) { return static_cast<double>(row.hitTokens); })
            .withToolTip([](const Row&) {
                return say(QT_TRANSLATE_NOOP("RequestColumns",
                                             "Prompt tokens that the prefix cache already held"));
            })
            .atRight()
            .wide(48),
        C([] { return say(QT_TRANSLATE_NOOP("RequestColumns", "TTFT ms")); },
          [](const Row& row) { return app::millisecondsText(row.ttftMs); })
            .sortedBy([](const Row& row) { return orNan(row.ttftMs); })
            .withToolTip([](const Row&) {
                return say(QT_TRANSLATE_NOOP("RequestColumns",
                                             "From scheduled to the first visible text"));
            })
            .atRight()
            .wide(84),
        C(
            [scaleMs] {
                return say(QT_TRANSLATE_NOOP("RequestColumns", "Ledger, 0 – %1 ms"))
                    .arg(app::numberText(scaleMs()));
            },
            ledgerText)
            .sortedBy([](const Row& row) { return orNan(row.ttftMs); })
            .withToolTip(ledgerText)
            .wide(150),
        C([] { return say(QT_TRANSLATE_NOOP("RequestColumns", "TPOT ms")); },
          [](const Row& row) { return app::millisecondsText(row.tpotMs); })
            .sortedBy([](const Row& row) { return orNan(row.tpotMs); })
            .withToolTip([](const Row&) {
                return say(QT_TRANSLATE_NOOP("RequestColumns",
                                             "(last token − first visible) ÷ (tokens − 1)"));
            })
            .atRight()
            .wide(88),
        C([] { return say(QT_TRANSLATE_NOOP("RequestColumns", "E2EL ms")); },
          [](const Row& row) { return app::millisecondsText(row.e2eMs); })
            .sortedBy([](const Row& row) { return orNan(row.e2eMs); })
            .atRight()
            .wide(88),
        C([] { return say(QT_TRANSLATE_NOOP("RequestColumns", "Output")); },
          [count](const Row& row) { return count(row.outputTokens); })
            .sortedBy([](const Row& row) { return static_cast<double>(row.outputTokens); })
            .atRight()
            .wide(74),
        C([] { return say(QT_TRANSLATE_NOOP("RequestColumns", "Outcome")); },
          [](const Row& row) { return app::outcomeLabel(row.outcome).toLower(); })
            .withToolTip([](const Row& row) {
                const QString message = QString::fromStdString(row.message);
                return app::finishLabel(row.reason) +
                       (message.isEmpty() ? QString() : QStringLiteral("\n") + message);
            })
            .wide(104),
    };
}

RequestDelegate::RequestDelegate(const RequestModel& model, std::function<double()> scaleMs,
                                 QObject* parent)
    : TableDelegate(parent),
      m_model(model),
      m_scaleMs(std::move(scaleMs)) {}

TableDelegate::CellStyle RequestDelegate::style(const QModelIndex& index) const {
    switch (static_cast<RequestColumn>(index.column())) {
    case RequestColumn::Id:
    case RequestColumn::Hit:
        return {.color = ColorRole::Text3};
    case RequestColumn::Due:
    case RequestColumn::Lane:
        return {.color = ColorRole::Text2};
    case RequestColumn::Ttft:
        return {.color = ColorRole::Text1, .isStrong = true};
    default:
        return {};
    }
}

void RequestDelegate::paintCell(QPainter& painter, const QRect& bounds,
                                const QModelIndex& index) const {
    const Row& row = m_model.rowAt(index.row());
    const double middle = bounds.top() + bounds.height() / 2.0;
    switch (static_cast<RequestColumn>(index.column())) {
    case RequestColumn::Tags: {
        double x = bounds.left();
        const std::vector<TagLook> tags = requestTags(row);
        for (std::size_t i = 0; i < tags.size(); ++i) {
            const bool isLast = i + 1 == tags.size();
            const int rest = isLast ? 0 : 4 + tagWidth(QStringLiteral("+9"));
            if (i > 0 && x + tagWidth(tags[i].text) + rest > bounds.right() + 1.0) {
                paintTag(painter, QPointF(x, middle), QStringLiteral("+%1").arg(tags.size() - i),
                         Tone::Neutral);
                return;
            }
            x = paintTag(painter, QPointF(x, middle), tags[i].text, tags[i].tone) + 4;
        }
        return;
    }
    case RequestColumn::Ledger: {
        const bool isSample = (row.tags & engine::kNotComputed) == 0;
        if (row.ledgerMs && isSample) {
            paintLedgerBar(painter, QRectF(bounds.left(), middle - 5, bounds.width(), 10), row,
                           m_scaleMs());
            return;
        }
        const QFont face = ui::font(type::kCaption);
        painter.setFont(face);
        painter.setPen(color(isSample ? outcomeLook(row.outcome).text : ColorRole::Text3));
        painter.drawText(
            bounds, Qt::AlignLeft | Qt::AlignVCenter,
            QFontMetrics(face).elidedText(ledgerText(row), Qt::ElideRight, bounds.width()));
        return;
    }
    case RequestColumn::Outcome: {
        const OutcomeLook look = outcomeLook(row.outcome);
        paintIcon(painter, look.iconName, QRectF(bounds.left(), middle - 6, 12, 12),
                  color(look.icon));
        painter.setFont(ui::font(type::kControl));
        painter.setPen(color(look.text));
        painter.drawText(bounds.adjusted(18, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                         index.data().toString());
        return;
    }
    default:
        TableDelegate::paintCell(painter, bounds, index);
    }
}

} // namespace ui
