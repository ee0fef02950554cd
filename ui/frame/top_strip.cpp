#include "ui/frame/top_strip.h"

#include "app/labels.h"
#include "app/plot/plot.h"
#include "ui/frame/strip_buttons.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/icon.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QResizeEvent>

namespace ui {

namespace {

struct StateLook {
    DotShape shape;
    ColorRole role;
};

StateLook lookOf(engine::EngineState state) {
    switch (state) {
    case engine::EngineState::NoModel:
        return {DotShape::Ring, ColorRole::Text3};
    case engine::EngineState::Loading:
        return {DotShape::Dot, ColorRole::Info};
    case engine::EngineState::Idle:
        return {DotShape::Ring, ColorRole::Accent};
    case engine::EngineState::Running:
        return {DotShape::Dot, ColorRole::Accent};
    case engine::EngineState::Draining:
        return {DotShape::Dot, ColorRole::Warn};
    case engine::EngineState::Failed:
        return {DotShape::Dot, ColorRole::Bad};
    }
    return {DotShape::Ring, ColorRole::Text3};
}

constexpr int kWordsFrom = 1200;

} // namespace

TopStrip::TopStrip(QWidget* parent) : QWidget(parent) {
    setFixedHeight(size::kTopStrip);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 12, 4);
    layout->setSpacing(0);

    m_model = new ModelButton(this);
    layout->addWidget(m_model);
    layout->addSpacing(6);
    layout->addWidget(makeRule());
    layout->addSpacing(14);
    layout->addWidget(new Icon(QStringLiteral("chip"), ColorRole::Text2, 16, this));
    layout->addSpacing(6);
    m_device = new ElidedText(type::kControl, ColorRole::Text2, QFont::Normal, this);
    layout->addWidget(m_device);
    layout->addSpacing(14);
    layout->addWidget(makeRule());
    layout->addSpacing(14);
    m_dot = new StateDot(this);
    layout->addWidget(m_dot);
    layout->addSpacing(6);
    m_state = new ElidedText(type::kControl, ColorRole::Text1, QFont::Medium, this);
    layout->addWidget(m_state);
    layout->addStretch(1);

    m_level = new LevelButton(this);
    layout->addWidget(m_level);
    layout->addSpacing(6);
    m_alarms = new AlarmButton(this);
    layout->addWidget(m_alarms);
    layout->addSpacing(10);
    m_palette = new PaletteField(this);
    layout->addWidget(m_palette);
    layout->addSpacing(14);
    m_language = makeButton({}, ButtonKind::Quiet, this);
    m_language->setIcon(icon(QStringLiteral("globe")));
    layout->addWidget(m_language);
    m_theme = makeButton({}, ButtonKind::Quiet, this);
    layout->addWidget(m_theme);
    m_record = new RecordButton(this);
    layout->addWidget(m_record);

    connect(m_model, &QAbstractButton::clicked, this, &TopStrip::modelMenuRequested);
    connect(m_alarms, &QAbstractButton::clicked, this, &TopStrip::alarmsRequested);
    connect(m_level, &QAbstractButton::clicked, this, &TopStrip::levelsRequested);
    connect(m_palette, &QAbstractButton::clicked, this, &TopStrip::paletteRequested);
    connect(m_record, &QAbstractButton::clicked, this, &TopStrip::recordRequested);
    connect(m_language, &QAbstractButton::clicked, this, &TopStrip::languageRequested);
    connect(m_theme, &QAbstractButton::clicked, this, &TopStrip::themeRequested);
    retranslate();
}

void TopStrip::setModel(const engine::Capabilities* capabilities) {
    m_modelName =
        capabilities != nullptr ? QString::fromStdString(capabilities->modelName) : QString();
    m_fileFormat =
        capabilities != nullptr ? QString::fromStdString(capabilities->fileFormat) : QString();
    m_computing =
        capabilities != nullptr ? QString::fromStdString(capabilities->computing) : QString();
    showModel();
}

void TopStrip::setDevice(const QString& text) {
    m_device->setText(text);
}

void TopStrip::setEngineState(engine::EngineState state, const QString& detail) {
    m_engineState = state;
    m_stateDetail = detail;
    showState();
}

void TopStrip::setRecording(const RecordingView& recording) {
    m_recording = recording;
    showRecording();
}

void TopStrip::setAlarms(int fresh, int raised) {
    m_freshAlarms = fresh;
    m_raisedAlarms = raised;
    showAlarms();
}

void TopStrip::setLevel(const std::optional<LevelView>& level) {
    m_levelView = level;
    showLevel();
}

QWidget* TopStrip::firstFocus() const {
    return m_model;
}

QPoint TopStrip::modelMenuPosition() const {
    return m_model->mapToGlobal(QPoint(0, m_model->height() + 2));
}

void TopStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), color(ColorRole::Panel));
    painter.fillRect(QRect(0, height() - 1, width(), 1), color(ColorRole::Line));
}

void TopStrip::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    } else if (event->type() == QEvent::PaletteChange) {
        m_theme->setIcon(
            icon(themeKind() == ThemeKind::Dark ? QStringLiteral("moon") : QStringLiteral("sun")));
    }
    QWidget::changeEvent(event);
}

