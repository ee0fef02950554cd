// One request opened up: tags, three TTFT edges, the waterfall, and what it cost. Values in; UI
// thread.
#pragma once

#include "app/observe/request_row.h"

#include <QFrame>

#include <optional>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace ui {

class Waterfall;

class RequestCard final : public QFrame {
    Q_OBJECT

public:
    explicit RequestCard(QWidget* parent = nullptr);

    void setRequest(std::optional<app::RequestRow> row);
    static QString secondLedger(const app::RequestRow& row);
    static QString blockedText(const app::RequestRow& row);
    QString asText() const; // what the copy button gives

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void showTags();

    std::optional<app::RequestRow> m_row;
    QLabel* m_title = nullptr;
    QHBoxLayout* m_tags = nullptr;
    QLabel* m_edges = nullptr;
    QPushButton* m_copy = nullptr;
    Waterfall* m_waterfall = nullptr;
    QLabel* m_second = nullptr; // of a preempted request
    QLabel* m_empty = nullptr;
    QLabel* m_sum = nullptr;
    QLabel* m_facts = nullptr;
    QWidget* m_foot = nullptr;
    QLabel* m_next = nullptr;
    QLabel* m_open = nullptr;
};

} // namespace ui
