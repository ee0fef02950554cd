#include "ui/panels/experiment_editor.h"

#include "app/experiment/experiment_labels.h"
#include "app/labels.h"
#include "app/report/report.h"
#include "ui/panels/sides_form.h"
#include "ui/panels/workload_form.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/choice_field.h"
#include "ui/widgets/toml_edit.h"

#include <QDoubleSpinBox>
#include <QEvent>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace ui {

namespace {

constexpr int kTextDelayMs = 300;
constexpr int kFormWidth = 420;

QString plain(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QDoubleSpinBox* numberBox(double least, double most, const QString& suffix, QWidget* parent) {
    auto* box = new QDoubleSpinBox(parent);
    box->setRange(least, most);
    box->setDecimals(1);
    box->setSuffix(suffix);
    box->setKeyboardTracking(false);
    return box;
}

// A built-in workload that one block can hold.
std::vector<app::Workload> usableWorkloads() {
    std::vector<app::Workload> list;
    for (const app::BuiltInWorkload& built : app::builtInWorkloads()) {
        auto workload = app::parseWorkload(built.toml, built.name);
        if (workload && workload->stages.size() == 1) {
            list.push_back(std::move(*workload));
        }
    }
    return list;
}

} // namespace

ExperimentEditor::ExperimentEditor(QWidget* parent)
    : QWidget(parent),
      m_draft(*app::loadExperiment("continuous-single")) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 8);
    column->setSpacing(space::kBetweenCards);
    auto* head = new QHBoxLayout;
    m_title = makeLabel({}, TextRole::PageTitle, this);
    m_cancel = makeButton({}, ButtonKind::Normal, this);
    m_save = makeButton({}, ButtonKind::Primary, this);
    head->addWidget(m_title, 1);
    head->addWidget(m_cancel);
    head->addWidget(m_save);
    column->addLayout(head);
    auto* parts = new QHBoxLayout;
    parts->setSpacing(space::kBetweenCards);
    parts->addWidget(buildForm());
    auto* right = new QVBoxLayout;
    m_text = new TomlEdit(this);
    m_problem = makeLabel({}, TextRole::Small, this);
    m_problem->setWordWrap(true);
    setSheetProperty(m_problem, "tone", QStringLiteral("bad"));
    right->addWidget(m_text, 1);
    right->addWidget(m_problem);
    parts->addLayout(right, 1);
    column->addLayout(parts, 1);
    m_delay = new QTimer(this);
    m_delay->setSingleShot(true);
    m_delay->setInterval(kTextDelayMs);
    connect(m_delay, &QTimer::timeout, this, &ExperimentEditor::takeText);
    connect(m_text, &QPlainTextEdit::textChanged, this, [this] {
        if (!m_isFilling) {
            m_delay->start();
        }
    });
    connect(m_save, &QPushButton::clicked, this, &ExperimentEditor::save);
    connect(m_cancel, &QPushButton::clicked, this, &ExperimentEditor::cancelled);
    fillChoices();
    retranslate();
    showForm();
}

QFormLayout* ExperimentEditor::addSection(QVBoxLayout* column) {
    if (!m_sections.isEmpty()) {
        column->addWidget(makeRule(this));
    }
    QLabel* title = makeLabel({}, TextRole::SmallTitle, this);
    m_sections << title;
    column->addWidget(title);
    auto* form = new QFormLayout;
    form->setVerticalSpacing(6);
    form->setHorizontalSpacing(10);
    column->addLayout(form);
    return form;
}

QLabel* ExperimentEditor::addRow(QFormLayout* form, QWidget* field) {
    QLabel* label = makeLabel({}, TextRole::Small, this);
    label->setBuddy(field);
    m_names << label;
    form->addRow(label, field);
    return label;
}

