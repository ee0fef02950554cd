#include "ui/pages/requests_page.h"

#include "app/labels.h"
#include "app/plot/plot.h"
#include "app/session.h"
#include "ui/icons.h"
#include "ui/panels/playground.h"
#include "ui/panels/request_card.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/ledger_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr std::size_t kMostRows = 200'000; // about 70 MB; every request is in the run log
constexpr std::size_t kDropped = kMostRows / 20;
constexpr std::size_t kScaleSample = 2'000;
constexpr int kRescaleTicks = 20; // two seconds at the pump's rate
constexpr int kFilterDelayMs = 150;

} // namespace

RequestsPage::RequestsPage(app::Session& session, QWidget* parent)
    : Page(parent),
      m_session(session),
      m_start(session.history().start()) {
    m_model = new RequestModel(requestColumns([this] { return m_scaleMs; }), this);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    auto* left = new QWidget(this);
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(space::kBetweenCards);
    buildToolbar(column);
    buildTable(column);
    m_playground = new Playground(m_session, this);
    m_playground->setFixedWidth(416);
    line->addWidget(left, 1);
    line->addWidget(m_playground);
    m_filterDelay = new QTimer(this);
    m_filterDelay->setSingleShot(true);
    m_filterDelay->setInterval(kFilterDelayMs);
    connect(m_filterDelay, &QTimer::timeout, this, &RequestsPage::applyFilter);
    connect(m_filter, &QLineEdit::textChanged, m_filterDelay, qOverload<>(&QTimer::start));
    for (const QKeySequence& keys :
         {QKeySequence(Qt::Key_Slash), QKeySequence(QKeySequence::Find)}) {
        auto* find = new QShortcut(keys, this);
        find->setContext(Qt::WidgetWithChildrenShortcut);
        connect(find, &QShortcut::activated, m_filter, qOverload<>(&QWidget::setFocus));
    }
    connect(&m_session, &app::Session::eventHappened, this, &RequestsPage::takeEvent);
    connect(&m_session, &app::Session::ticked, this, [this] {
        if (m_isShown) {
            flush();
        }
    });
    retranslate();
    refreshCounts();
}

void RequestsPage::buildTable(QVBoxLayout* column) {
    auto* split = new QSplitter(Qt::Vertical, this);
    split->setHandleWidth(space::kBetweenCards);
    split->setChildrenCollapsible(false);
    auto* card = new Card(split);
    card->setFlush();
    m_table = new TableView(card);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new RequestDelegate(
        *m_model, [this] { return m_scaleMs; }, m_table));
    for (int i = 0; i < m_model->columnCount(); ++i) {
        m_table->setColumnWidth(i, m_model->column(i).width);
    }
    m_table->setStretchColumn(static_cast<int>(RequestColumn::Ledger));
    m_table->setColumnHidden(static_cast<int>(RequestColumn::Hit), true);
    m_table->setColumnHidden(static_cast<int>(RequestColumn::E2e), true);
    m_table->sortByColumn(static_cast<int>(RequestColumn::Due), Qt::DescendingOrder);
    m_table->setMinimumHeight(140);
    m_empty = makeLabel({}, TextRole::Muted, m_table);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setAttribute(Qt::WA_TransparentForMouseEvents);
    auto* over = new QVBoxLayout(m_table);
    over->addWidget(m_empty);
    card->body()->addWidget(m_table, 1);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(12, 5, 12, 5);
    m_shown = makeLabel({}, TextRole::Caption, card);
    foot->addWidget(new LedgerLegend(card), 1);
    foot->addWidget(m_shown);
    card->body()->addWidget(makeRule(card));
    card->body()->addLayout(foot);
    m_card = new RequestCard(split);
    split->addWidget(card);
    split->addWidget(m_card);
    split->setStretchFactor(0, 1);
    split->setSizes({480, 300});
    column->addWidget(split, 1);
    connect(m_table, &TableView::rowChosen, this, [this](int row) {
        m_isChosen = row >= 0;
        m_card->setRequest(row < 0 ? std::nullopt : std::optional(m_model->rowAt(row)));
    });
    connect(m_table, &TableView::rowActivated, this, &RequestsPage::openOnTimeline);
}

