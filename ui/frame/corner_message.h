// A quiet message in the lower left corner for finished background work: 6 s, never for errors.
// UI thread.
#pragma once

#include <QWidget>

class QLabel;
class QTimer;

namespace ui {

class CornerMessage final : public QWidget {
    Q_OBJECT

public:
    explicit CornerMessage(QWidget* area);
    void show(const QString& text, const QString& detail);

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    void place();

    QLabel* m_text;
    QLabel* m_detail;
    QTimer* m_timer;
};

} // namespace ui
