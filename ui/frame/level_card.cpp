#include "ui/frame/level_card.h"

#include "app/labels.h"
#include "ui/icons.h"
#include "ui/theme.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr int kChoiceWidth = 150;
constexpr int kLines = 4;

QString fromView(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

const engine::Field& modeField() {
    return *engine::findField("degradation.mode");
}

// Values in the order of the field's own numbers: choices, or off and on.
QStringList valuesOf(const engine::Field& field) {
    QStringList values;
    if (field.type == engine::FieldType::Switch) {
        return {QStringLiteral("off"), QStringLiteral("on")};
    }
    for (const std::string_view choice : field.choices) {
        values << fromView(choice);
    }
    return values;
}

QString valueLabel(const engine::Field& field, const QString& value) {
    if (&field == &modeField() && value.size() == 1) {
        return LevelCard::tr("level %1").arg(value);
    }
    return app::choiceLabel(field, value.toStdString());
}

QString seconds(engine::Nanoseconds span) {
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(span).count();
    return QStringLiteral("%1:%2").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
}

} // namespace

LevelCard::LevelCard(QWidget* window) : OverlayCard(window) {
    auto* layout = new QVBoxLayout(card());
    layout->setContentsMargins(20, 14, 20, 16);
    layout->setSpacing(12);
    auto* head = new QHBoxLayout;
    m_title = makeLabel({}, TextRole::PageTitle, card());
    head->addWidget(m_title, 1);
    m_light = makeButton({}, ButtonKind::Quiet, card());
    head->addWidget(m_light);
    m_limits = makeButton({}, ButtonKind::Quiet, card());
    head->addWidget(m_limits);
    m_close = makeButton({}, ButtonKind::Quiet, card());
    m_close->setIcon(icon(QStringLiteral("cross")));
    head->addWidget(m_close);
    layout->addLayout(head);
    auto* modeRow = new QHBoxLayout;
    m_modeLabel = makeLabel({}, TextRole::Body, card());
    modeRow->addWidget(m_modeLabel);
    m_mode = makeChoice(modeField());
    modeRow->addWidget(m_mode);
    m_figures = makeLabel({}, TextRole::Small, card());
    m_figures->setWordWrap(true);
    m_figures->setTextInteractionFlags(Qt::TextSelectableByMouse);
    modeRow->addWidget(m_figures, 1);
    layout->addLayout(modeRow);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(10);
    grid->setColumnStretch(3, 1);
    for (int row = 0; row < kLines; ++row) {
        m_lines.push_back(makeLine(grid, row));
    }
    layout->addLayout(grid);
    auto* effectRow = new QHBoxLayout;
    m_effect = makeLabel({}, TextRole::Small, card());
    m_effect->setWordWrap(true);
    m_effect->setTextInteractionFlags(Qt::TextSelectableByMouse);
    effectRow->addWidget(m_effect, 1);
    m_undo = makeButton({}, ButtonKind::Normal, card());
    effectRow->addWidget(m_undo);
    layout->addLayout(effectRow);
    layout->addStretch();
    connect(m_close, &QPushButton::clicked, this, &OverlayCard::close);
    connect(m_limits, &QPushButton::clicked, this, [this] {
        close();
        Q_EMIT limitsRequested();
    });
    connect(m_light, &QPushButton::clicked, this, &LevelCard::lightModelRequested);
    connect(m_undo, &QPushButton::clicked, this,
            [this] { Q_EMIT chosen(fromView(modeField().key), QString::number(m_undoLevel)); });
    connect(m_mode, &QComboBox::activated, this, [this](int index) {
        Q_EMIT chosen(fromView(modeField().key), valuesOf(modeField()).at(index));
    });
}

QComboBox* LevelCard::makeChoice(const engine::Field& field) {
    auto* combo = new QComboBox(card());
    combo->setItemDelegate(new QStyledItemDelegate(combo));
    combo->setFixedWidth(kChoiceWidth);
    for (const QString& value : valuesOf(field)) {
        combo->addItem(value);
    }
    return combo;
}

LevelCard::Line LevelCard::makeLine(QGridLayout* grid, int row) {
    Line line{.level = makeLabel({}, TextRole::Small, card()),
              .name = makeLabel({}, TextRole::Body, card()),
              .change = makeLabel({}, TextRole::Body, card()),
              .state = makeLabel({}, TextRole::Small, card()),
              .choice = new QComboBox(card()),
              .field = {}};
    line.state->setWordWrap(true);
    line.choice->setItemDelegate(new QStyledItemDelegate(line.choice));
    line.choice->setFixedWidth(kChoiceWidth);
    grid->addWidget(line.level, row, 0);
    grid->addWidget(line.name, row, 1);
    grid->addWidget(line.change, row, 2);
    grid->addWidget(line.state, row, 3);
    grid->addWidget(line.choice, row, 4);
    const auto index = static_cast<std::size_t>(row);
    connect(line.choice, &QComboBox::activated, this, [this, index](int value) {
        const engine::Field* field = engine::findField(m_lines[index].field.toStdString());
        if (field != nullptr) {
            Q_EMIT chosen(m_lines[index].field, valuesOf(*field).at(value));
        }
    });
    return line;
}

QSize LevelCard::cardSize(QSize window) const {
    return {std::min(980, window.width() - 40), std::min(400, window.height() - 80)};
}