QWidget* ExperimentEditor::buildForm() {
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setFixedWidth(kFormWidth);
    auto* card = new Card(scroll);
    QVBoxLayout* column = card->body();
    QFormLayout* form = addSection(column);
    m_name = new QLineEdit(card);
    addRow(form, m_name);
    m_method = new ChoiceField(card);
    addRow(form, m_method);
    addSection(column);
    m_sides = new SidesForm(card);
    column->addWidget(m_sides);
    form = addSection(column);
    m_metric = new ChoiceField(card);
    addRow(form, m_metric);
    m_statistic = new ChoiceField(card);
    addRow(form, m_statistic);
    m_lane = new ChoiceField(card);
    addRow(form, m_lane);
    m_claim = new QLineEdit(card);
    addRow(form, m_claim);
    form = addSection(column);
    m_blocks = new QSpinBox(card);
    m_blocks->setRange(1, 1000);
    addRow(form, m_blocks);
    m_measure = numberBox(0.1, 86'400.0, {}, card);
    addRow(form, m_measure);
    m_warmup = numberBox(0.0, 86'400.0, {}, card);
    addRow(form, m_warmup);
    m_drain = numberBox(0.1, 86'400.0, {}, card);
    addRow(form, m_drain);
    m_stopAt = numberBox(0.0, 100.0, QStringLiteral(" %"), card);
    addRow(form, m_stopAt);
    form = addSection(column);
    m_workloadName = new ChoiceField(card);
    addRow(form, m_workloadName);
    m_saturation = numberBox(0.0, 10.0, QStringLiteral(" ×"), card);
    m_saturation->setDecimals(2);
    m_saturation->setSingleStep(0.1);
    addRow(form, m_saturation);
    m_workload = new WorkloadForm(card);
    column->addWidget(m_workload);
    column->addStretch(1);
    scroll->setWidget(card);
    connect(m_name, &QLineEdit::textEdited, this, &ExperimentEditor::takeForm);
    connect(m_claim, &QLineEdit::editingFinished, this, &ExperimentEditor::takeForm);
    connect(m_sides, &SidesForm::changed, this, &ExperimentEditor::takeForm);
    connect(m_workload, &WorkloadForm::changed, this, &ExperimentEditor::takeForm);
    connect(m_blocks, &QSpinBox::valueChanged, this, &ExperimentEditor::takeForm);
    for (QComboBox* box : {m_method, m_metric, m_statistic, m_lane, m_workloadName}) {
        connect(box, &QComboBox::activated, this, &ExperimentEditor::takeForm);
    }
    for (QDoubleSpinBox* box : {m_measure, m_warmup, m_drain, m_stopAt, m_saturation}) {
        connect(box, &QDoubleSpinBox::valueChanged, this, &ExperimentEditor::takeForm);
    }
    return scroll;
}

void ExperimentEditor::edit(const app::Experiment& experiment) {
    app::Experiment copy = experiment;
    const std::filesystem::path file = app::ownExperimentFile(
        app::ownExperimentsFolder(),
        tr("%1, copy").arg(QString::fromStdString(experiment.title)).toStdString());
    copy.name = file.stem().string();
    copy.title = tr("%1, copy").arg(app::experimentTitle(experiment)).toStdString();
    m_draft = app::ExperimentDraft(copy);
    showForm();
}

void ExperimentEditor::takeForm() {
    if (m_isFilling) {
        return;
    }
    app::Experiment experiment = m_draft.experiment();
    experiment.title = m_name->text().toStdString();
    experiment.method = static_cast<app::Method>(m_method->currentData().toInt());
    experiment.metric = m_metric->currentData().toString().toStdString();
    experiment.statistic = static_cast<app::Statistic>(m_statistic->currentData().toInt());
    experiment.lane = m_lane->currentData().toString().toStdString();
    const auto claim = app::parseClaim(m_claim->text().toStdString());
    setControlState(m_claim, claim ? "" : "bad");
    if (claim) {
        experiment.claim = *claim;
    }
    m_sides->applyTo(experiment);
    experiment.blocks = m_blocks->value();
    experiment.measureSeconds = m_measure->value();
    experiment.warmupSeconds = m_warmup->value();
    experiment.drainSeconds = m_drain->value();
    experiment.stopAt = m_stopAt->value() / 100.0;
    experiment.saturation = m_saturation->value();
    const std::string built = m_workloadName->currentData().toString().toStdString();
    if (!built.empty() && built != experiment.workloadName) {
        const auto settings = experiment.workload.settings;
        if (auto workload = app::loadWorkload(built)) {
            experiment.workload = std::move(*workload);
            experiment.workload.settings.insert(experiment.workload.settings.end(),
                                                settings.begin(), settings.end());
        }
    } else if (built.empty()) {
        const auto own = m_workload->workload();
        if (own.stages.size() == 1) {
            experiment.workload = own;
        }
    }
    experiment.workloadName = built;
    experiment.workload.stages.front().seconds = experiment.blockSeconds();
    m_draft.setExperiment(experiment);
    m_isFilling = true;
    m_text->setPlainText(QString::fromStdString(m_draft.text()));
    m_workload->setWorkload(m_draft.experiment().workload);
    m_workload->setEnabled(built.empty());
    m_blocks->setSingleStep(std::max(1, static_cast<int>(experiment.sides.size())));
    m_isFilling = false;
    showProblem();
}

void ExperimentEditor::takeText() {
    m_draft.setText(m_text->toPlainText().toStdString());
    const QString typed = m_text->toPlainText();
    showForm();
    if (m_text->toPlainText() != typed) {
        m_text->setPlainText(typed);
    }
}

void ExperimentEditor::showForm() {
    m_isFilling = true;
    const app::Experiment& experiment = m_draft.experiment();
    const auto choose = [](QComboBox* box, const QVariant& wanted) {
        box->setCurrentIndex(box->findData(wanted));
    };
    m_name->setText(QString::fromStdString(experiment.title));
    choose(m_method, static_cast<int>(experiment.method));
    m_sides->setExperiment(experiment);
    choose(m_metric, QString::fromStdString(experiment.metric));
    choose(m_statistic, static_cast<int>(experiment.statistic));
    choose(m_lane, QString::fromStdString(experiment.lane));
    m_claim->setText(QString::fromStdString(app::claimText(experiment.claim)));
    m_blocks->setSingleStep(std::max(1, static_cast<int>(experiment.sides.size())));
    m_blocks->setValue(experiment.blocks);
    m_measure->setValue(experiment.measureSeconds);
    m_warmup->setValue(experiment.warmupSeconds);
    m_drain->setValue(experiment.drainSeconds);
    m_stopAt->setValue(100.0 * experiment.stopAt);
    m_saturation->setValue(experiment.saturation);
    choose(m_workloadName, QString::fromStdString(experiment.workloadName));
    m_workload->setWorkload(experiment.workload);
    m_workload->setEnabled(experiment.workloadName.empty());
    if (m_text->toPlainText().toStdString() != m_draft.text()) {
        m_text->setPlainText(QString::fromStdString(m_draft.text()));
    }
    m_isFilling = false;
    showProblem();
}

void ExperimentEditor::showProblem() {
    const auto& problem = m_draft.problem();
    m_problem->setVisible(problem.has_value());
    m_problem->setText(problem ? QString::fromStdString(problem->message) : QString());
    m_text->setBadLine(problem ? problem->line : std::nullopt);
    m_save->setEnabled(!problem);
}

void ExperimentEditor::save() {
    const std::filesystem::path folder = app::ownExperimentsFolder();
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    const std::filesystem::path file = folder / (m_draft.experiment().name + ".toml");
    if (const auto written = app::writeFile(file, m_draft.text()); !written) {
        m_problem->setText(QString::fromStdString(written.error().message));
        m_problem->show();
        return;
    }
    Q_EMIT saved(m_draft.experiment());
}

// Names in the chosen language; what is chosen stays.
void ExperimentEditor::fillChoices() {
    const auto fill = [](QComboBox* box, const QList<std::pair<QString, QVariant>>& items) {
        const QVariant chosen = box->currentData();
        box->clear();
        for (const auto& [name, value] : items) {
            box->addItem(name, value);
        }
        if (chosen.isValid()) {
            box->setCurrentIndex(box->findData(chosen));
        }
    };
    fill(m_method, {{tr("Requests are sent"), int(app::Method::Traffic)},
                    {tr("Another copy is loaded"), int(app::Method::Load)},
                    {tr("A prompt is typed"), int(app::Method::Typing)},
                    {tr("Texts are encoded"), int(app::Method::Tokenize)}});
    fill(m_statistic, {{tr("Change of B against A, %"), int(app::Statistic::Change)},
                       {tr("Ratio of B to A"), int(app::Statistic::Ratio)},
                       {tr("Difference B − A"), int(app::Statistic::Difference)},
                       {tr("The value itself"), int(app::Statistic::Level)},
                       {tr("Slope over the sweep"), int(app::Statistic::Slope)},
                       {tr("Best value of the sweep"), int(app::Statistic::Best)},
                       {tr("Where it passes 1"), int(app::Statistic::Crossing)}});
    fill(m_lane, {{tr("Both lanes"), QString()},
                  {app::laneLabel(engine::Lane::Realtime), QStringLiteral("realtime")},
                  {app::laneLabel(engine::Lane::Batch), QStringLiteral("batch")}});
    QList<std::pair<QString, QVariant>> metrics, workloads{{tr("its own"), QString()}};
    for (const app::Measure& measure : app::experimentMeasures()) {
        metrics.append({app::experimentMeasureLabel(measure), plain(measure.key)});
    }
    for (const app::Workload& workload : usableWorkloads()) {
        const QString name = QString::fromStdString(workload.name);
        workloads.append({name, name});
    }
    fill(m_metric, metrics);
    fill(m_workloadName, workloads);
}

void ExperimentEditor::retranslate() {
    m_title->setText(tr("Own experiment"));
    m_save->setText(tr("Save"));
    m_cancel->setText(tr("Cancel"));
    const QStringList sections = {tr("Experiment"), tr("What varies"), tr("What is measured"),
                                  tr("Blocks"), tr("Workload")};
    for (int i = 0; i < m_sections.size(); ++i) {
        m_sections[i]->setText(sections[i]);
    }
    const QStringList names = {tr("Title"),
                               tr("A block is made by"),
                               tr("Metric"),
                               tr("Statistic"),
                               tr("Requests of"),
                               tr("Claim"),
                               tr("Blocks"),
                               tr("Measured"),
                               tr("Warm-up"),
                               tr("Drain, at most"),
                               tr("Stop at an interval of"),
                               tr("Built in"),
                               tr("Rate, of saturation")};
    for (int i = 0; i < m_names.size(); ++i) {
        m_names[i]->setText(names[i]);
        if (m_names[i]->buddy() != nullptr) {
            m_names[i]->buddy()->setAccessibleName(names[i]);
        }
    }
    for (QDoubleSpinBox* box : {m_measure, m_warmup, m_drain}) {
        box->setSuffix(tr(" s"));
    }
    m_stopAt->setSpecialValueText(tr("never: all blocks"));
    m_stopAt->setToolTip(
        tr("Ends early once half of the 95 % interval is this share of the value"));
    m_saturation->setSpecialValueText(tr("off: requests a second"));
    m_saturation->setToolTip(tr("Rates are in units of this share of what the engine can do, which "
                                "is measured first"));
    m_claim->setToolTip(tr("\">= 1.52\", \"<= -40 %\", \"about 42\", \"8..16\" or \"none\""));
    m_text->setAccessibleName(tr("Experiment as TOML"));
}

void ExperimentEditor::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        m_isFilling = true;
        fillChoices();
        m_isFilling = false;
        retranslate();
        showForm();
    }
}

} // namespace ui
