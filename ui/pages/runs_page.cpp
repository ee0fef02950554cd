#include "ui/pages/runs_page.h"

#include "app/background.h"
#include "app/labels.h"
#include "app/session.h"
#include "app/store/run_filter.h"
#include "ui/icons.h"
#include "ui/panels/comparison_view.h"
#include "ui/panels/run_set_view.h"
#include "ui/panels/run_view.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"

#include <QEvent>
#include <QFile>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr int kRefreshMs = 5'000;
constexpr int kUndoMs = 10'000;

} // namespace

RunsPage::RunsPage(app::Session& session, QWidget* parent)
    : Page(parent),
      m_session(session),
      m_log(session.runLog()) {
    m_model = new RunModel(runColumns(m_ticks, m_baseline), this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(space::kBetweenCards);
    buildToolbar(column);
    buildList(column);
    m_deleteTimer = new QTimer(this);
    m_deleteTimer->setSingleShot(true);
    m_deleteTimer->setInterval(kUndoMs);
    connect(m_deleteTimer, &QTimer::timeout, this, &RunsPage::commitDeletion);
    m_refreshTimer = new QTimer(this);
    m_refreshTimer->setInterval(kRefreshMs);
    connect(m_refreshTimer, &QTimer::timeout, this, [this] {
        if (m_session.currentRun()) {
            refreshList();
        }
    });
    for (const QKeySequence& keys :
         {QKeySequence(Qt::Key_Slash), QKeySequence(QKeySequence::Find)}) {
        auto* find = new QShortcut(keys, this);
        find->setContext(Qt::WidgetWithChildrenShortcut);
        connect(find, &QShortcut::activated, m_filter, qOverload<>(&QWidget::setFocus));
    }
    auto* rename = new QShortcut(QKeySequence(Qt::Key_F2), m_table);
    rename->setContext(Qt::WidgetWithChildrenShortcut);
    connect(rename, &QShortcut::activated, this, [this] { editName(m_table->currentRow()); });
    auto* pin = new QShortcut(QKeySequence(Qt::Key_B), m_table);
    pin->setContext(Qt::WidgetWithChildrenShortcut);
    connect(pin, &QShortcut::activated, this, [this] {
        if (const auto run = currentRun()) {
            pinBaseline(*run);
        }
    });
    connect(&m_session, &app::Session::runChanged, this, [this] {
        if (m_isShown) {
            refreshList();
        }
    });
    connect(&m_session, &app::Session::runsEdited, this, [this](const QString& problem) {
        if (!problem.isEmpty()) {
            Q_EMIT messageRaised(tr("The run log was not changed"), problem);
        }
        refreshList();
        if (problem.isEmpty() && m_content->currentWidget() == m_opened) {
            showContent(); // a bookmark or a name may have changed what is shown
        }
    });
    connect(&m_session, &app::Session::runsImported, this, &RunsPage::takeImported);
    retranslate();
    showContent();
}

RunsPage::~RunsPage() {
    if (m_deleting) {
        m_session.removeRun(*m_deleting);
    }
}

void RunsPage::buildToolbar(QVBoxLayout* column) {
    auto* bar = new QHBoxLayout;
    bar->setSpacing(8);
    m_filter = new QLineEdit(this);
    m_filter->addAction(icon(QStringLiteral("search"), ColorRole::Text3),
                        QLineEdit::LeadingPosition);
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(272);
    bar->addWidget(m_filter);
    m_foreign = makeLabel({}, TextRole::Caption, this);
    setSheetProperty(m_foreign, "badge", QStringLiteral("warn"));
    bar->addWidget(m_foreign);
    bar->addStretch(1);
    m_counts = makeLabel({}, TextRole::Small, this);
    bar->addWidget(m_counts);
    m_own = makeButton({}, ButtonKind::Normal, this);
    m_open = makeButton({}, ButtonKind::Normal, this);
    m_open->setIcon(icon(QStringLiteral("open")));
    m_import = makeButton({}, ButtonKind::Normal, this);
    m_import->setIcon(icon(QStringLiteral("download")));
    connect(m_import, &QPushButton::clicked, this, &RunsPage::chooseImport);
    m_export = makeButton({}, ButtonKind::Normal, this);
    m_export->setIcon(icon(QStringLiteral("export")));
    m_undo = makeButton({}, ButtonKind::Normal, this);
    m_undo->setIcon(icon(QStringLiteral("undo")));
    for (QPushButton* button : {m_own, m_open, m_import, m_export, m_undo}) {
        bar->addWidget(button);
    }
    column->addLayout(bar);
    m_filterError = makeLabel({}, TextRole::Caption, this);
    setSheetProperty(m_filterError, "tone", QStringLiteral("bad"));
    m_filterError->hide();
    column->addWidget(m_filterError);
    connect(m_filter, &QLineEdit::textChanged, this, &RunsPage::applyFilter);
    connect(m_own, &QPushButton::clicked, this, [this] { openLog(m_session.runLog()); });
    connect(m_open, &QPushButton::clicked, this, &RunsPage::chooseLog);
    connect(m_export, &QPushButton::clicked, this, [this] { openReportMenu(m_export); });
    connect(m_undo, &QPushButton::clicked, this, &RunsPage::undoDelete);
}

void RunsPage::buildList(QVBoxLayout* column) {
    auto* split = new QSplitter(Qt::Vertical, this);
    m_divide = split;
    connect(split, &QSplitter::splitterMoved, this, [this] { m_isDivideMoved = true; });
    split->setHandleWidth(space::kBetweenCards);
    split->setChildrenCollapsible(false);
    auto* card = new Card(split);
    card->setFlush();
    m_table = new TableView(card);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new RunDelegate(*m_model, m_ticks, m_baseline, m_table));
    for (int i = 0; i < m_model->columnCount(); ++i) {
        m_table->setColumnWidth(i, m_model->column(i).width);
    }
    m_table->setStretchColumn(static_cast<int>(RunColumn::Name));
    m_table->sortByColumn(static_cast<int>(RunColumn::Id), Qt::DescendingOrder);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->setMinimumHeight(130);
    m_empty = makeLabel({}, TextRole::Muted, m_table);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setAttribute(Qt::WA_TransparentForMouseEvents);
    auto* middle = new QVBoxLayout(m_table);
    m_example = makeButton({}, ButtonKind::Normal, m_table);
    middle->addStretch(1);
    middle->addWidget(m_empty);
    middle->addWidget(m_example, 0, Qt::AlignHCenter);
    m_salvage = makeButton({}, ButtonKind::Normal, m_table);
    m_salvage->hide();
    middle->addWidget(m_salvage, 0, Qt::AlignHCenter);
    connect(m_salvage, &QPushButton::clicked, this, &RunsPage::chooseSalvage);
    middle->addStretch(1);
    connect(m_example, &QPushButton::clicked, this, &RunsPage::openExample);
    card->body()->addWidget(m_table, 1);
    m_content = new QStackedWidget(split);
    m_sentence = makeLabel({}, TextRole::Muted, m_content);
    m_sentence->setAlignment(Qt::AlignCenter);
    m_sentence->setWordWrap(true);
    m_opened = new RunView(m_content);
    m_comparison = new ComparisonView(m_content);
    m_set = new RunSetView(m_content);
    m_content->addWidget(m_sentence);
    m_content->addWidget(m_opened);
    m_content->addWidget(m_comparison);
    m_content->addWidget(m_set);
    split->addWidget(card);
    split->addWidget(m_content);
    split->setSizes({250, 560});
    split->setStretchFactor(1, 1);
    column->addWidget(split, 1);

    connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (index.column() == static_cast<int>(RunColumn::Tick)) {
            const std::int64_t run = m_model->rowAt(index.row()).run.id;
            setTicked(run, std::ranges::find(m_ticks, run) == m_ticks.end());
        }
    });
    connect(m_table, &TableView::spacePressed, this, [this](int row) {
        const std::int64_t run = m_model->rowAt(row).run.id;
        setTicked(run, std::ranges::find(m_ticks, run) == m_ticks.end());
    });
    connect(m_table, &TableView::rowChosen, this, [this] {
        if (m_ticks.size() < 2) {
            m_split.reset();
            showContent();
        }
    });
    connect(m_table, &TableView::rowActivated, this, [this](int row) {
        const std::int64_t run = m_model->rowAt(row).run.id;
        m_ticks.clear();
        openRun(run);
    });
    connect(m_table, &TableView::deletePressed, this,
            [this](int row) { deleteRun(m_model->rowAt(row).run.id); });
    connect(m_table, &QWidget::customContextMenuRequested, this, &RunsPage::openMenu);
    connect(m_comparison, &ComparisonView::swapRequested, this, [this] {
        std::ranges::reverse(m_ticks);
        m_table->viewport()->update();
        showContent();
    });
    connect(m_comparison, &ComparisonView::reportRequested, this, &RunsPage::openReportMenu);
    connect(m_opened, &RunView::reportRequested, this, &RunsPage::openReportMenu);
    connect(m_set, &RunSetView::reportRequested, this, &RunsPage::openReportMenu);
    connect(m_comparison, &ComparisonView::noteEdited, this, &RunsPage::saveNote);
    connect(m_opened, &RunView::noteEdited, this, &RunsPage::saveNote);
    connect(m_opened, &RunView::experimentRequested, this, [this] {
        if (const auto run = currentRun()) {
            Q_EMIT pageRequested(
                QStringLiteral("experiments"),
                isOwnLog()
                    ? QStringLiteral("run:%1").arg(*run)
                    : QStringLiteral("log:%1:%2").arg(*run).arg(QFile::decodeName(m_log.c_str())));
        }
    });
    connect(m_opened, &RunView::splitRequested, this, &RunsPage::splitOpened);
    connect(m_opened, &RunView::bookmarkNamed, this, [this](double seconds, const QString& name) {
        if (const auto run = currentRun()) {
            m_session.addBookmark(*run, {.seconds = seconds, .name = name.toStdString()});
        }
    });
    connect(m_opened, &RunView::bookmarkRemoved, this, [this](double seconds, const QString& name) {
        if (const auto run = currentRun()) {
            m_session.removeBookmark(*run, {.seconds = seconds, .name = name.toStdString()});
        }
    });
    connect(m_comparison, &ComparisonView::backRequested, this, [this] {
        m_split.reset();
        showContent();
    });
}

