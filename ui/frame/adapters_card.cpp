#include "ui/frame/adapters_card.h"

#include "app/labels.h"
#include "app/session.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <variant>

namespace ui {

namespace {

// Of the loaded backend; null where it takes none.
engine::Adapters* adaptersOf(const app::Session& session) {
    return session.hasModel() ? session.backend()->adapters() : nullptr;
}

bool isAboutAdapters(const engine::Event& event) {
    const auto* notice = std::get_if<engine::Notice>(&event.body);
    return notice != nullptr && notice->kind.starts_with("adapter_");
}

} // namespace

AdaptersCard::AdaptersCard(app::Session& session, QWidget* window)
    : OverlayCard(window),
      m_session(session) {
    auto* column = new QVBoxLayout(card());
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(8);
    auto* head = new QHBoxLayout;
    m_title = makeLabel({}, TextRole::PageTitle, this);
    m_close = makeButton({}, ButtonKind::Quiet, this);
    m_close->setIcon(icon(QStringLiteral("cross")));
    head->addWidget(m_title, 1);
    head->addWidget(m_close);
    column->addLayout(head);
    m_lead = makeLabel({}, TextRole::Small, this);
    m_lead->setWordWrap(true);
    column->addWidget(m_lead);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(scroll);
    setSurface(content, Surface::Panel);
    m_list = new QVBoxLayout(content);
    m_list->setContentsMargins(0, 0, 0, 0);
    m_list->setSpacing(6);
    scroll->setWidget(content);
    column->addWidget(scroll, 1);
    m_memory = makeLabel({}, TextRole::Small, this);
    m_memory->setObjectName(QStringLiteral("adapterMemory"));
    m_memory->setWordWrap(true);
    column->addWidget(m_memory);
    column->addWidget(makeRule(this));
    auto* foot = new QHBoxLayout;
    foot->setSpacing(8);
    m_nameLabel = makeLabel({}, TextRole::Body, this);
    m_name = new QLineEdit(this);
    m_nameLabel->setBuddy(m_name);
    m_file = makeButton({}, ButtonKind::Normal, this);
    m_folder = makeButton({}, ButtonKind::Normal, this);
    foot->addWidget(m_nameLabel);
    foot->addWidget(m_name, 1);
    foot->addWidget(m_file);
    foot->addWidget(m_folder);
    column->addLayout(foot);
    m_problem = makeLabel({}, TextRole::Caption, this);
    m_problem->setObjectName(QStringLiteral("adapterProblem"));
    setSheetProperty(m_problem, "tone", QStringLiteral("bad"));
    m_problem->setTextFormat(Qt::PlainText); // it names files
    m_problem->setWordWrap(true);
    column->addWidget(m_problem);
    connect(m_close, &QPushButton::clicked, this, &OverlayCard::close);
    connect(m_file, &QPushButton::clicked, this, [this] { choose(false); });
    connect(m_folder, &QPushButton::clicked, this, [this] { choose(true); });
    connect(m_name, &QLineEdit::textEdited, this, [this] { tell({}); });
    connect(&m_session, &app::Session::modelChanged, this, [this] {
        if (isVisible()) {
            refresh();
        }
    });
    connect(&m_session, &app::Session::eventHappened, this, [this](const engine::Event& event) {
        if (isVisible() && isAboutAdapters(event)) {
            refresh();
        }
    });
}

QSize AdaptersCard::cardSize(QSize window) const {
    return {std::min(600, window.width() - 40), std::min(420, window.height() - 80)};
}

int AdaptersCard::cardTop(QSize window) const {
    return std::max(40, window.height() / 6);
}

QWidget* AdaptersCard::firstFocus() {
    return m_name;
}

void AdaptersCard::prepare() {
    m_title->setText(tr("Adapters"));
    setAccessibleName(m_title->text());
    m_lead->setText(tr("Low-rank adapters (LoRA) over the loaded model: a GGUF file of the type "
                       "adapter, or a folder as PEFT saves it. They come and go while requests "
                       "run, and one batch serves several. A request names its own; the "
                       "playground’s sampling chooses one."));
    m_nameLabel->setText(tr("Name"));
    m_name->setPlaceholderText(tr("as the file"));
    m_name->setAccessibleName(m_nameLabel->text());
    m_file->setText(tr("Load a file…"));
    m_folder->setText(tr("Load a folder…"));
    m_close->setToolTip(tr("Close"));
    m_close->setAccessibleName(tr("Close"));
    tell({});
    m_shown.clear(); // perhaps in another language
    refresh();
}

void AdaptersCard::addRow(const engine::AdapterInfo& info) {
    const QString name = QString::fromStdString(info.name);
    auto* row = new QWidget(m_list->parentWidget());
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(10);
    auto* label = makeLabel(name, TextRole::Body, row);
    label->setTextFormat(Qt::PlainText);
    label->setMinimumWidth(1); // names are as long as whoever gave them liked
    label->setToolTip(
        QStringLiteral("<qt>%1</qt>").arg(QString::fromStdString(info.path).toHtmlEscaped()));
    auto* facts = makeLabel(
        tr("rank %1, %n weight(s), %2", nullptr, static_cast<int>(info.weights))
            .arg(app::numberText(static_cast<double>(info.rank)), app::bytesText(info.bytes)),
        TextRole::Small, row);
    auto* button = makeButton(tr("Unload"), ButtonKind::Normal, row);
    button->setAccessibleName(tr("Unload %1").arg(name));
    line->addWidget(label);
    line->addWidget(facts, 1);
    line->addWidget(button);
    m_list->addWidget(row);
    connect(
        button, &QPushButton::clicked, this, [this, key = info.name] { unload(key); },
        Qt::QueuedConnection); // the button goes with its row
}

void AdaptersCard::refresh() {
    const engine::Adapters* adapters = adaptersOf(m_session);
    m_file->setEnabled(adapters != nullptr);
    m_folder->setEnabled(adapters != nullptr);
    const engine::AdapterStatus status =
        adapters != nullptr ? adapters->adapterStatus() : engine::AdapterStatus{};
    QString none;
    if (status.loaded.empty()) {
        none = adapters != nullptr    ? tr("No adapter is loaded.")
               : m_session.hasModel() ? tr("The loaded model takes no adapters.")
                                      : tr("No model is loaded.");
    }
    QStringList shown{none};
    for (const engine::AdapterInfo& info : status.loaded) {
        shown << QString::fromStdString(info.name) << QString::fromStdString(info.digest);
    }
    if (shown != m_shown) { // else who stands on a button stays there
        m_shown = shown;
        showList(status, none);
    }
    showMemory(status);
}

void AdaptersCard::showList(const engine::AdapterStatus& status, const QString& none) {
    while (QLayoutItem* item = m_list->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const engine::AdapterInfo& info : status.loaded) {
        addRow(info);
    }
    if (!none.isEmpty()) {
        m_list->addWidget(makeLabel(none, TextRole::Muted, m_list->parentWidget()));
    }
    m_list->addStretch(1);
}

void AdaptersCard::showMemory(const engine::AdapterStatus& status) {
    QStringList memory;
    if (const auto separate = status.separateBytes()) {
        const auto shared = static_cast<double>(status.sharedBytes());
        memory << tr("Model and adapters together take %1; a model for each adapter would take "
                     "%2: %3 % less.")
                      .arg(app::bytesText(status.sharedBytes()), app::bytesText(*separate),
                           app::numberText(
                               100.0 * (1.0 - shared / static_cast<double>(
                                                           std::max<std::uint64_t>(1, *separate))),
                               0));
    }
    if (status.leaving > 0) {
        memory << tr("%n unloaded one(s) still finish their requests.", nullptr,
                     static_cast<int>(status.leaving));
    }
    m_memory->setText(memory.join(QLatin1Char(' ')));
    m_memory->setVisible(!memory.isEmpty());
}

void AdaptersCard::choose(bool isFolder) {
    auto* dialog = new QFileDialog(
        this, isFolder ? tr("Load an adapter’s folder") : tr("Load an adapter"),
        QFileInfo(QString::fromStdString(m_session.modelFile().string())).path(),
        isFolder ? QString() : tr("Adapters (*.gguf *.safetensors);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(isFolder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        load(std::filesystem::path(QFile::encodeName(file).toStdString()));
    });
    dialog->open();
}

void AdaptersCard::load(const std::filesystem::path& file) {
    engine::Adapters* adapters = adaptersOf(m_session);
    if (adapters == nullptr) {
        tell(tr("No model is loaded."));
        return;
    }
    const QString typed = m_name->text();
    std::string name = typed.trimmed().toStdString();
    if (name.empty()) {
        name = file.has_filename() ? file.stem().string() : file.parent_path().filename().string();
    }
    tell({});
    m_file->setEnabled(false);
    m_folder->setEnabled(false);
    // Told on a thread of the engine, perhaps when this card is gone.
    adapters->loadAdapter(
        std::move(name), file,
        [card = QPointer(this), typed](engine::Result<engine::AdapterInfo> outcome) {
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [card, typed, outcome = std::move(outcome)] {
                    if (card) {
                        card->finishLoad(typed, outcome);
                    }
                },
                Qt::QueuedConnection);
        });
}

void AdaptersCard::finishLoad(const QString& typed,
                              const engine::Result<engine::AdapterInfo>& outcome) {
    if (outcome && m_name->text() == typed) { // else it is the next one's already
        m_name->clear();
    }
    refresh();
    tell(outcome ? QString() : app::sentenceLabel(outcome.error().message));
}

void AdaptersCard::unload(const std::string& name) {
    engine::Adapters* adapters = adaptersOf(m_session);
    if (adapters == nullptr) {
        return;
    }
    const engine::Result<void> done = adapters->unloadAdapter(name);
    refresh();
    tell(done ? QString() : app::sentenceLabel(done.error().message));
    m_name->setFocus(); // the button that had it is gone
}

void AdaptersCard::tell(const QString& problem) {
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
}

} // namespace ui
