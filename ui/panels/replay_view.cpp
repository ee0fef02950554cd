#include "ui/panels/replay_view.h"

#include "app/background.h"
#include "app/labels.h"
#include "app/run_labels.h"
#include "app/session.h"
#include "app/value_text.h"
#include "ui/icons.h"
#include "ui/panels/field_row.h"
#include "ui/panels/replay_columns.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/choice_field.h"
#include "ui/widgets/plot_view.h"
#include "ui/widgets/table_view.h"

#include <QDoubleSpinBox>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr int kFormWidth = 312;

// Settings that were requested at the end of a run; a value of another version stays at its
// default.
engine::EngineConfig configOf(const app::RunSummary& run) {
    engine::EngineConfig config;
    for (const app::SettingRow& row : run.settings) {
        if (const engine::Field* field = engine::findField(row.field)) {
            static_cast<void>(engine::setFromText(*field, config, row.requested));
        }
    }
    return config;
}

engine::Result<app::RunData> readRun(const std::filesystem::path& log, std::int64_t run) {
    auto store = app::RunStore::open(log, app::StoreMode::ReadOnly);
    if (!store) {
        return std::unexpected(store.error());
    }
    return (*store)->load(run);
}

} // namespace

ReplayView::ReplayView(app::Session& session, QWidget* parent)
    : QWidget(parent),
      m_session(session) {
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    line->addWidget(buildForm());
    line->addWidget(buildResult(), 1);
    connect(&m_session, &app::Session::loadRunChanged, this, &ReplayView::followLoad);
    connect(&m_session, &app::Session::ticked, this, [this] {
        if (m_isRunning && isVisible()) {
            showState();
        }
    });
    connect(&m_session, &app::Session::experimentChanged, this, &ReplayView::refresh);
    connect(&m_session, &app::Session::modelChanged, this, &ReplayView::refresh);
    retranslate();
    refresh();
}

