#include "ui/pages/log_page.h"

#include "app/labels.h"
#include "app/observe/alarms.h"
#include "app/observe/bookmark.h"
#include "app/observe/quiet_markers.h"
#include "app/plot/charts.h"
#include "app/plot/plot.h"
#include "app/session.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/choice_field.h"
#include "ui/widgets/fit_width.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/table_view.h"

#include <QClipboard>
#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QShortcut>
#include <QTime>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr std::size_t kMostRows = 50'000; // the run log has all of it
constexpr std::size_t kDropped = kMostRows / 20;

enum class LogColumn : std::uint8_t { Time, Source, Severity, Text };

// What a notice is about; those not named here are the engine's.
constexpr std::pair<std::string_view, LogKind> kNoticeKinds[] = {
    {"edit_refused", LogKind::Settings},
    {"weights_changed", LogKind::Settings},
    {"quality_checked", LogKind::Settings},
    {"quality_unchecked", LogKind::Settings},
    {"degradation_", LogKind::Alarms},
    {app::kAlarmRaised, LogKind::Alarms},
    {app::kAlarmCleared, LogKind::Alarms},
    {"stage", LogKind::Load},
    {"workload_", LogKind::Load},
    {"run_", LogKind::Load},
    {"recording_problem", LogKind::Load},
    {app::kBookmark, LogKind::Notes},
    {app::kPreemptionBurst, LogKind::Requests},
    {"marker", LogKind::Notes},
};

struct KindOf {
    LogKind operator()(const engine::ConfigApplied&) const { return LogKind::Settings; }
    LogKind operator()(const engine::FirstToken&) const { return LogKind::Requests; }
    LogKind operator()(const engine::RequestFinished&) const { return LogKind::Requests; }
    LogKind operator()(const engine::Preempted&) const { return LogKind::Requests; }
    LogKind operator()(const engine::BatchEnded&) const { return LogKind::Requests; }
    LogKind operator()(const engine::PhaseTimed&) const { return LogKind::Engine; }
    LogKind operator()(const engine::StateChanged&) const { return LogKind::Engine; }
    LogKind operator()(const engine::Failed&) const { return LogKind::Engine; }
    LogKind operator()(const engine::Notice& notice) const {
        const auto* found = std::ranges::find_if(kNoticeKinds, [&notice](const auto& each) {
            return std::string_view(notice.kind).starts_with(each.first);
        });
        return found != std::end(kNoticeKinds) ? found->second : LogKind::Engine;
    }
};

// Notices that are more than a note.
struct NoticeSeverity {
    std::string_view kind;
    Severity severity;
};
constexpr NoticeSeverity kNotices[] = {
    {"load_failed", Severity::Problem},         {"edit_refused", Severity::Problem},
    {"recording_problem", Severity::Problem},   {app::kAlarmRaised, Severity::Problem},
    {"events_dropped", Severity::Warning},      {"degradation_changed", Severity::Warning},
    {"degradation_refused", Severity::Warning}, {"light_model_failed", Severity::Warning},
    {"answers_unread", Severity::Warning},      {"answers_unwritten", Severity::Warning},
    {app::kPreemptionBurst, Severity::Warning}, {"quality_unchecked", Severity::Warning},
    {"chat_format_generic", Severity::Warning}, {"model_notice", Severity::Warning},
};

Severity severityOf(const engine::Event& event) {
    if (const auto* finished = std::get_if<engine::RequestFinished>(&event.body)) {
        return finished->record != nullptr &&
                       engine::outcome(finished->record->reason) == engine::Outcome::Failed
                   ? Severity::Problem
                   : Severity::Warning; // refused: the others are not in the log
    }
    if (const auto* notice = std::get_if<engine::Notice>(&event.body)) {
        const auto* row =
            std::ranges::find(kNotices, std::string_view(notice->kind), &NoticeSeverity::kind);
        return row != std::end(kNotices) ? row->severity : Severity::Note;
    }
    return app::markerKind(event) == app::MarkerKind::Alarm ? Severity::Problem : Severity::Note;
}

// Completed and cancelled requests have a page of their own.
bool belongsInLog(const engine::Event& event) {
    if (!app::isForPeople(event)) {
        return false;
    }
    const auto* finished = std::get_if<engine::RequestFinished>(&event.body);
    if (finished == nullptr) {
        return true;
    }
    if (finished->record == nullptr) {
        return false;
    }
    const engine::Outcome outcome = engine::outcome(finished->record->reason);
    return outcome == engine::Outcome::Failed || outcome == engine::Outcome::Rejected;
}

// Empty for a note: quiet when all is well.
QString severityName(Severity severity) {
    return severity == Severity::Problem   ? LogPage::tr("problem")
           : severity == Severity::Warning ? LogPage::tr("warning")
                                           : QString();
}

