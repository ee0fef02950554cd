// A table as every page has it: 26 px rows, whole rows hovered and selected, sorting by the header,
// copying with Ctrl+C, and a place that holds still while rows arrive above it. UI thread.
#pragma once

#include "app/plot/palette.h"

#include <QStyledItemDelegate>
#include <QTableView>

#include <optional>

namespace ui {

class TableView : public QTableView {
    Q_OBJECT

public:
    explicit TableView(QWidget* parent = nullptr);

    void setModel(QAbstractItemModel* model) override;
    int hoveredRow() const { return m_hoveredRow; }
    int currentRow() const;
    void selectShownRow(int row);
    // The column that takes what room is left.
    void setStretchColumn(int column);
    // The columns to sort by, as the header offers them to the mouse; S opens it.
    void openSortMenu();
    // The visible cells of the selected rows, tab-separated, as shown.
    QString selectedText() const;

Q_SIGNALS:
    void rowChosen(int row);    // -1: none; also when rows moved
    void rowActivated(int row); // Enter or double click
    void spacePressed(int row);
    void deletePressed(int row);

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void selectionChanged(const QItemSelection& selected,
                          const QItemSelection& deselected) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void holdPlace(int first, int last);
    void setHovered(int row);

    int m_hoveredRow = -1;
    QMetaObject::Connection m_inserted;
};

// Paints cells: ground by selection and hover, a hairline below, text by style. Tables derive to
// paint cells of their own.
class TableDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    struct CellStyle {
        app::ColorRole color = app::ColorRole::Text1;
        bool isStrong = false;
    };
    virtual CellStyle style(const QModelIndex& index) const;
    // Tint of the whole row where it is neither selected nor hovered.
    virtual std::optional<app::ColorRole> rowTint(const QModelIndex& index) const;
    // The cell's content within the padded rectangle; the base paints the display text.
    virtual void paintCell(QPainter& painter, const QRect& bounds, const QModelIndex& index) const;
};

} // namespace ui
