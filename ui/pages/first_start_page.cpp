#include "ui/pages/first_start_page.h"

#include "app/background.h"
#include "app/labels.h"
#include "app/observe/machine.h"
#include "app/session.h"
#include "engine/model_file.h"
#include "ui/dropped_file.h"
#include "ui/icons.h"
#include "ui/panels/model_dialog.h"
#include "ui/panels/start_parts.h"
#include "ui/theme.h"
#include "ui/widgets/choice_field.h"
#include "ui/widgets/drop_zone.h"
#include "ui/widgets/key_button.h"
#include "ui/widgets/paint.h"

#include <QClipboard>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr int kWidth = 1080;
constexpr const char* kFetchCommand = "packaging/model";

// The product's mark, painted so that it follows the theme.
class Mark final : public QWidget {
public:
    explicit Mark(QWidget* parent) : QWidget(parent) { setFixedSize(48, 48); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        paintMark(painter, QRectF(rect()).adjusted(1, 1, -1, -1));
    }
};

} // namespace

FirstStartPage::FirstStartPage(app::Session& session, QWidget* parent)
    : FirstStartPage(session, app::modelsFolder(), parent) {}

FirstStartPage::FirstStartPage(app::Session& session, std::filesystem::path models, QWidget* parent)
    : Page(parent),
      m_session(session),
      m_models(std::move(models)) {
    setAcceptDrops(true);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(scroll);
    auto* centre = new QHBoxLayout(content);
    centre->setContentsMargins(16, 16, 16, 16);
    auto* block = new QWidget(content);
    block->setMaximumWidth(kWidth);
    auto* column = new QVBoxLayout(block);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(20);
    column->addStretch(2);
    column->addWidget(makeHead());
    column->addWidget(makeChoices());
    auto* zone = new DropZone(block);
    m_drop = zone;
    auto* drop = new QHBoxLayout(zone);
    auto* arrow = new QLabel(zone);
    arrow->setPixmap(icon(QStringLiteral("download"), ColorRole::Accent).pixmap(18, 18));
    m_dropText = makeLabel({}, TextRole::Small, zone);
    m_dropKinds = makeLabel(QStringLiteral(".gguf  .safetensors  .toml  .csv  .jsonl  .json  .db"),
                            TextRole::Caption, zone);
    drop->addStretch(1);
    drop->addWidget(arrow);
    drop->addSpacing(8);
    drop->addWidget(m_dropText);
    drop->addSpacing(8);
    drop->addWidget(m_dropKinds);
    drop->addStretch(1);
    column->addWidget(zone);
    auto* steps = new StartSteps(block);
    connect(steps, &StartSteps::chosen, this, &FirstStartPage::goToStep);
    column->addWidget(steps);
    auto* foot = new QHBoxLayout;
    foot->setSpacing(12);
    m_example = new StartExample(block);
    connect(m_example, &StartExample::requested, this,
            [this] { Q_EMIT pageRequested(QStringLiteral("runs"), QStringLiteral("example")); });
    m_machine = new MachineFacts(QString::fromStdString(m_session.runLog().string()), block);
    foot->addWidget(m_example, 16);
    foot->addWidget(m_machine, 9);
    column->addLayout(foot);
    column->addStretch(3);
    centre->addStretch(1);
    centre->addWidget(block, 100);
    centre->addStretch(1);
    scroll->setWidget(content);
    outer->addWidget(scroll);
    m_shapeTimer = new QTimer(this);
    m_shapeTimer->setInterval(100);
    connect(m_shapeTimer, &QTimer::timeout, this, &FirstStartPage::showShapeProgress);
    retranslate();
    lookForDefault();
}

FirstStartPage::~FirstStartPage() {
    cancelShape();
}

QWidget* FirstStartPage::makeHead() {
    auto* head = new QWidget(this);
    auto* line = new QHBoxLayout(head);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(18);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(4);
    m_title = makeLabel({}, TextRole::PageTitle, head);
    setSheetProperty(m_title, "role", QStringLiteral("hero"));
    m_subtitle = makeLabel({}, TextRole::Small, head);
    texts->addWidget(m_title);
    texts->addWidget(m_subtitle);
    line->addWidget(new Mark(head));
    line->addLayout(texts, 1);
    return head;
}

