#include "ui/pages/settings_page.h"

#include "app/labels.h"
#include "app/session.h"
#include "ui/theme.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QFile>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <array>
#include <cmath>

namespace ui {

namespace {

constexpr int kControlWidth = 220;

constexpr std::array kLanguages = {"", "en", "zh_CN"};
constexpr std::array kThemes = {app::ThemeKind::Dark, app::ThemeKind::Light};

QComboBox* makeCombo(int count, QWidget* parent) {
    auto* combo = new QComboBox(parent);
    // Fusion's own delegate ignores the sheet's item rules.
    combo->setItemDelegate(new QStyledItemDelegate(combo));
    combo->setFixedWidth(kControlWidth);
    for (int index = 0; index < count; ++index) {
        combo->addItem({});
    }
    return combo;
}

QDoubleSpinBox* makeLimit(QWidget* parent) {
    auto* box = new QDoubleSpinBox(parent);
    box->setRange(1.0, 600'000.0);
    box->setDecimals(0);
    box->setSuffix(QStringLiteral(" ms"));
    box->setGroupSeparatorShown(true);
    box->setFixedWidth(kControlWidth);
    return box;
}

QDoubleSpinBox* makeAlarmLimit(const app::AlarmRule& rule, QWidget* parent) {
    auto* box = new QDoubleSpinBox(parent);
    const bool isWhole = rule.limit == std::floor(rule.limit);
    box->setDecimals(rule.limit < 10.0 || !isWhole ? 2 : 0);
    box->setRange(rule.limit < 10.0 ? 0.1 : 1.0, rule.maximum);
    box->setSuffix(QLatin1Char(' ') +
                   QString::fromLatin1(rule.unit.data(), static_cast<qsizetype>(rule.unit.size())));
    box->setGroupSeparatorShown(true);
    box->setFixedWidth(kControlWidth);
    return box;
}

} // namespace

SettingsPage::SettingsPage(app::Session& session, QWidget* parent)
    : Page(parent),
      m_session(session) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    outer->addWidget(scroll);
    auto* content = new QWidget;
    scroll->setWidget(content);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(24, 20, 24, 24);
    column->setSpacing(12);
    m_heading = makeLabel({}, TextRole::PageTitle, content);
    column->addWidget(m_heading);

    m_language = makeCombo(static_cast<int>(kLanguages.size()), content);
    m_theme = makeCombo(static_cast<int>(kThemes.size()), content);
    m_ttft = makeLimit(content);
    m_tpot = makeLimit(content);
    m_api = makeButton({}, ButtonKind::Normal, content);
    m_token = makeButton({}, ButtonKind::Normal, content);
    m_runLog = makeLabel({}, TextRole::Small, content);
    m_settingsFile = makeLabel({}, TextRole::Small, content);
    for (QLabel* path : {m_runLog, m_settingsFile}) {
        path->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    }
    for (const app::AlarmRule& rule : app::alarmTable()) {
        m_alarmLimits.push_back({.box = makeAlarmLimit(rule, content), .row = {}});
    }
    m_notify = makeCombo(2, content);
    std::vector<std::pair<QWidget*, Row*>> alarmRows = {{m_notify, &m_notifyRow}};
    for (AlarmLimit& limit : m_alarmLimits) {
        alarmRows.emplace_back(limit.box, &limit.row);
    }
    const auto card = [&](QLabel*& title, const std::vector<std::pair<QWidget*, Row*>>& rows) {
        auto* frame = new QFrame(content);
        setSurface(frame, Surface::Card);
        frame->setMaximumWidth(760);
        auto* grid = new QGridLayout(frame);
        grid->setContentsMargins(16, 12, 16, 14);
        grid->setHorizontalSpacing(20);
        grid->setVerticalSpacing(2);
        title = makeLabel({}, TextRole::CardTitle, frame);
        grid->addWidget(title, 0, 0, 1, 2);
        int line = 1;
        for (const auto& [control, row] : rows) {
            grid->setRowMinimumHeight(line, 8);
            row->label = makeLabel({}, TextRole::Body, frame);
            row->label->setBuddy(control);
            row->note = makeLabel({}, TextRole::Caption, frame);
            row->note->setWordWrap(true);
            grid->addWidget(row->label, line + 1, 0);
            grid->addWidget(row->note, line + 2, 0);
            grid->addWidget(control, line + 1, 1, 2, 1, Qt::AlignRight | Qt::AlignVCenter);
            line += 3;
        }
        grid->setColumnStretch(0, 1);
        column->addWidget(frame);
    };
    card(m_look, {{m_language, &m_languageRow}, {m_theme, &m_themeRow}});
    card(m_target, {{m_ttft, &m_ttftRow}, {m_tpot, &m_tpotRow}});
    card(m_alarms, alarmRows);
    card(m_apiTitle, {{m_api, &m_apiRow}, {m_token, &m_tokenRow}});
    card(m_places, {{m_runLog, &m_runLogRow}, {m_settingsFile, &m_settingsFileRow}});
    column->addStretch();

