#include "ui/pages/load_page.h"

#include "app/background.h"
#include "app/labels.h"
#include "app/session.h"
#include "ui/icons.h"
#include "ui/panels/workload_form.h"
#include "ui/theme.h"
#include "ui/widgets/banner.h"
#include "ui/widgets/card.h"
#include "ui/widgets/choice_field.h"
#include "ui/widgets/figure.h"
#include "ui/widgets/key_button.h"
#include "ui/widgets/plot_view.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/toml_edit.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr int kSideWidth = 372;
constexpr int kTextDelayMs = 300;
constexpr int kPlanDelayMs = 200;

// "240 completed, 3 cancelled": only what there is.
QString outcomesText(const app::LoadProgress& progress) {
    const std::pair<engine::Outcome, std::int64_t> counts[] = {
        {engine::Outcome::Completed, progress.completed},
        {engine::Outcome::Cancelled, progress.cancelled},
        {engine::Outcome::Failed, progress.failed},
        {engine::Outcome::Rejected, progress.rejected}};
    QStringList parts;
    for (const auto& [outcome, count] : counts) {
        if (count > 0) {
            parts << app::numberText(static_cast<double>(count)) + u' ' +
                         app::outcomeLabel(outcome).toLower();
        }
    }
    return parts.isEmpty() ? LoadPage::tr("none ended yet") : parts.join(QStringLiteral(", "));
}

} // namespace

LoadPage::LoadPage(app::Session& session, QWidget* parent) : Page(parent), m_session(session) {
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    auto* side = new QWidget(this);
    setSurface(side, Surface::Panel);
    setSheetProperty(side, "edge", QStringLiteral("right"));
    side->setFixedWidth(kSideWidth);
    buildWorkload(side);
    line->addWidget(side);
    auto* right = new QWidget(this);
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(space::kBetweenCards);
    buildRun(column);
    line->addWidget(right, 1);

    m_textDelay = new QTimer(this);
    m_textDelay->setSingleShot(true);
    m_textDelay->setInterval(kTextDelayMs);
    connect(m_textDelay, &QTimer::timeout, this, &LoadPage::takeText);
    connect(m_editor, &QPlainTextEdit::textChanged, m_textDelay, qOverload<>(&QTimer::start));
    m_planDelay = new QTimer(this);
    m_planDelay->setSingleShot(true);
    m_planDelay->setInterval(kPlanDelayMs);
    connect(m_planDelay, &QTimer::timeout, this, &LoadPage::planPreview);
    for (const auto key : {Qt::Key_Return, Qt::Key_Enter}) {
        auto* start = new QShortcut(QKeySequence(Qt::CTRL | key), this);
        start->setContext(Qt::WidgetWithChildrenShortcut);
        connect(start, &QShortcut::activated, this, &LoadPage::startOrStop);
    }
    connect(&m_session, &app::Session::ticked, this, [this] {
        if (m_isShown || m_session.isLoadRunning()) {
            follow();
        }
    });
    connect(&m_session, &app::Session::loadRunChanged, this, [this] {
        if (m_session.isLoadRunning()) {
            m_trace.clear();
            if (const app::Workload* running = m_session.currentWorkload();
                running != nullptr && *running != m_draft.workload()) {
                setWorkload(*running); // started elsewhere: from the palette or the command line
            }
        }
        refreshButtons();
        follow();
    });
    connect(&m_session, &app::Session::modelChanged, this, &LoadPage::refreshButtons);
    retranslate();
    showDraft();
    planPreview();
    follow();
}

