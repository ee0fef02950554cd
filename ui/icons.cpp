#include "ui/icons.h"

#include "ui/theme.h"

#include <QFile>
#include <QIconEngine>
#include <QPaintDevice>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

#include <cmath>

namespace ui {

namespace {

QString iconPath(const QString& name) {
    return QStringLiteral(":/headway/icons/%1.svg").arg(name);
}

// Rendered once a (name, colour, size, scale) and kept in Qt's own pixmap cache.
QPixmap tinted(const QString& name, const QColor& color, QSize size, double scale) {
    const QString key = QStringLiteral("headway/%1/%2/%3x%4@%5")
                            .arg(name)
                            .arg(color.rgba(), 8, 16)
                            .arg(size.width())
                            .arg(size.height())
                            .arg(scale);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) {
        return pixmap;
    }
    QFile file(iconPath(name));
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    QByteArray svg = file.readAll();
    svg.replace("currentColor", color.name().toLatin1());
    pixmap = QPixmap((QSizeF(size) * scale).toSize());
    pixmap.fill(Qt::transparent);
    QSvgRenderer renderer(svg);
    QPainter painter(&pixmap);
    painter.setOpacity(color.alphaF());
    renderer.render(&painter, QRectF(QPointF(), QSizeF(pixmap.size())));
    painter.end();
    pixmap.setDevicePixelRatio(scale);
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

// Asks for the theme when it paints, so that icons need no change of their own at a theme switch.
class TintedIconEngine final : public QIconEngine {
public:
    TintedIconEngine(QString name, ColorRole role) : m_name(std::move(name)), m_role(role) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode,
               QIcon::State state) override {
        const double scale = painter->device()->devicePixelRatioF();
        painter->drawPixmap(rect.topLeft(), tinted(m_name, tint(mode, state), rect.size(), scale));
    }
    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        return tinted(m_name, tint(mode, state), size, 1.0);
    }
    QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State state,
                         qreal scale) override {
        // `size` is in device pixels here.
        return tinted(m_name, tint(mode, state), (QSizeF(size) / scale).toSize(), scale);
    }
    QSize actualSize(const QSize& size, QIcon::Mode, QIcon::State) override { return size; }
    QIconEngine* clone() const override { return new TintedIconEngine(m_name, m_role); }

private:
    QColor tint(QIcon::Mode mode, QIcon::State state) const {
        if (mode == QIcon::Disabled) {
            return color(m_role, 0.5);
        }
        const bool isPlain =
            m_role == ColorRole::Text1 || m_role == ColorRole::Text2 || m_role == ColorRole::Text3;
        return color(state == QIcon::On && isPlain ? ColorRole::Accent : m_role);
    }

    const QString m_name;
    const ColorRole m_role;
};

} // namespace

QIcon icon(const QString& name, ColorRole role) {
    return QIcon(new TintedIconEngine(name, role));
}

void paintIcon(QPainter& painter, const QString& name, const QRectF& bounds, const QColor& color) {
    const double scale = painter.device()->devicePixelRatioF();
    const QSize size = bounds.size().toSize();
    const QPixmap pixmap = tinted(name, color, size, scale);
    // On a whole device pixel, or the strokes blur.
    const QPointF corner(std::round(bounds.x() * scale) / scale,
                         std::round(bounds.y() * scale) / scale);
    painter.drawPixmap(corner, pixmap);
}

bool hasIcon(const QString& name) {
    return QFile::exists(iconPath(name));
}

} // namespace ui
