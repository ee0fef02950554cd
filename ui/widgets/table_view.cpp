#include "ui/widgets/table_view.h"

#include "ui/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>

namespace ui {

namespace {

constexpr int kCellPadding = 8;
constexpr int kSortArrow = 10; // as wide as the sheet has it

// No head is cut: a column is widened where its words have no room.
class Head final : public QHeaderView {
public:
    explicit Head(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
        setSectionsClickable(true);
        connect(this, &QHeaderView::sortIndicatorChanged, this, &Head::fit);
    }

    void setModel(QAbstractItemModel* model) override {
        QHeaderView::setModel(model);
        if (model != nullptr) {
            connect(model, &QAbstractItemModel::headerDataChanged, this, &Head::fit);
        }
    }

protected:
    void showEvent(QShowEvent* event) override {
        QHeaderView::showEvent(event);
        fit();
    }

    // The style keeps the arrow's place free in every head; one that is not sorted by needs none,
    // and stands right above its figures.
    void paintSection(QPainter* painter, const QRect& rect, int column) const override {
        QHeaderView::paintSection(
            painter, isSortedBy(column) ? rect : rect.adjusted(0, 0, kSortArrow, 0), column);
    }

private:
    bool isSortedBy(int column) const {
        return isSortIndicatorShown() && sortIndicatorSection() == column;
    }

    void fit() {
        const QFontMetrics metrics(ui::font(type::kCaption, QFont::Medium)); // the sheet's
        for (int column = 0; model() != nullptr && column < count(); ++column) {
            const QString text = model()->headerData(column, Qt::Horizontal).toString();
            const int needed = text.isEmpty() ? 0
                                              : metrics.horizontalAdvance(text) + 2 * kCellPadding +
                                                    (isSortedBy(column) ? kSortArrow : 0);
            const bool isStretched = sectionResizeMode(column) == QHeaderView::Stretch;
            if (!isSectionHidden(column) && !isStretched && sectionSize(column) < needed) {
                resizeSection(column, needed);
            }
        }
    }
};

} // namespace

TableView::TableView(QWidget* parent) : QTableView(parent) {
    setHorizontalHeader(new Head(this));
    setShowGrid(false);
    setMouseTracking(true);
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollMode(ScrollPerPixel);
    setTabKeyNavigation(false);
    setWordWrap(false);
    setCornerButtonEnabled(false);
    setSortingEnabled(true);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(size::kRow);
    verticalHeader()->setMinimumSectionSize(size::kRow);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setSectionsMovable(true);
    horizontalHeader()->setMinimumSectionSize(32);
    horizontalHeader()->setFixedHeight(28);
    connect(this, &QTableView::doubleClicked, this,
            [this](const QModelIndex& index) { Q_EMIT rowActivated(index.row()); });
}

void TableView::setModel(QAbstractItemModel* model) {
    disconnect(m_inserted);
    QTableView::setModel(model);
    if (model != nullptr) {
        m_inserted =
            connect(model, &QAbstractItemModel::rowsInserted, this,
                    [this](const QModelIndex&, int first, int last) { holdPlace(first, last); });
    }
}

// Rows that arrive above what is looked at move the scroll bar, not the rows under the eye. At the
// very top, with nothing selected, new rows flow in.
void TableView::holdPlace(int first, int last) {
    QScrollBar* bar = verticalScrollBar();
    const int top = rowAt(0);
    const bool isHeld = bar->value() > 0 || selectionModel()->hasSelection();
    if (isHeld && first <= std::max(top, 0)) {
        const int shift = (last - first + 1) * size::kRow;
        updateGeometries();
        bar->setValue(bar->value() + shift);
    }
}

int TableView::currentRow() const {
    const QModelIndexList rows =
        selectionModel() != nullptr ? selectionModel()->selectedRows() : QModelIndexList();
    return rows.isEmpty() ? -1 : rows.first().row();
}

void TableView::selectShownRow(int row) {
    if (row < 0) {
        clearSelection();
        return;
    }
    selectRow(row);
    scrollTo(model()->index(row, 0));
}

void TableView::setStretchColumn(int column) {
    horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
}

void TableView::openSortMenu() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAccessibleName(tr("Sort by"));
    const QHeaderView* head = horizontalHeader();
    for (int place = 0; place < head->count(); ++place) {
        const int column = head->logicalIndex(place);
        const QString name = model()->headerData(column, Qt::Horizontal).toString();
        if (isColumnHidden(column) || name.isEmpty()) {
            continue;
        }
        const bool isPresent = head->sortIndicatorSection() == column;
        const Qt::SortOrder order = isPresent && head->sortIndicatorOrder() == Qt::DescendingOrder
                                        ? Qt::AscendingOrder
                                        : Qt::DescendingOrder;
        const bool isDown = head->sortIndicatorOrder() == Qt::DescendingOrder;
        QAction* action = menu->addAction(
            isPresent ? name + (isDown ? QStringLiteral(" ↓") : QStringLiteral(" ↑")) : name, this,
            [this, column, order] { sortByColumn(column, order); });
        if (isPresent) {
            menu->setActiveAction(action);
        }
    }
    menu->popup(mapToGlobal(QPoint(8, head->height())));
}

