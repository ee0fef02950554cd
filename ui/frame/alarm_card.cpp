#include "ui/frame/alarm_card.h"

#include "app/labels.h"
#include "app/observe/alarms.h"
#include "ui/icons.h"
#include "ui/theme.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

QString withUnit(const app::AlarmRule& rule, std::optional<double> value) {
    const QString number = app::numberText(value, value && *value < 100.0 ? 1 : 0);
    return value
               ? number + QLatin1Char(' ') +
                     QString::fromLatin1(rule.unit.data(), static_cast<qsizetype>(rule.unit.size()))
               : number;
}

} // namespace

AlarmCard::AlarmCard(QWidget* window) : OverlayCard(window) {
    auto* layout = new QVBoxLayout(card());
    layout->setContentsMargins(20, 14, 20, 16);
    layout->setSpacing(12);
    auto* head = new QHBoxLayout;
    m_title = makeLabel({}, TextRole::PageTitle, card());
    head->addWidget(m_title, 1);
    m_limits = makeButton({}, ButtonKind::Quiet, card());
    head->addWidget(m_limits);
    m_close = makeButton({}, ButtonKind::Quiet, card());
    m_close->setIcon(icon(QStringLiteral("cross")));
    head->addWidget(m_close);
    layout->addLayout(head);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(18);
    grid->setVerticalSpacing(10);
    grid->setColumnStretch(0, 1);
    for (std::size_t rule = 0; rule < app::alarmTable().size(); ++rule) {
        m_rows.push_back(makeRow(grid, rule));
    }
    layout->addLayout(grid);
    layout->addStretch();
    connect(m_close, &QPushButton::clicked, this, &OverlayCard::close);
    connect(m_limits, &QPushButton::clicked, this, [this] {
        close();
        Q_EMIT limitsRequested();
    });
}

AlarmCard::Row AlarmCard::makeRow(QGridLayout* grid, std::size_t rule) {
    const int line = static_cast<int>(rule);
    Row row{.name = makeLabel({}, TextRole::Body, card()),
            .figure = makeLabel({}, TextRole::Body, card()),
            .limit = makeLabel({}, TextRole::Small, card()),
            .state = makeLabel({}, TextRole::Small, card()),
            .acknowledge = makeButton({}, ButtonKind::Normal, card()),
            .mute = makeButton({}, ButtonKind::Quiet, card())};
    row.figure->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row.mute->setCheckable(true);
    grid->addWidget(row.name, line, 0);
    grid->addWidget(row.figure, line, 1);
    grid->addWidget(row.limit, line, 2);
    grid->addWidget(row.state, line, 3);
    grid->addWidget(row.acknowledge, line, 4);
    grid->addWidget(row.mute, line, 5);
    connect(row.acknowledge, &QPushButton::clicked, this,
            [this, rule] { Q_EMIT acknowledged(rule); });
    connect(row.mute, &QPushButton::clicked, this,
            [this, rule](bool isMuted) { Q_EMIT muteChosen(rule, isMuted); });
    return row;
}

QSize AlarmCard::cardSize(QSize window) const {
    const int wanted = 64 + 40 * static_cast<int>(m_rows.size());
    return {std::min(900, window.width() - 40), std::min(wanted, window.height() - 80)};
}

int AlarmCard::cardTop(QSize) const {
    return 60;
}

QWidget* AlarmCard::firstFocus() {
    const auto raised =
        std::ranges::find_if(m_rows, [](const Row& row) { return row.acknowledge->isEnabled(); });
    return raised != m_rows.end() ? raised->acknowledge : m_close;
}

void AlarmCard::prepare() {
    setAccessibleName(tr("Alarms"));
    m_title->setText(tr("Alarms"));
    m_limits->setText(tr("Limits…"));
    m_close->setToolTip(tr("Close"));
    m_close->setAccessibleName(tr("Close"));
}

void AlarmCard::follow(const app::Alarms& alarms) {
    for (std::size_t index = 0; index < m_rows.size(); ++index) {
        const app::AlarmRule& rule = app::alarmTable()[index];
        const app::AlarmState& state = alarms.states()[index];
        const app::AlarmSetting& setting = alarms.settings()[index];
        const Row& row = m_rows[index];
        const QString label = app::alarmLabel(rule.key);
        const bool isAbove = rule.side == app::AlarmSide::Above;
        const bool isRaised = state.phase == app::AlarmPhase::Raised;
        const bool isThin = state.reading.n < rule.leastCount;
        row.name->setText(label);
        row.figure->setText(withUnit(rule, state.reading.value));
        const QString limit = withUnit(rule, setting.limit);
        const QString clear = withUnit(rule, app::clearingValue(rule, setting));
        row.limit->setText(isRaised  ? (isAbove ? tr("clears below %1").arg(clear)
                                                : tr("clears above %1").arg(clear))
                           : isAbove ? tr("limit %1").arg(limit)
                                     : tr("at least %1").arg(limit));
        row.state->setText(isRaised && state.isAcknowledged         ? tr("acknowledged")
                           : isRaised                               ? tr("raised")
                           : state.phase == app::AlarmPhase::Rising ? tr("over, being held")
                           : !state.reading.value                   ? tr("nothing to judge")
                           : isThin
                               ? tr("n %1 of %2")
                                     .arg(app::numberText(static_cast<double>(state.reading.n)),
                                          app::numberText(static_cast<double>(rule.leastCount)))
                               : tr("quiet"));
        setSheetProperty(row.state, "badge",
                         isRaised && !state.isAcknowledged        ? QStringLiteral("bad")
                         : state.phase == app::AlarmPhase::Rising ? QStringLiteral("warn")
                                                                  : QStringLiteral("neutral"));
        row.acknowledge->setText(tr("Acknowledge"));
        row.acknowledge->setEnabled(isRaised && !state.isAcknowledged);
        row.acknowledge->setAccessibleName(tr("Acknowledge: %1").arg(label));
        row.mute->setText(setting.isMuted ? tr("Muted") : tr("Mute"));
        row.mute->setChecked(setting.isMuted);
        row.mute->setAccessibleName(tr("Mute: %1").arg(label));
    }
}

} // namespace ui