void RequestsPage::takeEvent(const engine::Event& event) {
    const auto* finished = std::get_if<engine::RequestFinished>(&event.body);
    if (finished == nullptr || finished->record == nullptr) {
        return;
    }
    if (m_start != m_session.history().start()) { // another run: its times start anew
        m_start = m_session.history().start();
        m_incoming.clear();
        m_counts = {};
        m_model->clear();
        if (m_span) {
            Q_EMIT spanCleared(); // a span of the run before says nothing here
        }
    }
    m_incoming.push_back(app::requestRow(*finished->record, m_start));
    if (!m_isShown && m_incoming.size() > kDropped) {
        flush(); // rarely, and in one piece: a hidden page must not grow without bound
    }
}

void RequestsPage::flush() {
    if (!m_incoming.empty()) {
        for (const app::RequestRow& row : m_incoming) {
            m_counts.add(row.outcome);
        }
        m_model->append(std::exchange(m_incoming, {}));
        const std::size_t count = m_model->rows().size();
        if (count > kMostRows) {
            const std::size_t dropped = count - kMostRows + kDropped;
            m_model->dropOldest(dropped);
        }
        refreshCounts();
    }
    if (m_ticks++ % kRescaleTicks == 0) {
        rescale();
        showNewest();
    }
    const engine::Snapshot figures = m_session.snapshot();
    const QString running = figures.running + figures.waiting > 0
                                ? tr("%1 running, %2 waiting")
                                      .arg(app::numberText(static_cast<double>(figures.running)),
                                           app::numberText(static_cast<double>(figures.waiting)))
                                : QString();
    if (running != m_running->text()) {
        m_running->setText(running);
        fitToolbar();
    }
}

// Until the operator chooses one: the request that ended last. The table goes on flowing.
void RequestsPage::showNewest() {
    if (!m_isChosen && m_model->rowCount() > 0) {
        const auto newest = std::ranges::find_if(
            m_model->rows().rbegin(), m_model->rows().rend(),
            [](const app::RequestRow& row) { return row.ledgerMs.has_value(); });
        if (newest != m_model->rows().rend()) {
            m_card->setRequest(*newest);
        }
    }
}

void RequestsPage::rescale() {
    const auto& rows = m_model->rows();
    std::vector<double> times;
    for (auto row = rows.rbegin(); row != rows.rend() && times.size() < kScaleSample; ++row) {
        if (row->ttftMs) {
            times.push_back(*row->ttftMs);
        }
    }
    const double scale = app::ledgerScaleMs(times);
    if (!times.empty() && scale != m_scaleMs) {
        m_scaleMs = scale;
        m_model->retranslate();
    }
}

void RequestsPage::refreshCounts() {
    m_chips[0]->setCount(m_counts.total());
    for (std::size_t i = 1; i < m_chips.size(); ++i) {
        m_chips[i]->setCount(m_counts.of(static_cast<engine::Outcome>(i - 1)));
    }
    const auto shown = static_cast<double>(m_model->rowCount());
    const auto total = static_cast<double>(m_counts.total());
    m_shown->setText(tr("%1 of %2").arg(app::numberText(shown), app::numberText(total)));
    m_shown->setToolTip(static_cast<double>(m_model->rows().size()) < total
                            ? tr("The table keeps the newest %1; all are in the run log.")
                                  .arg(app::numberText(static_cast<double>(kMostRows)))
                            : QString());
    m_export->setEnabled(m_model->rowCount() > 0);
    m_empty->setVisible(m_model->rowCount() == 0);
    m_empty->setText(m_counts.total() == 0
                         ? tr("No request has finished yet. Start a load, or ask the model "
                              "something at the right.")
                         : tr("No request matches the filter."));
}