bool RunsPage::isOwnLog() const {
    return m_log == m_session.runLog();
}

void RunsPage::refreshList() {
    const int number = ++m_listNumber;
    app::runInBackground(
        this, [log = m_log] { return app::listRuns(log); },
        [this, number](engine::Result<std::vector<app::RunSummary>> runs) {
            if (number == m_listNumber) {
                takeList(std::move(runs));
            }
        });
}

void RunsPage::takeList(engine::Result<std::vector<app::RunSummary>> runs) {
    const std::optional<std::int64_t> selected = m_wanted ? m_wanted : currentRun();
    m_wanted.reset();
    bool hasLostTick = false; // a compared run is gone
    m_isUnreadable = !runs && runs.error().code == engine::ErrorCode::Corrupt;
    if (!runs) {
        m_model->clear();
        m_empty->setText(QString::fromStdString(runs.error().message));
    } else {
        const auto has = [&](std::int64_t id) {
            return std::ranges::any_of(*runs, [id](const auto& run) { return run.run.id == id; });
        };
        hasLostTick = std::erase_if(m_ticks, [&](std::int64_t id) { return !has(id); }) > 0;
        const auto pinned = std::ranges::find_if(*runs, app::isBaseline);
        m_baseline = pinned != runs->end() ? RunBaseline(*pinned) : std::nullopt;
        m_model->setRows(std::move(*runs));
        m_empty->setText(m_model->rows().empty()
                             ? tr("No run yet: start a load, or record what happens.")
                             : tr("No run matches the filter."));
    }
    int row = selected ? m_model->shownWhere(
                             [&](const app::RunSummary& run) { return run.run.id == *selected; })
                       : -1;
    if (runs && std::exchange(m_isFirstList, false) && row < 0 && m_ticks.empty()) {
        row = m_model->shownWhere([](const app::RunSummary& run) { // the newest that is over
            return run.run.state == app::RunState::Finished;
        });
    }
    {
        // A list that was only read anew changes nothing below it.
        const QSignalBlocker blocker(m_table);
        m_table->selectShownRow(row);
    }
    fitList();
    refreshToolbar();
    if (hasLostTick || (row >= 0 && m_content->currentWidget() == m_sentence)) {
        showContent();
    }
    Q_EMIT listed();
}

