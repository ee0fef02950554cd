#include "ui/panels/workload_form.h"

#include "app/labels.h"
#include "app/load/workload_limits.h"
#include "app/value_text.h"
#include "ui/panels/stage_list.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpressionValidator>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

QSpinBox* makeTokens(const app::WorkloadLimit& limit, QWidget* parent) {
    auto* box = new QSpinBox(parent);
    box->setRange(static_cast<int>(limit.minimum), static_cast<int>(limit.maximum));
    box->setGroupSeparatorShown(true);
    box->setKeyboardTracking(false);
    box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    box->setMinimumWidth(64);
    return box;
}

QLabel* makeTitle(QWidget* parent) {
    auto* title = makeLabel({}, TextRole::Caption, parent);
    title->setFont(ui::font(type::kCaption, QFont::DemiBold));
    return title;
}

} // namespace

WorkloadForm::WorkloadForm(QWidget* parent) : QWidget(parent) {
    setProperty("dense", true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(8);
    m_name = new QLineEdit(this);
    m_nameLabel = addLine(column, {m_name});
    m_seed = new QLineEdit(this);
    m_seed->setValidator(
        new QRegularExpressionValidator(QRegularExpression(QStringLiteral("[0-9]{1,18}")), m_seed));
    m_seedLabel = addLine(column, {m_seed});
    column->addWidget(makeRule(this));
    m_stagesTitle = makeTitle(this);
    column->addWidget(m_stagesTitle);
    m_stages = new StageList(this);
    column->addWidget(m_stages);
    column->addWidget(makeRule(this));
    m_requestsTitle = makeTitle(this);
    column->addWidget(m_requestsTitle);
    m_promptMinimum = makeTokens(app::kPromptLimit, this);
    m_promptMaximum = makeTokens(app::kPromptLimit, this);
    m_promptLabel = addLine(column, {m_promptMinimum, m_promptMaximum});
    m_outputMinimum = makeTokens(app::kOutputLimit, this);
    m_outputMaximum = makeTokens(app::kOutputLimit, this);
    m_outputLabel = addLine(column, {m_outputMinimum, m_outputMaximum});
    m_fixedOutput = new QCheckBox(this);
    column->addWidget(m_fixedOutput);
    QList<QWidget*> sets;
    for (const std::string& name : app::promptSetNames()) {
        auto* chip = new Chip({}, this);
        chip->setObjectName(QString::fromStdString(name));
        m_sets.push_back(chip);
        sets.push_back(chip);
        connect(chip, &Chip::clicked, this, &WorkloadForm::changed);
    }
    m_setsLabel = addLine(column, sets);
    m_batchShare = new QDoubleSpinBox(this);
    m_batchShare->setRange(0.0, 100.0);
    m_batchShare->setDecimals(1);
    m_batchShare->setSuffix(QStringLiteral(" %"));
    m_batchLabel = addLine(column, {m_batchShare});
    m_temperature = new QDoubleSpinBox(this);
    m_temperature->setRange(app::kTemperatureLimit.minimum, app::kTemperatureLimit.maximum);
    m_temperature->setSingleStep(0.1);
    m_temperatureLabel = addLine(column, {m_temperature});
    m_settings = makeLabel({}, TextRole::Caption, this);
    m_settings->setWordWrap(true);
    column->addWidget(m_settings);
    column->addStretch(1);

    connect(m_name, &QLineEdit::editingFinished, this, &WorkloadForm::changed);
    connect(m_seed, &QLineEdit::editingFinished, this, &WorkloadForm::changed);
    connect(m_stages, &StageList::changed, this, &WorkloadForm::changed);
    connect(m_fixedOutput, &QCheckBox::clicked, this, &WorkloadForm::changed);
    for (QSpinBox* box : {m_promptMinimum, m_promptMaximum, m_outputMinimum, m_outputMaximum}) {
        connect(box, &QSpinBox::valueChanged, this, &WorkloadForm::changed);
    }
    for (QDoubleSpinBox* box : {m_batchShare, m_temperature}) {
        box->setKeyboardTracking(false);
        connect(box, &QDoubleSpinBox::valueChanged, this, &WorkloadForm::changed);
    }
    retranslate();
}

QLabel* WorkloadForm::addLine(QVBoxLayout* column, const QList<QWidget*>& fields) {
    auto* line = new QHBoxLayout;
    line->setSpacing(6);
    auto* label = makeLabel({}, TextRole::Small, this);
    line->addWidget(label, 2);
    auto* right = new QHBoxLayout;
    right->setSpacing(6);
    for (QWidget* field : fields) {
        right->addWidget(field, 1);
    }
    line->addLayout(right, 3);
    label->setBuddy(fields.front());
    column->addLayout(line);
    return label;
}

void WorkloadForm::setWorkload(const app::Workload& workload) {
    m_shown = workload;
    const QSignalBlocker blockers[] = {
        QSignalBlocker(m_name),          QSignalBlocker(m_promptMinimum),
        QSignalBlocker(m_promptMaximum), QSignalBlocker(m_outputMinimum),
        QSignalBlocker(m_outputMaximum), QSignalBlocker(m_batchShare),
        QSignalBlocker(m_temperature),   QSignalBlocker(m_seed)};
    if (!m_name->hasFocus()) {
        m_name->setText(QString::fromStdString(workload.name));
    }
    if (!m_seed->hasFocus()) {
        m_seed->setText(QString::number(workload.seed));
    }
    m_stages->setStages(workload.stages);
    m_promptMinimum->setValue(workload.promptTokens.minimum);
    m_promptMaximum->setValue(workload.promptTokens.maximum);
    m_outputMinimum->setValue(workload.outputTokens.minimum);
    m_outputMaximum->setValue(workload.outputTokens.maximum);
    m_fixedOutput->setChecked(workload.fixedOutput);
    for (Chip* chip : m_sets) {
        chip->setChecked(std::ranges::find(workload.promptSets, chip->objectName().toStdString()) !=
                         workload.promptSets.end());
    }
    m_batchShare->setValue(workload.batchShare * 100.0);
    m_temperature->setValue(static_cast<double>(workload.temperature));
    QStringList settings;
    for (const auto& [key, value] : workload.settings) {
        settings << QString::fromStdString(key + " = " + value);
    }
    m_settings->setText(
        settings.isEmpty()
            ? QString()
            : tr("Sets before the start: %1").arg(settings.join(QStringLiteral(", "))));
    m_settings->setVisible(!settings.isEmpty());
}

app::Workload WorkloadForm::workload() const {
    app::Workload workload = m_shown;
    workload.name = m_name->text().trimmed().toStdString();
    workload.seed = m_seed->text().toULongLong();
    workload.stages = m_stages->stages();
    workload.promptTokens = {m_promptMinimum->value(), m_promptMaximum->value()};
    workload.outputTokens = {m_outputMinimum->value(), m_outputMaximum->value()};
    workload.fixedOutput = m_fixedOutput->isChecked();
    workload.promptSets.clear();
    for (const Chip* chip : m_sets) {
        if (chip->isChecked()) {
            workload.promptSets.push_back(chip->objectName().toStdString());
        }
    }
    workload.batchShare = m_batchShare->value() / 100.0;
    workload.temperature = static_cast<float>(m_temperature->value());
    return workload;
}

void WorkloadForm::retranslate() {
    m_nameLabel->setText(tr("Name"));
    m_seedLabel->setText(tr("Seed"));
    m_stagesTitle->setText(tr("Arrivals, one stage after the other"));
    m_requestsTitle->setText(tr("Requests"));
    m_promptLabel->setText(tr("Prompt tokens"));
    m_outputLabel->setText(tr("Output tokens"));
    m_fixedOutput->setText(tr("Answers go on to their drawn length"));
    m_setsLabel->setText(tr("Prompts"));
    m_batchLabel->setText(tr("In the batch lane"));
    m_temperatureLabel->setText(tr("Temperature"));
    m_name->setAccessibleName(m_nameLabel->text());
    m_seed->setAccessibleName(m_seedLabel->text());
    m_promptMinimum->setAccessibleName(tr("Fewest prompt tokens"));
    m_promptMaximum->setAccessibleName(tr("Most prompt tokens"));
    m_outputMinimum->setAccessibleName(tr("Fewest output tokens"));
    m_outputMaximum->setAccessibleName(tr("Most output tokens"));
    m_batchShare->setAccessibleName(m_batchLabel->text());
    m_temperature->setAccessibleName(m_temperatureLabel->text());
    for (Chip* chip : m_sets) {
        chip->setText(app::promptSetLabel(chip->objectName().toStdString()));
        chip->setAccessibleName(chip->text());
        chip->updateGeometry();
    }
}

void WorkloadForm::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        setWorkload(m_shown);
    }
}

} // namespace ui
