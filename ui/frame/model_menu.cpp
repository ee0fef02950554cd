#include "ui/frame/model_menu.h"

#include "app/remote/remote_address.h"
#include "ui/icons.h"
#include "ui/panels/model_dialog.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>

namespace ui {

ModelMenu::ModelMenu(QWidget* window) : QMenu(window) {
    setAttribute(Qt::WA_TranslucentBackground);
    setWindowFlags(windowFlags() | Qt::FramelessWindowHint | Qt::NoDropShadowWindowHint);
}

void ModelMenu::open(const QPoint& position, const QString& currentFile,
                     const QStringList& recent) {
    clear();
    const QString folder = QFileInfo(currentFile).path();
    QAction* openAction = addAction(ui::icon(QStringLiteral("open")), tr("Open a model…"), this,
                                    [this, folder] { chooseFile(folder); });
    addAction(ui::icon(QStringLiteral("open")), tr("Open a model's folder…"), this,
              [this, folder] { chooseFolder(folder); });
    openAction->setShortcut(QKeySequence::Open);
    openAction->setShortcutContext(Qt::WidgetShortcut); // shown only; the window has the key
    addAction(ui::icon(QStringLiteral("globe")), tr("Attach to a server…"), this,
              &ModelMenu::attachRequested);
    const auto isServer = [](const QString& file) {
        return app::isRemoteAddress(file.toStdString());
    };
    if (!currentFile.isEmpty()) {
        if (!isServer(currentFile)) {
            addAction(ui::icon(QStringLiteral("info")), tr("What the file holds…"), this,
                      [this, currentFile] { inspect(currentFile); });
            addAction(ui::icon(QStringLiteral("fleet")), tr("Adapters…"), this,
                      &ModelMenu::adaptersRequested);
        }
        addAction(ui::icon(QStringLiteral("reload")), tr("Reload"), this,
                  &ModelMenu::reloadRequested);
    }
    bool isFirst = true;
    for (const QString& file : recent) {
        if (file == currentFile || (!isServer(file) && !QFileInfo::exists(file))) {
            continue;
        }
        if (isFirst) {
            addSeparator();
            isFirst = false;
        }
        const QString name = isServer(file) ? file : QFileInfo(file).fileName();
        QAction* action = addAction(name, this, [this, file] { Q_EMIT chosen(file); });
        action->setToolTip(file);
    }
    popup(position);
}

void ModelMenu::chooseFile(const QString& startFolder) {
    auto* dialog = new QFileDialog(parentWidget(), tr("Open a model"), startFolder,
                                   tr("Models (*.gguf *.safetensors *.safetensors.index.json);;"
                                      "All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &ModelMenu::inspect);
    dialog->open();
}

void ModelMenu::chooseFolder(const QString& startFolder) {
    auto* dialog = new QFileDialog(parentWidget(), tr("Open a model's folder"), startFolder);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, &ModelMenu::inspect);
    dialog->open();
}

void ModelMenu::inspect(const QString& file) {
    auto* dialog = new ModelDialog(file.toStdString(), parentWidget());
    connect(dialog, &ModelDialog::loadRequested, this, &ModelMenu::chosen);
    dialog->open();
}

} // namespace ui
