// The menu under the model's name: open, recent files, what the file holds, reload. UI thread.
#pragma once

#include <QMenu>
#include <QStringList>

namespace ui {

class ModelMenu final : public QMenu {
    Q_OBJECT

public:
    explicit ModelMenu(QWidget* window);
    // Builds the entries anew and opens at a global position.
    void open(const QPoint& position, const QString& currentFile, const QStringList& recent);
    // A file dialog, then inspect(); chosen() follows unless one of them is dismissed.
    void chooseFile(const QString& startFolder);
    // The same for a folder of safetensors.
    void chooseFolder(const QString& startFolder);
    // What the file's header says, with a button that loads it.
    void inspect(const QString& file);

Q_SIGNALS:
    void chosen(const QString& file);
    void reloadRequested();
    void attachRequested(); // to a server
    void adaptersRequested();
};

} // namespace ui