int LevelCard::cardTop(QSize) const {
    return 60;
}

QWidget* LevelCard::firstFocus() {
    return m_mode;
}

void LevelCard::prepare() {
    setAccessibleName(tr("Degradation"));
    m_title->setText(tr("Degradation"));
    m_modeLabel->setText(tr("Levels"));
    m_mode->setAccessibleName(app::fieldLabel(modeField()));
    m_mode->setToolTip(app::fieldHelp(modeField()));
    m_light->setText(tr("Light model…"));
    m_light->setToolTip(tr("Choose the file that answers at level 2"));
    m_limits->setText(tr("Limits…"));
    m_close->setToolTip(tr("Close"));
    m_close->setAccessibleName(tr("Close"));
    const QStringList values = valuesOf(modeField());
    for (int i = 0; i < values.size(); ++i) {
        m_mode->setItemText(i, valueLabel(modeField(), values.at(i)));
    }
}

void LevelCard::follow(const engine::ServingStatus& status, const engine::EngineConfig& requested) {
    const QSignalBlocker quiet(m_mode);
    m_mode->setCurrentIndex(static_cast<int>(modeField().get(requested)));
    QStringList parts;
    parts << (status.isTrying ? tr("trying level %1").arg(status.level)
                              : tr("level %1 in force").arg(status.level));
    if (status.p90Ms) {
        parts << tr("TTFT p90 from received %1 ms, n %2")
                     .arg(app::millisecondsText(status.p90Ms),
                          app::numberText(static_cast<double>(status.n)));
    }
    if (status.lowMs) {
        parts << tr("surely above %1 ms").arg(app::millisecondsText(status.lowMs));
    }
    if (status.untilTrial) {
        parts << tr("level %1 is tried in %2")
                     .arg(std::max(0, status.level - 1))
                     .arg(seconds(*status.untilTrial));
    }
    m_figures->setText(parts.join(QStringLiteral(" · ")));
    for (std::size_t i = 0; i < m_lines.size(); ++i) {
        const bool isThere = i < status.actions.size();
        for (QWidget* widget :
             std::initializer_list<QWidget*>{m_lines[i].level, m_lines[i].name, m_lines[i].change,
                                             m_lines[i].state, m_lines[i].choice}) {
            widget->setVisible(isThere);
        }
        if (isThere) {
            showLine(m_lines[i], status.actions[i], requested);
        }
    }
    showEffect(status);
}

void LevelCard::showLine(Line& line, const engine::LevelAction& action,
                         const engine::EngineConfig& requested) {
    const engine::Field& field = *engine::findField(action.field);
    const QStringList values = valuesOf(field);
    if (line.field != fromView(action.field) || line.choice->count() != values.size()) {
        line.field = fromView(action.field);
        line.choice->clear();
        line.choice->addItems(values);
    }
    for (int i = 0; i < values.size(); ++i) {
        line.choice->setItemText(i, valueLabel(field, values.at(i)));
    }
    const QSignalBlocker quiet(line.choice);
    line.choice->setCurrentIndex(static_cast<int>(field.get(requested)));
    line.choice->setAccessibleName(app::fieldLabel(field));
    line.choice->setToolTip(app::fieldHelp(field));
    line.level->setText(tr("Level %1").arg(action.level));
    line.name->setText(app::fieldLabel(field));
    const engine::Field* target = engine::findField(action.target);
    const auto shown = [target](const std::string& value) {
        return target != nullptr ? app::choiceLabel(*target, value) : QString::fromStdString(value);
    };
    line.change->setText(action.before == action.after ? shown(action.after)
                         : action.before.empty()
                             ? shown(action.after)
                             : shown(action.before) + QStringLiteral(" → ") + shown(action.after));
    const QString word = app::engineText(engine::name(action.state));
    line.state->setText(
        action.reason.empty() ? word : tr("%1: %2").arg(word, app::engineText(action.reason)));
    setSheetProperty(line.state, "badge",
                     action.state == engine::ActionState::InForce ? QStringLiteral("warn")
                                                                  : QString());
}

void LevelCard::showEffect(const engine::ServingStatus& status) {
    const bool isWorse = status.effect && status.effect->verdict == engine::EffectVerdict::Worse;
    m_undo->setVisible(isWorse);
    if (!status.effect) {
        m_effect->setText(status.level > 0 ? tr("Its effect is being measured.") : QString());
        return;
    }
    const engine::LevelEffect& effect = *status.effect;
    const QString figures = tr("Level %1 → %2: median TTFT %3 ms (n %4) → %5 ms (n %6)")
                                .arg(effect.before)
                                .arg(effect.after)
                                .arg(app::millisecondsText(effect.beforeMs),
                                     app::numberText(static_cast<double>(effect.beforeN)),
                                     app::millisecondsText(effect.afterMs),
                                     app::numberText(static_cast<double>(effect.afterN)));
    m_effect->setText(figures + QStringLiteral(" · ") +
                      (isWorse                                           ? tr("worse")
                       : effect.verdict == engine::EffectVerdict::Better ? tr("better")
                                                                         : tr("not resolved")));
    m_undoLevel = effect.before;
    m_undo->setText(tr("Back to level %1").arg(effect.before));
}

} // namespace ui
