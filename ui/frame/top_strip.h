// The strip over every page: model, device, engine state, palette, recording. Shows what it is
// told; the window decides. UI thread.
#pragma once

#include "engine/backend.h"

#include <QWidget>

#include <optional>

class QHBoxLayout;
class QPushButton;

namespace ui {

class AlarmButton;
class LevelButton;
class ElidedText;
class ModelButton;
class PaletteField;
class RecordButton;
class StateDot;

struct RecordingView {
    enum class State { Hidden, Idle, Recording, Blocked };
    State state = State::Hidden;
    double seconds = 0.0; // of the open run
    QString reason;       // why nothing is recorded
};

struct LevelView {
    engine::DegradationMode mode = engine::DegradationMode::Off;
    int level = 0;
    bool isTrying = false;
};

class TopStrip final : public QWidget {
    Q_OBJECT

public:
    explicit TopStrip(QWidget* parent = nullptr);

    void setModel(const engine::Capabilities* capabilities); // null: no model
    void setDevice(const QString& text);
    // `detail` follows the state's word: "convert, 2 of 5", "3 left".
    void setEngineState(engine::EngineState state, const QString& detail);
    void setRecording(const RecordingView& recording);
    // How many alarms nobody acknowledged, and how many there are.
    void setAlarms(int fresh, int raised);
    void setLevel(const std::optional<LevelView>& level); // empty: nothing that could degrade
    QWidget* firstFocus() const;
    QPoint modelMenuPosition() const; // global

Q_SIGNALS:
    void modelMenuRequested();
    void alarmsRequested();
    void levelsRequested();
    void paletteRequested();
    void recordRequested();
    void languageRequested();
    void themeRequested();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeRule();
    void retranslate();
    void showModel();
    void showState();
    void showRecording();
    bool hasRoomForWords() const;
    void showAlarms();
    void showLevel();

    ModelButton* m_model;
    ElidedText* m_device;
    StateDot* m_dot;
    ElidedText* m_state;
    LevelButton* m_level;
    AlarmButton* m_alarms;
    PaletteField* m_palette;
    RecordButton* m_record;
    QPushButton* m_language;
    QPushButton* m_theme;

    QString m_modelName; // empty: no model
    QString m_fileFormat;
    QString m_computing;
    engine::EngineState m_engineState = engine::EngineState::NoModel;
    QString m_stateDetail;
    RecordingView m_recording;
    int m_freshAlarms = 0;
    int m_raisedAlarms = 0;
    std::optional<LevelView> m_levelView;
};

} // namespace ui
