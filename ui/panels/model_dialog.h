// Before a model is loaded: what its file holds and needs, read from its headers in the background,
// supported or why not, and the button that loads it. UI thread.
#pragma once

#include "engine/model_file.h"

#include <QDialog>

#include <filesystem>
#include <optional>

class QGridLayout;
class QLabel;
class QPushButton;

namespace ui {

class Tag;

class ModelDialog final : public QDialog {
    Q_OBJECT

public:
    explicit ModelDialog(const std::filesystem::path& file, QWidget* parent = nullptr);

    bool canLoad() const;
    const std::optional<engine::ModelInspection>& inspection() const { return m_inspection; }

Q_SIGNALS:
    void inspected(); // the headers were read, or refused
    void loadRequested(const QString& file);

protected:
    void changeEvent(QEvent* event) override;

private:
    void take(engine::Result<engine::ModelInspection> result);
    void fill();
    void addFact(const QString& name, const QString& value);

    const std::filesystem::path m_file;
    std::optional<engine::ModelInspection> m_inspection;
    QString m_problem;
    QLabel* m_name = nullptr;
    Tag* m_verdict = nullptr;
    QLabel* m_path = nullptr;
    QLabel* m_message = nullptr;
    QWidget* m_facts = nullptr;
    QGridLayout* m_grid = nullptr;
    QPushButton* m_cancel = nullptr;
    QPushButton* m_load = nullptr;
};

} // namespace ui
