// An icon standing in a layout, and the dot or ring of an engine state. UI thread.
#pragma once

#include "app/plot/palette.h"

#include <QWidget>

namespace ui {

class Icon final : public QWidget {
    Q_OBJECT

public:
    Icon(const QString& name, app::ColorRole role, int size, QWidget* parent = nullptr);
    void setIcon(const QString& name, app::ColorRole role);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_name;
    app::ColorRole m_role;
};

enum class DotShape : std::uint8_t { Dot, Ring };

class StateDot final : public QWidget {
    Q_OBJECT

public:
    explicit StateDot(QWidget* parent = nullptr);
    void setState(DotShape shape, app::ColorRole role);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    DotShape m_shape = DotShape::Ring;
    app::ColorRole m_role = app::ColorRole::Text3;
};

// One line that gives way: it is elided instead of asking for room, and tells all in its tooltip.
class ElidedText final : public QWidget {
    Q_OBJECT

public:
    ElidedText(int pixels, app::ColorRole role, QFont::Weight weight, QWidget* parent = nullptr);
    void setText(const QString& text);
    const QString& text() const { return m_text; }
    void setAlignment(Qt::Alignment alignment);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
    const int m_pixels;
    const app::ColorRole m_role;
    const QFont::Weight m_weight;
    Qt::Alignment m_alignment = Qt::AlignLeft | Qt::AlignVCenter;
};

// The product's mark.
class Mark final : public QWidget {
    Q_OBJECT

public:
    explicit Mark(int size, QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace ui
