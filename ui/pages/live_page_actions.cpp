// Keys, menu, palette entries and kept state of the live page.
#include "app/labels.h"
#include "app/session.h"
#include "ui/charts/bookmark_field.h"
#include "ui/charts/chart_group.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/chart_window.h"
#include "ui/pages/live_events.h"
#include "ui/pages/live_page.h"
#include "ui/pages/live_tiles.h"
#include "ui/theme.h"
#include "ui/widgets/event_strip.h"
#include "ui/widgets/fit_width.h"
#include "ui/widgets/segmented.h"

#include <QComboBox>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QMenu>
#include <QPushButton>

#include <algorithm>

namespace ui {

QByteArray LivePage::state() const {
    QJsonArray charts;
    for (const Slot& slot : m_charts) {
        charts.append(slot.key);
    }
    const QJsonObject object{{QStringLiteral("charts"), charts}};
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

void LivePage::restoreState(const QByteArray& state) {
    QStringList keys;
    const QJsonObject object = QJsonDocument::fromJson(state).object();
    for (const QJsonValue& key : object.value(QStringLiteral("charts")).toArray()) {
        keys << key.toString();
    }
    keys.removeDuplicates();
    if (!keys.isEmpty()) {
        setCharts(keys);
    }
}

QString LivePage::chartTitle(const QString& key) const {
    // The table knows no titles; an empty picture does.
    const app::ChartRow* row = app::findChart(key.toStdString());
    return row != nullptr ? row->make(app::History{}, {}).title : key;
}

void LivePage::openChartMenu() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAttribute(Qt::WA_TranslucentBackground);
    menu->setWindowFlags(menu->windowFlags() | Qt::FramelessWindowHint |
                         Qt::NoDropShadowWindowHint);
    for (const app::ChartRow& row : app::chartTable()) {
        const QString key =
            QString::fromUtf8(row.key.data(), static_cast<qsizetype>(row.key.size()));
        QAction* action = menu->addAction(chartTitle(key));
        action->setCheckable(true);
        action->setChecked(chart(key) != nullptr);
        connect(action, &QAction::toggled, this, [this, key](bool isOn) {
            if (isOn) {
                showChart(key);
                return;
            }
            QStringList keys;
            for (const Slot& slot : m_charts) {
                if (slot.key != key) {
                    keys << slot.key;
                }
            }
            setCharts(keys);
        });
    }
    menu->popup(m_chartsButton->mapToGlobal(QPoint(0, m_chartsButton->height() + 2)));
}

void LivePage::undo(int number) {
    for (const app::HistoryMarker& marker : m_session.history().markers()) {
        const auto* applied = std::get_if<engine::ConfigApplied>(&marker.event.body);
        if (marker.number != number || applied == nullptr) {
            continue;
        }
        for (const engine::FieldChange& change : applied->changes) {
            const auto set = m_session.setField(change.key, change.before);
            if (!set) {
                Q_EMIT messageRaised(tr("The change was not undone"),
                                     QString::fromStdString(set.error().message));
            }
        }
        return;
    }
}

QString LivePage::spanText(std::pair<double, double> span) {
    return QStringLiteral("%1 – %2").arg(app::runTimeText(span.first),
                                         app::runTimeText(span.second));
}

void LivePage::askForBookmark(double seconds) {
    QPoint place(width() / 2, m_scroll->y() + space::kBetweenCards);
    if (!m_charts.empty()) {
        const ChartView* chart = m_charts.front().view;
        place = chart->mapTo(this, chart->placeOf(seconds));
    }
    auto* field = new BookmarkField(seconds, place, this);
    connect(field, &BookmarkField::named, this, [this](double at, const QString& name) {
        m_session.addBookmark({}, {.seconds = at, .name = name.toStdString()});
        m_isViewNew = true;
        feedEvents();
        beginCycle();
        if (!m_charts.empty()) {
            m_charts.front().view->setFocus(Qt::OtherFocusReason);
        }
    });
}

void LivePage::removeBookmark(int number) {
    const auto& markers = m_session.history().markers();
    const auto marker = std::ranges::find(markers, number, &app::HistoryMarker::number);
    const auto bookmark = marker == markers.end() ? std::nullopt : app::bookmarkOf(marker->event);
    if (bookmark) {
        m_session.removeBookmark({}, *bookmark);
        m_isViewNew = true;
        feedEvents();
        beginCycle();
    }
}

void LivePage::splitRun(int number) {
    const auto& markers = m_session.history().markers();
    const auto marker = std::ranges::find(markers, number, &app::HistoryMarker::number);
    const auto run = m_session.shownRun();
    if (marker != markers.end() && run) {
        Q_EMIT pageRequested(
            QStringLiteral("runs"),
            QStringLiteral("split:%1:%2").arg(*run).arg(marker->seconds, 0, 'f', 3));
    }
}

ChartWindow* LivePage::popOut(const QString& key) {
    const auto known =
        std::ranges::find(m_windows, key, [](const Window& each) { return each.slot.key; });
    if (known != m_windows.end()) {
        known->window->raise();
        known->window->activateWindow();
        return known->window;
    }
    const app::ChartRow* row = app::findChart(key.toStdString());
    if (row == nullptr) {
        return nullptr;
    }
    auto* made = new ChartWindow(*m_group, this);
    made->setWindowTitle(tr("%1 – Headway").arg(chartTitle(key)));
    m_windows.push_back({made, {key, row, made->chart()}});
    connect(made->chart(), &ChartView::markerActivated, m_group, &ChartGroup::goToMarker);
    connect(made, &ChartWindow::closed, this, [this, made] {
        std::erase_if(m_windows, [made](const Window& each) { return each.window == made; });
        made->deleteLater();
    });
    made->show();
    m_isViewNew = true;
    beginCycle();
    return made;
}

QList<PageAction> LivePage::actions() {
    QList<PageAction> result;
    const bool isFollowing = m_group->view().isFollowing();
    result.append({tr("Follow"), isFollowing ? tr("on") : tr("off"), tr("Space"),
                   [this, isFollowing] { m_group->setFollowing(!isFollowing); }});
    result.append(
        {tr("Show the last minute"), {}, {}, [this] { m_group->choose(SpanChoice::OneMinute); }});
    result.append({tr("Show the last 5 minutes"), {}, {}, [this] {
                       m_group->choose(SpanChoice::FiveMinutes);
                   }});
    result.append({tr("Show the last 15 minutes"), {}, {}, [this] {
                       m_group->choose(SpanChoice::FifteenMinutes);
                   }});
    result.append(
        {tr("Show the last hour"), {}, {}, [this] { m_group->choose(SpanChoice::Hour); }});
    result.append(
        {tr("Show the last 24 hours"), {}, {}, [this] { m_group->choose(SpanChoice::Day); }});
    result.append(
        {tr("Bookmark here…"), {}, QStringLiteral("M"), [this] { m_group->requestBookmark(); }});
    if (m_group->selection()) {
        result.append({tr("Zoom to the selection"), {}, QStringLiteral("Z"), [this] {
                           m_group->zoomToSelection();
                       }});
        result.append({tr("Clear the selection"), {}, QStringLiteral("Esc"), [this] {
                           m_group->select(std::nullopt);
                       }});
    }
    result.append({tr("Show the whole run"), {}, QStringLiteral("F"), [this] { m_group->fit(); }});
    const bool isWarm = m_filter == app::SampleFilter::Warm;
    result.append({tr("Samples"), isWarm ? tr("warm") : tr("all"), {}, [this, isWarm] {
                       m_samples->setCurrentIndex(isWarm ? 1 : 0);
                       Q_EMIT m_samples->activated(isWarm ? 1 : 0);
                   }});
    result.append({tr("Next event"), {}, QStringLiteral("."), [this] { m_group->stepMarker(1); }});
    result.append(
        {tr("Previous event"), {}, QStringLiteral(","), [this] { m_group->stepMarker(-1); }});
    for (const app::ChartRow& row : app::chartTable()) {
        const QString key =
            QString::fromUtf8(row.key.data(), static_cast<qsizetype>(row.key.size()));
        result.append({tr("Chart: %1").arg(chartTitle(key)),
                       chart(key) != nullptr ? tr("shown") : tr("hidden"),
                       {},
                       [this, key] { showChart(key); }});
        result.append(
            {tr("Chart in a window of its own: %1").arg(chartTitle(key)), {}, {}, [this, key] {
                 popOut(key);
             }});
    }
    return result;
}

QList<KeyHint> LivePage::keys() const {
    return {
        {QStringLiteral("W / S"), tr("zoom in, out")},
        {QStringLiteral("A / D"), tr("earlier, later")},
        {QStringLiteral("F"), tr("the whole run")},
        {tr("Space"), tr("pause or follow")},
        {QStringLiteral(", / ."), tr("event before, event after")},
        {QStringLiteral("← / →"), tr("move the crosshair; with Shift in longer steps")},
        {QStringLiteral("[ / ]"), tr("select from the crosshair, up to the crosshair")},
        {QStringLiteral("Z"), tr("zoom to the selection")},
        {QStringLiteral("M"), tr("bookmark at the crosshair; Del in the events removes it")},
        {QStringLiteral("X"), tr("in the events: compare the run before and after")},
        {QStringLiteral("P"), tr("show the chart in focus in a window of its own")},
        {QStringLiteral("T"), tr("show the chart in focus as a table")},
        {QStringLiteral("L"), tr("logarithmic axis of the chart in focus, where it has latencies")},
        {QStringLiteral("Ctrl+C"), tr("copy the chart's values")},
        {tr("Drag"), tr("select a span; it filters tiles, events and requests")},
        {tr("Wheel"), tr("zoom; with Shift move")},
        {QStringLiteral("Esc"), tr("clear selection and crosshair")}};
}

QWidget* LivePage::firstFocus() {
    return m_spans;
}
QWidget* LivePage::lastFocus() {
    return m_events->list();
}

bool LivePage::pressKey(QKeyEvent* event) {
    return m_group->pressKey(event);
}

void LivePage::openArgument(const QString& argument) {
    bool isNumber = false;
    const double seconds = argument.toDouble(&isNumber);
    if (isNumber) {
        m_group->center(seconds);
    }
}

void LivePage::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        m_knownMarkers = {}; // their words
    }
    Page::changeEvent(event);
}

