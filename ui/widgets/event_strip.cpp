#include "ui/widgets/event_strip.h"

#include "app/plot/plot_layout.h"
#include "ui/theme.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/paint.h"

#include <QAbstractListModel>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QShortcut>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

class EventModel final : public QAbstractListModel {
public:
    using QAbstractListModel::QAbstractListModel;

    void setRows(std::vector<EventRow> rows) {
        if (rows == m_rows) {
            return;
        }
        // The same events with newer effects change in place, so that selection and scroll stay.
        const bool isSame =
            std::ranges::equal(rows, m_rows, {}, &EventRow::number, &EventRow::number);
        if (isSame) {
            m_rows = std::move(rows);
            Q_EMIT dataChanged(index(0), index(static_cast<int>(m_rows.size()) - 1));
            return;
        }
        beginResetModel();
        m_rows = std::move(rows);
        endResetModel();
    }
    const EventRow& row(int index) const { return m_rows[static_cast<std::size_t>(index)]; }
    int indexOf(int number) const {
        const auto found = std::ranges::find(m_rows, number, &EventRow::number);
        return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
    }
    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    QVariant data(const QModelIndex& index, int role) const override {
        if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::ToolTipRole)) {
            return {};
        }
        const EventRow& row = m_rows[static_cast<std::size_t>(index.row())];
        const QString text =
            QStringList{QString::number(row.number), app::runTimeText(row.seconds), row.who,
                        row.what, row.effectName + row.effect + row.effectDetail}
                .join(QStringLiteral("  "));
        return text.trimmed();
    }

private:
    std::vector<EventRow> m_rows;
};

namespace {

constexpr int kRowHeight = 24;
constexpr int kRowsShown = 4;
constexpr int kHeadHeight = 34;

class EventDelegate final : public QStyledItemDelegate {
public:
    EventDelegate(const EventModel& model, QObject* parent)
        : QStyledItemDelegate(parent),
          m_model(model) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {200, kRowHeight};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const EventRow& row = m_model.row(index.row());
        painter->save();
        painter->setClipRect(option.rect);
        const QRectF bounds(option.rect);
        const bool isSelected = (option.state & QStyle::State_Selected) != 0;
        const bool isHovered = (option.state & QStyle::State_MouseOver) != 0;
        if (isSelected || isHovered) {
            painter->fillRect(bounds, color(isSelected ? ColorRole::AccentTint : ColorRole::Hover));
        }
        painter->fillRect(QRectF(bounds.left(), bounds.top(), bounds.width(), 1),
                          color(ColorRole::Line));
        paintPin(*painter, QRectF(bounds.left() + 12, bounds.center().y() - 7.5, 15, 15), row);
        const QFont plain = font(type::kControl);
        const QFont strong = font(type::kControl, QFont::DemiBold);
        const QColor text1 = color(ColorRole::Text1);
        const QColor text2 = color(ColorRole::Text2);
        QRectF cell = bounds;
        cell.setLeft(bounds.left() + 40);
        paintText(*painter, cell, app::runTimeText(row.seconds), plain, text2);
        cell.setLeft(bounds.left() + 88);
        cell.setWidth(74);
        paintText(*painter, cell, row.who, plain, text2);
        const double right = bounds.right() - 90; // the verdict's column
        const double effectLeft = bounds.left() + 0.58 * bounds.width();
        cell = QRectF(bounds.left() + 176, bounds.top(), effectLeft - bounds.left() - 188,
                      bounds.height());
        paintText(*painter, cell, row.what, font(type::kControl, QFont::Medium), text1);
        cell.setLeft(effectLeft);
        cell.setRight(right);
        if (row.effect.isEmpty()) {
            paintText(*painter, cell, QStringLiteral("—"), plain, color(ColorRole::Text3));
        } else {
            cell.setLeft(cell.left() + paintText(*painter, cell, row.effectName, plain, text2));
            cell.setLeft(cell.left() + paintText(*painter, cell, row.effect, strong, text1));
            paintText(*painter, cell, row.effectDetail, plain, text2);
        }
        if (row.verdict != app::Verdict::None) {
            const VerdictLook look = verdictLook(row.verdict);
            const int width = tagWidth(look.text, !look.iconName.isEmpty());
            paintTag(*painter, QPointF(bounds.right() - 12 - width, bounds.center().y()), look.text,
                     look.tone, look.iconName);
        }
        painter->restore();
    }

private:
    static void paintPin(QPainter& painter, const QRectF& box, const EventRow& row) {
        if (row.number <= 0) { // a line on the charts without a pin
            painter.setPen(Qt::NoPen);
            painter.setBrush(color(app::markerColor(row.kind)));
            painter.drawEllipse(box.center(), 2.5, 2.5);
            return;
        }
        const QString number = QString::number(row.number);
        const QFont pin = font(10, QFont::DemiBold);
        QRectF bounds = box;
        bounds.setWidth(std::max(box.width(), textWidth(pin, number) + 7));
        paintBox(painter, bounds, color(app::markerColor(row.kind)), Qt::transparent, radius::kPin);
        paintText(painter, bounds, number, pin, color(ColorRole::Card), Qt::AlignCenter);
    }

