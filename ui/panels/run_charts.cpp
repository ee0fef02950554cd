#include "ui/panels/run_charts.h"

#include "app/background.h"
#include "app/observe/bookmark.h"
#include "app/plot/charts.h"
#include "ui/charts/bookmark_field.h"
#include "ui/charts/chart_group.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/chart_window.h"
#include "ui/pages/live_events.h"
#include "ui/theme.h"
#include "ui/widgets/event_strip.h"

#include <QEvent>
#include <QGridLayout>
#include <QKeyEvent>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <chrono>

namespace ui {

namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenCharts = 5ms; // the window answers between two of them
constexpr auto kResizeDelay = 120ms;

} // namespace

RunCharts::RunCharts(QWidget* parent)
    : QWidget(parent),
      m_group(new ChartGroup(this)),
      m_grid(new QGridLayout),
      m_events(new EventStrip(this)),
      m_effects(new LiveEvents(this)),
      m_feedTimer(new QTimer(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::kBetweenCards);
    m_grid->setSpacing(space::kBetweenCards);
    column->addLayout(m_grid, 1);
    column->addWidget(m_events);
    m_events->setCanSplit(true);
    m_feedTimer->setSingleShot(true);
    connect(m_feedTimer, &QTimer::timeout, this, &RunCharts::feedNext);
    connect(m_group, &ChartGroup::viewChanged, this, &RunCharts::beginFeed);
    connect(m_group, &ChartGroup::selectionChanged, this, [this] {
        feedEvents();
        Q_EMIT selectionChanged();
    });
    connect(m_group, &ChartGroup::bookmarkRequested, this, &RunCharts::askForBookmark);
    connect(m_effects, &LiveEvents::effectChanged, this, &RunCharts::feedEvents);
    connect(m_events, &EventStrip::activated, m_group, &ChartGroup::goToMarker);
    connect(m_events, &EventStrip::splitRequested, this, [this](int number) {
        if (const auto place = placeOf(number)) {
            Q_EMIT splitRequested(*place);
        }
    });
    connect(m_events, &EventStrip::removeRequested, this, [this](int number) {
        const auto& markers = m_run->history.markers();
        const auto marker = std::ranges::find(markers, number, &app::HistoryMarker::number);
        if (marker != markers.end()) {
            if (const auto bookmark = app::bookmarkOf(marker->event)) {
                Q_EMIT bookmarkRemoved(bookmark->seconds, QString::fromStdString(bookmark->name));
            }
        }
    });
}

RunCharts::~RunCharts() {
    // Before their group, which is a child like them.
    for (const auto& [key, window] : m_windows) {
        delete window;
    }
    for (const ChartView* chart : m_charts) {
        delete chart;
    }
}

void RunCharts::setRun(const app::OpenedRun& run) {
    const bool isSame = m_run != nullptr && run.data != nullptr &&
                        m_run->summary.run.uuid == run.data->summary.run.uuid &&
                        m_run->summary.run.id == run.data->summary.run.id;
    m_opened = {.data = run.data, .plots = {}, .log = run.log};
    m_run = run.data;
    m_fine.reset();
    ++m_fineNumber;
    m_isReading = false;
    m_cache = {};
    m_effects->reset();
    while (m_charts.size() < run.plots.size()) {
        auto* chart = new ChartView(*m_group, this);
        connect(chart, &ChartView::markerActivated, this, [this](int number) {
            m_events->setCurrent(number);
            m_group->goToMarker(number);
        });
        chart->setCanPopOut(true);
        connect(chart, &ChartView::popOutRequested, this,
                [this, chart] { popOut(chart->plot().key); });
        m_charts.push_back(chart);
    }
    if (m_run == nullptr) {
        return;
    }
    m_available.clear();
    for (std::size_t i = 0; i < m_charts.size(); ++i) {
        if (i < run.plots.size()) {
            m_available.push_back({run.plots[i].key, run.plots[i].title});
            if (m_charts[i]->plot().key != run.plots[i].key) {
                m_charts[i]->setPlot(run.plots[i]); // its place has another chart now
            }
        }
    }
    placeCharts();
    m_group->setMarkers(app::chartMarkers(m_run->history));
    if (isSame) {
        beginFeed();
    } else {
        // Made in the background for the whole run; a feed replaces them once the view moves.
        for (std::size_t i = 0; i < run.plots.size(); ++i) {
            m_charts[i]->setPlot(run.plots[i]);
        }
        const double end = run.plots.empty() ? 1.0 : run.plots.front().xMax;
        m_group->beginRun(end, end);
        m_remaining = 0; // they are there already
    }
    for (const auto& [key, window] : m_windows) {
        feed(*window->chart(), key);
    }
    feedEvents();
}

