// A framed part of a page: a head with title, caption and room at the right, and a body. UI thread.
#pragma once

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QVBoxLayout;

namespace ui {

class Card final : public QFrame {
    Q_OBJECT

public:
    explicit Card(QWidget* parent = nullptr);

    // Shows the head; an empty caption takes no room.
    void setTitle(const QString& title, const QString& caption = {});
    QHBoxLayout* head() const { return m_head; } // after title and caption comes a stretch
    QVBoxLayout* body() const { return m_body; }
    // No margins around the body: for tables that reach the frame.
    void setFlush();

private:
    QLabel* m_title = nullptr;
    QLabel* m_caption = nullptr;
    QWidget* m_headRow = nullptr;
    QHBoxLayout* m_head = nullptr;
    QVBoxLayout* m_body = nullptr;
};

// A hairline between parts.
QFrame* makeRule(QWidget* parent = nullptr);
QWidget* makeVerticalRule(QWidget* parent = nullptr);

} // namespace ui