// As high as its rows, within bounds, until the operator moves the divide.
void RunsPage::fitList() {
    constexpr int kLeast = 132, kMost = 262, kHead = 32;
    if (m_isDivideMoved) {
        return;
    }
    const int wanted = std::clamp(kHead + size::kRow * m_model->rowCount() + 4, kLeast, kMost);
    m_divide->setSizes({wanted, std::max(1, m_divide->height() - wanted)});
}

void RunsPage::applyFilter() {
    const auto filter = app::RunFilter::parse(m_filter->text().toStdString());
    setControlState(m_filter, filter ? "" : "bad");
    m_filterError->setVisible(!filter);
    if (!filter) {
        m_filterError->setText(QString::fromStdString(filter.error().message));
        return;
    }
    m_model->setFilter([filter = *filter, this](const app::RunSummary& run) {
        return run.run.id != m_deleting && filter.matches(run);
    });
    refreshToolbar();
}

const app::RunSummary* RunsPage::find(std::int64_t run) const {
    const auto& rows = m_model->rows();
    const auto found = std::ranges::find_if(
        rows, [run](const app::RunSummary& summary) { return summary.run.id == run; });
    return found == rows.end() ? nullptr : &*found;
}

std::optional<std::int64_t> RunsPage::currentRun() const {
    const int row = m_table->currentRow();
    return row < 0 ? std::nullopt : std::optional(m_model->rowAt(row).run.id);
}

