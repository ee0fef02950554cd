#include "ui/panels/field_row.h"

#include "app/labels.h"
#include "app/setting_edit.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/choice_field.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/toggle_switch.h"

#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr int kEditorWidth = 126;
constexpr int kStateIcon = 12;

QString plain(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

const char* outline(FieldLook look) {
    switch (look) {
    case FieldLook::Pending:
    case FieldLook::Preparing:
        return "info";
    case FieldLook::Differs:
    case FieldLook::Held:
        return "warn";
    case FieldLook::Refused:
        return "bad";
    case FieldLook::Normal:
    case FieldLook::Disabled:
        break;
    }
    return "";
}

ColorRole tone(FieldLook look) {
    switch (look) {
    case FieldLook::Pending:
    case FieldLook::Preparing:
        return ColorRole::Info;
    case FieldLook::Differs:
    case FieldLook::Held:
        return ColorRole::Warn;
    case FieldLook::Refused:
        return ColorRole::Bad;
    case FieldLook::Normal:
    case FieldLook::Disabled:
        break;
    }
    return ColorRole::Text3;
}

} // namespace

FieldRow::FieldRow(const engine::Field& field, QWidget* parent) : QWidget(parent), m_field(field) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 3, 0, 3);
    column->setSpacing(3);
    auto* line = new QHBoxLayout;
    line->setSpacing(6);
    m_label = makeLabel({}, TextRole::Body, this);
    m_changed = makeLabel({}, TextRole::Caption, this);
    setSheetProperty(m_changed, "tone", QStringLiteral("accent"));
    // Neither it nor a sentence of the engine's makes the panel wider than its place.
    m_changed->setMinimumWidth(1);
    line->addWidget(m_label);
    line->addWidget(m_changed);
    line->addStretch(1);
    column->addLayout(line);

    m_stateLine = new QWidget(this);
    auto* state = new QHBoxLayout(m_stateLine);
    state->setContentsMargins(0, 0, 0, 0);
    state->setSpacing(5);
    m_icon = new QLabel(m_stateLine);
    m_message = makeLabel({}, TextRole::Caption, m_stateLine);
    m_message->setTextFormat(Qt::RichText);
    m_message->setMinimumWidth(1);
    m_progress = new QProgressBar(m_stateLine);
    m_progress->setTextVisible(false);
    setSheetProperty(m_progress, "tone", QStringLiteral("info"));
    m_cancel = makeButton({}, ButtonKind::Quiet, m_stateLine);
    m_cancel->setIcon(icon(QStringLiteral("cross")));
    m_cancel->setFixedSize(20, 20);
    state->addStretch(1);
    state->addWidget(m_icon, 0, Qt::AlignTop);
    state->addWidget(m_message);
    state->addWidget(m_progress, 1);
    state->addWidget(m_cancel);
    column->addWidget(m_stateLine);
    m_nearest = makeButton({}, ButtonKind::Normal, this);
    column->addWidget(m_nearest, 0, Qt::AlignRight);
    m_stateLine->hide();
    m_nearest->hide();
    m_changed->hide();

    buildEditor();
    line->addWidget(editor());
    m_label->setBuddy(editor());
    editor()->setObjectName(plain(field.key));
    connect(m_cancel, &QPushButton::clicked, this, [this] { Q_EMIT proposed(m_effective); });
    connect(m_nearest, &QPushButton::clicked, this,
            [this] { Q_EMIT proposed(m_nearest->property("value").toString()); });
    retranslate();
}

void FieldRow::buildEditor() {
    switch (m_field.type) {
    case engine::FieldType::Integer:
        m_number = new NumberField(this);
        m_number->setStepper([&field = m_field](std::int64_t value, int steps) {
            return app::stepped(field, value, steps);
        });
        connect(m_number, &NumberField::proposed, this,
                [this](qint64 value) { Q_EMIT proposed(QString::number(value)); });
        connect(m_number, &NumberField::abandoned, this, &FieldRow::abandoned);
        break;
    case engine::FieldType::Choice:
        m_choice = new ChoiceField(this);
        for (const std::string_view choice : m_field.choices) {
            m_choice->addItem(QString(), plain(choice));
        }
        connect(m_choice, &QComboBox::activated, this,
                [this](int index) { Q_EMIT proposed(m_choice->itemData(index).toString()); });
        break;
    case engine::FieldType::Switch:
        m_switch = new ToggleSwitch(this);
        connect(m_switch, &ToggleSwitch::clicked, this, [this](bool isOn) {
            Q_EMIT proposed(isOn ? QStringLiteral("on") : QStringLiteral("off"));
        });
        break;
    }
    if (m_switch == nullptr) {
        editor()->setFixedWidth(kEditorWidth);
    }
    // The row's menu stands for the editor's own.
    editor()->setContextMenuPolicy(Qt::NoContextMenu);
    if (m_number != nullptr) {
        m_number->findChild<QLineEdit*>()->setContextMenuPolicy(Qt::NoContextMenu);
    }
}

QWidget* FieldRow::editor() const {
    if (m_number != nullptr) {
        return m_number;
    }
    return m_choice != nullptr ? static_cast<QWidget*>(m_choice) : m_switch;
}

