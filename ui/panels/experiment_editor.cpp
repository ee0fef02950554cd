#include "ui/panels/experiment_editor.h"

#include "app/experiment/experiment_labels.h"
#include "app/report/report.h"
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
#include <QSpinBox>
#include <QTimer>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr int kTextDelayMs = 300;

QDoubleSpinBox* secondsBox(double least, QWidget* parent) {
    auto* box = new QDoubleSpinBox(parent);
    box->setRange(least, 86'400.0);
    box->setDecimals(1);
    box->setSuffix(QStringLiteral(" s"));
    return box;
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
    auto* card = new Card(this);
    card->setFixedWidth(360);
    auto* form = new QFormLayout;
    form->setVerticalSpacing(8);
    m_name = new QLineEdit(card);
    m_metric = new ChoiceField(card);
    m_claim = new QLineEdit(card);
    m_blocks = new QSpinBox(card);
    m_blocks->setRange(1, 1000);
    m_measure = secondsBox(0.1, card);
    m_warmup = secondsBox(0.0, card);
    m_drain = secondsBox(0.1, card);
    for (QWidget* field : std::initializer_list<QWidget*>{m_name, m_metric, m_claim, m_blocks,
                                                          m_measure, m_warmup, m_drain}) {
        QLabel* label = makeLabel({}, TextRole::Small, card);
        label->setBuddy(field);
        m_names << label;
        form->addRow(label, field);
    }
    card->body()->addLayout(form);
    card->body()->addStretch(1);
    parts->addWidget(card);
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
    connect(m_name, &QLineEdit::textEdited, this, &ExperimentEditor::takeForm);
    connect(m_claim, &QLineEdit::editingFinished, this, &ExperimentEditor::takeForm);
    connect(m_metric, &QComboBox::activated, this, &ExperimentEditor::takeForm);
    connect(m_blocks, &QSpinBox::valueChanged, this, &ExperimentEditor::takeForm);
    for (QDoubleSpinBox* box : {m_measure, m_warmup, m_drain}) {
        connect(box, &QDoubleSpinBox::valueChanged, this, &ExperimentEditor::takeForm);
    }
    connect(m_save, &QPushButton::clicked, this, &ExperimentEditor::save);
    connect(m_cancel, &QPushButton::clicked, this, &ExperimentEditor::cancelled);
    retranslate();
    showForm();
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
    experiment.metric = m_metric->currentData().toString().toStdString();
    const auto claim = app::parseClaim(m_claim->text().toStdString());
    setControlState(m_claim, claim ? "" : "bad");
    if (claim) {
        experiment.claim = *claim;
    }
    experiment.blocks = m_blocks->value();
    experiment.measureSeconds = m_measure->value();
    experiment.warmupSeconds = m_warmup->value();
    experiment.drainSeconds = m_drain->value();
    experiment.workload.stages.front().seconds = experiment.blockSeconds();
    m_draft.setExperiment(experiment);
    m_isFilling = true;
    m_text->setPlainText(QString::fromStdString(m_draft.text()));
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
    m_name->setText(QString::fromStdString(experiment.title));
    m_metric->clear();
    for (const app::Measure& measure : app::experimentMeasures()) {
        m_metric->addItem(app::experimentMeasureLabel(measure),
                          QString::fromUtf8(measure.key.data(), qsizetype(measure.key.size())));
    }
    m_metric->setCurrentIndex(m_metric->findData(QString::fromStdString(experiment.metric)));
    m_claim->setText(QString::fromStdString(app::claimText(experiment.claim)));
    m_blocks->setSingleStep(static_cast<int>(experiment.sides.size()));
    m_blocks->setValue(experiment.blocks);
    m_measure->setValue(experiment.measureSeconds);
    m_warmup->setValue(experiment.warmupSeconds);
    m_drain->setValue(experiment.drainSeconds);
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

void ExperimentEditor::retranslate() {
    m_title->setText(tr("Own experiment"));
    m_save->setText(tr("Save"));
    m_cancel->setText(tr("Cancel"));
    const QStringList names = {tr("Title"),    tr("Metric"),  tr("Claim"),         tr("Blocks"),
                               tr("Measured"), tr("Warm-up"), tr("Drain, at most")};
    for (int i = 0; i < m_names.size(); ++i) {
        m_names[i]->setText(names[i]);
    }
    m_claim->setToolTip(tr("\">= 1.52\", \"<= -40 %\", \"about 42\", \"8..16\" or \"none\""));
    m_text->setAccessibleName(tr("Experiment as TOML"));
}

void ExperimentEditor::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        showForm();
    }
}

} // namespace ui
