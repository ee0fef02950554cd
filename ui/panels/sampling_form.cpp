#include "ui/panels/sampling_form.h"

#include "app/labels.h"
#include "ui/theme.h"

#include <QDoubleSpinBox>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>

#include <limits>

namespace ui {

namespace {

QDoubleSpinBox* makeShare(double maximum, double value, QWidget* parent) {
    auto* box = new QDoubleSpinBox(parent);
    box->setRange(0.0, maximum);
    box->setDecimals(2);
    box->setSingleStep(0.05);
    box->setValue(value);
    return box;
}

QSpinBox* makeCount(int minimum, int maximum, int value, QWidget* parent) {
    auto* box = new QSpinBox(parent);
    box->setRange(minimum, maximum);
    box->setGroupSeparatorShown(true);
    box->setValue(value);
    return box;
}

} // namespace

SamplingForm::SamplingForm(QWidget* parent) : QWidget(parent) {
    setProperty("dense", true);
    m_form = new QFormLayout(this);
    m_form->setContentsMargins(0, 0, 0, 0);
    m_form->setVerticalSpacing(6);
    m_system = new QLineEdit(this);
    m_temperature = makeShare(5.0, 0.0, this);
    m_topK = makeCount(0, 100'000, 0, this);
    m_topP = makeShare(1.0, 1.0, this);
    m_minP = makeShare(1.0, 0.0, this);
    m_seed = makeCount(0, std::numeric_limits<int>::max(), 0, this);
    m_seed->setGroupSeparatorShown(false);
    m_maxTokens = makeCount(1, 32'768, 256, this);
    for (QWidget* field : {static_cast<QWidget*>(m_system), static_cast<QWidget*>(m_temperature),
                           static_cast<QWidget*>(m_topK), static_cast<QWidget*>(m_topP),
                           static_cast<QWidget*>(m_minP), static_cast<QWidget*>(m_seed),
                           static_cast<QWidget*>(m_maxTokens)}) {
        m_form->addRow(makeLabel({}, TextRole::Small, this), field);
    }
    connect(m_temperature, &QDoubleSpinBox::valueChanged, this, &SamplingForm::changed);
    retranslate();
}

engine::Sampling SamplingForm::sampling() const {
    return {.temperature = static_cast<float>(m_temperature->value()),
            .topK = m_topK->value(),
            .topP = static_cast<float>(m_topP->value()),
            .minP = static_cast<float>(m_minP->value()),
            .seed = static_cast<std::uint64_t>(m_seed->value())};
}

int SamplingForm::maxTokens() const {
    return m_maxTokens->value();
}

QString SamplingForm::systemPrompt() const {
    return m_system->text().trimmed();
}

QString SamplingForm::summary() const {
    return m_temperature->value() == 0.0
               ? tr("greedy")
               : tr("temperature %1").arg(app::numberText(m_temperature->value(), 2));
}

void SamplingForm::retranslate() {
    const QStringList names{tr("System prompt"), tr("Temperature"), tr("Top k"),     tr("Top p"),
                            tr("Min p"),         tr("Seed"),        tr("Max tokens")};
    for (int i = 0; i < names.size(); ++i) {
        auto* label = static_cast<QLabel*>(m_form->itemAt(i, QFormLayout::LabelRole)->widget());
        label->setText(names[i]);
        QWidget* field = m_form->itemAt(i, QFormLayout::FieldRole)->widget();
        field->setAccessibleName(names[i]);
    }
    m_temperature->setToolTip(tr("0 takes the likeliest token every time"));
    m_topK->setSpecialValueText(tr("off"));
    m_system->setPlaceholderText(tr("none"));
}

void SamplingForm::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        Q_EMIT changed();
    }
}

} // namespace ui