QString TableView::selectedText() const {
    QString text;
    const QModelIndexList rows = selectionModel()->selectedRows();
    for (const QModelIndex& row : rows) {
        QStringList cells;
        for (int i = 0; i < horizontalHeader()->count(); ++i) {
            const int column = horizontalHeader()->logicalIndex(i);
            if (!isColumnHidden(column)) {
                cells << row.siblingAtColumn(column).data().toString();
            }
        }
        text += cells.join(u'\t') + u'\n';
    }
    return text;
}

void TableView::setHovered(int row) {
    if (row != m_hoveredRow) {
        m_hoveredRow = row;
        viewport()->update();
    }
}

void TableView::mouseMoveEvent(QMouseEvent* event) {
    QTableView::mouseMoveEvent(event);
    setHovered(rowAt(event->position().toPoint().y()));
}

void TableView::leaveEvent(QEvent* event) {
    QTableView::leaveEvent(event);
    setHovered(-1);
}

void TableView::keyPressEvent(QKeyEvent* event) {
    const int row = currentRow();
    if (event->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(selectedText());
        return;
    }
    if (event->key() == Qt::Key_S && event->modifiers() == Qt::NoModifier && isSortingEnabled()) {
        openSortMenu();
        return;
    }
    if (row >= 0 && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)) {
        Q_EMIT rowActivated(row);
        return;
    }
    if (row >= 0 && event->key() == Qt::Key_Space) {
        Q_EMIT spacePressed(row);
        return;
    }
    if (row >= 0 && event->key() == Qt::Key_Delete) {
        Q_EMIT deletePressed(row);
        return;
    }
    QTableView::keyPressEvent(event);
}

void TableView::selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) {
    QTableView::selectionChanged(selected, deselected);
    viewport()->update();
    Q_EMIT rowChosen(currentRow());
}

void TableView::paintEvent(QPaintEvent* event) {
    QTableView::paintEvent(event);
    if (hasFocus() && !selectionModel()->hasSelection()) {
        QPainter painter(viewport());
        painter.setPen(QPen(color(ColorRole::Accent), 1));
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void TableDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
    const auto* view = qobject_cast<const TableView*>(option.widget);
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    painter->save();
    painter->setClipRect(option.rect); // delegates are not clipped to their cell
    const std::optional<app::ColorRole> tint = rowTint(index);
    if (isSelected) {
        painter->fillRect(option.rect, color(ColorRole::AccentTint));
    } else if (view != nullptr && view->hoveredRow() == index.row()) {
        painter->fillRect(option.rect, color(ColorRole::Hover));
    } else if (tint) {
        painter->fillRect(option.rect, color(*tint));
    }
    painter->setPen(QPen(color(ColorRole::Line), 0));
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    if (isSelected && view != nullptr && view->hasFocus() &&
        view->columnViewportPosition(index.column()) <= 0) {
        painter->fillRect(QRect(option.rect.left(), option.rect.top(), 2, option.rect.height()),
                          color(ColorRole::Accent));
    }
    paintCell(*painter, option.rect.adjusted(kCellPadding, 0, -kCellPadding, 0), index);
    painter->restore();
}

void TableDelegate::paintCell(QPainter& painter, const QRect& bounds,
                              const QModelIndex& index) const {
    const CellStyle cell = style(index);
    const QFont face = ui::font(type::kControl, cell.isStrong ? QFont::DemiBold : QFont::Normal);
    painter.setFont(face);
    painter.setPen(color(cell.color));
    const auto alignment = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt());
    const QString text =
        QFontMetrics(face).elidedText(index.data().toString(), Qt::ElideRight, bounds.width());
    painter.drawText(bounds, static_cast<int>(alignment), text);
}

TableDelegate::CellStyle TableDelegate::style(const QModelIndex&) const {
    return {};
}

std::optional<app::ColorRole> TableDelegate::rowTint(const QModelIndex&) const {
    return std::nullopt;
}

QSize TableDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QFont face = ui::font(type::kControl, QFont::DemiBold);
    static_cast<void>(option);
    return {QFontMetrics(face).horizontalAdvance(index.data().toString()) + 2 * kCellPadding,
            size::kRow};
}

} // namespace ui