    const EventModel& m_model;
};

} // namespace

EventStrip::EventStrip(QWidget* parent) : QFrame(parent) {
    setSurface(this, Surface::Card);
    setFixedHeight(kHeadHeight + kRowsShown * kRowHeight + 4);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(1, 1, 1, 3);
    layout->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 0, 12, 0);
    head->setSpacing(8);
    m_title = makeLabel({}, TextRole::CardTitle, this);
    m_count = makeLabel({}, TextRole::Caption, this);
    head->addWidget(m_title);
    head->addWidget(m_count);
    head->addStretch();
    for (const QString& key : {QStringLiteral(","), QStringLiteral(".")}) {
        auto* badge = new QLabel(key, this);
        setSheetProperty(badge, "badge", QStringLiteral("key"));
        badge->setFixedHeight(18);
        head->addWidget(badge, 0, Qt::AlignVCenter);
    }
    auto* headBox = new QWidget(this);
    headBox->setFixedHeight(kHeadHeight - 1);
    headBox->setLayout(head);
    layout->addWidget(headBox);
    m_model = new EventModel(this);
    m_list = new QListView(this);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new EventDelegate(*m_model, m_list));
    m_list->setUniformItemSizes(true);
    m_list->setMouseTracking(true);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setSheetProperty(m_list, "plain", true);
    layout->addWidget(m_list, 1);
    const auto activate = [this](const QModelIndex& index) {
        Q_EMIT activated(m_model->row(index.row()).number);
    };
    connect(m_list, &QListView::clicked, this, activate);
    connect(m_list, &QListView::activated, this, activate);
    connect(m_list, &QListView::customContextMenuRequested, this, &EventStrip::openMenu);
    const auto split = [this](const QModelIndex& index) {
        if (m_canSplit && index.isValid()) {
            Q_EMIT splitRequested(m_model->row(index.row()).number);
        }
    };
    connect(m_list, &QListView::doubleClicked, this, split);
    auto* cut = new QShortcut(Qt::Key_X, m_list);
    cut->setContext(Qt::WidgetShortcut);
    connect(cut, &QShortcut::activated, this, [this, split] { split(m_list->currentIndex()); });
    auto* remove = new QShortcut(QKeySequence::Delete, m_list);
    remove->setContext(Qt::WidgetShortcut);
    connect(remove, &QShortcut::activated, this, [this] {
        const QModelIndex index = m_list->currentIndex();
        if (index.isValid() && m_model->row(index.row()).isBookmark) {
            Q_EMIT removeRequested(m_model->row(index.row()).number);
        }
    });
    retranslate();
}

void EventStrip::setRows(std::vector<EventRow> rows) {
    const bool isNew = static_cast<int>(rows.size()) != m_model->rowCount();
    m_model->setRows(std::move(rows));
    if (isNew) {
        retranslate();
    }
}

void EventStrip::setNote(const QString& note) {
    if (note != m_note) {
        m_note = note;
        retranslate();
    }
}

void EventStrip::setCurrent(int number) {
    const int row = m_model->indexOf(number);
    if (row >= 0) {
        m_list->setCurrentIndex(m_model->index(row));
    }
}

QWidget* EventStrip::list() const {
    return m_list;
}

void EventStrip::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    QFrame::changeEvent(event);
}

void EventStrip::retranslate() {
    m_title->setText(tr("Events"));
    QString count = m_model->rowCount() == 0 ? tr("None yet: settings, stages and alarms show here")
                                             : tr("All %n event(s)", nullptr, m_model->rowCount());
    if (!m_note.isEmpty()) {
        count = tr("%n event(s)", nullptr, m_model->rowCount()) + QLatin1Char(' ') + m_note;
    }
    m_count->setText(count);
    m_list->setAccessibleName(tr("Events"));
}

void EventStrip::openMenu(const QPoint& position) {
    // The menu key gives the middle of the list: there the current row is meant.
    const QModelIndex under = m_list->indexAt(position);
    const QModelIndex index = under.isValid() ? under : m_list->currentIndex();
    if (!index.isValid()) {
        return;
    }
    const EventRow row = m_model->row(index.row());
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setAttribute(Qt::WA_TranslucentBackground);
    menu->setWindowFlags(menu->windowFlags() | Qt::FramelessWindowHint |
                         Qt::NoDropShadowWindowHint);
    menu->addAction(tr("Go there"), this, [this, row] { Q_EMIT activated(row.number); });
    menu->addAction(tr("Copy the row"), this,
                    [text = index.data().toString()] { QApplication::clipboard()->setText(text); });
    if (m_canSplit) {
        menu->addAction(tr("Compare before and after"), this,
                        [this, row] { Q_EMIT splitRequested(row.number); });
    }
    if (row.canUndo) {
        menu->addAction(tr("Undo this change"), this,
                        [this, row] { Q_EMIT undoRequested(row.number); });
    }
    if (row.isBookmark) {
        menu->addAction(tr("Remove the bookmark"), this,
                        [this, row] { Q_EMIT removeRequested(row.number); });
    }
    menu->popup(m_list->viewport()->mapToGlobal(position));
}

} // namespace ui