QWidget* ReplayView::buildForm() {
    auto* side = new QWidget(this);
    setSurface(side, Surface::Panel);
    setSheetProperty(side, "edge", QStringLiteral("right"));
    setSheetProperty(side, "dense", true);
    side->setFixedWidth(kFormWidth);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(space::kPanel, 12, space::kPanel, 10);
    column->setSpacing(6);
    m_listTitle = makeLabel({}, TextRole::CardTitle, side);
    column->addWidget(m_listTitle);
    auto* choice = new QHBoxLayout;
    choice->setSpacing(6);
    m_choice = new ChoiceField(side);
    m_choice->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_trace = makeButton({}, ButtonKind::Normal, side);
    choice->addWidget(m_choice, 1);
    choice->addWidget(m_trace);
    column->addLayout(choice);
    m_facts = makeLabel({}, TextRole::Caption, side);
    m_facts->setWordWrap(true);
    column->addWidget(m_facts);
    m_costsName = makeLabel({}, TextRole::Caption, side);
    m_costs = new ChoiceField(side);
    m_costs->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    column->addWidget(m_costsName);
    column->addWidget(m_costs);
    m_firstName = makeLabel({}, TextRole::Caption, side);
    m_first = new QDoubleSpinBox(side);
    m_first->setRange(0.0, 1e6);
    m_first->setDecimals(0);
    column->addWidget(m_firstName);
    column->addWidget(m_first);
    column->addWidget(makeRule(side));
    m_changesTitle = makeLabel({}, TextRole::CardTitle, side);
    column->addWidget(m_changesTitle);
    auto* scroll = new QScrollArea(side);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(scroll);
    setSurface(content, Surface::Panel);
    m_settingList = new QVBoxLayout(content);
    m_settingList->setContentsMargins(0, 0, 6, 0);
    m_add = new ChoiceField(content);
    m_settingList->addWidget(m_add);
    m_settingList->addStretch(1);
    scroll->setWidget(content);
    column->addWidget(scroll, 1);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(8);
    m_simulate = makeButton({}, ButtonKind::Primary, side);
    m_run = makeButton({}, ButtonKind::Normal, side);
    buttons->addWidget(m_simulate, 1);
    buttons->addWidget(m_run, 1);
    column->addLayout(buttons);
    connect(m_choice, &QComboBox::activated, this,
            [this] { chooseRun(m_choice->currentData().toLongLong()); });
    connect(m_costs, &QComboBox::activated, this, [this] {
        m_simulated.reset();
        refresh();
    });
    connect(m_trace, &QPushButton::clicked, this, [this] {
        auto* dialog = new QFileDialog(this, tr("Open a trace"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setFileMode(QFileDialog::ExistingFile);
        dialog->setNameFilters(
            {tr("Traces of Azure, BurstGPT, Mooncake (*.csv *.jsonl)"), tr("All files (*)")});
        connect(dialog, &QFileDialog::fileSelected, this, &ReplayView::openTrace);
        dialog->open();
    });
    connect(m_first, &QDoubleSpinBox::valueChanged, this, [this] {
        m_simulated.reset();
        m_real.reset();
        showSource();
    });
    connect(m_add, &QComboBox::activated, this, [this] {
        const std::string key = m_add->currentData().toString().toStdString();
        m_add->setCurrentIndex(0);
        addSetting(key);
    });
    connect(m_simulate, &QPushButton::clicked, this, &ReplayView::simulate);
    connect(m_run, &QPushButton::clicked, this,
            [this] { m_isRunning ? m_session.stopLoad() : runReally(); });
    return side;
}

QWidget* ReplayView::buildResult() {
    auto* right = new QWidget(this);
    auto* column = new QVBoxLayout(right);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(space::kBetweenCards);
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    m_title = makeLabel({}, TextRole::PageTitle, right);
    m_state = new Tag({}, Tone::Neutral, right);
    head->addWidget(m_title);
    head->addWidget(m_state);
    head->addStretch(1);
    column->addLayout(head);
    auto* card = new Card(right);
    card->setFlush();
    m_model = new ReplayModel(replayColumns(), this);
    m_table = new TableView(card);
    m_table->setSortingEnabled(false);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new ReplayDelegate(m_table));
    m_table->horizontalHeader()->setSortIndicatorShown(false);
    for (int i = 0; i < m_model->columnCount(); ++i) {
        m_table->setColumnWidth(i, m_model->column(i).width);
    }
    m_table->setStretchColumn(0);
    card->body()->addWidget(m_table, 1);
    card->body()->addWidget(makeRule(card));
    m_note = makeLabel({}, TextRole::Caption, card);
    m_note->setWordWrap(true);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    setSheetProperty(m_note, "place", QStringLiteral("foot"));
    card->body()->addWidget(m_note);
    column->addWidget(card, 5);
    m_plotCard = new Card(right);
    m_plot = new PlotView(m_plotCard);
    m_plotCard->body()->addWidget(m_plot, 1);
    column->addWidget(m_plotCard, 6);
    return right;
}

void ReplayView::setRuns(std::vector<app::RunSummary> runs) {
    std::erase_if(runs, [](const app::RunSummary& run) {
        return run.requests == 0 || run.run.state == app::RunState::Recording;
    });
    m_runs = std::move(runs);
    fillRuns();
    refresh();
}

void ReplayView::fillRuns() {
    for (ChoiceField* box : {m_choice, m_costs}) {
        const QVariant chosen = box->currentData();
        box->clear();
        if (box == m_choice) {
            box->addItem(tr("Choose a recorded run…"), qint64{0});
        }
        for (const app::RunSummary& run : m_runs) {
            box->addItem(
                QStringLiteral("%1  %2").arg(run.run.id).arg(QString::fromStdString(run.run.name)),
                static_cast<qint64>(run.run.id));
        }
        box->setCurrentIndex(std::max(0, box->findData(chosen)));
    }
}

void ReplayView::chooseRun(std::int64_t run) {
    if (run <= 0 || m_isRunning) {
        return;
    }
    m_choice->setCurrentIndex(m_choice->findData(static_cast<qint64>(run)));
    const int number = ++m_number;
    m_isReading = true;
    refresh();
    app::runInBackground(
        this,
        [log = m_session.runLog(), run]() -> engine::Result<Source> {
            auto read = readRun(log, run);
            if (!read) {
                return std::unexpected(read.error());
            }
            auto replay = app::replayOf(*read);
            if (!replay) {
                return std::unexpected(replay.error());
            }
            return Source{.replay = std::move(*replay),
                          .recorded = std::make_shared<const app::RunData>(std::move(*read))};
        },
        [this, number](engine::Result<Source> source) {
            if (number == m_number) {
                takeSource(std::move(source));
            }
        });
}

void ReplayView::openTrace(const QString& file) {
    if (m_isRunning) {
        return;
    }
    const int number = ++m_number;
    m_isReading = true;
    refresh();
    app::runInBackground(
        this,
        [path = std::filesystem::path(file.toStdString())]() -> engine::Result<Source> {
            auto replay = app::loadReplay(path);
            if (!replay) {
                return std::unexpected(replay.error());
            }
            return Source{.replay = std::move(*replay), .recorded = nullptr};
        },
        [this, number](engine::Result<Source> source) {
            if (number == m_number) {
                takeSource(std::move(source));
            }
        });
}

void ReplayView::takeSource(engine::Result<Source> source) {
    m_isReading = false;
    if (!source) {
        fail(QString::fromStdString(source.error().message));
        return;
    }
    m_problem.clear();
    m_simulationNote.clear();
    m_source = std::move(source->replay);
    m_recorded = std::move(source->recorded);
    m_isOfTrace = m_recorded == nullptr;
    m_simulated.reset();
    m_real.reset();
    m_realRun.reset();
    m_config = m_recorded != nullptr  ? configOf(m_recorded->summary)
               : m_session.hasModel() ? m_session.config().requested
                                      : engine::EngineConfig{};
    if (m_isOfTrace) {
        m_choice->setCurrentIndex(0);
    }
    presentSettings();
    showSource();
    Q_EMIT changed();
}

app::Replay ReplayView::wantedList() const {
    return m_first->value() > 0.0 ? app::shortened(*m_source, m_first->value()) : *m_source;
}

void ReplayView::showSource() {
    if (m_source) {
        const double seconds =
            m_source->requests.empty() ? 0.0 : m_source->requests.back().atSeconds;
        QStringList facts{tr("%1 requests in %2")
                              .arg(app::numberText(static_cast<double>(m_source->requests.size())),
                                   app::runTimeText(seconds))};
        facts << (m_source->isOwnList ? tr("the list of its workload and seed")
                                      : tr("as it was recorded, with texts of about its lengths"));
        if (m_source->skipped > 0) {
            facts << tr("%n without an answer left out", nullptr,
                        static_cast<int>(m_source->skipped));
        }
        m_facts->setText(facts.join(QStringLiteral(" · ")));
    }
    refresh();
}

void ReplayView::addSetting(const std::string& key) {
    const engine::Field* field = engine::findField(key);
    const bool isThere = std::ranges::any_of(
        m_settings, [&](const FieldRow* row) { return row->field().key == key; });
    if (field == nullptr || isThere) {
        return;
    }
    auto* row = new FieldRow(*field, m_add->parentWidget());
    m_settingList->insertWidget(static_cast<int>(m_settings.size()), row);
    m_settings.push_back(row);
    connect(row, &FieldRow::proposed, this, [this, field](const QString& value) {
        changeSetting(QString::fromUtf8(field->key.data(), qsizetype(field->key.size())), value);
    });
    presentSettings();
    row->editor()->setFocus();
}

void ReplayView::changeSetting(const QString& key, const QString& value) {
    const engine::Field* field = engine::findField(key.toStdString());
    if (field == nullptr) {
        return;
    }
    addSetting(key.toStdString());
    engine::EngineConfig next = m_config;
    auto set = engine::setFromText(*field, next, value.toStdString());
    if (set) {
        set = engine::validate(next);
    }
    if (!set) {
        const Refusal refusal{
            .typed = value, .reason = QString::fromStdString(set.error().message), .nearest = {}};
        for (FieldRow* row : m_settings) {
            if (row->field().key == field->key) {
                row->present({.key = field->key, .requested = {}, .effective = {}, .reason = {}},
                             m_config, &refusal, {});
            }
        }
        return;
    }
    m_config = next;
    m_simulated.reset();
    m_real.reset();
    presentSettings();
    refresh();
}

void ReplayView::presentSettings() {
    for (FieldRow* row : m_settings) {
        const std::string value = engine::valueText(row->field(), m_config);
        row->present(
            {.key = row->field().key, .requested = value, .effective = value, .reason = {}},
            m_config, nullptr, {});
    }
}

void ReplayView::setFirstSeconds(double seconds) {
    m_first->setValue(seconds);
}

void ReplayView::retranslate() {
    m_listTitle->setText(tr("Requests"));
    m_choice->setAccessibleName(tr("Recorded run"));
    m_trace->setText(tr("Trace…"));
    m_trace->setToolTip(tr("Arrivals of Azure, BurstGPT or Mooncake"));
    m_costsName->setText(tr("Step costs of run"));
    m_costs->setAccessibleName(m_costsName->text());
    m_firstName->setText(tr("Only the first seconds"));
    m_first->setSpecialValueText(tr("all of it"));
    m_first->setSuffix(tr(" s"));
    m_first->setAccessibleName(m_firstName->text());
    m_changesTitle->setText(tr("What if"));
    m_simulate->setText(tr("Simulate"));
    m_table->setAccessibleName(tr("Recorded, simulated, real"));
    m_add->clear();
    m_add->addItem(tr("Change a setting…"), QString());
    for (const engine::Field& field : engine::fieldTable()) {
        m_add->addItem(app::fieldLabel(field),
                       QString::fromUtf8(field.key.data(), qsizetype(field.key.size())));
    }
    m_add->setAccessibleName(tr("Change a setting"));
    fillRuns();
}

void ReplayView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        m_model->retranslate();
        for (FieldRow* row : m_settings) {
            row->retranslate();
        }
        showSource();
    }
}

} // namespace ui
