// Rows of values as an item model with typed columns; sorts and filters by value over an index of
// its own, so that millions of rows cost no item each. UI thread.
#pragma once

#include <QAbstractTableModel>
#include <QCollator>
#include <QString>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace ui {

// A column: what its head and its cells say, and what it sorts by.
template <class Row>
struct Column {
    using Text = std::function<QString(const Row&)>;

    Column(std::function<QString()> titleText, Text cellText)
        : title(std::move(titleText)),
          text(std::move(cellText)) {}
    // Without a key a column sorts by its text. NaN sorts behind every number.
    Column& sortedBy(std::function<double(const Row&)> number) {
        key = std::move(number);
        return *this;
    }
    Column& withToolTip(Text tip) {
        toolTip = std::move(tip);
        return *this;
    }
    Column& checkedWhere(std::function<std::optional<bool>(const Row&)> state) {
        isChecked = std::move(state);
        return *this;
    }
    Column& atRight() {
        alignment = Qt::AlignRight;
        return *this;
    }
    Column& wide(int pixels) {
        width = pixels;
        return *this;
    }

    std::function<QString()> title; // translated anew at every call
    Text text;
    std::function<double(const Row&)> key;
    Text toolTip;
    std::function<std::optional<bool>(const Row&)> isChecked;
    Qt::Alignment alignment = Qt::AlignLeft;
    int width = 90; // a start value for the header
};

template <class Row>
class TableModel : public QAbstractTableModel {
public:
    explicit TableModel(std::vector<Column<Row>> columns, QObject* parent = nullptr)
        : QAbstractTableModel(parent),
          m_columns(std::move(columns)) {}

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_order.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
    }
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation,
                        int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

    const Column<Row>& column(int section) const {
        return m_columns[static_cast<std::size_t>(section)];
    }
    // The row shown at a position.
    const Row& rowAt(int shown) const { return row(m_order[static_cast<std::size_t>(shown)]); }
    // Every row in order of arrival, filtered or not.
    const std::deque<Row>& rows() const { return m_rows; }
    // Where the first row that satisfies the condition is shown; -1 where it is hidden or absent.
    template <class Condition>
    int shownWhere(Condition condition) const;

    void setRows(std::vector<Row> rows);
    void clear() { setRows({}); }
    // New rows take their places in the order; selections stay on their rows.
    void append(std::vector<Row> rows);
    // Forgets the rows that came first.
    void dropOldest(std::size_t count);
    // Replaces rows that satisfy the condition by what `change` makes of them, places kept.
    template <class Condition, class Change>
    void change(Condition condition, Change change);
    // An empty function shows everything.
    void setFilter(std::function<bool(const Row&)> filter);
    // After a language or theme change: all texts are asked for again.
    void retranslate();

private:
    using Id = std::uint64_t; // of a row since the model was made

    const Row& row(Id id) const { return m_rows[static_cast<std::size_t>(id - m_first)]; }
    bool isBefore(Id a, Id b) const;
    void sortIds(std::vector<Id>& ids) const;
    std::vector<Id> visibleIds(Id from) const;
    void rearrange();

    std::vector<Column<Row>> m_columns;
    std::deque<Row> m_rows;
    Id m_first = 0;          // of m_rows.front()
    std::vector<Id> m_order; // what is shown, top first
    std::function<bool(const Row&)> m_filter;
    int m_sortColumn = -1; // -1: order of arrival
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

template <class Row>
QVariant TableModel<Row>::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount()) {
        return {};
    }
    const Column<Row>& column = m_columns[static_cast<std::size_t>(index.column())];
    const Row& value = rowAt(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return column.text ? QVariant(column.text(value)) : QVariant();
    case Qt::ToolTipRole:
        return column.toolTip ? QVariant(column.toolTip(value)) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(column.alignment | Qt::AlignVCenter);
    case Qt::CheckStateRole:
        if (column.isChecked) {
            if (const std::optional<bool> isChecked = column.isChecked(value)) {
                return *isChecked ? Qt::Checked : Qt::Unchecked;
            }
        }
        return {};
    default:
        return {};
    }
}

template <class Row>
QVariant TableModel<Row>::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) {
        return {};
    }
    const Column<Row>& column = m_columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) {
        return column.title ? QVariant(column.title()) : QVariant();
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(column.alignment | Qt::AlignVCenter);
    }
    return {};
}

template <class Row>
Qt::ItemFlags TableModel<Row>::flags(const QModelIndex& index) const {
    return index.isValid() ? Qt::ItemIsSelectable | Qt::ItemIsEnabled | Qt::ItemNeverHasChildren
                           : Qt::NoItemFlags;
}

template <class Row>
bool TableModel<Row>::isBefore(Id a, Id b) const {
    if (m_sortColumn < 0) {
        return a < b;
    }
    const Column<Row>& column = m_columns[static_cast<std::size_t>(m_sortColumn)];
    const bool isDescending = m_sortOrder == Qt::DescendingOrder;
    if (column.key) {
        const double keyA = column.key(row(a)), keyB = column.key(row(b));
        if (std::isnan(keyA) || std::isnan(keyB)) {
            return std::isnan(keyA) == std::isnan(keyB) ? a < b : std::isnan(keyB);
        }
        if (keyA != keyB) {
            return isDescending ? keyA > keyB : keyA < keyB;
        }
    } else if (column.text) {
        const int compared = column.text(row(a)).localeAwareCompare(column.text(row(b)));
        if (compared != 0) {
            return isDescending ? compared > 0 : compared < 0;
        }
    }
    return isDescending ? a > b : a < b;
}