std::vector<ui::Column<LogRow>> logColumns() {
    using C = ui::Column<LogRow>;
    return {C([] { return LogPage::tr("Time"); }, [](const LogRow& row) { return row.clock; })
                .sortedBy([](const LogRow& row) { return row.seconds; })
                .withToolTip([](const LogRow& row) {
                    return LogPage::tr("%1 after the start, step %2")
                        .arg(app::runTimeText(row.seconds),
                             app::numberText(static_cast<double>(row.step)));
                })
                .wide(92),
            C([] { return LogPage::tr("Who"); },
              [](const LogRow& row) {
                  return app::sourceLabel(row.event.source);
              }).wide(92),
            C([] { return LogPage::tr("Severity"); },
              [](const LogRow& row) { return severityName(row.severity); })
                .sortedBy([](const LogRow& row) { return static_cast<double>(row.severity); })
                .wide(92),
            C([] { return LogPage::tr("What"); },
              [](const LogRow& row) { return app::eventText(row.event); })
                .withToolTip([](const LogRow& row) { return app::eventText(row.event); })
                .wide(400)};
}

class LogDelegate final : public TableDelegate {
public:
    LogDelegate(const LogModel& model, QObject* parent) : TableDelegate(parent), m_model(model) {}

protected:
    CellStyle style(const QModelIndex& index) const override {
        if (index.column() < static_cast<int>(LogColumn::Severity)) {
            return {.color = ColorRole::Text3};
        }
        switch (m_model.rowAt(index.row()).severity) {
        case Severity::Problem:
            return {.color = ColorRole::Bad};
        case Severity::Warning:
            return {.color = ColorRole::Warn};
        case Severity::Note:
            break;
        }
        return {.color = ColorRole::Text1};
    }

private:
    const LogModel& m_model;
};

} // namespace

LogPage::LogPage(app::Session& session, QWidget* parent)
    : Page(parent),
      m_session(session),
      m_start(engine::Clock::now()) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(space::kBetweenCards);
    auto* bar = new QHBoxLayout;
    bar->setSpacing(8);
    m_filter = new QLineEdit(this);
    m_filter->addAction(icon(QStringLiteral("search"), ColorRole::Text3),
                        QLineEdit::LeadingPosition);
    m_filter->setClearButtonEnabled(true);
    m_filter->setMinimumWidth(220);
    m_severity = new Segmented({QString(), QString(), QString()}, this);
    m_kind = new ChoiceField(this);
    m_source = new ChoiceField(this);
    m_kind->addItem({});
    for (int kind = 0; kind <= static_cast<int>(LogKind::Notes); ++kind) {
        m_kind->addItem({}, kind);
    }
    m_source->addItem({});
    for (const engine::EventSource source :
         {engine::EventSource::Operator, engine::EventSource::App, engine::EventSource::Serving,
          engine::EventSource::Engine}) {
        m_source->addItem({}, static_cast<int>(source));
    }
    m_counts = makeLabel({}, TextRole::Caption, this);
    m_copy = makeButton({}, ButtonKind::Normal, this);
    m_copy->setIcon(icon(QStringLiteral("copy")));
    bar->addWidget(m_filter);
    bar->addWidget(m_severity);
    bar->addWidget(m_kind);
    bar->addWidget(m_source);
    bar->addStretch(1);
    bar->addWidget(m_counts);
    bar->addWidget(m_copy);
    column->addLayout(bar);
    auto* card = new Card(this);
    card->setFlush();
    m_model = new LogModel(logColumns(), this);
    m_table = new TableView(card);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new LogDelegate(*m_model, m_table));
    for (int i = 0; i < m_model->columnCount(); ++i) {
        m_table->setColumnWidth(i, m_model->column(i).width);
    }
    m_table->setStretchColumn(static_cast<int>(LogColumn::Text));
    m_table->sortByColumn(static_cast<int>(LogColumn::Time), Qt::DescendingOrder);
    m_empty = makeLabel({}, TextRole::Muted, m_table);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setAttribute(Qt::WA_TransparentForMouseEvents);
    (new QVBoxLayout(m_table))->addWidget(m_empty);
    card->body()->addWidget(m_table, 1);
    column->addWidget(card, 1);
    connect(m_filter, &QLineEdit::textChanged, this, &LogPage::applyFilter);
    connect(m_severity, &Segmented::currentChanged, this, &LogPage::applyFilter);
    for (ChoiceField* choice : {m_kind, m_source}) {
        connect(choice, &QComboBox::currentIndexChanged, this, &LogPage::applyFilter);
    }
    for (const QKeySequence& keys :
         {QKeySequence(Qt::Key_Slash), QKeySequence(QKeySequence::Find)}) {
        auto* find = new QShortcut(keys, this);
        find->setContext(Qt::WidgetWithChildrenShortcut);
        connect(find, &QShortcut::activated, m_filter, qOverload<>(&QWidget::setFocus));
    }
    connect(m_copy, &QPushButton::clicked, this, &LogPage::copyShown);
    connect(&m_session, &app::Session::eventHappened, this, &LogPage::takeEvent);
    connect(&m_session, &app::Session::ticked, this, [this] {
        if (m_isShown) {
            flush();
        }
    });
    retranslate();
    applyFilter();
}

