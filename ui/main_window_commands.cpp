// Keys and palette of the main window: what can be done, and by which key.
#include "app/labels.h"
#include "ui/command_palette.h"
#include "ui/frame/adapters_card.h"
#include "ui/frame/alarm_card.h"
#include "ui/frame/attach_card.h"
#include "ui/frame/banner_stack.h"
#include "ui/frame/model_menu.h"
#include "ui/frame/rail.h"
#include "ui/frame/side_panel.h"
#include "ui/frame/top_strip.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/pages/settings_page.h"
#include "ui/panels/config_form.h"
#include "ui/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QShortcut>

#include <array>

namespace ui {

void MainWindow::bindKey(const QKeySequence& keys, std::function<void()> run) {
    auto* shortcut = new QShortcut(keys, this);
    connect(shortcut, &QShortcut::activated, this, std::move(run));
}

void MainWindow::buildKeys() {
    for (std::size_t index = 0; index < m_pages.size() && index < 9; ++index) {
        const QString key = m_pages[index].key;
        bindKey(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(index))),
                [this, key] { showPage(key); });
    }
    bindKey(Qt::CTRL | Qt::Key_K, [this] { m_palette->open(); });
    bindKey(Qt::CTRL | Qt::Key_B, [this] { togglePanel(); });
    bindKey(Qt::CTRL | Qt::Key_R, [this] { toggleRecording(); });
    bindKey(QKeySequence::Open, [this] { chooseModel(); });
    bindKey(Qt::Key_F6, [this] { cycleFocus(); });
    bindKey(Qt::Key_F1, [this] { explainFocus(); });
    bindKey(Qt::ALT | Qt::Key_Left, [this] { goBack(-1); });
    bindKey(Qt::ALT | Qt::Key_Right, [this] { goBack(1); });
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
    // Only what no text field and no control took comes here.
    if (event->text() == QStringLiteral("?")) {
        m_keyList->open();
        return;
    }
    if (m_front != nullptr && m_front->pressKey(event)) {
        return;
    }
    QMainWindow::keyPressEvent(event);
}

// The definition of what has the focus, or of what it is part of; else the page from its begin.
void MainWindow::explainFocus() {
    QString key;
    for (const QWidget* widget = QApplication::focusWidget(); widget != nullptr && key.isEmpty();
         widget = widget->parentWidget()) {
        key = widget->property("definition").toString();
    }
    showPage(QStringLiteral("help"), key);
}

void MainWindow::cycleFocus() {
    struct Stop {
        QWidget* area;
        QWidget* first;
    };
    std::vector<Stop> stops = {{m_strip, m_strip->firstFocus()}};
    if (m_front != nullptr) {
        stops.push_back({m_front, m_front->firstFocus()});
    }
    if (m_panel->mode() != SidePanel::Mode::Hidden) {
        stops.push_back({m_panel, m_panel});
    }
    if (m_front != nullptr && m_front->lastFocus() != nullptr) {
        stops.push_back({m_front->lastFocus(), m_front->lastFocus()});
    }
    const QWidget* focus = QApplication::focusWidget();
    std::size_t current = stops.size() - 1;
    for (std::size_t index = 0; index < stops.size(); ++index) {
        if (focus != nullptr &&
            (stops[index].area == focus || stops[index].area->isAncestorOf(focus))) {
            current = index; // the innermost area comes later in the list
        }
    }
    QWidget* target = stops[(current + 1) % stops.size()].first;
    target->setFocus(Qt::TabFocusReason);
    if (target == m_panel && m_panel->nextInFocusChain() != nullptr) {
        m_panel->nextInFocusChain()->setFocus(Qt::TabFocusReason);
    }
}

void MainWindow::toggleRecording() {
    if (m_session.currentRun()) {
        m_session.stopRecording();
        return;
    }
    if (!m_session.hasModel()) {
        return;
    }
    const auto run = m_session.startRecording(tr("Recording"));
    if (!run) {
        m_bannerStack->show({.key = QStringLiteral("recording"),
                             .tone = BannerTone::Warn,
                             .iconName = QStringLiteral("lock"),
                             .title = tr("Nothing is recorded"),
                             .detail = QString::fromStdString(run.error().message).toHtmlEscaped(),
                             .canClose = true});
    }
}

void MainWindow::toggleLanguage() {
    setLanguage(m_language.code() == QStringLiteral("zh_CN") ? QStringLiteral("en")
                                                             : QStringLiteral("zh_CN"));
}

void MainWindow::toggleTheme() {
    setTheme(themeKind() == ThemeKind::Dark ? ThemeKind::Light : ThemeKind::Dark);
}

