// Help: definition and formula of every figure, searched as one types; F1 anywhere leads here. The
// texts are the table of app/definitions. UI thread.
#pragma once

#include "ui/pages/page.h"

#include <array>
#include <vector>

class QLabel;
class QVBoxLayout;
class QLineEdit;
class QPushButton;
class QScrollArea;

namespace app {
class Session;
struct Definition;
} // namespace app

namespace ui {

class HelpPage final : public Page {
    Q_OBJECT

public:
    HelpPage(app::Session& session, QWidget* parent);

    QString title() const override;
    QList<KeyHint> keys() const override;
    QList<PageAction> actions() override;
    QWidget* firstFocus() override;
    void openArgument(const QString& argument) override; // the key of a figure

    // Keys of the definitions that are shown.
    QStringList shown() const;
    QString current() const { return m_current; } // the one that was asked for

Q_SIGNALS:
    void keysRequested(); // the list of keys

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Entry {
        const app::Definition* definition = nullptr;
        QWidget* card = nullptr;
        QLabel* name = nullptr;
        QLabel* formula = nullptr;
        QLabel* meaning = nullptr;
        QLabel* elsewhere = nullptr;
    };

    void addEntry(const app::Definition& definition, QWidget* content);
    void applyFilter();
    void placeEntries();
    void mark(const QString& key);
    void retranslate();

    QLabel* m_heading;
    QLabel* m_lead;
    QLineEdit* m_filter;
    QPushButton* m_keys;
    QScrollArea* m_scroll;
    QLabel* m_empty;
    QWidget* m_content = nullptr;
    std::array<QVBoxLayout*, 2> m_columns{};
    int m_columnCount = 0;
    std::vector<Entry> m_entries;
    QString m_current;
};

} // namespace ui
