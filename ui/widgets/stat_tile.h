// A figure with its unit, n and shape, painted from values. A click asks for its chart. UI thread.
#pragma once

#include "app/plot/palette.h"

#include <QAbstractButton>

#include <optional>
#include <utility>
#include <vector>

namespace ui {

// A piece of a line of text.
struct TileRun {
    QString text;
    app::ColorRole color = app::ColorRole::Text2;
    bool isStrong = false;
    bool operator==(const TileRun&) const = default;
};

// One value of a tile; a tile of several values has a name and a mark over each.
struct TileFigure {
    QString name = {};
    std::optional<app::ColorRole> mark = {};
    QString value = {};
    QString unit = {};
    bool isUnsure = false; // too few samples: greyed
    bool operator==(const TileFigure&) const = default;
};

struct TileBar {
    double share = 0.0; // 0..1
    app::ColorRole color = app::ColorRole::Accent;
    std::optional<double> tick = {};                       // a limit
    std::optional<std::pair<double, double>> bracket = {}; // a healthy range
    bool operator==(const TileBar&) const = default;
};

struct TileContent {
    QString caption = {};
    QString corner = {}; // "n 459"
    std::vector<TileFigure> figures = {};
    std::optional<TileBar> bar = {};
    std::vector<std::optional<double>> sparkline = {};
    app::ColorRole sparkColor = app::ColorRole::OutputTokens;
    std::vector<TileRun> foot = {};
    QString definition = {}; // key of app/definitions: the tool tip, and what F1 opens
    QString note = {};       // a sentence more for the tool tip
    bool isAlarm = false;
    bool operator==(const TileContent&) const = default;
};

class StatTile final : public QAbstractButton {
    Q_OBJECT

public:
    static constexpr int kHeight = 92;

    explicit StatTile(QWidget* parent = nullptr);
    void setContent(const TileContent& content); // repaints only where something changed
    const TileContent& content() const { return m_content; }
    // Everything shown, as text for the clipboard and for those who listen.
    QString asText() const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void paintFigures(QPainter& painter, const QRectF& inner) const;
    void paintShape(QPainter& painter, const QRectF& inner) const;

    TileContent m_content;
};

} // namespace ui