void LoadPage::buildWorkload(QWidget* side) {
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(space::kPanel, 10, space::kPanel, 10);
    column->setSpacing(8);
    m_workloadTitle = makeLabel({}, TextRole::CardTitle, side);
    m_view = new Segmented({QString(), QString()}, side);
    auto* head = new QHBoxLayout;
    head->addWidget(m_workloadTitle);
    head->addStretch(1);
    head->addWidget(m_view);
    column->addLayout(head);
    auto* files = new QHBoxLayout;
    files->setSpacing(6);
    m_presets = new ChoiceField(side);
    m_open = makeButton({}, ButtonKind::Normal, side);
    m_open->setIcon(icon(QStringLiteral("open")));
    m_save = makeButton({}, ButtonKind::Normal, side);
    files->addWidget(m_presets, 1);
    files->addWidget(m_open);
    files->addWidget(m_save);
    column->addLayout(files);
    column->addWidget(makeRule(side));
    m_stack = new QStackedWidget(side);
    auto* scroll = new QScrollArea(m_stack);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    m_form = new WorkloadForm(scroll);
    setSurface(m_form, Surface::Panel);
    m_form->setContentsMargins(0, 0, 6, 0);
    scroll->setWidget(m_form);
    m_editor = new TomlEdit(m_stack);
    m_stack->addWidget(scroll);
    m_stack->addWidget(m_editor);
    column->addWidget(m_stack, 1);
    m_problem = makeLabel({}, TextRole::Small, side);
    m_problem->setWordWrap(true);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setSheetProperty(m_problem, "tone", QStringLiteral("bad"));
    column->addWidget(m_problem);
    m_origin = makeLabel({}, TextRole::Small, side);
    m_origin->setWordWrap(true);
    setSheetProperty(m_origin, "tone", QStringLiteral("info"));
    m_origin->hide();
    column->addWidget(m_origin);
    fillPresets();
    connect(m_view, &Segmented::currentChanged, m_stack, &QStackedWidget::setCurrentIndex);
    connect(m_form, &WorkloadForm::changed, this, &LoadPage::takeForm);
    connect(m_presets, &QComboBox::activated, this, [this](int index) {
        const QString name = m_presets->itemData(index).toString();
        if (!name.isEmpty()) {
            openWorkload(name);
        }
    });
    connect(m_open, &QPushButton::clicked, this, &LoadPage::openFile);
    connect(m_save, &QPushButton::clicked, this, &LoadPage::saveFile);
}

void LoadPage::buildRun(QVBoxLayout* column) {
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    auto* names = new QVBoxLayout;
    names->setSpacing(1);
    m_name = makeLabel({}, TextRole::PageTitle, this);
    m_summary = makeLabel({}, TextRole::Small, this);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_summary->setWordWrap(true);
    names->addWidget(m_name);
    names->addWidget(m_summary);
    m_start = new KeyButton(ButtonKind::Primary, QStringLiteral("Ctrl ⏎"), this);
    head->addLayout(names, 1);
    head->addWidget(m_start);
    column->addLayout(head);
    m_banner = new Banner(this);
    m_banner->hide();
    column->addWidget(m_banner);
    auto* figures = new QHBoxLayout;
    figures->setSpacing(space::kBetweenCards);
    for (auto [figure, share] : {std::pair(&m_progress, 3), std::pair(&m_rate, 2),
                                 std::pair(&m_lag, 2), std::pair(&m_outcomes, 3)}) {
        *figure = new Figure(this);
        figures->addWidget(*figure, share);
    }
    column->addLayout(figures);
    auto* card = new Card(this);
    m_plot = new PlotView(card);
    card->body()->addWidget(m_plot, 1);
    column->addWidget(card, 1);
    connect(m_start, &QPushButton::clicked, this, &LoadPage::startOrStop);
}

void LoadPage::fillPresets() {
    const QSignalBlocker blocker(m_presets);
    m_presets->clear();
    m_presets->addItem(QString(), QString()); // own
    for (const app::BuiltInWorkload& built : app::builtInWorkloads()) {
        const QString name = QString::fromStdString(built.name);
        m_presets->addItem(name, name);
    }
}

void LoadPage::takeForm() {
    m_draft.setWorkload(m_form->workload());
    const QSignalBlocker blocker(m_editor);
    m_editor->setPlainText(QString::fromStdString(m_draft.text()));
    showProblem();
    m_planDelay->start();
}

void LoadPage::takeText() {
    m_draft.setText(m_editor->toPlainText().toStdString());
    if (m_draft.isGood()) {
        m_form->setWorkload(m_draft.workload());
    }
    showProblem();
    m_planDelay->start();
}

