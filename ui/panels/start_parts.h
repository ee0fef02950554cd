// Parts of the first-start page: a choice with its action, the way to the first verdict, this
// machine. UI thread.
#pragma once

#include <QFrame>
#include <QString>

#include <array>
#include <utility>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace ui {

class Card;

// One way to get a model: icon, title, caption, a few lines, and room for what it does.
class StartChoice final : public QWidget {
    Q_OBJECT

public:
    StartChoice(const QString& iconName, bool isFirst, QWidget* parent = nullptr);

    void setTitle(const QString& title);
    void setCaption(const QString& caption);
    void setText(const QString& text, bool isProblem = false);
    QHBoxLayout* actions() const { return m_actions; }
    void addBelow(QWidget* widget);

private:
    Card* m_card = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_caption = nullptr;
    QLabel* m_text = nullptr;
    QHBoxLayout* m_actions = nullptr;
};

// Four numbered steps, each with its time.
class StartSteps final : public QWidget {
    Q_OBJECT

public:
    explicit StartSteps(QWidget* parent = nullptr);

Q_SIGNALS:
    void chosen(int step); // from 1

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Step {
        QPushButton* name = nullptr;
        QLabel* time = nullptr;
        QLabel* text = nullptr;
    };
    void retranslate();

    QLabel* m_title = nullptr;
    QLabel* m_total = nullptr;
    std::vector<Step> m_steps;
};

// The recorded example: what it looks like, and the way to it.
class StartExample final : public QWidget {
    Q_OBJECT

public:
    explicit StartExample(QWidget* parent = nullptr);

Q_SIGNALS:
    void requested();

protected:
    void changeEvent(QEvent* event) override;

private:
    void retranslate();

    QLabel* m_title = nullptr;
    QLabel* m_text = nullptr;
    QPushButton* m_open = nullptr;
};

// What this machine is, and where runs are kept.
class MachineFacts final : public QWidget {
    Q_OBJECT

public:
    explicit MachineFacts(QString runLog, QWidget* parent = nullptr);
    void refresh();

protected:
    void changeEvent(QEvent* event) override;

private:
    const QString m_runLog;
    QLabel* m_title = nullptr;
    std::vector<std::pair<QLabel*, QLabel*>> m_facts;
};

} // namespace ui
