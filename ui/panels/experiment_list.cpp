#include "ui/panels/experiment_list.h"

#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/claim_scale.h"
#include "ui/widgets/paint.h"

#include <QPainter>
#include <QStyledItemDelegate>

namespace ui {

namespace {

constexpr int kEntryRole = Qt::UserRole; // index into the entries; -1: a head
constexpr int kEntryHeight = 42, kHeadHeight = 30;

class EntryDelegate final : public QStyledItemDelegate {
public:
    explicit EntryDelegate(const ExperimentList& list)
        : QStyledItemDelegate(nullptr),
          m_list(list) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const override {
        return {100, index.data(kEntryRole).toInt() < 0 ? kHeadHeight : kEntryHeight};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const QRectF bounds = QRectF(option.rect).adjusted(0, 1, 0, -1);
        const int number = index.data(kEntryRole).toInt();
        painter->save();
        if (number < 0) {
            paintText(*painter, bounds.adjusted(12, 8, -8, 0), index.data().toString(),
                      ui::font(type::kControl, QFont::DemiBold), color(ColorRole::Text3));
        } else {
            const bool isSelected = option.state.testFlag(QStyle::State_Selected);
            const bool isHovered = option.state.testFlag(QStyle::State_MouseOver);
            if (isSelected || isHovered) {
                paintBox(*painter, bounds,
                         color(isSelected ? ColorRole::AccentTint : ColorRole::Hover),
                         Qt::transparent, radius::kField);
            }
            if (isSelected && m_list.hasFocus()) {
                paintFocusRing(*painter, bounds, radius::kField);
            }
            paintEntry(*painter, bounds, m_list.entries()[std::size_t(number)], isSelected);
        }
        painter->restore();
    }

private:
    static void paintEntry(QPainter& painter, const QRectF& bounds, const ExperimentEntry& entry,
                           bool isSelected) {
        const double right = entry.verdict ? 30 : 8;
        const ColorRole role = isSelected    ? ColorRole::Accent
                               : entry.isDim ? ColorRole::Text3
                                             : ColorRole::Text1;
        paintText(painter,
                  QRectF(bounds.left() + 12, bounds.top() + 4, bounds.width() - 12 - right, 17),
                  entry.title, ui::font(type::kControl, QFont::DemiBold), color(role));
        paintText(painter,
                  QRectF(bounds.left() + 12, bounds.top() + 20, bounds.width() - 12 - right, 16),
                  entry.caption, ui::font(type::kCaption), color(ColorRole::Text3));
        if (entry.verdict) {
            const VerdictLook look = claimLook(*entry.verdict);
            if (!look.iconName.isEmpty()) {
                paintIcon(painter, look.iconName,
                          QRectF(bounds.right() - 24, bounds.center().y() - 7, 14, 14),
                          toneColors(look.tone).text);
            }
        }
    }

    const ExperimentList& m_list;
};

} // namespace

ExperimentList::ExperimentList(QWidget* parent) : QListWidget(parent) {
    auto* delegate = new EntryDelegate(*this);
    delegate->setParent(this);
    setItemDelegate(delegate);
    setFrameShape(QFrame::NoFrame);
    setMouseTracking(true);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setStyleSheet(QStringLiteral("QListWidget { background: transparent; border: none; }"));
    connect(this, &QListWidget::currentItemChanged, this, [this](QListWidgetItem* current) {
        if (current != nullptr && current->data(kEntryRole).toInt() >= 0) {
            Q_EMIT entryChosen();
        }
    });
}

void ExperimentList::setEntries(std::vector<ExperimentEntry> entries) {
    const auto before = chosen();
    m_entries = std::move(entries);
    fill();
    if (before) {
        const QSignalBlocker blocker(this);
        choose(before->kind, before->index);
    }
}

void ExperimentList::setFilter(const QString& text) {
    m_filter = text;
    setEntries(std::move(m_entries));
}

void ExperimentList::fill() {
    const QSignalBlocker blocker(this);
    clear();
    const std::pair<ExperimentKind, QString> groups[] = {{ExperimentKind::Finished, tr("Finished")},
                                                         {ExperimentKind::Foreign, m_foreignName},
                                                         {ExperimentKind::Library, tr("Library")},
                                                         {ExperimentKind::Own, tr("Own")}};
    for (const auto& [kind, name] : groups) {
        bool hasHead = false;
        for (std::size_t i = 0; i < m_entries.size(); ++i) {
            const ExperimentEntry& entry = m_entries[i];
            if (entry.kind != kind || !entry.title.contains(m_filter, Qt::CaseInsensitive)) {
                continue;
            }
            if (!hasHead) {
                hasHead = true;
                auto* head = new QListWidgetItem(name, this);
                head->setFlags(Qt::NoItemFlags);
                head->setData(kEntryRole, -1);
            }
            auto* item = new QListWidgetItem(entry.title, this);
            item->setData(kEntryRole, static_cast<int>(i));
            item->setToolTip(entry.title + QLatin1Char('\n') + entry.caption);
            item->setData(Qt::AccessibleDescriptionRole, entry.caption);
        }
    }
}

void ExperimentList::choose(ExperimentKind kind, std::size_t index) {
    for (int row = 0; row < count(); ++row) {
        const int number = item(row)->data(kEntryRole).toInt();
        if (number >= 0 && m_entries[std::size_t(number)].kind == kind &&
            m_entries[std::size_t(number)].index == index) {
            setCurrentRow(row);
            return;
        }
    }
}

std::optional<ExperimentEntry> ExperimentList::chosen() const {
    const QListWidgetItem* current = currentItem();
    const int number = current != nullptr ? current->data(kEntryRole).toInt() : -1;
    return number >= 0 && std::size_t(number) < m_entries.size()
               ? std::optional(m_entries[std::size_t(number)])
               : std::nullopt;
}

} // namespace ui
