#include "ui/panels/config_form.h"

#include "app/labels.h"
#include "app/plot/plot.h"
#include "app/session.h"
#include "app/setting_edit.h"
#include "ui/icons.h"
#include "ui/panels/field_row.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QShortcut>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr std::size_t kMostUndo = 100;

// Without a model the rows show the defaults.
engine::ConfigStatus shownStatus(const app::Session& session) {
    engine::ConfigStatus status = session.config();
    if (status.fields.empty()) {
        for (const engine::Field& field : engine::fieldTable()) {
            const std::string value = engine::valueText(field, status.requested);
            status.fields.push_back({.key = field.key,
                                     .requested = value,
                                     .effective = value,
                                     .state = engine::FieldState::InForce,
                                     .reason = {},
                                     .progress = 0.0F});
        }
    }
    return status;
}

} // namespace

ConfigForm::ConfigForm(app::Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session) {
    setSurface(this, Surface::Panel);
    setSheetProperty(this, "dense", true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    buildHead(column);
    buildRows(column);
    buildFoot(column);
    auto* undo = new QShortcut(QKeySequence::Undo, this);
    connect(undo, &QShortcut::activated, this, &ConfigForm::undoLast);
    auto* filter = new QShortcut(QKeySequence(Qt::Key_Slash), this);
    filter->setContext(Qt::WidgetWithChildrenShortcut);
    connect(filter, &QShortcut::activated, m_filter, qOverload<>(&QWidget::setFocus));

    connect(&m_session, &app::Session::configChanged, this, &ConfigForm::refresh);
    connect(&m_session, &app::Session::modelChanged, this, [this] {
        m_refusals.clear();
        m_undo.clear();
        forgetChanges();
    });
    connect(&m_session, &app::Session::runChanged, this, &ConfigForm::forgetChanges);
    connect(&m_session, &app::Session::eventHappened, this, &ConfigForm::noteChange);
    connect(&m_session, &app::Session::ticked, this, [this] {
        // Waiting and preparing go on without an edit.
        if (isVisible() &&
            (m_waiting->isVisible() || m_session.config().version != m_shownVersion)) {
            refresh();
        }
    });
    retranslate();
    refresh();
}

void ConfigForm::buildHead(QVBoxLayout* column) {
    auto* head = new QHBoxLayout;
    head->setContentsMargins(space::kPanel, 10, 8, 8);
    head->setSpacing(8);
    m_title = makeLabel({}, TextRole::CardTitle, this);
    m_differ = new Tag({}, Tone::Warn, this);
    m_waiting = new Tag({}, Tone::Info, this);
    m_close = makeButton({}, ButtonKind::Quiet, this);
    m_close->setIcon(icon(QStringLiteral("panel-right")));
    m_close->setFixedSize(28, 28);
    head->addWidget(m_title);
    head->addWidget(m_differ);
    head->addWidget(m_waiting);
    head->addStretch(1);
    head->addWidget(m_close);
    column->addLayout(head);
    m_filter = new QLineEdit(this);
    m_filter->addAction(icon(QStringLiteral("search"), ColorRole::Text3),
                        QLineEdit::LeadingPosition);
    m_filter->setClearButtonEnabled(true);
    m_filter->installEventFilter(this);
    auto* key = new QLabel(QStringLiteral("/"), m_filter);
    setSheetProperty(key, "badge", QStringLiteral("key"));
    key->setAttribute(Qt::WA_TransparentForMouseEvents);
    auto* inside = new QHBoxLayout(m_filter);
    inside->setContentsMargins(0, 0, 6, 0);
    inside->addStretch(1);
    inside->addWidget(key);
    connect(m_filter, &QLineEdit::textChanged, key,
            [key](const QString& text) { key->setVisible(text.isEmpty()); });
    auto* filterLine = new QHBoxLayout;
    filterLine->setContentsMargins(space::kPanel, 0, space::kPanel, 8);
    filterLine->addWidget(m_filter);
    column->addLayout(filterLine);
    connect(m_close, &QPushButton::clicked, this, &ConfigForm::closeRequested);
    connect(m_filter, &QLineEdit::textChanged, this, &ConfigForm::applyFilter);
}

void ConfigForm::buildRows(QVBoxLayout* column) {
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(scroll);
    setSurface(content, Surface::Panel);
    auto* rows = new QVBoxLayout(content);
    // The scroll bar stands in the margin: editors end where the filter above them ends.
    const int bar = scroll->verticalScrollBar()->sizeHint().width();
    rows->setContentsMargins(space::kPanel, 0, std::max(0, space::kPanel - bar), space::kPanel);
    rows->setSpacing(0);
    m_noMatch = makeLabel({}, TextRole::Muted, content);
    m_noMatch->setWordWrap(true);
    m_noMatch->hide();
    rows->addWidget(m_noMatch);
    for (const engine::Field& field : engine::fieldTable()) {
        if (m_groups.empty() || m_groups.back().key != field.group) {
            Group group;
            group.key = field.group;
            if (!m_groups.empty()) {
                rows->addSpacing(8);
                group.rule = makeRule(content);
                rows->addWidget(group.rule);
                rows->addSpacing(8);
            }
            group.title = makeLabel({}, TextRole::Caption, content);
            QFont titleFont = ui::font(type::kCaption, QFont::DemiBold);
            group.title->setFont(titleFont);
            rows->addWidget(group.title);
            rows->addSpacing(4);
            m_groups.push_back(group);
        }
        auto* row = new FieldRow(field, content);
        rows->addWidget(row);
        m_groups.back().rows.push_back(row);
        m_rows.emplace(field.key, row);
        connect(row, &FieldRow::proposed, this,
                [this, row](const QString& value) { propose(row, value); });
        connect(row, &FieldRow::abandoned, this, [this, row] {
            m_refusals.erase(std::string(row->field().key));
            refresh();
        });
        connect(row, &FieldRow::menuRequested, this,
                [this, row](const QPoint& position) { openMenu(row, position); });
    }
    m_emptyPrefixes = makeButton({}, ButtonKind::Normal, content);
    connect(m_emptyPrefixes, &QPushButton::clicked, this, [this] { m_session.resetPrefixCache(); });
    rows->insertWidget(rows->indexOf(row("kv.prefix_ttl")) + 1, m_emptyPrefixes, 0, Qt::AlignLeft);
    rows->addStretch(1);
    scroll->setWidget(content);
    m_scroll = content;
    column->addWidget(scroll, 1);
}

void ConfigForm::buildFoot(QVBoxLayout* column) {
    m_reload = new QWidget(this);
    auto* reload = new QHBoxLayout(m_reload);
    reload->setContentsMargins(space::kPanel, 8, space::kPanel, 0);
    m_reloadText = makeLabel({}, TextRole::Caption, m_reload);
    setSheetProperty(m_reloadText, "tone", QStringLiteral("info"));
    m_reloadText->setWordWrap(true);
    m_reloadButton = makeButton({}, ButtonKind::Normal, m_reload);
    reload->addWidget(m_reloadText, 1);
    reload->addWidget(m_reloadButton);
    m_reload->hide();
    column->addWidget(makeRule(this));
    column->addWidget(m_reload);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(6, 8, 8, 8);
    m_copy = makeButton({}, ButtonKind::Quiet, this);
    m_copy->setIcon(icon(QStringLiteral("copy")));
    m_undoButton = makeButton({}, ButtonKind::Quiet, this);
    m_undoButton->setIcon(icon(QStringLiteral("undo")));
    m_undoButton->setFixedSize(28, 28);
    m_presets = makeButton({}, ButtonKind::Quiet, this);
    m_presets->setIcon(icon(QStringLiteral("sliders")));
    connect(m_presets, &QPushButton::clicked, this, &ConfigForm::openPresets);
    foot->addWidget(m_presets);
    foot->addWidget(m_copy);
    foot->addStretch(1);
    foot->addWidget(m_undoButton);
    column->addLayout(foot);
    connect(m_copy, &QPushButton::clicked, this, &ConfigForm::copyAsFlags);
    connect(m_undoButton, &QPushButton::clicked, this, &ConfigForm::undoLast);
    connect(m_reloadButton, &QPushButton::clicked, this,
            [this] { m_session.openModel(m_session.modelFile(), m_session.config().requested); });
}

FieldRow* ConfigForm::row(std::string_view key) const {
    const auto found = m_rows.find(key);
    return found == m_rows.end() ? nullptr : found->second;
}

void ConfigForm::propose(FieldRow* row, const QString& value) {
    const engine::Field& field = row->field();
    const std::string key(field.key);
    const engine::EngineConfig before = m_session.config().requested;
    const engine::Result<void> result = m_session.setField(field.key, value.toStdString());
    if (result) {
        m_refusals.erase(key);
        const std::string former = engine::valueText(field, before);
        if (former != engine::valueText(field, m_session.config().requested)) {
            m_undo.push_back({key, former});
            if (m_undo.size() > kMostUndo) {
                m_undo.erase(m_undo.begin());
            }
        }
    } else {
        bool isNumber = false;
        const qint64 wanted = value.toLongLong(&isNumber);
        Refusal refusal{.typed = value,
                        .reason = QString::fromStdString(result.error().message),
                        .nearest = {}};
        if (field.type == engine::FieldType::Integer && isNumber) {
            refusal.nearest = app::nearestAllowed(field, before, wanted);
            if (wanted < field.minimum || wanted > field.maximum) {
                refusal.reason = tr("Allowed: %1 to %2")
                                     .arg(app::numberText(static_cast<double>(field.minimum)),
                                          app::numberText(static_cast<double>(field.maximum)));
            }
        }
        m_refusals[key] = refusal;
    }
    refresh();
}

void ConfigForm::refresh() {
    const engine::ConfigStatus status = shownStatus(m_session);
    m_shownVersion = status.version;
    int differing = 0, pending = 0, preparing = 0, reloading = 0;
    for (const engine::FieldStatus& field : status.fields) {
        const auto found = m_rows.find(field.key);
        if (found == m_rows.end()) {
            continue;
        }
        const auto refusal = m_refusals.find(field.key);
        const auto change = m_changes.find(field.key);
        FieldRow* row = found->second;
        const bool isOfWeights = field.key == "weights.precision" && !status.weights.empty();
        engine::FieldStatus shown = field;
        if (isOfWeights && field.state == engine::FieldState::InForce) {
            shown.reason = weightsReason(status.weights).toStdString();
        }
        row->present(
            shown, status.requested, refusal == m_refusals.end() ? nullptr : &refusal->second,
            change == m_changes.end() ? QString() : app::runTimeText(change->second.seconds));
        if (isOfWeights) {
            row->setToolTip(fieldToolTip(row->field()) + QStringLiteral("\n\n") +
                            weightsText(status.weights));
        }
        const FieldLook look = row->view().look;
        differing += look == FieldLook::Differs || look == FieldLook::Held ? 1 : 0;
        preparing += look == FieldLook::Preparing ? 1 : 0;
        pending += look == FieldLook::Pending ? 1 : 0;
        reloading +=
            look == FieldLook::Pending && row->field().takesEffect == engine::TakesEffect::Reload
                ? 1
                : 0;
    }
    m_differ->setVisible(differing > 0);
    m_differ->setText(tr("%n differ", nullptr, differing));
    m_waiting->setVisible(preparing + pending > 0);
    m_waiting->setText(preparing > 0 ? tr("%n preparing", nullptr, preparing)
                                     : tr("%n pending", nullptr, pending));
    m_reload->setVisible(reloading > 0 && m_session.hasModel() && !m_session.isLoading());
    m_reloadText->setText(tr("%n settings wait for a reload", nullptr, reloading));
    m_undoButton->setEnabled(!m_undo.empty());
    m_scroll->setEnabled(m_session.hasModel());
    m_copy->setEnabled(m_session.hasModel());
    m_presets->setEnabled(m_session.hasModel());
}

void ConfigForm::noteChange(const engine::Event& event) {
    const auto* applied = std::get_if<engine::ConfigApplied>(&event.body);
    if (applied == nullptr) {
        return;
    }
    const std::chrono::duration<double> time = event.time - m_session.history().start();
    for (const engine::FieldChange& change : applied->changes) {
        m_changes[change.key] = {.seconds = time.count(), .before = change.before};
    }
    refresh();
}

void ConfigForm::forgetChanges() {
    m_changes.clear();
    refresh();
}

void ConfigForm::applyFilter() {
    const QString text = m_filter->text().trimmed();
    bool hasAny = false;
    bool isFirst = true;
    for (const Group& group : m_groups) {
        bool isShown = false;
        for (FieldRow* row : group.rows) {
            const bool matches = row->matches(text);
            row->setVisible(matches);
            isShown = isShown || matches;
        }
        group.title->setVisible(isShown);
        if (group.rule != nullptr) {
            group.rule->setVisible(isShown && !isFirst);
        }
        isFirst = isFirst && !isShown;
        hasAny = hasAny || isShown;
    }
    m_noMatch->setVisible(!hasAny);
    m_noMatch->setText(tr("No setting matches “%1”.").arg(text));
}

void ConfigForm::retranslate() {
    m_title->setText(tr("Configuration"));
    m_close->setToolTip(tr("Hide the panel (Ctrl+B)"));
    m_close->setAccessibleName(tr("Hide the configuration panel"));
    m_filter->setPlaceholderText(tr("Filter settings"));
    m_filter->setAccessibleName(tr("Filter settings"));
    m_presets->setText(tr("Presets"));
    m_presets->setToolTip(tr("Sets of settings, applied live; Ctrl+Z goes back"));
    m_copy->setText(tr("Copy as flags"));
    m_undoButton->setToolTip(tr("Undo the last setting (Ctrl+Z)"));
    m_undoButton->setAccessibleName(tr("Undo the last setting"));
    m_reloadButton->setText(tr("Reload"));
    m_emptyPrefixes->setText(tr("Empty the prefix cache"));
    for (const Group& group : m_groups) {
        group.title->setText(app::fieldGroupLabel(group.key));
        for (FieldRow* row : group.rows) {
            row->retranslate();
        }
    }
}

void ConfigForm::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        refresh();
    } else if (event->type() == QEvent::PaletteChange && m_undoButton != nullptr) {
        refresh(); // state icons are pictures of one theme
    }
}

void ConfigForm::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    refresh();
}

bool ConfigForm::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_filter && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        m_filter->clear();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace ui
