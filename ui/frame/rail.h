// The rail at the left: the mark, the pages, and below them what serves all pages. UI thread.
#pragma once

#include <QAbstractButton>
#include <QWidget>

#include <functional>
#include <vector>

class QVBoxLayout;

namespace ui {

class RailButton final : public QAbstractButton {
    Q_OBJECT

public:
    RailButton(const QString& iconName, QWidget* parent);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    const QString m_iconName;
};

class Rail final : public QWidget {
    Q_OBJECT

public:
    explicit Rail(QWidget* parent = nullptr);

    enum class Place { Pages, Below };
    // Entries come in order; `text` is asked again when the language changes.
    void addEntry(const QString& key, const QString& iconName, Place place,
                  std::function<QString()> text);
    void setCurrent(const QString& key);
    QString current() const { return m_current; }
    QAbstractButton* button(const QString& key) const;

Q_SIGNALS:
    void chosen(const QString& key);

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Entry {
        QString key;
        RailButton* button;
        std::function<QString()> text;
    };

    void retranslate();

    QVBoxLayout* m_pages = nullptr;
    QVBoxLayout* m_below = nullptr;
    std::vector<Entry> m_entries;
    QString m_current;
};

} // namespace ui
