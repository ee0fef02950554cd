#include "ui/command_palette.h"

#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/paint.h"

#include <QEvent>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

enum Role { kIndexRole = Qt::UserRole, kValueRole, kKeysRole };

class CommandDelegate final : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {100, 30};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        painter->save();
        painter->setClipRect(option.rect);
        const QRectF row = QRectF(option.rect).adjusted(6, 1, -6, -1);
        const bool isCurrent = (option.state & QStyle::State_Selected) != 0;
        if (isCurrent) {
            paintBox(*painter, row, color(ColorRole::AccentTint), Qt::transparent, radius::kChip);
        }
        const QRectF inner = row.adjusted(10, 0, -10, 0);
        double right = inner.right();
        if (const QString keys = index.data(kKeysRole).toString(); !keys.isEmpty()) {
            const double width = textWidth(font(type::kCaption), keys) + 10;
            const QRectF key(right - width, row.center().y() - 9, width, 18);
            paintBox(*painter, key, Qt::transparent, color(ColorRole::LineStrong), radius::kPin);
            paintText(*painter, key, keys, font(type::kCaption), color(ColorRole::Text2),
                      Qt::AlignCenter);
            right = key.left() - 10;
        }
        const double used = paintText(
            *painter, QRectF(inner.left(), inner.top(), right - inner.left(), inner.height()),
            index.data().toString(), font(type::kControl, QFont::Medium),
            color(isCurrent ? ColorRole::Accent : ColorRole::Text1));
        const double left = inner.left() + used + 10;
        paintText(*painter, QRectF(left, inner.top(), std::max(0.0, right - left), inner.height()),
                  index.data(kValueRole).toString(), font(type::kControl), color(ColorRole::Text3));
        painter->restore();
    }
};

bool isWordStart(const QString& text, qsizetype at) {
    return at == 0 || !text.at(at - 1).isLetterOrNumber() ||
           (text.at(at).isUpper() && text.at(at - 1).isLower());
}

} // namespace

int matchScore(const QString& query, const QString& text) {
    int score = 1;
    qsizetype at = 0;
    qsizetype previous = -2;
    for (const QChar wanted : query) {
        if (wanted.isSpace()) {
            continue;
        }
        qsizetype found = -1;
        // The start of a word is worth a longer way than the next best letter.
        for (qsizetype k = at; k < text.size(); ++k) {
            if (text.at(k).toCaseFolded() != wanted.toCaseFolded()) {
                continue;
            }
            if (found < 0) {
                found = k;
            }
            if (k == previous + 1 || isWordStart(text, k)) {
                found = k;
                break;
            }
        }
        if (found < 0) {
            return 0;
        }
        score += found == previous + 1 ? 4 : 0;
        score += isWordStart(text, found) ? 6 : 1;
        previous = found;
        at = found + 1;
    }
    return score;
}

CommandPalette::CommandPalette(QWidget* window, std::function<std::vector<PageAction>()> commands)
    : OverlayCard(window),
      m_source(std::move(commands)) {
    auto* layout = new QVBoxLayout(card());
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    m_query = new QLineEdit(this);
    m_query->addAction(icon(QStringLiteral("search"), ColorRole::Text3),
                       QLineEdit::LeadingPosition);
    m_query->installEventFilter(this);
    layout->addWidget(m_query);
    m_list = new QListView(this);
    m_list->setItemDelegate(new CommandDelegate(m_list));
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setUniformItemSizes(true);
    setSheetProperty(m_list, "plain", true);
    layout->addWidget(m_list);
    m_model = new QStandardItemModel(this);
    m_list->setModel(m_model);
    connect(m_query, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_list, &QListView::clicked, this, &CommandPalette::runCurrent);
    retranslate();
}

QSize CommandPalette::cardSize(QSize window) const {
    return {std::min(560, window.width() - 40), std::min(420, window.height() - 120)};
}

int CommandPalette::cardTop(QSize window) const {
    return std::min(72, window.height() / 10);
}

QWidget* CommandPalette::firstFocus() {
    return m_query;
}

void CommandPalette::prepare() {
    m_commands = m_source();
    m_query->clear();
    filter();
}

bool CommandPalette::eventFilter(QObject* object, QEvent* event) {
    if (object == m_query && event->type() == QEvent::KeyPress) {
        switch (static_cast<QKeyEvent*>(event)->key()) {
        case Qt::Key_Down:
            moveBy(1);
            return true;
        case Qt::Key_Up:
            moveBy(-1);
            return true;
        case Qt::Key_PageDown:
            moveBy(10);
            return true;
        case Qt::Key_PageUp:
            moveBy(-10);
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            runCurrent();
            return true;
        case Qt::Key_Escape:
            close();
            return true;
        default:
            break;
        }
    }
    return OverlayCard::eventFilter(object, event);
}

void CommandPalette::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
    OverlayCard::changeEvent(event);
}

void CommandPalette::filter() {
    struct Hit {
        int score;
        std::size_t index;
    };
    std::vector<Hit> hits;
    for (std::size_t index = 0; index < m_commands.size(); ++index) {
        const int score = matchScore(m_query->text(), m_commands[index].text);
        if (score > 0) {
            hits.push_back({score, index});
        }
    }
    std::ranges::stable_sort(hits, std::greater{}, &Hit::score);
    m_model->clear();
    for (const Hit& hit : hits) {
        const PageAction& command = m_commands[hit.index];
        auto* item = new QStandardItem(command.text);
        item->setData(static_cast<qulonglong>(hit.index), kIndexRole);
        item->setData(command.value, kValueRole);
        item->setData(command.keys, kKeysRole);
        item->setData(command.value.isEmpty() ? command.text
                                              : command.text + QStringLiteral(", ") + command.value,
                      Qt::AccessibleTextRole);
        m_model->appendRow(item);
    }
    moveBy(0);
}

void CommandPalette::runCurrent() {
    const QModelIndex current = m_list->currentIndex();
    if (!current.isValid()) {
        return;
    }
    const auto run = m_commands[current.data(kIndexRole).toULongLong()].run;
    close(); // first, so that the focus is where the command expects it
    run();
}

void CommandPalette::moveBy(int rows) {
    const int count = m_model->rowCount();
    if (count > 0) {
        const int row = std::clamp(m_list->currentIndex().row() + rows, 0, count - 1);
        m_list->setCurrentIndex(m_model->index(row, 0));
    }
}

void CommandPalette::retranslate() {
    m_query->setPlaceholderText(tr("Search or run a command"));
    m_query->setAccessibleName(tr("Command"));
    m_list->setAccessibleName(tr("Commands"));
}

} // namespace ui