template <class Row>
void TableModel<Row>::sortIds(std::vector<Id>& ids) const {
    const auto* column =
        m_sortColumn < 0 ? nullptr : &m_columns[static_cast<std::size_t>(m_sortColumn)];
    if (column == nullptr || !column->key) {
        std::ranges::sort(ids, [this](Id a, Id b) { return isBefore(a, b); });
        return;
    }
    // The keys are taken once: a million rows sort in a fraction of a second.
    struct Keyed {
        double key;
        Id id;
    };
    std::vector<Keyed> keyed;
    keyed.reserve(ids.size());
    for (const Id id : ids) {
        keyed.push_back({column->key(row(id)), id});
    }
    const bool isDescending = m_sortOrder == Qt::DescendingOrder;
    std::ranges::sort(keyed, [isDescending](const Keyed& a, const Keyed& b) {
        if (std::isnan(a.key) || std::isnan(b.key)) {
            return std::isnan(a.key) == std::isnan(b.key) ? a.id < b.id : std::isnan(b.key);
        }
        if (a.key != b.key) {
            return isDescending ? a.key > b.key : a.key < b.key;
        }
        return isDescending ? a.id > b.id : a.id < b.id;
    });
    std::ranges::transform(keyed, ids.begin(), &Keyed::id);
}

template <class Row>
auto TableModel<Row>::visibleIds(Id from) const -> std::vector<Id> {
    std::vector<Id> ids;
    for (Id id = from; id < m_first + m_rows.size(); ++id) {
        if (!m_filter || m_filter(row(id))) {
            ids.push_back(id);
        }
    }
    return ids;
}

template <class Row>
void TableModel<Row>::rearrange() {
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    std::vector<Id> ids;
    for (const QModelIndex& index : before) {
        ids.push_back(m_order[static_cast<std::size_t>(index.row())]);
    }
    sortIds(m_order);
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i) {
        const auto place = std::ranges::find(m_order, ids[static_cast<std::size_t>(i)]);
        after.push_back(index(static_cast<int>(place - m_order.begin()), before[i].column()));
    }
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

template <class Row>
void TableModel<Row>::sort(int column, Qt::SortOrder order) {
    m_sortColumn = column < columnCount() ? column : -1;
    m_sortOrder = order;
    rearrange();
}

template <class Row>
void TableModel<Row>::setRows(std::vector<Row> rows) {
    beginResetModel();
    m_first += m_rows.size();
    m_rows.assign(std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
    m_order = visibleIds(m_first);
    sortIds(m_order);
    endResetModel();
}

template <class Row>
void TableModel<Row>::append(std::vector<Row> rows) {
    const Id from = m_first + m_rows.size();
    std::move(rows.begin(), rows.end(), std::back_inserter(m_rows));
    std::vector<Id> added = visibleIds(from);
    sortIds(added);
    // Neighbours among the new rows that fall between the same two old ones go in together. From
    // the end, so that places found stay right.
    std::size_t end = added.size();
    while (end > 0) {
        const auto place = std::upper_bound(m_order.begin(), m_order.end(), added[end - 1],
                                            [this](Id a, Id b) { return isBefore(a, b); });
        std::size_t begin = end - 1;
        while (begin > 0 &&
               (place == m_order.begin() || isBefore(*(place - 1), added[begin - 1]))) {
            --begin;
        }
        const auto at = place - m_order.begin();
        beginInsertRows({}, static_cast<int>(at),
                        static_cast<int>(at + static_cast<std::ptrdiff_t>(end - begin) - 1));
        m_order.insert(place, added.begin() + static_cast<std::ptrdiff_t>(begin),
                       added.begin() + static_cast<std::ptrdiff_t>(end));
        endInsertRows();
        end = begin;
    }
}

template <class Row>
void TableModel<Row>::dropOldest(std::size_t count) {
    const Id bound = m_first + std::min(count, m_rows.size());
    for (std::size_t end = m_order.size(); end > 0;) {
        if (m_order[end - 1] >= bound) {
            --end;
            continue;
        }
        std::size_t begin = end - 1;
        while (begin > 0 && m_order[begin - 1] < bound) {
            --begin;
        }
        beginRemoveRows({}, static_cast<int>(begin), static_cast<int>(end - 1));
        m_order.erase(m_order.begin() + static_cast<std::ptrdiff_t>(begin),
                      m_order.begin() + static_cast<std::ptrdiff_t>(end));
        endRemoveRows();
        end = begin;
    }
    m_rows.erase(m_rows.begin(), m_rows.begin() + static_cast<std::ptrdiff_t>(bound - m_first));
    m_first = bound;
}

template <class Row>
template <class Condition>
int TableModel<Row>::shownWhere(Condition condition) const {
    const auto place = std::ranges::find_if(m_order, [&](Id id) { return condition(row(id)); });
    return place == m_order.end() ? -1 : static_cast<int>(place - m_order.begin());
}

template <class Row>
template <class Condition, class Change>
void TableModel<Row>::change(Condition condition, Change change) {
    for (Row& value : m_rows) {
        if (condition(std::as_const(value))) {
            change(value);
        }
    }
    if (!m_order.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

template <class Row>
void TableModel<Row>::setFilter(std::function<bool(const Row&)> filter) {
    beginResetModel();
    m_filter = std::move(filter);
    m_order = visibleIds(m_first);
    sortIds(m_order);
    endResetModel();
}

template <class Row>
void TableModel<Row>::retranslate() {
    if (columnCount() > 0) {
        Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    }
    if (!m_order.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

} // namespace ui