void LoadPage::setWorkload(const app::Workload& workload) {
    m_draft.setWorkload(workload);
    showDraft();
    planPreview();
}

void LoadPage::showDraft() {
    m_form->setWorkload(m_draft.workload());
    const QSignalBlocker blocker(m_editor);
    m_editor->setPlainText(QString::fromStdString(m_draft.text()));
    showProblem();
}

void LoadPage::showProblem() {
    const auto& problem = m_draft.problem();
    m_editor->setBadLine(problem ? problem->line : std::nullopt);
    QString text = m_startProblem;
    if (problem) {
        const QString message = QString::fromStdString(problem->message);
        text = problem->line ? tr("Line %1: %2").arg(*problem->line).arg(message) : message;
    }
    m_problem->setText(text);
    m_problem->setVisible(!text.isEmpty());
    m_editor->setAccessibleDescription(text);
    m_origin->setVisible(!ownList().empty());
    if (!ownList().empty()) {
        m_origin->setText(m_list->origin);
    }
    const QString name = QString::fromStdString(m_draft.workload().name);
    m_name->setText(name);
    // The list names a built-in only while nothing of it was changed.
    int index = 0;
    for (int i = 1; i < m_presets->count(); ++i) {
        const auto built = app::loadWorkload(m_presets->itemData(i).toString().toStdString());
        index = built && *built == m_draft.workload() ? i : index;
    }
    m_presets->setCurrentIndex(index);
    refreshButtons();
}

void LoadPage::planPreview() {
    m_planDelay->stop();
    if (!m_draft.isGood()) {
        return; // the last good picture stays
    }
    const int number = ++m_planNumber;
    app::runInBackground(
        this,
        [workload = m_draft.workload(), list = ownList()] {
            return list.empty() ? app::previewLoad(workload) : app::previewLoad(workload, list);
        },
        [this, number](app::LoadPreview preview) {
            if (number == m_planNumber) {
                m_preview = std::move(preview);
                showPlot();
            }
        });
}

void LoadPage::showPlot() {
    m_plot->setPlot(m_trace.over(m_preview.plot));
    QStringList parts;
    if (m_preview.requests > 0) {
        parts << tr("%1 requests").arg(app::numberText(static_cast<double>(m_preview.requests)));
    }
    if (m_preview.hasClosedLoop) {
        parts << tr("closed loop: as many as the answers allow");
    }
    parts << app::runTimeText(m_preview.seconds)
          << tr("about %1 prompt and %2 output tokens each")
                 .arg(app::numberText(m_preview.meanPromptTokens),
                      app::numberText(m_preview.meanOutputTokens));
    m_summary->setText(parts.join(QStringLiteral(" · ")));
}

const app::Plot& LoadPage::shownPlot() const {
    return m_plot->plot();
}

void LoadPage::startOrStop() {
    if (m_session.isLoadRunning()) {
        m_session.stopLoad();
        return;
    }
    m_textDelay->stop();
    m_draft.setText(m_editor->toPlainText().toStdString());
    m_startProblem.clear();
    if (m_draft.isGood() && m_session.hasModel()) {
        if (const auto started = m_session.startLoad(m_draft.workload(), ownList()); !started) {
            m_startProblem = QString::fromStdString(started.error().message);
        }
    }
    showProblem();
}

void LoadPage::refreshButtons() {
    const bool isRunning = m_session.isLoadRunning();
    m_start->setText(isRunning ? tr("Stop") : tr("Start"));
    m_start->setIcon(isRunning ? icon(QStringLiteral("stop"))
                               : icon(QStringLiteral("play"), ColorRole::OnAccent));
    setButtonKind(m_start, isRunning ? ButtonKind::Normal : ButtonKind::Primary);
    m_start->setEnabled(isRunning || (m_session.hasModel() && m_draft.isGood()));
    m_start->setToolTip(m_session.hasModel() ? tr("Start or stop the load (Ctrl+Enter)")
                                             : tr("Open a model first"));
}