std::vector<PageAction> MainWindow::commands() {
    std::vector<PageAction> result;
    if (m_front != nullptr) {
        for (const PageAction& action : m_front->actions()) {
            result.push_back(action);
        }
    }
    for (std::size_t index = 0; index < m_pages.size(); ++index) {
        const Entry& entry = m_pages[index];
        result.push_back({tr("Show %1").arg(entry.page->title()),
                          {},
                          index < 9 ? QStringLiteral("Ctrl+%1").arg(index + 1) : QString(),
                          [this, key = entry.key] { showPage(key); }});
    }
    const bool isRecording = m_session.currentRun().has_value();
    if (m_session.hasModel() || isRecording) {
        result.push_back({tr("Record"), isRecording ? tr("on") : tr("off"),
                          QStringLiteral("Ctrl+R"), [this] { toggleRecording(); }});
    }
    result.push_back(
        {tr("Open a model…"), {}, QStringLiteral("Ctrl+O"), [this] { chooseModel(); }});
    result.push_back({tr("Attach to a server…"), {}, {}, [this] { m_attachCard->open(); }});
    if (!m_modelFile.isEmpty()) {
        result.push_back({tr("Reload the model"), {}, {}, [this] { reloadModel(); }});
        result.push_back({tr("What the model file holds…"), {}, {}, [this] {
                              m_modelMenu->inspect(m_modelFile);
                          }});
    }
    if (m_session.hasModel() && m_session.backend()->adapters() != nullptr) {
        result.push_back({tr("Adapters…"), {}, {}, [this] { m_adaptersCard->open(); }});
    }
    if (m_session.hasModel()) {
        result.push_back(
            {tr("Empty the prefix cache"), {}, {}, [this] { m_session.resetPrefixCache(); }});
        result.push_back(
            {tr("Forget stored answers"), {}, {}, [this] { m_session.forgetAnswers(); }});
    }
    if (m_session.isLoading()) {
        result.push_back({tr("Cancel loading"), {}, {}, [this] { m_session.cancelLoading(); }});
    }
    addSettings(result);
    const int alarms = m_session.alarms().raised(false);
    result.push_back({tr("Alarms"), alarms > 0 ? app::numberText(alarms) : tr("none"), {}, [this] {
                          openAlarms();
                      }});
    const bool isShown = m_panel->mode() != SidePanel::Mode::Hidden;
    result.push_back({tr("Configuration panel"), isShown ? tr("shown") : tr("hidden"),
                      QStringLiteral("Ctrl+B"), [this] { togglePanel(); }});
    result.push_back(
        {tr("Theme"), themeKind() == ThemeKind::Dark ? tr("dark") : tr("light"), {}, [this] {
             toggleTheme();
         }});
    const bool isChinese = m_language.code() == QStringLiteral("zh_CN");
    result.push_back({tr("Language"),
                      isChinese ? QStringLiteral("简体中文") : QStringLiteral("English"),
                      {},
                      [this] { toggleLanguage(); }});
    result.push_back(
        {tr("Keys of this page"), {}, QStringLiteral("?"), [this] { m_keyList->open(); }});
    result.push_back({tr("Quit"), {}, {}, [this] { close(); }});
    return result;
}

// A switch is thrown here; for others the row of the panel gets the focus.
void MainWindow::addSettings(std::vector<PageAction>& commands) {
    if (!m_session.hasModel()) {
        return;
    }
    for (const engine::FieldStatus& status : m_session.config().fields) {
        const engine::Field* field = engine::findField(status.key);
        if (field == nullptr) {
            continue;
        }
        QString value = fieldValueText(*field, status.requested);
        if (status.effective != status.requested && !status.effective.empty()) {
            value += QStringLiteral(" → ") + fieldValueText(*field, status.effective);
        }
        const std::string key(field->key);
        const bool isSwitch = field->type == engine::FieldType::Switch;
        commands.push_back({app::fieldLabel(*field), value, {}, [this, key, isSwitch] {
                                if (isSwitch) {
                                    m_form->toggle(key);
                                } else {
                                    showSetting(key);
                                }
                            }});
    }
}

void MainWindow::showSetting(std::string_view key) {
    if (m_panel->mode() == SidePanel::Mode::Hidden) {
        togglePanel();
    }
    m_form->reveal(key);
}

std::vector<KeyGroup> MainWindow::keyGroups() {
    std::vector<KeyGroup> groups;
    groups.push_back({tr("Everywhere"),
                      {{QStringLiteral("Ctrl+1 … Ctrl+%1").arg(m_pages.size()), tr("pages")},
                       {QStringLiteral("Alt+← / Alt+→"), tr("page before, page after")},
                       {QStringLiteral("Ctrl+K"), tr("command palette")},
                       {QStringLiteral("Ctrl+O"), tr("open a model")},
                       {QStringLiteral("Ctrl+R"), tr("start or stop recording")},
                       {QStringLiteral("Ctrl+B"), tr("configuration panel")},
                       {QStringLiteral("F6"), tr("next part of the window")},
                       {QStringLiteral("Tab / Shift+Tab"), tr("next, previous control")},
                       {QStringLiteral("F1"), tr("definition of the figure in focus")},
                       {QStringLiteral("?"), tr("this list")}}});
    for (const Entry& entry : m_pages) {
        const QList<KeyHint> keys = entry.page->keys();
        if (!keys.isEmpty()) {
            groups.push_back({entry.page->title(), keys});
        }
    }
    return groups;
}

} // namespace ui