void RunCharts::setChartShown(const QString& key, bool isShown) {
    m_hidden.removeAll(key);
    m_more.removeAll(key);
    const app::ChartRow* row = app::findChart(key.toStdString());
    if (row != nullptr && row->isDefault != isShown) {
        (isShown ? m_more : m_hidden).append(key);
    }
    placeCharts();
    beginFeed();
}

bool RunCharts::isChartShown(const QString& key) const {
    const app::ChartRow* row = app::findChart(key.toStdString());
    return row != nullptr && (row->isDefault ? !m_hidden.contains(key) : m_more.contains(key));
}

// Two in a row; those that are not wanted, and those that this run has nothing of, are hidden.
void RunCharts::placeCharts() {
    int place = 0;
    for (std::size_t i = 0; i < m_charts.size(); ++i) {
        ChartView* chart = m_charts[i];
        m_grid->removeWidget(chart);
        const bool isShown = i < m_available.size() && isChartShown(m_available[i].first);
        chart->setVisible(isShown);
        if (isShown) {
            m_grid->addWidget(chart, place / 2, place % 2);
            chart->setShowsPinTexts(place == 0);
            ++place;
        }
    }
}

void RunCharts::setTakesBookmarks(bool takes) {
    m_group->setTakesBookmarks(takes);
}

void RunCharts::beginFeed() {
    if (m_run == nullptr) {
        return;
    }
    askForSeconds();
    m_remaining =
        m_charts.size() +
        m_windows.size(); // the turn goes on round, so that a view that moves starves none
    if (!m_feedTimer->isActive()) {
        m_feedTimer->start(0ms);
    }
}

// Requests are all there; of samples the finest that is there for the whole view.
const app::History& RunCharts::historyOf(const app::ChartRow& row) const {
    const TimeView& view = m_group->view();
    const bool isCovered =
        m_fine != nullptr && m_fine->from <= std::max(0.0, view.from()) && m_fine->to >= view.to();
    const bool isFine =
        !row.isOfRequests && isCovered && app::needsSeconds(*m_run, view.from(), view.to());
    return isFine ? m_fine->history : m_run->history;
}

// Reads the seconds of the view and as much on both sides, so that panning finds them there.
void RunCharts::askForSeconds() {
    const double from = m_group->view().from(), to = m_group->view().to();
    const bool isCovered =
        m_fine != nullptr && m_fine->from <= std::max(0.0, from) && m_fine->to >= to;
    if (m_isReading || isCovered || !app::needsSeconds(*m_run, from, to)) {
        return;
    }
    m_isReading = true;
    const double around = to - from;
    app::runInBackground(
        this,
        [opened = m_opened, low = std::max(0.0, from - around), high = to + around] {
            return app::readFinePart(opened, low, high);
        },
        [this,
         number = m_fineNumber](const engine::Result<std::shared_ptr<const app::FinePart>>& part) {
            if (number != m_fineNumber) {
                return; // of another run
            }
            m_isReading = false;
            if (part) { // without it the minutes stay
                m_fine = *part;
                beginFeed();
            }
        });
}

