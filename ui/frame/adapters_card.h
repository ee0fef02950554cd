// Adapters (LoRA) over the loaded model: what is loaded, what it takes of memory beside a model for
// each, load and unload while requests run. UI thread.
#pragma once

#include "engine/adapters.h"
#include "ui/frame/overlay_card.h"

#include <QStringList>

#include <filesystem>

class QLabel;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace app {
class Session;
}

namespace ui {

class AdaptersCard final : public OverlayCard {
    Q_OBJECT

public:
    AdaptersCard(app::Session& session, QWidget* window);
    // Loads a GGUF file or a PEFT folder under the name in the field; without one, under its own.
    void load(const std::filesystem::path& file);
    QLineEdit* nameField() const { return m_name; }

protected:
    QSize cardSize(QSize window) const override;
    int cardTop(QSize window) const override;
    QWidget* firstFocus() override;
    void prepare() override;

private:
    void refresh();
    void showList(const engine::AdapterStatus& status, const QString& none);
    void showMemory(const engine::AdapterStatus& status);
    void addRow(const engine::AdapterInfo& info);
    void unload(const std::string& name);
    void finishLoad(const QString& typed, const engine::Result<engine::AdapterInfo>& outcome);
    void choose(bool isFolder);
    void tell(const QString& problem);

    app::Session& m_session;
    QStringList m_shown; // what the list was made from
    QLabel* m_title;
    QLabel* m_lead;
    QVBoxLayout* m_list;
    QLabel* m_memory;
    QLabel* m_nameLabel;
    QLineEdit* m_name;
    QPushButton* m_file;
    QPushButton* m_folder;
    QLabel* m_problem;
    QPushButton* m_close;
};

} // namespace ui
