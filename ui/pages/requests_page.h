// Requests: a table of finished requests with filter and outcome chips, the selected one opened up
// below, and the playground at the right. UI thread.
#pragma once

#include "app/observe/request_filter.h"
#include "ui/models/request_columns.h"
#include "ui/pages/page.h"

#include <array>
#include <optional>
#include <utility>

class QHBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QTimer;
class QVBoxLayout;

namespace app {
class Session;
}

namespace ui {

class LedgerLegend;
class Playground;
class RequestCard;

class RequestsPage final : public Page {
    Q_OBJECT

public:
    RequestsPage(app::Session& session, QWidget* parent = nullptr);

    QString title() const override;
    void setShown(bool isShown) override;
    QList<PageAction> actions() override;
    QList<KeyHint> keys() const override;
    QWidget* firstFocus() override;
    void openArgument(const QString& argument) override; // a filter text

    const RequestModel& model() const { return *m_model; }
    Playground* playground() const { return m_playground; }
    QLineEdit* filterField() const { return m_filter; }
    // Only requests whose first text (or end) lies in a span that was selected on the charts.
    void setSpan(std::optional<std::pair<double, double>> span);
    // The rows that the table shows, as CSV.
    std::vector<app::RequestRow> shownRows() const;
    void exportTo(const QString& file); // as CSV, in the background

Q_SIGNALS:
    void spanCleared(); // by the chip, or because another run began

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildToolbar(QVBoxLayout* column);
    void buildTable(QVBoxLayout* column);
    void takeEvent(const engine::Event& event);
    void flush();
    void applyFilter();
    void refreshCounts();
    void rescale();
    void showNewest();
    void showColumnsMenu();
    void exportCsv();
    void openOnTimeline(int row);
    void retranslate();
    void fitToolbar();

    app::Session& m_session;
    RequestModel* m_model = nullptr;
    TableView* m_table = nullptr;
    QLineEdit* m_filter = nullptr;
    QLabel* m_filterError = nullptr;
    std::array<Chip*, 5> m_chips{}; // all, then one an outcome
    QLabel* m_running = nullptr;
    QHBoxLayout* m_toolbar = nullptr;
    QPushButton* m_columns = nullptr;
    QPushButton* m_export = nullptr;
    QLabel* m_shown = nullptr;
    QLabel* m_empty = nullptr;
    RequestCard* m_card = nullptr;
    Playground* m_playground = nullptr;
    QTimer* m_filterDelay = nullptr;
    std::vector<app::RequestRow> m_incoming; // since the last flush
    app::OutcomeCounts m_counts;
    std::optional<engine::Outcome> m_outcome; // of the chosen chip
    std::optional<std::pair<double, double>> m_span;
    QPushButton* m_spanChip = nullptr;
    engine::TimePoint m_start{};
    double m_scaleMs = 100.0;
    int m_ticks = 0;
    bool m_isShown = false;
    bool m_isChosen = false; // by the operator, in the table
};

} // namespace ui