void FieldRow::present(const engine::FieldStatus& status, const engine::EngineConfig& requested,
                       const Refusal* refusal, const QString& changed) {
    m_view = describeField(m_field, status, requested, refusal);
    m_effective = QString::fromStdString(status.effective);
    const bool isEnabled = m_view.look != FieldLook::Disabled;
    m_label->setEnabled(isEnabled);
    editor()->setEnabled(isEnabled);
    m_changed->setText(changed.isEmpty() ? QString() : tr("changed %1").arg(changed));
    showValue(status, requested, refusal);
    if (m_switch == nullptr) {
        setControlState(editor(), outline(m_view.look));
    }
    showMessage(refusal);
}

void FieldRow::showValue(const engine::FieldStatus& status, const engine::EngineConfig& requested,
                         const Refusal* refusal) {
    if (m_number != nullptr) {
        const bool isTyping =
            m_number->hasFocus() && m_number->findChild<QLineEdit*>()->isModified();
        if (refusal == nullptr && !isTyping) {
            const QSignalBlocker blocker(m_number);
            m_number->setValue(static_cast<int>(m_field.get(requested)));
        }
    } else if (m_choice != nullptr) {
        const QSignalBlocker blocker(m_choice);
        m_choice->setCurrentIndex(m_choice->findData(
            refusal != nullptr ? refusal->typed : QString::fromStdString(status.requested)));
        m_choice->setShownText(m_view.look == FieldLook::Held
                                   ? fieldValueText(m_field, status.requested) +
                                         QStringLiteral(" → ") +
                                         fieldValueText(m_field, status.effective)
                                   : QString());
    } else {
        m_switch->setChecked(status.requested == "on");
        m_switch->setEffective(m_view.look == FieldLook::Normal
                                   ? std::nullopt
                                   : std::optional(status.effective == "on"));
    }
}

void FieldRow::showMessage(const Refusal* refusal) {
    const bool isPreparing = m_view.look == FieldLook::Preparing;
    m_stateLine->setVisible(!m_view.message.isEmpty());
    m_message->setText(m_view.message);
    constexpr const char* kTones[] = {"", "info", "info", "warn", "warn", "bad", ""};
    setSheetProperty(m_message, "tone",
                     QString::fromLatin1(kTones[static_cast<std::size_t>(m_view.look)]));
    m_icon->setVisible(!m_view.iconName.isEmpty());
    if (!m_view.iconName.isEmpty()) {
        m_icon->setPixmap(icon(m_view.iconName, tone(m_view.look)).pixmap(kStateIcon, kStateIcon));
    }
    m_progress->setVisible(isPreparing);
    m_progress->setValue(m_view.percent);
    m_cancel->setVisible(isPreparing);
    m_nearest->setVisible(refusal != nullptr && refusal->nearest.has_value());
    if (refusal != nullptr && refusal->nearest) {
        const QString value = QString::number(*refusal->nearest);
        m_nearest->setProperty("value", value);
        m_nearest->setText(tr("Use %1").arg(fieldValueText(m_field, value.toStdString())));
    }
    QString spoken = m_view.message;
    spoken.remove(QStringLiteral("<b>")).remove(QStringLiteral("</b>"));
    editor()->setAccessibleDescription(spoken);
    fitTexts();
}

// When it was changed is left out beside a long name; a long message wraps.
void FieldRow::fitTexts() {
    const int names = m_label->sizeHint().width() + m_changed->sizeHint().width();
    const int gaps = 2 * layout()->itemAt(0)->layout()->spacing();
    const int control = m_switch != nullptr ? m_switch->sizeHint().width() : kEditorWidth;
    m_changed->setVisible(!m_changed->text().isEmpty() && names + gaps + control <= width());
    if (m_view.message.isEmpty() || m_view.look == FieldLook::Preparing) {
        m_message->setWordWrap(false);
        return;
    }
    m_message->setWordWrap(false);
    const int icon = m_view.iconName.isEmpty() ? 0 : kStateIcon + 5;
    const bool isLong = m_message->sizeHint().width() + icon > width();
    m_message->setWordWrap(isLong);
    auto* line = static_cast<QHBoxLayout*>(m_stateLine->layout());
    line->setStretch(0, isLong ? 0 : 1);
    line->setStretch(2, isLong ? 1 : 0);
}

bool FieldRow::matches(const QString& filter) const {
    if (filter.isEmpty()) {
        return true;
    }
    const QStringList texts{app::fieldLabel(m_field), app::fieldHelp(m_field), plain(m_field.key),
                            plain(m_field.flag)};
    return std::ranges::any_of(texts, [&filter](const QString& text) {
        return text.contains(filter, Qt::CaseInsensitive);
    });
}

void FieldRow::retranslate() {
    const QString label = app::fieldLabel(m_field);
    m_label->setText(label);
    setToolTip(fieldToolTip(m_field));
    editor()->setAccessibleName(label);
    m_cancel->setAccessibleName(tr("Cancel preparing %1").arg(label));
    m_cancel->setToolTip(tr("Cancel"));
    if (m_number != nullptr) {
        m_number->setUnit(app::unitLabel(m_field));
        m_number->setZeroText(app::zeroLabel(m_field));
    }
    if (m_choice != nullptr) {
        for (int i = 0; i < m_choice->count(); ++i) {
            m_choice->setItemText(
                i, app::choiceLabel(m_field, m_choice->itemData(i).toString().toStdString()));
        }
    }
}

void FieldRow::contextMenuEvent(QContextMenuEvent* event) {
    Q_EMIT menuRequested(event->globalPos());
}

void FieldRow::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitTexts();
}

} // namespace ui