void LivePage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    arrangeCharts();
    m_isViewNew = true; // as many points as the new width can show
}

void LivePage::retranslate() {
    m_spans->setItems({tr("1 min"), tr("5 min"), tr("15 min"), tr("Run")});
    m_spans->setAccessibleName(tr("Span shown"));
    m_follow->setText(tr("Follow"));
    m_follow->setToolTip(tr("Keep the newest data in view (Space)"));
    m_edges->setItemText(0, tr("TTFT: scheduled → first visible text"));
    m_edges->setItemText(1, tr("TTFT: received → first visible text"));
    m_edges->setItemText(2, tr("TTFT: admitted → first visible text"));
    fitWidth(m_edges);
    m_edges->setAccessibleName(tr("Where time to first token begins"));
    m_samples->setItemText(0, tr("Warm samples"));
    m_samples->setItemText(1, tr("All samples"));
    fitWidth(m_samples);
    m_samples->setToolTip(
        tr("Warm leaves out cold and idle starts, warm-up and requests that did not complete"));
    m_samples->setAccessibleName(tr("Which samples count"));
    m_chartsButton->setText(tr("Charts"));
    m_chartsButton->setToolTip(tr("Choose the charts of this page"));
    m_selection->setToolTip(tr("Clear the selected span (Esc)"));
    m_selection->setAccessibleName(tr("Selected span"));
    m_tiles->setAccessibleName(tr("Figures"));
    if (m_isShown) {
        showWorkload();
        showView();
        feedTiles();
        feedEvents();
        m_isViewNew = true;
        beginCycle();
    }
}

} // namespace ui
