#include "ui/pages/help_page.h"

#include "app/definitions.h"
#include "ui/icons.h"
#include "ui/theme.h"

#include <QEvent>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QShortcut>
#include <QTimer>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr int kTextWidth = 860; // longer lines are hard to read
constexpr int kTwoColumnsFrom = 1180;

QString plain(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

HelpPage::HelpPage(app::Session& session, QWidget* parent) : Page(parent) {
    static_cast<void>(session); // the texts are the same for every engine
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(24, 20, 24, 0);
    column->setSpacing(8);
    m_heading = makeLabel({}, TextRole::PageTitle, this);
    m_lead = makeLabel({}, TextRole::Small, this);
    m_lead->setWordWrap(true);
    m_lead->setMaximumWidth(kTextWidth);
    column->addWidget(m_heading);
    column->addWidget(m_lead);
    auto* bar = new QHBoxLayout;
    bar->setSpacing(8);
    m_filter = new QLineEdit(this);
    m_filter->addAction(icon(QStringLiteral("search"), ColorRole::Text3),
                        QLineEdit::LeadingPosition);
    m_filter->setClearButtonEnabled(true);
    m_filter->setFixedWidth(320);
    m_keys = makeButton({}, ButtonKind::Normal, this);
    m_keys->setIcon(icon(QStringLiteral("keyboard")));
    bar->addWidget(m_filter);
    bar->addWidget(m_keys);
    bar->addStretch(1);
    column->addLayout(bar);
    m_scroll = new QScrollArea(this);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    // The width is limited around the list, not at each card: else heights are those of lines as
    // wide as the window.
    auto* outside = new QWidget;
    auto* row = new QHBoxLayout(outside);
    row->setContentsMargins(0, 0, 0, 0);
    auto* content = new QWidget(outside);
    row->addWidget(content, 100);
    row->addStretch(1);
    auto* list = new QHBoxLayout(content);
    list->setContentsMargins(0, 4, 0, 20);
    list->setSpacing(space::kBetweenCards);
    for (QVBoxLayout*& each : m_columns) {
        each = new QVBoxLayout;
        each->setSpacing(space::kBetweenCards);
        list->addLayout(each, 1);
    }
    for (const app::Definition& definition : app::definitions()) {
        addEntry(definition, content);
    }
    m_empty = makeLabel({}, TextRole::Muted, content);
    m_content = content;
    placeEntries();
    m_scroll->setWidget(outside);
    column->addWidget(m_scroll, 1);
    connect(m_filter, &QLineEdit::textChanged, this, &HelpPage::applyFilter);
    connect(m_keys, &QPushButton::clicked, this, &HelpPage::keysRequested);
    for (const QKeySequence& keys :
         {QKeySequence(Qt::Key_Slash), QKeySequence(QKeySequence::Find)}) {
        auto* find = new QShortcut(keys, this);
        find->setContext(Qt::WidgetWithChildrenShortcut);
        connect(find, &QShortcut::activated, m_filter, qOverload<>(&QWidget::setFocus));
    }
    retranslate();
}

void HelpPage::addEntry(const app::Definition& definition, QWidget* content) {
    Entry entry{.definition = &definition};
    auto* card = new QFrame(content);
    setSurface(card, Surface::Card);
    auto* body = new QVBoxLayout(card);
    body->setContentsMargins(16, 12, 16, 12);
    body->setSpacing(5);
    entry.card = card;
    entry.name = makeLabel({}, TextRole::CardTitle, card);
    entry.formula = makeLabel({}, TextRole::Body, card);
    setSheetProperty(entry.formula, "formula", true);
    entry.meaning = makeLabel({}, TextRole::Small, card);
    entry.elsewhere = makeLabel({}, TextRole::Caption, card);
    for (QLabel* label : {entry.name, entry.formula, entry.meaning, entry.elsewhere}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        body->addWidget(label);
    }
    m_entries.push_back(entry);
}

QString HelpPage::title() const {
    return tr("Help");
}

QWidget* HelpPage::firstFocus() {
    return m_filter;
}

QList<KeyHint> HelpPage::keys() const {
    return {{QStringLiteral("/"), tr("Search the definitions")}};
}

QList<PageAction> HelpPage::actions() {
    QList<PageAction> result;
    for (const Entry& entry : m_entries) {
        const QString key = plain(entry.definition->key);
        result.append({.text = tr("What is: %1").arg(entry.name->text()),
                       .value = {},
                       .keys = {},
                       .run = [this, key] { openArgument(key); }});
    }
    return result;
}

QStringList HelpPage::shown() const {
    QStringList keys;
    for (const Entry& entry : m_entries) {
        if (!entry.card->isHidden()) {
            keys << plain(entry.definition->key);
        }
    }
    return keys;
}

void HelpPage::openArgument(const QString& argument) {
    const app::Definition* definition = app::findDefinition(argument.toStdString());
    if (definition == nullptr) {
        return;
    }
    m_filter->clear();
    mark(plain(definition->key));
}

// The one that was asked for has the accent's border, and comes to the top.
void HelpPage::mark(const QString& key) {
    m_current = key;
    for (const Entry& entry : m_entries) {
        const bool isIt = plain(entry.definition->key) == key;
        setSheetProperty(entry.card, "lit", isIt);
        if (isIt) {
            // Once the layout has its heights.
            QTimer::singleShot(0, this, [this, card = entry.card] {
                m_scroll->ensureWidgetVisible(card, 0, m_scroll->height() / 3);
            });
        }
    }
}

// One column, or two where both keep lines of a readable length; the order goes down, then right.
void HelpPage::placeEntries() {
    const int columns = width() >= kTwoColumnsFrom ? 2 : 1;
    if (columns == m_columnCount) {
        return;
    }
    m_columnCount = columns;
    m_content->setMaximumWidth(columns * kTextWidth);
    for (QVBoxLayout* column : m_columns) {
        while (QLayoutItem* item = column->takeAt(0)) {
            delete item; // the card stays with the content
        }
    }
    const std::size_t half = (m_entries.size() + 1) / 2;
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        m_columns[columns == 2 && i >= half ? 1 : 0]->addWidget(m_entries[i].card);
    }
    m_columns[0]->addWidget(m_empty);
    static_cast<QHBoxLayout*>(m_content->layout())->setStretch(1, columns - 1);
    for (int column = 0; column < columns; ++column) {
        m_columns[static_cast<std::size_t>(column)]->addStretch(1);
    }
}

void HelpPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    placeEntries();
}

void HelpPage::applyFilter() {
    const QString text = m_filter->text().trimmed();
    bool hasAny = false;
    for (const Entry& entry : m_entries) {
        bool matches = text.isEmpty();
        for (const QLabel* label : {entry.name, entry.formula, entry.meaning, entry.elsewhere}) {
            matches = matches || label->text().contains(text, Qt::CaseInsensitive);
        }
        matches = matches || plain(entry.definition->key).contains(text, Qt::CaseInsensitive);
        entry.card->setVisible(matches);
        hasAny = hasAny || matches;
    }
    m_empty->setVisible(!hasAny);
}

void HelpPage::retranslate() {
    m_heading->setText(tr("Help: what every figure means"));
    m_lead->setText(tr("F1 leads from a tile, chart or table to its definition. The names of "
                       "stamps (scheduled, received, firstVisible …) are those of exports."));
    m_filter->setPlaceholderText(tr("Search figures, formulas, other tools"));
    m_filter->setAccessibleName(m_filter->placeholderText());
    m_scroll->setAccessibleName(tr("Definitions"));
    m_keys->setText(tr("Keys"));
    m_keys->setToolTip(tr("The keys of every page (?)"));
    m_empty->setText(tr("No definition has this text."));
    for (const Entry& entry : m_entries) {
        entry.name->setText(app::definitionName(*entry.definition));
        entry.formula->setText(app::definitionFormula(*entry.definition));
        entry.meaning->setText(app::definitionMeaning(*entry.definition));
        const QString elsewhere = app::definitionElsewhere(*entry.definition);
        entry.elsewhere->setText(elsewhere.isEmpty() ? QString()
                                                     : tr("Elsewhere: %1").arg(elsewhere));
        entry.elsewhere->setVisible(!elsewhere.isEmpty());
        entry.card->setAccessibleName(entry.name->text());
    }
    applyFilter();
}

void HelpPage::changeEvent(QEvent* event) {
    Page::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

} // namespace ui