void RequestsPage::applyFilter() {
    m_filterDelay->stop();
    const auto filter = app::RequestFilter::parse(m_filter->text().toStdString());
    setControlState(m_filter, filter ? "" : "bad");
    m_filterError->setVisible(!filter);
    if (!filter) {
        m_filterError->setText(QString::fromStdString(filter.error().message));
        m_filter->setAccessibleDescription(m_filterError->text());
        return; // what was shown stays until the text makes sense again
    }
    m_filter->setAccessibleDescription({});
    if (filter->isEmpty() && !m_outcome && !m_span) {
        m_model->setFilter({});
    } else {
        m_model->setFilter([filter = *filter, outcome = m_outcome,
                            span = m_span](const app::RequestRow& row) {
            const bool isInSpan = !span || (row.firstSeconds && *row.firstSeconds >= span->first &&
                                            *row.firstSeconds <= span->second);
            return isInSpan && (!outcome || row.outcome == *outcome) && filter.matches(row);
        });
    }
    refreshCounts();
}

void RequestsPage::setSpan(std::optional<std::pair<double, double>> span) {
    m_span = span;
    m_spanChip->setVisible(span.has_value());
    if (span) {
        m_spanChip->setText(QStringLiteral("%1 – %2").arg(app::runTimeText(span->first),
                                                          app::runTimeText(span->second)));
    }
    m_filterDelay->start(); // a drag changes it with every move of the mouse
}

void RequestsPage::openOnTimeline(int row) {
    const app::RequestRow& request = m_model->rowAt(row);
    if (request.firstSeconds) {
        Q_EMIT pageRequested(QStringLiteral("live"),
                             QString::number(*request.firstSeconds, 'f', 3));
    }
}

QString RequestsPage::title() const {
    return tr("Requests");
}

void RequestsPage::setShown(bool isShown) {
    m_isShown = isShown;
    if (isShown) {
        flush();
        rescale();
        showNewest();
    }
}

QWidget* RequestsPage::firstFocus() {
    return m_table;
}

void RequestsPage::openArgument(const QString& argument) {
    m_filter->setText(argument);
    applyFilter();
}

QList<PageAction> RequestsPage::actions() {
    return {{.text = tr("Export requests as CSV"),
             .value = {},
             .keys = {},
             .run = [this] { exportCsv(); }},
            {.text = tr("New conversation in the playground"),
             .value = {},
             .keys = {},
             .run = [this] { m_playground->startAnew(); }},
            {.text = tr("Show cold requests"), .value = {}, .keys = {}, .run = [this] {
                 openArgument(QStringLiteral("tag:cold"));
             }}};
}

QList<KeyHint> RequestsPage::keys() const {
    return {{QStringLiteral("/"), tr("Filter: tag:cold ttft>100 lane:batch outcome:failed")},
            {QStringLiteral("↑ ↓"), tr("Walk through the requests")},
            {QStringLiteral("Enter"), tr("Open the request on the timeline")},
            {QStringLiteral("Ctrl+C"), tr("Copy the row")},
            {QStringLiteral("Ctrl+Enter"), tr("Send the prompt")},
            {QStringLiteral("Esc"), tr("Stop the answer")}};
}

void RequestsPage::retranslate() {
    m_filter->setPlaceholderText(QStringLiteral("tag:cold, ttft>100"));
    m_filter->setAccessibleName(tr("Filter requests"));
    const QStringList names{tr("All"), app::outcomeLabel(engine::Outcome::Completed),
                            app::outcomeLabel(engine::Outcome::Cancelled),
                            app::outcomeLabel(engine::Outcome::Failed),
                            app::outcomeLabel(engine::Outcome::Rejected)};
    for (std::size_t i = 0; i < m_chips.size(); ++i) {
        m_chips[i]->setText(names[static_cast<qsizetype>(i)]);
        m_chips[i]->setAccessibleName(names[static_cast<qsizetype>(i)]);
        m_chips[i]->updateGeometry();
    }
    m_spanChip->setToolTip(tr("Selected on the charts; click to clear"));
    m_spanChip->setAccessibleName(tr("Selected span"));
    m_columns->setToolTip(tr("Columns"));
    m_columns->setAccessibleName(tr("Columns"));
    m_export->setAccessibleName(tr("CSV"));
    m_export->setToolTip(tr("Export the requests shown as CSV"));
    m_table->setAccessibleName(tr("Finished requests"));
    m_model->retranslate();
    fitToolbar();
}

void RequestsPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    fitToolbar();
}

void RequestsPage::changeEvent(QEvent* event) {
    Page::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        refreshCounts();
    }
}

} // namespace ui
