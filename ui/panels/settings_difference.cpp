#include "ui/panels/settings_difference.h"

#include "app/labels.h"
#include "ui/theme.h"
#include "ui/widgets/toggle_switch.h"

#include <QEvent>
#include <QFontMetrics>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr int kMostOnOneLine = 96;  // pixels of a value; longer ones stand below what was asked for
constexpr int kMostOfAColumn = 180; // longer words wrap

QString settingName(const std::string& key) {
    const engine::Field* field = engine::findField(key);
    return field != nullptr ? app::fieldLabel(*field) : QString::fromStdString(key);
}

QString valueLabel(const std::string& key, const std::string& value) {
    const engine::Field* field = engine::findField(key);
    if (value.empty()) {
        return QStringLiteral("—");
    }
    if (field == nullptr) {
        return QString::fromStdString(value);
    }
    return settingValue(*field, value);
}

// "on → off" where what was asked for was not what was in force; automatic values show the result.
QString sideText(const std::string& key, const std::string& requested,
                 const std::string& effective) {
    const QString asked = valueLabel(key, requested).toHtmlEscaped();
    if (requested == effective || effective.empty()) {
        return asked;
    }
    const QString got = QStringLiteral("→ ") + valueLabel(key, effective);
    const QFontMetrics metrics(font(type::kControl, QFont::DemiBold));
    const bool isShort =
        metrics.horizontalAdvance(valueLabel(key, requested) + u' ' + got) <= kMostOnOneLine;
    return asked + (isShort ? QStringLiteral(" ") : QStringLiteral("<br>")) +
           QStringLiteral("<b style=\"color:%1\">%2</b>")
               .arg(color(ColorRole::Warn).name(), got.toHtmlEscaped());
}

// Every setting that either run has, in the order of the first.
std::vector<app::SettingDifference> allSettings(const app::RunSummary& a,
                                                const app::RunSummary& b) {
    std::vector<app::SettingDifference> rows;
    for (const app::SettingRow& row : a.settings) {
        rows.push_back({.field = row.field,
                        .requestedA = row.requested,
                        .effectiveA = row.effective,
                        .requestedB = {},
                        .effectiveB = {}});
    }
    for (const app::SettingRow& row : b.settings) {
        auto known = std::ranges::find(rows, row.field, &app::SettingDifference::field);
        if (known == rows.end()) {
            known = rows.insert(rows.end(), app::SettingDifference{.field = row.field,
                                                                   .requestedA = {},
                                                                   .effectiveA = {},
                                                                   .requestedB = {},
                                                                   .effectiveB = {}});
        }
        known->requestedB = row.requested;
        known->effectiveB = row.effective;
    }
    return rows;
}

} // namespace

QString settingValue(const engine::Field& field, const std::string& value) {
    const QString text = app::choiceLabel(field, value), unit = app::unitLabel(field);
    const bool isWord = value == "0" && !field.zeroMeans.empty();
    return unit.isEmpty() || isWord ? text : text + QChar(QChar::Nbsp) + unit;
}

SettingsDifference::SettingsDifference(QWidget* parent) : QFrame(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    auto* head = new QHBoxLayout;
    m_title = makeLabel({}, TextRole::CardTitle, this);
    m_onlyDifferent = new ToggleSwitch(this);
    m_onlyDifferent->setChecked(true);
    head->addWidget(m_title);
    head->addStretch(1);
    head->addWidget(m_onlyDifferent);
    column->addLayout(head);
    m_table = new QWidget(this);
    column->addWidget(m_table);
    m_hidden = makeLabel({}, TextRole::Caption, this);
    m_hidden->setWordWrap(true);
    column->addWidget(m_hidden);
    connect(m_onlyDifferent, &ToggleSwitch::toggled, this, &SettingsDifference::fill);
}

void SettingsDifference::setRuns(std::shared_ptr<const app::RunData> a,
                                 std::shared_ptr<const app::RunData> b,
                                 const app::Comparison& comparison, const QString& nameA,
                                 const QString& nameB) {
    m_nameA = nameA;
    m_nameB = nameB;
    m_a = std::move(a);
    m_b = std::move(b);
    m_comparison = comparison;
    fill();
}

void SettingsDifference::fill() {
    m_title->setText(tr("Settings that differ"));
    m_onlyDifferent->setAccessibleName(tr("Only settings that differ"));
    m_onlyDifferent->setToolTip(tr("Only settings that differ"));
    if (m_a == nullptr || m_b == nullptr) {
        return;
    }
    auto* old = m_table;
    m_table = new QWidget(this);
    auto* grid = new QGridLayout(m_table);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(5);
    // A column is as wide as its words: a number that wraps reads as two.
    const auto add = [&](int row, int column, const QString& text, TextRole role) {
        auto* label = makeLabel(text, role, m_table);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        if (label->sizeHint().width() > kMostOfAColumn) {
            label->setWordWrap(true);
            label->setMinimumWidth(kMostOfAColumn);
        }
        grid->addWidget(label, row, column, Qt::AlignTop);
    };
    add(0, 0, tr("Setting"), TextRole::Caption);
    add(0, 1, m_nameA, TextRole::Caption);
    add(0, 2, m_nameB, TextRole::Caption);
    const auto rows = m_onlyDifferent->isChecked() ? m_comparison.settings
                                                   : allSettings(m_a->summary, m_b->summary);
    int line = 1;
    for (const app::SettingDifference& row : rows) {
        add(line, 0, settingName(row.field), TextRole::Small);
        add(line, 1, sideText(row.field, row.requestedA, row.effectiveA), TextRole::Small);
        add(line, 2, sideText(row.field, row.requestedB, row.effectiveB), TextRole::Small);
        ++line;
    }
    grid->setColumnStretch(0, 3);
    grid->setColumnStretch(1, 2);
    grid->setColumnStretch(2, 2);
    delete layout()->replaceWidget(old, m_table);
    old->hide();
    old->deleteLater();
    m_hidden->setText(
        tr("%n equal settings hidden", nullptr, static_cast<int>(m_comparison.equalSettings)));
    m_hidden->setVisible(m_onlyDifferent->isChecked() && m_comparison.equalSettings > 0);
}

void SettingsDifference::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (m_hidden != nullptr &&
        (event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange)) {
        fill();
    }
}

} // namespace ui
