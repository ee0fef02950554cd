#include "ui/pages/live_page.h"

#include "app/labels.h"
#include "app/session.h"
#include "ui/charts/chart_group.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/chart_window.h"
#include "ui/icons.h"
#include "ui/pages/live_events.h"
#include "ui/pages/live_tiles.h"
#include "ui/theme.h"
#include "ui/widgets/event_strip.h"
#include "ui/widgets/icon.h"
#include "ui/widgets/segmented.h"

#include <QComboBox>
#include <QGridLayout>
#include <QKeyEvent>
#include <QPushButton>
#include <QScrollArea>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <chrono>

namespace ui {

namespace {

using namespace std::chrono_literals;

constexpr auto kBetweenCharts = 25ms;
constexpr int kTwoColumnsFrom = 700;
constexpr int kChartHeight = 158;
constexpr std::size_t kMostCharts = 6;

constexpr std::array kSpans = {SpanChoice::OneMinute, SpanChoice::FiveMinutes,
                               SpanChoice::FifteenMinutes, SpanChoice::Run};

QComboBox* makeChoice(int count, QWidget* parent) {
    auto* combo = new QComboBox(parent);
    combo->setItemDelegate(new QStyledItemDelegate(combo));
    combo->setFocusPolicy(Qt::TabFocus);
    for (int index = 0; index < count; ++index) {
        combo->addItem({});
    }
    return combo;
}

} // namespace

LivePage::LivePage(app::Session& session, QWidget* parent)
    : Page(parent),
      m_session(session),
      m_group(new ChartGroup(this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::kBetweenCards, space::kBetweenCards, space::kBetweenCards,
                               space::kBetweenCards + 4);
    column->setSpacing(space::kBetweenCards);
    m_toolbar = new QHBoxLayout;
    m_toolbar->setSpacing(space::kBetweenCards);
    column->addLayout(m_toolbar);
    buildToolbar();
    m_tiles = new TileStrip(this);
    column->addWidget(m_tiles);
    m_scroll = new QScrollArea(this);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget;
    m_grid = new QGridLayout(content);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(space::kBetweenCards);
    m_scroll->setWidget(content);
    column->addWidget(m_scroll, 1);
    m_events = new EventStrip(this);
    column->addWidget(m_events);
    m_liveEvents = new LiveEvents(this);

    m_feedTimer = new QTimer(this);
    m_feedTimer->setTimerType(Qt::PreciseTimer);
    m_feedTimer->setInterval(kBetweenCharts);
    connect(m_feedTimer, &QTimer::timeout, this, &LivePage::feedNext);
    connect(&m_session, &app::Session::ticked, this, &LivePage::tick);
    connect(&m_session, &app::Session::loadRunChanged, this, &LivePage::showWorkload);
    connect(m_tiles, &TileStrip::chartRequested, this, &LivePage::showChart);
    m_group->setTakesBookmarks(true);
    connect(m_group, &ChartGroup::bookmarkRequested, this, &LivePage::askForBookmark);
    connect(m_liveEvents, &LiveEvents::effectChanged, this, &LivePage::feedEvents);
    connect(m_events, &EventStrip::activated, m_group, &ChartGroup::goToMarker);
    connect(m_events, &EventStrip::undoRequested, this, &LivePage::undo);
    connect(m_events, &EventStrip::removeRequested, this, &LivePage::removeBookmark);
    connect(m_events, &EventStrip::splitRequested, this, &LivePage::splitRun);
    connect(m_group, &ChartGroup::viewChanged, this, [this] {
        m_isViewNew = true;
        showView();
        beginCycle();
    });
    connect(m_group, &ChartGroup::selectionChanged, this, [this] {
        showView();
        feedTiles();
        feedEvents();
    });
    QStringList defaults;
    for (const app::ChartRow& row : app::chartTable()) {
        if (row.isDefault) {
            defaults << QString::fromUtf8(row.key.data(), static_cast<qsizetype>(row.key.size()));
        }
    }
    setCharts(defaults);
    retranslate();
}

LivePage::~LivePage() {
    // Before their group, which is a child like them.
    for (const Slot& slot : m_charts) {
        delete slot.view;
    }
    for (const Window& window : m_windows) {
        delete window.window;
    }
}

void LivePage::buildToolbar() {
    m_spans = new Segmented(QStringList(static_cast<qsizetype>(kSpans.size())), this);
    m_spans->setCurrentIndex(static_cast<int>(kSpans.size()) - 1);
    m_toolbar->addWidget(m_spans);
    m_follow = makeButton({}, ButtonKind::Normal, this);
    m_follow->setCheckable(true);
    m_follow->setChecked(true);
    m_follow->setIcon(icon(QStringLiteral("chevron-right")));
    m_toolbar->addWidget(m_follow);
    m_edges = makeChoice(3, this);
    m_toolbar->addWidget(m_edges);
    m_samples = makeChoice(2, this);
    m_toolbar->addWidget(m_samples);
    m_chartsButton = makeButton({}, ButtonKind::Quiet, this);
    m_chartsButton->setIcon(icon(QStringLiteral("plus")));
    m_toolbar->addWidget(m_chartsButton);
    m_selection = makeButton({}, ButtonKind::Normal, this);
    m_selection->setIcon(icon(QStringLiteral("cross"), ColorRole::Accent));
    m_selection->setLayoutDirection(Qt::RightToLeft); // the cross follows the times
    m_selection->setCheckable(true);
    m_selection->setChecked(true);
    m_selection->hide();
    m_toolbar->addWidget(m_selection);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(0);
    m_workload = new ElidedText(type::kControl, ColorRole::Text1, QFont::DemiBold, this);
    m_workloadFigures = new ElidedText(type::kCaption, ColorRole::Text2, QFont::Normal, this);
    for (ElidedText* text : {m_workload, m_workloadFigures}) {
        text->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        texts->addWidget(text);
    }
    m_toolbar->addLayout(texts, 1);

    connect(m_spans, &Segmented::currentChanged, this,
            [this](int index) { m_group->choose(kSpans[static_cast<std::size_t>(index)]); });
    connect(m_follow, &QPushButton::clicked, m_group, &ChartGroup::setFollowing);
    connect(m_edges, &QComboBox::activated, this, [this](int index) {
        m_edge = static_cast<app::TtftEdge>(index);
        m_isViewNew = true;
        beginCycle();
        feedTiles();
    });
    connect(m_samples, &QComboBox::activated, this, [this](int index) {
        m_filter = index == 0 ? app::SampleFilter::Warm : app::SampleFilter::All;
        m_isViewNew = true;
        beginCycle();
        feedTiles();
    });
    connect(m_chartsButton, &QPushButton::clicked, this, &LivePage::openChartMenu);
    connect(m_selection, &QPushButton::clicked, m_group, [this] { m_group->select(std::nullopt); });
}

QString LivePage::title() const {
    return tr("Live");
}

void LivePage::setShown(bool isShown) {
    m_isShown = isShown;
    if (isShown) {
        m_isViewNew = true;
        m_group->setEnd(m_session.history().endSeconds());
        showWorkload();
        showView();
        feedTiles();
        feedEvents();
        beginCycle();
    } else if (m_windows.empty()) {
        m_feedTimer->stop();
    }
}

void LivePage::setServiceTarget(double ttftMs, double tpotMs) {
    m_target = {.ttftMs = ttftMs, .tpotMs = tpotMs};
    feedTiles();
}

void LivePage::showWorkload() {
    const WorkloadTexts texts =
        workloadTexts(m_session.currentWorkload(), m_session.loadProgress());
    m_workload->setText(texts.name.isEmpty() ? tr("No workload") : texts.name);
    m_workloadFigures->setText(texts.name.isEmpty() ? tr("the Load page sends traffic")
                                                    : texts.figures);
}

void LivePage::showView() {
    const TimeView& view = m_group->view();
    const auto span = std::ranges::find(kSpans, view.span());
    m_spans->setCurrentIndex(span == kSpans.end() ? -1 : static_cast<int>(span - kSpans.begin()));
    m_follow->setChecked(view.isFollowing());
    const auto selection = m_group->selection();
    m_selection->setVisible(selection.has_value());
    m_selection->setChecked(true);
    QString note;
    if (selection) {
        note = tr("in %1").arg(spanText(*selection));
    }
    m_events->setNote(note);
}

void LivePage::setCharts(const QStringList& keys) {
    for (const Slot& slot : m_charts) {
        m_group->remove(slot.view);
        slot.view->deleteLater();
    }
    m_charts.clear();
    m_remaining = 0;
    for (const QString& key : keys) {
        const app::ChartRow* row = app::findChart(key.toStdString());
        if (row == nullptr || m_charts.size() >= kMostCharts) {
            continue;
        }
        auto* view = new ChartView(*m_group, m_scroll->widget());
        connect(view, &ChartView::markerActivated, this, [this](int number) {
            m_events->setCurrent(number);
            m_group->goToMarker(number);
        });
        view->setCanPopOut(true);
        connect(view, &ChartView::popOutRequested, this, [this, key] { popOut(key); });
        m_charts.push_back({key, row, view});
    }
    for (std::size_t index = 0; index < m_charts.size(); ++index) {
        m_charts[index].view->setShowsPinTexts(index == 0);
    }
    arrangeCharts();
    m_isViewNew = true;
    beginCycle();
}

void LivePage::arrangeCharts() {
    const int columns = width() >= kTwoColumnsFrom ? 2 : 1;
    for (int row = 0; row < m_grid->rowCount(); ++row) {
        m_grid->setRowStretch(row, 0);
        m_grid->setRowMinimumHeight(row, 0);
    }
    int index = 0;
    for (const Slot& slot : m_charts) {
        const int row = index / columns;
        m_grid->addWidget(slot.view, row, index % columns);
        m_grid->setRowStretch(row, 1);
        m_grid->setRowMinimumHeight(row, kChartHeight);
        slot.view->show();
        ++index;
    }
    for (int column = 0; column < 2; ++column) {
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
    }
}

ChartView* LivePage::chart(const QString& key) const {
    const auto slot = std::ranges::find(m_charts, key, &Slot::key);
    return slot == m_charts.end() ? nullptr : slot->view;
}

void LivePage::showChart(const QString& key) {
    if (chart(key) == nullptr) {
        QStringList keys;
        for (const Slot& slot : m_charts) {
            keys << slot.key;
        }
        if (keys.size() >= static_cast<qsizetype>(kMostCharts)) {
            keys.removeLast();
        }
        setCharts(keys << key);
    }
    if (ChartView* view = chart(key)) {
        m_scroll->ensureWidgetVisible(view);
        view->setFocus(Qt::OtherFocusReason);
    }
}

} // namespace ui