QWidget* FirstStartPage::makeChoices() {
    auto* row = new QWidget(this);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(12);
    m_defaultCard = new StartChoice(QStringLiteral("play"), true, row);
    m_start = new KeyButton(ButtonKind::Primary, QStringLiteral("⏎"), this);
    m_copyCommand = makeButton({}, ButtonKind::Normal, this);
    m_copyCommand->setIcon(icon(QStringLiteral("copy")));
    m_startNote = makeLabel({}, TextRole::Muted, this);
    m_defaultCard->actions()->addWidget(m_start);
    m_defaultCard->actions()->addWidget(m_copyCommand);
    m_defaultCard->actions()->addWidget(m_startNote, 1);
    m_fileCard = new StartChoice(QStringLiteral("open"), false, row);
    m_openFile = new KeyButton(ButtonKind::Normal, QStringLiteral("Ctrl O"), this);
    m_dropNote = makeLabel({}, TextRole::Muted, this);
    m_fileCard->actions()->addWidget(m_openFile);
    m_fileCard->actions()->addWidget(m_dropNote, 1);
    m_shapeCard = new StartChoice(QStringLiteral("spark"), false, row);
    m_shape = new ChoiceField(this);
    for (const engine::SynthShape& shape : engine::synthShapes()) {
        const QString name = QString::fromStdString(shape.name);
        m_shape->addItem(name, name);
        m_shape->setItemData(m_shape->count() - 1, QString::fromStdString(shape.summary),
                             Qt::ToolTipRole);
    }
    m_make = makeButton({}, ButtonKind::Normal, this);
    m_shapeBar = new QProgressBar(this);
    m_shapeBar->setRange(0, 1000);
    m_shapeBar->setTextVisible(false);
    m_shapeBar->hide();
    m_shapeCard->actions()->addWidget(m_shape, 1);
    m_shapeCard->actions()->addWidget(m_make);
    m_shapeCard->addBelow(m_shapeBar);
    for (StartChoice* choice : {m_defaultCard, m_fileCard, m_shapeCard}) {
        line->addWidget(choice, 1);
    }
    connect(m_start, &QPushButton::clicked, this, &FirstStartPage::startDefault);
    connect(m_copyCommand, &QPushButton::clicked, this, [this] {
        QGuiApplication::clipboard()->setText(QString::fromLatin1(kFetchCommand));
        m_startNote->setText(tr("copied"));
    });
    connect(m_openFile, &QPushButton::clicked, this, &FirstStartPage::chooseFile);
    connect(m_make, &QPushButton::clicked, this, [this] {
        if (isMakingShape()) {
            cancelShape();
        } else {
            makeShape();
        }
    });
    return row;
}

void FirstStartPage::lookForDefault() {
    m_default = app::findDefaultModel(m_models);
    m_isChecked = false;
    showDefault();
    app::runInBackground(
        this, [models = m_models] { return app::checkDefaultModel(models); },
        [this](app::DefaultModel found) {
            m_default = std::move(found);
            m_isChecked = true;
            showDefault();
            Q_EMIT checked();
        });
}

void FirstStartPage::startDefault() {
    if (m_default.presence == app::ModelPresence::Present) {
        open(QString::fromStdString(m_default.file.string()));
    }
}

// Of the four ways to the first verdict.
void FirstStartPage::goToStep(int step) {
    switch (step) {
    case 1:
        firstFocus()->setFocus(Qt::OtherFocusReason);
        break;
    case 4:
        Q_EMIT pageRequested(QStringLiteral("experiments"), QStringLiteral("results"));
        break;
    default: // settings stand beside the workload
        Q_EMIT pageRequested(QStringLiteral("load"), QStringLiteral("demo"));
    }
}

void FirstStartPage::open(const QString& file) {
    Q_EMIT modelRequested(file);
}