QWidget* TopStrip::makeRule() {
    auto* rule = new QWidget(this);
    rule->setFixedSize(1, 20);
    rule->setAutoFillBackground(true);
    rule->setBackgroundRole(QPalette::Midlight);
    return rule;
}

void TopStrip::retranslate() {
    setAccessibleName(tr("Model, engine and recording"));
    m_palette->setText(tr("Search or run a command"));
    m_palette->setAccessibleName(tr("Command palette"));
    // The button names the other language in that language.
    m_language->setText(tr("中文"));
    m_language->setAccessibleName(tr("Switch the language"));
    m_theme->setToolTip(tr("Switch between the light and the dark theme"));
    m_theme->setAccessibleName(tr("Theme"));
    m_theme->setIcon(
        icon(themeKind() == ThemeKind::Dark ? QStringLiteral("moon") : QStringLiteral("sun")));
    showModel();
    showState();
    showRecording();
    showAlarms();
    showLevel();
}

void TopStrip::showModel() {
    QString detail;
    if (!m_modelName.isEmpty()) {
        detail = m_computing.isEmpty()
                     ? tr("file %1").arg(m_fileFormat)
                     : tr("file %1 · computing %2").arg(m_fileFormat, m_computing);
    }
    m_model->setModel(m_modelName.isEmpty() ? tr("No model") : m_modelName, detail);
    m_model->setToolTip(tr("Open, inspect or reload a model"));
}

void TopStrip::showState() {
    const StateLook look = lookOf(m_engineState);
    m_dot->setState(look.shape, look.role);
    const QString word = app::stateLabel(m_engineState);
    m_state->setText(m_stateDetail.isEmpty() ? word : tr("%1: %2").arg(word, m_stateDetail));
}

// Signs stand beside words wherever the strip has room for them.
bool TopStrip::hasRoomForWords() const {
    return width() >= kWordsFrom;
}

void TopStrip::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if ((event->oldSize().width() >= kWordsFrom) != hasRoomForWords()) {
        showAlarms();
        showLevel();
    }
}

void TopStrip::showAlarms() {
    const QString words = !hasRoomForWords()   ? QString()
                          : m_raisedAlarms > 0 ? tr("%n alarm(s)", nullptr, m_raisedAlarms)
                                               : tr("No active alarm");
    m_alarms->setCounts(m_freshAlarms, m_raisedAlarms, words);
    m_alarms->setToolTip(m_raisedAlarms == 0
                             ? tr("No alarm. A click shows the limits.")
                             : tr("%n alarm(s); a click shows them", nullptr, m_raisedAlarms));
    m_alarms->setAccessibleName(tr("Alarms"));
    m_alarms->setAccessibleDescription(m_alarms->toolTip());
}

void TopStrip::showLevel() {
    m_level->setVisible(m_levelView.has_value());
    if (!m_levelView) {
        return;
    }
    const LevelView& view = *m_levelView;
    const bool isOff = view.mode == engine::DegradationMode::Off;
    QString words = view.isTrying    ? tr("Trying level %1").arg(view.level)
                    : view.level > 0 ? tr("Level %1").arg(view.level)
                    : isOff          ? QString()
                                     : tr("Level 0");
    if (hasRoomForWords()) {
        const QString level = view.isTrying ? words : tr("Level %1").arg(view.level);
        words = isOff                                        ? tr("%1 · off").arg(level)
                : view.mode == engine::DegradationMode::Auto ? tr("%1 · auto").arg(level)
                                                             : tr("%1 · forced").arg(level);
    }
    m_level->setLevel(view.isTrying ? view.level + 1 : view.level, words);
    m_level->setToolTip(isOff ? tr("Degradation is off; a click shows the levels")
                        : view.mode == engine::DegradationMode::Auto
                            ? tr("Degradation by the measured latency; a click shows the levels")
                            : tr("Degradation held by the operator; a click shows the levels"));
    m_level->setAccessibleName(words.isEmpty() ? tr("Degradation") : words);
    m_level->setAccessibleDescription(m_level->toolTip());
}

void TopStrip::showRecording() {
    using State = RecordingView::State;
    m_record->setVisible(m_recording.state != State::Hidden);
    // Before a model is open the strip has room for what a new operator may want first.
    m_language->setVisible(m_recording.state == State::Hidden);
    m_theme->setVisible(m_recording.state == State::Hidden);
    switch (m_recording.state) {
    case State::Hidden:
        break;
    case State::Idle:
        m_record->setLook(RecordButton::Look::Idle, tr("Record"), {});
        m_record->setToolTip(tr("Record a run (Ctrl+R)"));
        break;
    case State::Recording:
        m_record->setLook(RecordButton::Look::Recording, tr("Recording"),
                          app::runTimeText(m_recording.seconds));
        m_record->setToolTip(tr("Stop recording; what was measured is kept (Ctrl+R)"));
        break;
    case State::Blocked:
        m_record->setLook(RecordButton::Look::Blocked, tr("Not recording"), {});
        m_record->setToolTip(m_recording.reason);
        break;
    }
    m_record->setAccessibleName(m_record->text());
    m_record->setAccessibleDescription(m_record->toolTip());
}

} // namespace ui