// In turn: the charts of the page, then those in windows of their own.
void RunCharts::feedNext() {
    const std::size_t count = m_charts.size() + m_windows.size();
    if (m_remaining == 0 || count == 0 || m_run == nullptr) {
        return;
    }
    --m_remaining;
    m_next = (m_next + 1) % count;
    if (m_next >= m_charts.size()) {
        const auto& [key, window] = m_windows[m_next - m_charts.size()];
        feed(*window->chart(), key);
    } else if (!m_charts[m_next]->isHidden()) {
        feed(*m_charts[m_next], m_charts[m_next]->plot().key);
    } else {
        m_feedTimer->start(0ms);
        return;
    }
    if (m_remaining > 0) {
        m_feedTimer->start(kBetweenCharts);
    }
}

void RunCharts::feed(ChartView& chart, const QString& key) {
    if (const app::ChartRow* row = app::findChart(key.toStdString())) {
        const TimeView& view = m_group->view();
        chart.setPlot(row->make(historyOf(*row), {.from = view.from(),
                                                  .to = view.to(),
                                                  .maxPoints = chart.plotWidth(),
                                                  .cache = &m_cache,
                                                  .limits = app::runLimits(m_run->summary)}));
    }
}

ChartWindow* RunCharts::popOut(const QString& key) {
    const auto known = std::ranges::find(m_windows, key, &std::pair<QString, ChartWindow*>::first);
    if (known != m_windows.end()) {
        known->second->raise();
        known->second->activateWindow();
        return known->second;
    }
    const app::ChartRow* row = app::findChart(key.toStdString());
    const auto named = std::ranges::find(m_available, key, &std::pair<QString, QString>::first);
    if (m_run == nullptr || row == nullptr || named == m_available.end()) {
        return nullptr;
    }
    auto* made = new ChartWindow(*m_group, this);
    made->setWindowTitle(tr("%1 – Headway").arg(named->second));
    connect(made->chart(), &ChartView::markerActivated, m_group, &ChartGroup::goToMarker);
    connect(made, &ChartWindow::closed, this, [this, made] {
        std::erase_if(m_windows, [made](const auto& each) { return each.second == made; });
        made->deleteLater();
    });
    m_windows.emplace_back(key, made);
    made->show();
    feed(*made->chart(), key);
    return made;
}

void RunCharts::feedEvents() {
    if (m_run == nullptr) {
        return;
    }
    m_effects->advance(m_run->history, app::SampleFilter::Warm, LiveEvents::kMostRows);
    const auto selection = m_group->selection();
    m_events->setRows(m_effects->rows(m_run->history, selection));
    m_events->setNote(selection ? tr("in %1 – %2")
                                      .arg(app::runTimeText(selection->first),
                                           app::runTimeText(selection->second))
                                : QString());
}

std::optional<double> RunCharts::placeOf(int number) const {
    const auto& markers = m_run->history.markers();
    const auto marker = std::ranges::find(markers, number, &app::HistoryMarker::number);
    return marker == markers.end() ? std::nullopt : std::optional(marker->seconds);
}

void RunCharts::askForBookmark(double seconds) {
    const QPoint place = m_charts.empty()
                             ? QPoint(width() / 2, 0)
                             : m_charts.front()->mapTo(this, m_charts.front()->placeOf(seconds));
    auto* field = new BookmarkField(seconds, place, this);
    connect(field, &BookmarkField::named, this, &RunCharts::bookmarkNamed);
}

void RunCharts::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_X && event->modifiers() == Qt::NoModifier && m_group->crosshair()) {
        Q_EMIT splitRequested(*m_group->crosshair());
    } else if (!m_group->pressKey(event)) {
        QWidget::keyPressEvent(event);
    }
}

void RunCharts::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (m_run != nullptr) { // as many points as the new width can show
        m_remaining = m_charts.size() + m_windows.size();
        m_feedTimer->start(kResizeDelay);
    }
}

void RunCharts::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        beginFeed();
        feedEvents();
    }
}

} // namespace ui