void FirstStartPage::chooseFile() {
    auto* dialog = new QFileDialog(this, tr("Open a model"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilters(
        {tr("Models (*.gguf *.safetensors *.safetensors.index.json)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        auto* inspection = new ModelDialog(file.toStdString(), this);
        connect(inspection, &ModelDialog::loadRequested, this, &FirstStartPage::open);
        inspection->open();
    });
    dialog->open();
}

void FirstStartPage::makeShape() {
    if (isMakingShape()) {
        return;
    }
    const std::string shape = m_shape->currentData().toString().toStdString();
    const std::filesystem::path file = m_models / ("synthetic-" + shape + ".gguf");
    m_shapeProblem.clear();
    m_making = std::make_shared<Making>();
    m_shapeTimer->start();
    showShapeProgress();
    app::runInBackground(
        this,
        [making = m_making, shape, file]() -> engine::Result<void> {
            std::error_code error;
            std::filesystem::create_directories(file.parent_path(), error);
            return engine::synthesizeModel(
                {.shape = shape, .layers = std::nullopt}, file,
                [&making](std::uint64_t done, std::uint64_t total) {
                    making->done = done;
                    making->total = total;
                },
                making->stop.get_token());
        },
        [this, file](const engine::Result<void>& made) {
            m_making.reset();
            m_shapeTimer->stop();
            const bool isCancelled = !made && made.error().code == engine::ErrorCode::Cancelled;
            m_shapeProblem =
                made || isCancelled ? QString() : QString::fromStdString(made.error().message);
            showShapeProgress();
            const QString path = QString::fromStdString(file.string());
            Q_EMIT shapeMade(path, m_shapeProblem);
            if (made) {
                open(path);
            }
        });
}

void FirstStartPage::cancelShape() {
    if (m_making) {
        m_making->stop.request_stop();
    }
}

void FirstStartPage::showShapeProgress() {
    const bool isMaking = isMakingShape();
    m_shapeBar->setVisible(isMaking);
    m_make->setText(isMaking ? tr("Cancel") : tr("Make"));
    m_shape->setEnabled(!isMaking);
    QString caption = tr("any layer count and weight format");
    if (isMaking && m_making->total > 0) {
        const std::uint64_t done = m_making->done, total = m_making->total;
        m_shapeBar->setValue(static_cast<int>(done * 1000 / total));
        caption = tr("writing %1 of %2").arg(app::bytesText(done), app::bytesText(total));
    }
    m_shapeCard->setCaption(caption);
    m_shapeCard->setText(
        m_shapeProblem.isEmpty()
            ? tr("A synthetic model with random weights. Tells how fast a shape would run on this "
                 "machine before you download it.")
            : m_shapeProblem,
        !m_shapeProblem.isEmpty());
}

void FirstStartPage::showDefault() {
    const bool isPresent = m_default.presence == app::ModelPresence::Present;
    m_defaultCard->setTitle(tr("Default model"));
    m_defaultCard->setCaption(tr("98 MB · Q4_1 · 135 M parameters"));
    QString text =
        tr("%1, Apache-2.0. Small enough for two cores, real enough to measure.")
            .arg(QString::fromLatin1(app::kDefaultModelName.data(),
                                     static_cast<qsizetype>(app::kDefaultModelName.size())));
    switch (m_default.presence) {
    case app::ModelPresence::Present:
        text += u' ' + (m_isChecked ? tr("Already in your data folder, checksum right.")
                                    : tr("Already in your data folder."));
        break;
    case app::ModelPresence::Missing:
        text +=
            u' ' + tr("Not in your data folder yet: run %1 in the source folder to fetch it, or "
                      "open a file.")
                       .arg(QString::fromLatin1(kFetchCommand));
        break;
    case app::ModelPresence::Damaged:
        text += u' ' + tr("The file in your data folder is not whole: run %1 in the source folder "
                          "to fetch it again.")
                           .arg(QString::fromLatin1(kFetchCommand));
        break;
    }
    m_defaultCard->setText(text);
    m_start->setVisible(isPresent);
    m_copyCommand->setVisible(!isPresent);
    m_startNote->setText(isPresent ? tr("ready in about 1 s") : QString());
}

QString FirstStartPage::title() const {
    return tr("Start");
}

void FirstStartPage::setShown(bool isShown) {
    if (isShown) {
        lookForDefault(); // it may have been fetched meanwhile
        retranslate();
        m_machine->refresh();
    }
}

QWidget* FirstStartPage::firstFocus() {
    return m_start->isVisible() ? static_cast<QWidget*>(m_start) : m_openFile;
}

QList<PageAction> FirstStartPage::actions() {
    return {{.text = tr("Start with the default model"),
             .value = {},
             .keys = QStringLiteral("Return"),
             .run = [this] { startDefault(); }},
            {.text = tr("Make a synthetic model"),
             .value = m_shape->currentText(),
             .keys = {},
             .run = [this] { makeShape(); }}};
}

QList<KeyHint> FirstStartPage::keys() const {
    return {{QStringLiteral("Enter"), tr("Start with the default model")},
            {QStringLiteral("Ctrl+O"), tr("Open a model file")}};
}

void FirstStartPage::retranslate() {
    m_title->setText(tr("Open a model to start"));
    m_subtitle->setText(
        tr("Headway runs it here, in this window, and measures what every switch really costs."));
    const app::Machine machine = app::readMachine();
    m_start->setText(tr("Start with it"));
    m_copyCommand->setText(tr("Copy the command"));
    m_fileCard->setTitle(tr("Open a file"));
    m_fileCard->setCaption(tr("%1 of memory free").arg(app::bytesText(machine.availableBytes)));
    m_fileCard->setText(tr("GGUF or safetensors, also split: DeepSeek, Qwen, Llama, Gemma. The "
                           "header is checked first and tells memory needs before anything "
                           "loads."));
    m_openFile->setText(tr("Open…"));
    m_dropNote->setText(tr("or drop it anywhere"));
    m_shapeCard->setTitle(tr("Try a shape"));
    m_shape->setAccessibleName(tr("Shape of the synthetic model"));
    m_dropText->setText(
        tr("Drop a model file, a workload, a trace, a run export or a run log here"));
    showDefault();
    showShapeProgress();
}

void FirstStartPage::changeEvent(QEvent* event) {
    Page::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

void FirstStartPage::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        startDefault();
        return;
    }
    Page::keyPressEvent(event);
}

void FirstStartPage::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) {
        event->acceptProposedAction();
        m_drop->setLit(true);
    }
}

void FirstStartPage::dragLeaveEvent(QDragLeaveEvent*) {
    m_drop->setLit(false);
}

void FirstStartPage::dropEvent(QDropEvent* event) {
    m_drop->setLit(false);
    const QList<QUrl> urls = event->mimeData()->urls();
    const QString file = urls.isEmpty() ? QString() : urls.first().toLocalFile();
    if (const QString page = pageOfFile(file); !page.isEmpty()) {
        Q_EMIT pageRequested(page, file);
    } else if (!file.isEmpty()) {
        auto* inspection = new ModelDialog(file.toStdString(), this);
        connect(inspection, &ModelDialog::loadRequested, this, &FirstStartPage::open);
        inspection->open();
    }
}

} // namespace ui