    connect(m_language, &QComboBox::activated, this, [this](int index) {
        Q_EMIT languageChosen(QString::fromLatin1(kLanguages[static_cast<std::size_t>(index)]));
    });
    connect(m_theme, &QComboBox::activated, this,
            [this](int index) { Q_EMIT themeChosen(kThemes[static_cast<std::size_t>(index)]); });
    connect(m_ttft, &QDoubleSpinBox::valueChanged, this, &SettingsPage::editTarget);
    connect(m_tpot, &QDoubleSpinBox::valueChanged, this, &SettingsPage::editTarget);
    for (std::size_t rule = 0; rule < m_alarmLimits.size(); ++rule) {
        connect(m_alarmLimits[rule].box, &QDoubleSpinBox::valueChanged, this,
                [this, rule](double limit) {
                    if (!m_isFilling) {
                        Q_EMIT alarmLimitChosen(rule, limit);
                    }
                });
    }
    connect(m_notify, &QComboBox::activated, this,
            [this](int index) { Q_EMIT notificationsChosen(index == 1); });
    connect(m_api, &QPushButton::clicked, this,
            [this] { Q_EMIT apiToggled(!m_apiView.isRunning); });
    connect(m_token, &QPushButton::clicked, this, &SettingsPage::tokenRequested);
    retranslate();
}

QString SettingsPage::title() const {
    return tr("Settings");
}

QWidget* SettingsPage::firstFocus() {
    return m_language;
}

void SettingsPage::setChoices(const app::Preferences& preferences, app::ThemeKind theme) {
    const QScopedValueRollback filling(m_isFilling, true);
    for (std::size_t index = 0; index < kLanguages.size(); ++index) {
        if (preferences.language() == QString::fromLatin1(kLanguages[index])) {
            m_language->setCurrentIndex(static_cast<int>(index));
        }
    }
    m_theme->setCurrentIndex(theme == app::ThemeKind::Dark ? 0 : 1);
    m_ttft->setValue(preferences.serviceTtftMs());
    m_tpot->setValue(preferences.serviceTpotMs());
    m_notify->setCurrentIndex(preferences.notifiesDesktop() ? 1 : 0);
    const std::vector<app::AlarmSetting> alarms = preferences.alarms();
    for (std::size_t rule = 0; rule < m_alarmLimits.size(); ++rule) {
        m_alarmLimits[rule].box->setValue(alarms[rule].limit);
    }
}

void SettingsPage::setApi(const ApiView& api) {
    m_apiView = api;
    showApi();
}

void SettingsPage::showApi() {
    m_api->setText(m_apiView.isRunning ? tr("Stop") : tr("Start"));
    m_apiRow.label->setText(m_apiView.isRunning ? tr("Serving at %1").arg(m_apiView.address)
                                                : tr("OpenAI API on this machine"));
    m_apiRow.label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_apiRow.note->setText(
        !m_apiView.problem.isEmpty()
            ? m_apiView.problem
            : tr("Programs on this machine ask the loaded model. Off whenever Headway starts."));
    m_api->setAccessibleName(m_apiView.isRunning ? tr("Stop the local API")
                                                 : tr("Start the local API"));
    m_api->setAccessibleDescription(m_apiRow.note->text());
    m_token->setText(tr("Copy"));
    m_token->setEnabled(m_apiView.isRunning);
    m_tokenRow.label->setText(tr("Token"));
    m_tokenRow.note->setText(tr("A new one each time; without it nobody is answered."));
    m_token->setAccessibleName(tr("Copy the token"));
}

void SettingsPage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    Page::changeEvent(event);
}

void SettingsPage::editTarget() {
    if (!m_isFilling) {
        Q_EMIT targetChosen(m_ttft->value(), m_tpot->value());
    }
}

void SettingsPage::retranslate() {
    const auto name = [](Row& row, QWidget* control, const QString& label, const QString& note) {
        row.label->setText(label);
        row.note->setText(note);
        control->setAccessibleName(label);
        control->setAccessibleDescription(note);
    };
    m_heading->setText(tr("Settings"));
    m_look->setText(tr("Look"));
    m_language->setItemText(0, tr("As the system"));
    m_language->setItemText(1, QStringLiteral("English"));
    m_language->setItemText(2, QStringLiteral("简体中文"));
    name(m_languageRow, m_language, tr("Language"), tr("Switched at once, without a restart."));
    m_theme->setItemText(0, tr("Dark"));
    m_theme->setItemText(1, tr("Light"));
    name(m_themeRow, m_theme, tr("Theme"), tr("Reports are always light on white."));
    m_target->setText(tr("Service target"));
    name(m_ttftRow, m_ttft, tr("Time to first token at most"),
         tr("From scheduled to the first visible text. Goodput counts requests that meet it."));
    name(m_tpotRow, m_tpot, tr("Time per output token at most"),
         tr("One-token answers have none and are not held against it."));
    m_alarms->setText(tr("Alarms"));
    m_notify->setItemText(0, tr("Off"));
    m_notify->setItemText(1, tr("On"));
    name(m_notifyRow, m_notify, tr("Desktop notifications"),
         tr("A message of the desktop when an alarm is raised and this window is not in front."));
    for (std::size_t rule = 0; rule < m_alarmLimits.size(); ++rule) {
        const app::AlarmRule& row = app::alarmTable()[rule];
        const QString hold = app::numberText(row.holdSeconds);
        const QString least = app::numberText(static_cast<double>(row.leastCount));
        QString note = row.side == app::AlarmSide::Above
                           ? tr("Raised above it for %1 s.").arg(hold)
                           : tr("Raised below it for %1 s.").arg(hold);
        if (row.leastCount > 1) {
            note += QLatin1Char(' ') + tr("Needs %1 samples.").arg(least);
        }
        name(m_alarmLimits[rule].row, m_alarmLimits[rule].box, app::alarmLabel(row.key), note);
    }
    m_apiTitle->setText(tr("Local API"));
    showApi();
    m_places->setText(tr("Places"));
    m_runLog->setText(QFile::decodeName(m_session.runLog().c_str()));
    name(m_runLogRow, m_runLog, tr("Run log"),
         tr("Every recorded run. Copy it to another machine to open it there."));
    m_settingsFile->setText(QFile::decodeName(app::defaultPreferencesFile().c_str()));
    name(m_settingsFileRow, m_settingsFile, tr("Settings file"),
         tr("What this page and the window's layout keep."));
}

} // namespace ui
