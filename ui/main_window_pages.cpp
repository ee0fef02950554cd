// The pages of the main window: their table, which one is in front, back and forward.
#include "app/session.h"
#include "ui/charts/chart_group.h"
#include "ui/frame/corner_message.h"
#include "ui/frame/rail.h"
#include "ui/main_window.h"
#include "ui/pages/experiments_page.h"
#include "ui/pages/first_start_page.h"
#include "ui/pages/help_page.h"
#include "ui/pages/live_page.h"
#include "ui/pages/load_page.h"
#include "ui/pages/log_page.h"
#include "ui/pages/requests_page.h"
#include "ui/pages/runs_page.h"
#include "ui/pages/settings_page.h"

#include <QStackedWidget>

#include <algorithm>
#include <array>

namespace ui {

namespace {

// The pages in the rail, in order; Ctrl+1… follows it.
struct PageRow {
    const char* key;
    const char* iconName;
    bool isBelow;
    Page* (*make)(app::Session&, QWidget*);
};

template <class PageType>
Page* make(app::Session& session, QWidget* parent) {
    return new PageType(session, parent);
}

constexpr std::array kPageTable = {
    PageRow{"live", "live", false, make<LivePage>},
    PageRow{"load", "load", false, make<LoadPage>},
    PageRow{"requests", "requests", false, make<RequestsPage>},
    PageRow{"experiments", "experiments", false, make<ExperimentsPage>},
    PageRow{"runs", "runs", false, make<RunsPage>},
    PageRow{"log", "log", true, make<LogPage>},
    PageRow{"help", "help", true, make<HelpPage>},
    PageRow{"settings", "settings", true, make<SettingsPage>},
};

} // namespace

QString MainWindow::pageLayout(const QString& key) {
    return QStringLiteral("page_") + key;
}

void MainWindow::buildPages() {
    for (const PageRow& row : kPageTable) {
        addPage(QString::fromLatin1(row.key), QString::fromLatin1(row.iconName), row.isBelow,
                row.make(m_session, m_stack));
    }
    m_firstStart = new FirstStartPage(m_session, m_stack);
    m_stack->addWidget(m_firstStart);
    connectPage(m_firstStart);
    // A span selected on the charts filters the requests too.
    auto* live = qobject_cast<LivePage*>(page(QStringLiteral("live")));
    auto* requests = qobject_cast<RequestsPage*>(page(QStringLiteral("requests")));
    connect(&live->group(), &ChartGroup::selectionChanged, requests,
            [live, requests] { requests->setSpan(live->group().selection()); });
    connect(requests, &RequestsPage::spanCleared, live,
            [live] { live->group().select(std::nullopt); });
    connect(qobject_cast<HelpPage*>(page(QStringLiteral("help"))), &HelpPage::keysRequested,
            m_keyList, &OverlayCard::open);
    m_settings = qobject_cast<SettingsPage*>(page(QStringLiteral("settings")));
    connect(m_settings, &SettingsPage::languageChosen, this, &MainWindow::setLanguage);
    connect(m_settings, &SettingsPage::themeChosen, this, &MainWindow::setTheme);
    connect(m_settings, &SettingsPage::targetChosen, this, &MainWindow::setServiceTarget);
    setServiceTarget(m_preferences.serviceTtftMs(), m_preferences.serviceTpotMs());
}

void MainWindow::addPage(const QString& key, const QString& iconName, bool isBelow, Page* page) {
    m_stack->addWidget(page);
    m_pages.push_back({key, page});
    m_rail->addEntry(key, iconName, isBelow ? Rail::Place::Below : Rail::Place::Pages,
                     [page] { return page->title(); });
    page->restoreState(m_preferences.layout(pageLayout(key)));
    connectPage(page);
}

void MainWindow::connectPage(Page* page) {
    connect(page, &Page::pageRequested, this, &MainWindow::showPage);
    connect(page, &Page::modelRequested, this, [this](const QString& file) { openModel(file); });
    connect(page, &Page::messageRaised, m_message, &CornerMessage::show);
}

Page* MainWindow::page(const QString& key) const {
    const auto found = std::ranges::find(m_pages, key, &Entry::key);
    return found == m_pages.end() ? nullptr : found->page;
}

QStringList MainWindow::pageKeys() const {
    QStringList keys;
    for (const Entry& entry : m_pages) {
        keys << entry.key;
    }
    return keys;
}

QString MainWindow::currentPage() const {
    return m_rail->current();
}

void MainWindow::showPage(const QString& key, const QString& argument) {
    Page* next = page(key);
    if (next == nullptr) {
        return;
    }
    if (m_rail->current() != key) {
        m_rail->setCurrent(key);
        if (m_visit < 0 || m_visited.value(m_visit) != key) {
            m_visited = m_visited.mid(0, m_visit + 1);
            m_visited.append(key);
            m_visit = m_visited.size() - 1;
        }
        m_isDrawerOpen = false;
    }
    bringToFront();
    if (!argument.isEmpty()) {
        next->openArgument(argument);
    }
}

void MainWindow::bringToFront() {
    Page* next = page(m_rail->current());
    // Nothing was measured yet and nothing can be: the first page tells how to begin.
    const bool isFirst = m_rail->current() == QStringLiteral("live") && !m_session.hasModel() &&
                         !m_session.isLoading() && m_session.history().samples().empty();
    if (isFirst) {
        next = m_firstStart;
    }
    if (next == m_front) {
        return;
    }
    if (m_front != nullptr) {
        m_front->setShown(false);
    }
    m_front = next;
    m_stack->setCurrentWidget(next);
    next->setShown(true);
    placePanel();
}

void MainWindow::goBack(int steps) {
    const qsizetype target = m_visit + steps;
    if (target >= 0 && target < m_visited.size()) {
        m_visit = target;
        showPage(m_visited.at(target));
    }
}

} // namespace ui
