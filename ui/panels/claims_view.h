// Every claim of the library beside what was measured here: counts by verdict, then one row a
// claim. UI thread.
#pragma once

#include "ui/models/claim_columns.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QPushButton;

namespace ui {

class ClaimsView final : public QWidget {
    Q_OBJECT

public:
    explicit ClaimsView(QWidget* parent = nullptr);

    // `machine`: model and device of the table, in words.
    void setRows(std::vector<app::ClaimRow> rows, const QString& machine);
    void setRunning(bool isRunning, bool canStart);
    const ClaimModel& model() const { return *m_model; }
    const std::vector<app::ClaimRow>& rows() const { return m_rows; }

Q_SIGNALS:
    void runAllRequested();
    void stopRequested();
    void reportRequested(QPushButton* below);
    void experimentRequested(const QString& name); // a row was opened

protected:
    void changeEvent(QEvent* event) override;

private:
    void applyFilter();
    void refresh();

    std::vector<app::ClaimRow> m_rows;
    QString m_machineText;
    bool m_isRunning = false, m_canStart = false;
    QLabel* m_title = nullptr;
    QLineEdit* m_filter = nullptr;
    QPushButton* m_report = nullptr;
    QPushButton* m_run = nullptr;
    QLabel* m_counts = nullptr;
    QLabel* m_machine = nullptr;
    ClaimModel* m_model = nullptr;
    TableView* m_table = nullptr;
};

} // namespace ui
