// What the Runs page shows below its list: one run, a run cut in two, two runs, or several. See
// runs_page.h.
#include "app/background.h"
#include "app/session.h"
#include "ui/charts/chart_group.h"
#include "ui/pages/runs_page.h"
#include "ui/panels/comparison_view.h"
#include "ui/panels/run_charts.h"
#include "ui/panels/run_set_view.h"
#include "ui/panels/run_view.h"

#include <QKeyEvent>
#include <QLabel>
#include <QStackedWidget>

#include <algorithm>

namespace ui {

void RunsPage::setTicked(std::int64_t run, bool isTicked) {
    std::erase(m_ticks, run);
    m_split.reset();
    // What left the comparison by another way has no place among the ticks any more.
    std::erase_if(m_tickOrder, [this](std::int64_t each) {
        return std::ranges::find(m_ticks, each) == m_ticks.end();
    });
    if (isTicked) {
        m_tickOrder.push_back(run);
        const auto isPinned = [this](std::int64_t each) {
            return m_baseline && m_baseline->run.id == each;
        };
        if (m_tickOrder.size() > app::kMostCompared) { // the one ticked first makes room
            m_tickOrder.erase(std::ranges::find_if_not(m_tickOrder, isPinned));
        }
        m_ticks = m_tickOrder;
        // The baseline is side A; without it the older run, unless swapped.
        std::ranges::sort(m_ticks);
        const auto pinned = std::ranges::find_if(m_ticks, isPinned);
        if (pinned != m_ticks.end()) {
            std::rotate(m_ticks.begin(), pinned, pinned + 1);
        }
    }
    m_table->viewport()->update();
    showContent();
}

void RunsPage::openRun(std::int64_t run) {
    const int row =
        m_model->shownWhere([run](const app::RunSummary& at) { return at.run.id == run; });
    if (row < 0) {
        m_wanted = run;
        refreshList();
        return;
    }
    m_table->selectShownRow(row);
    showContent();
}

void RunsPage::splitOpened(double seconds) {
    if (const auto run = currentRun()) {
        splitRun(*run, seconds, m_opened->charts()->group().selection());
    }
}

void RunsPage::splitRun(std::int64_t run, double seconds,
                        std::optional<std::pair<double, double>> span) {
    m_ticks.clear();
    openRun(run); // what the way back leads to
    m_split = Split{.run = run, .seconds = seconds, .span = span};
    showContent();
}

void RunsPage::showSentence(const QString& sentence) {
    m_sentence->setText(sentence);
    m_content->setCurrentWidget(m_sentence);
    refreshToolbar();
}

void RunsPage::showContent() {
    const int number = ++m_contentNumber;
    const auto show = [this, number](auto result, auto* view, auto take) {
        if (number != m_contentNumber) {
            return;
        }
        if (!result) {
            showSentence(QString::fromStdString(result.error().message));
            return;
        }
        take(std::move(*result));
        m_content->setCurrentWidget(view);
        refreshToolbar();
        Q_EMIT contentShown();
    };
    const auto showPair = [this, show](engine::Result<app::RunPair> pair) {
        show(std::move(pair), m_comparison,
             [this](app::RunPair ready) { m_comparison->setPair(std::move(ready)); });
    };
    if (m_ticks.size() > 2) {
        app::runInBackground(
            this, [log = m_log, runs = m_ticks] { return app::openSet(log, runs); },
            [this, show](engine::Result<app::RunSet> set) {
                show(std::move(set), m_set,
                     [this](app::RunSet ready) { m_set->setRuns(std::move(ready)); });
            });
    } else if (m_ticks.size() == 2) {
        app::runInBackground(
            this,
            [log = m_log, a = m_ticks[0], b = m_ticks[1]] { return app::openPair(log, a, b); },
            showPair);
    } else if (m_split) {
        app::runInBackground(
            this,
            [log = m_log, split = *m_split] {
                return app::openSplit(log, split.run, split.seconds, split.span);
            },
            [this, showPair](engine::Result<app::RunPair> pair) {
                if (!pair && m_split) { // said once; the run stays in view
                    m_split.reset();
                    Q_EMIT messageRaised(tr("The run was not split"),
                                         QString::fromStdString(pair.error().message));
                    return;
                }
                showPair(std::move(pair));
            });
    } else if (const auto run = currentRun()) {
        app::runInBackground(
            this, [log = m_log, id = *run] { return app::openRun(log, id); },
            [this, show](engine::Result<app::OpenedRun> opened) {
                show(std::move(opened), m_opened,
                     [this](app::OpenedRun ready) { m_opened->setRun(std::move(ready)); });
            });
    } else {
        showSentence(tr("Choose a run to open it. Tick two or more to compare them."));
    }
}

bool RunsPage::pressKey(QKeyEvent* event) {
    return m_content->currentWidget() == m_opened && m_opened->charts()->group().pressKey(event);
}

} // namespace ui