void LogPage::takeEvent(const engine::Event& event) {
    if (!belongsInLog(event)) {
        return;
    }
    const std::chrono::duration<double> since = event.time - m_start;
    const auto age =
        std::chrono::duration_cast<std::chrono::milliseconds>(engine::Clock::now() - event.time);
    m_incoming.push_back({.seconds = since.count(),
                          .clock = QTime::currentTime()
                                       .addMSecs(static_cast<int>(-age.count()))
                                       .toString(QStringLiteral("HH:mm:ss.zzz"))
                                       .chopped(2),
                          .step = event.step,
                          .kind = std::visit(KindOf(), event.body),
                          .severity = severityOf(event),
                          .event = event});
    if (!m_isShown && m_incoming.size() > kDropped) {
        flush();
    }
}

void LogPage::flush() {
    if (m_incoming.empty()) {
        return;
    }
    m_model->append(std::exchange(m_incoming, {}));
    const std::size_t count = m_model->rows().size();
    if (count > kMostRows) {
        m_model->dropOldest(count - kMostRows + kDropped);
    }
    m_counts->setText(tr("%1 entries").arg(app::numberText(m_model->rowCount())));
    m_empty->setVisible(m_model->rowCount() == 0);
}

void LogPage::applyFilter() {
    const QString text = m_filter->text().trimmed();
    const auto least = static_cast<Severity>(m_severity->currentIndex());
    const QVariant kind = m_kind->currentData(), source = m_source->currentData();
    m_model->setFilter([=](const LogRow& row) {
        if (row.severity < least ||
            (kind.isValid() && kind.toInt() != static_cast<int>(row.kind)) ||
            (source.isValid() && source.toInt() != static_cast<int>(row.event.source))) {
            return false;
        }
        return text.isEmpty() || app::eventText(row.event).contains(text, Qt::CaseInsensitive) ||
               app::sourceLabel(row.event.source).contains(text, Qt::CaseInsensitive);
    });
    m_counts->setText(tr("%1 entries").arg(app::numberText(m_model->rowCount())));
    m_empty->setVisible(m_model->rowCount() == 0);
    m_empty->setText(m_model->rows().empty() ? tr("Nothing has happened yet.")
                                             : tr("No entry matches the filter."));
}

QString LogPage::shownText() const {
    QString text;
    for (int i = 0; i < m_model->rowCount(); ++i) {
        const LogRow& row = m_model->rowAt(i);
        text += row.clock + u'\t' + app::sourceLabel(row.event.source) + u'\t' +
                app::eventText(row.event) + u'\n';
    }
    return text;
}

void LogPage::copyShown() {
    QGuiApplication::clipboard()->setText(shownText());
    Q_EMIT messageRaised(tr("Log copied"),
                         tr("%1 entries").arg(app::numberText(m_model->rowCount())));
}

QString LogPage::title() const {
    return tr("Log");
}

void LogPage::setShown(bool isShown) {
    m_isShown = isShown;
    if (isShown) {
        flush();
    }
}

QWidget* LogPage::firstFocus() {
    return m_table;
}

void LogPage::openArgument(const QString& argument) {
    m_filter->setText(argument);
}

QList<PageAction> LogPage::actions() {
    return {{.text = tr("Copy the log"), .value = {}, .keys = {}, .run = [this] { copyShown(); }}};
}

QList<KeyHint> LogPage::keys() const {
    return {{QStringLiteral("/"), tr("Filter")},
            {QStringLiteral("Ctrl+C"), tr("Copy the rows selected")}};
}

void LogPage::retranslate() {
    m_filter->setPlaceholderText(tr("Filter the log"));
    m_filter->setAccessibleName(tr("Filter the log"));
    m_severity->setItems({tr("All"), tr("From warnings"), tr("Problems")});
    m_severity->setAccessibleName(tr("Severity"));
    m_kind->setAccessibleName(tr("Kind"));
    m_source->setAccessibleName(tr("Who"));
    const QString kinds[] = {tr("All kinds"),          tr("Settings"),      tr("Alarms and levels"),
                             tr("Engine and model"),   tr("Load and runs"), tr("Requests"),
                             tr("Notes and bookmarks")};
    for (int i = 0; i < m_kind->count(); ++i) {
        m_kind->setItemText(i, kinds[i]);
    }
    m_source->setItemText(0, tr("Everyone"));
    for (int i = 1; i < m_source->count(); ++i) {
        m_source->setItemText(
            i, app::sourceLabel(static_cast<engine::EventSource>(m_source->itemData(i).toInt())));
    }
    fitWidth(m_kind);
    fitWidth(m_source);
    m_copy->setText(tr("Copy"));
    m_table->setAccessibleName(tr("Log"));
    m_model->retranslate();
}

void LogPage::changeEvent(QEvent* event) {
    Page::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        applyFilter();
    }
}

} // namespace ui