void RunsPage::refreshToolbar() {
    const auto count = static_cast<int>(m_model->rowCount());
    const QString counts = tr("%n runs", nullptr, count);
    m_counts->setText(m_ticks.size() < 2 ? counts
                                         : tr("%1, %2 compared").arg(counts).arg(m_ticks.size()));
    m_empty->setVisible(count == 0);
    m_example->setVisible(count == 0 && m_model->rows().empty() && isOwnLog());
    m_salvage->setVisible(m_isUnreadable);
    m_import->setVisible(isOwnLog());
    m_export->setEnabled(m_content->currentWidget() != m_sentence);
    m_undo->setVisible(m_deleting.has_value());
    m_own->setVisible(!isOwnLog());
    m_foreign->setVisible(!isOwnLog());
    m_foreign->setText(tr("read-only: %1").arg(QString::fromStdString(m_log.filename().string())));
    m_opened->setEditable(isOwnLog());
    m_comparison->setNoteEditable(isOwnLog());
}

QString RunsPage::title() const {
    return tr("Runs");
}

void RunsPage::setShown(bool isShown) {
    m_isShown = isShown;
    if (isShown) {
        refreshList();
        m_refreshTimer->start();
    } else {
        m_refreshTimer->stop();
    }
}

QWidget* RunsPage::firstFocus() {
    return m_table;
}

void RunsPage::openArgument(const QString& argument) {
    bool isNumber = false;
    const qint64 run = argument.toLongLong(&isNumber);
    if (argument == QStringLiteral("example")) {
        openExample();
    } else if (argument.endsWith(QStringLiteral(".db"), Qt::CaseInsensitive)) {
        openLog(QFile::encodeName(argument).toStdString());
    } else if (argument.endsWith(QStringLiteral(".json"), Qt::CaseInsensitive)) {
        importFile(argument);
    } else if (isNumber) {
        m_ticks.clear();
        m_split.reset();
        openRun(run);
    } else if (argument.startsWith(QStringLiteral("compare:"))) { // compare:RUN:RUN
        m_ticks.clear();
        for (const QString& part : argument.split(u':').mid(1)) {
            setTicked(part.toLongLong(), true);
        }
    } else if (argument.startsWith(QStringLiteral("split:"))) {
        const QStringList parts = argument.split(u':'); // split:RUN:SECONDS
        splitRun(parts.value(1).toLongLong(), parts.value(2).toDouble(), {});
    } else {
        m_filter->setText(argument);
    }
}

void RunsPage::retranslate() {
    m_filter->setPlaceholderText(QStringLiteral("name, tag:chat, model:smol, p99<300"));
    m_filter->setAccessibleName(tr("Filter runs"));
    m_table->setAccessibleName(tr("Recorded runs"));
    m_own->setText(tr("Own run log"));
    m_example->setText(tr("Open the example run"));
    m_open->setText(tr("Open…"));
    m_open->setToolTip(tr("Open another run log, read-only"));
    m_import->setText(tr("Import…"));
    m_import->setToolTip(tr("Runs of an archive, of another run log, or one as JSON"));
    m_salvage->setText(tr("Save what can be read…"));
    m_export->setText(tr("Export"));
    m_undo->setText(tr("Undo delete"));
    m_model->retranslate();
    refreshToolbar();
}

void RunsPage::changeEvent(QEvent* event) {
    Page::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        showContent(); // texts of charts are made with them
    }
}

} // namespace ui
