// First start: the default model, a file, a shape to try; where things can be dropped; the way to
// the first verdict; this machine. UI thread; files are read and written in the background.
#pragma once

#include "app/observe/default_model.h"
#include "ui/pages/page.h"

#include <atomic>
#include <memory>
#include <stop_token>

class QLabel;
class QProgressBar;
class QPushButton;
class QTimer;
class QVBoxLayout;

namespace app {
class Session;
}

namespace ui {

class ChoiceField;
class DropZone;
class KeyButton;
class MachineFacts;
class StartChoice;
class StartExample;

class FirstStartPage final : public Page {
    Q_OBJECT

public:
    // `models`: where the default model is looked for and shapes are written.
    FirstStartPage(app::Session& session, std::filesystem::path models, QWidget* parent = nullptr);
    FirstStartPage(app::Session& session, QWidget* parent = nullptr);
    ~FirstStartPage() override; // stops what is being written

    QString title() const override;
    void setShown(bool isShown) override;
    QList<PageAction> actions() override;
    QList<KeyHint> keys() const override;
    QWidget* firstFocus() override;

    app::ModelPresence presence() const { return m_default.presence; }
    bool isMakingShape() const { return m_making != nullptr; }

public Q_SLOTS:
    void startDefault();
    void chooseFile();
    void makeShape();
    void cancelShape();

Q_SIGNALS:
    void checked(); // the default model was looked at
    void shapeMade(const QString& file, const QString& problem);

protected:
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Making { // shared with the thread that writes
        std::stop_source stop;
        std::atomic<std::uint64_t> done{0}, total{0};
    };
    QWidget* makeHead();
    QWidget* makeChoices();
    void lookForDefault();
    void showDefault();
    void showShapeProgress();
    void open(const QString& file);
    void goToStep(int step);
    void retranslate();

    app::Session& m_session;
    const std::filesystem::path m_models;
    app::DefaultModel m_default;
    bool m_isChecked = false;
    std::shared_ptr<Making> m_making;
    QString m_shapeProblem;

    QLabel* m_title = nullptr;
    QLabel* m_subtitle = nullptr;
    StartChoice* m_defaultCard = nullptr;
    StartChoice* m_fileCard = nullptr;
    StartChoice* m_shapeCard = nullptr;
    KeyButton* m_start = nullptr;
    QPushButton* m_copyCommand = nullptr;
    QLabel* m_startNote = nullptr;
    KeyButton* m_openFile = nullptr;
    QLabel* m_dropNote = nullptr;
    ChoiceField* m_shape = nullptr;
    QPushButton* m_make = nullptr;
    QProgressBar* m_shapeBar = nullptr;
    QTimer* m_shapeTimer = nullptr;
    DropZone* m_drop = nullptr;
    QLabel* m_dropText = nullptr;
    QLabel* m_dropKinds = nullptr;
    StartExample* m_example = nullptr;
    MachineFacts* m_machine = nullptr;
};

} // namespace ui