void LoadPage::follow() {
    const app::LoadProgress progress = m_session.loadProgress();
    const bool hasRun = progress.totalSeconds > 0.0;
    if (progress.isRunning) {
        m_trace.add(progress);
    }
    if (!m_isShown) {
        return;
    }
    m_progress->setValue(hasRun ? app::runTimeText(progress.seconds) : QStringLiteral("—"));
    m_progress->setShare(hasRun ? std::optional(app::shareDone(progress)) : std::nullopt);
    const std::optional<std::int64_t> toAnswer = app::leftToAnswer(progress);
    m_progress->setNote(
        toAnswer ? tr("sending ended · %n to finish", nullptr, static_cast<int>(*toAnswer))
        : progress.isRunning ? tr("of %1, %2 left")
                                   .arg(app::runTimeText(progress.totalSeconds),
                                        app::runTimeText(app::secondsLeft(progress)))
        : hasRun ? tr("of %1, ended").arg(app::runTimeText(progress.totalSeconds))
                 : tr("not started"));
    const auto rate = [](double value) { return app::numberText(value, 1); };
    // Once sending has ended its last ten seconds say less than the whole of it.
    const bool isOver = hasRun && (toAnswer || !progress.isRunning);
    m_rate->setCaption(isOver ? tr("Achieved, all of it") : tr("Achieved, last 10 s"));
    m_rate->setValue(!hasRun  ? QStringLiteral("—")
                     : isOver ? rate(app::meanRate(progress))
                              : rate(progress.achievedRate),
                     tr("req/s"));
    m_rate->setNote(isOver ? tr("%1 sent").arg(app::numberText(double(progress.sent)))
                    : progress.wantedRate > 0.0 ? tr("wanted %1").arg(rate(progress.wantedRate))
                                                : tr("no rate wanted"));
    m_lag->setValue(hasRun ? app::millisecondsText(progress.lagP99Ms) : QStringLiteral("—"),
                    tr("ms p99"));
    m_lag->setNote(hasRun ? tr("median %1 ms").arg(app::millisecondsText(progress.lagP50Ms))
                          : tr("sent − due"));
    m_lag->setTone(progress.isBehind ? "warn" : "");
    const auto count = [](std::int64_t value) {
        return app::numberText(static_cast<double>(value));
    };
    m_outcomes->setValue(count(progress.sent), tr("sent"));
    m_outcomes->setNote(outcomesText(progress));
    m_banner->setVisible(progress.isBehind);
    if (progress.isRunning) {
        showPlot();
    }
}

QString LoadPage::title() const {
    return tr("Load");
}

void LoadPage::setShown(bool isShown) {
    m_isShown = isShown;
    if (isShown) {
        follow();
        showPlot();
    }
}

QWidget* LoadPage::firstFocus() {
    return m_presets;
}

void LoadPage::openArgument(const QString& argument) {
    openWorkload(argument);
}

void LoadPage::retranslate() {
    m_workloadTitle->setText(tr("Workload"));
    m_view->setItems({tr("Form"), QStringLiteral("TOML")});
    m_view->setAccessibleName(tr("Edit the workload as"));
    m_presets->setItemText(0, tr("own"));
    m_presets->setAccessibleName(tr("Built-in workloads"));
    m_open->setText(tr("Open…"));
    m_save->setText(tr("Save…"));
    m_editor->setAccessibleName(tr("Workload as TOML"));
    m_progress->setCaption(tr("Progress"));
    m_lag->setCaption(tr("Lag"));
    m_outcomes->setCaption(tr("Requests"));
    BannerContent behind;
    behind.key = QStringLiteral("lag");
    behind.tone = BannerTone::Warn;
    behind.iconName = QStringLiteral("warning");
    behind.title = tr("The generator is the bottleneck");
    behind.detail = tr("Requests leave late: the median lag is above %1 ms, so waiting times "
                       "measure this machine's sender too. Lower the rate, or leave it a core.")
                        .arg(app::numberText(app::kLagLimitMs));
    m_banner->setContent(behind);
    refreshButtons();
}

void LoadPage::changeEvent(QEvent* event) {
    Page::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        follow();
        planPreview(); // the picture's texts are made with it
    }
}

} // namespace ui
