#include "ui/panels/sampling_form.h"

#include "app/labels.h"
#include "ui/theme.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>

#include <limits>

namespace ui {

namespace {

constexpr qsizetype kNamedLength = 16; // of an adapter in the summary

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
    m_adapter = new QComboBox(this);
    m_adapter->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_adapter->addItem({});
    for (QWidget* field : {static_cast<QWidget*>(m_system), static_cast<QWidget*>(m_temperature),
                           static_cast<QWidget*>(m_topK), static_cast<QWidget*>(m_topP),
                           static_cast<QWidget*>(m_minP), static_cast<QWidget*>(m_seed),
                           static_cast<QWidget*>(m_maxTokens), static_cast<QWidget*>(m_adapter)}) {
        m_form->addRow(makeLabel({}, TextRole::Small, this), field);
    }
    connect(m_temperature, &QDoubleSpinBox::valueChanged, this, &SamplingForm::changed);
    connect(m_adapter, &QComboBox::currentIndexChanged, this, &SamplingForm::changed);
    setAdapters({});
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

QString SamplingForm::adapter() const {
    return m_adapter->currentIndex() > 0 ? m_adapter->currentText() : QString();
}

void SamplingForm::setAdapters(const QStringList& names) {
    const QString chosen = adapter();
    {
        const QSignalBlocker blocker(m_adapter);
        while (m_adapter->count() > 1) {
            m_adapter->removeItem(1);
        }
        m_adapter->addItems(names);
        m_adapter->setCurrentIndex(static_cast<int>(names.indexOf(chosen)) + 1);
    }
    m_adapter->setVisible(!names.isEmpty());
    m_form->labelForField(m_adapter)->setVisible(!names.isEmpty());
    if (adapter() != chosen) {
        Q_EMIT changed();
    }
}

QString SamplingForm::summary() const {
    const QString sampling =
        m_temperature->value() == 0.0
            ? tr("greedy")
            : tr("temperature %1").arg(app::numberText(m_temperature->value(), 2));
    const QString name = adapter().size() <= kNamedLength
                             ? adapter()
                             : adapter().first(kNamedLength - 1) + QChar(0x2026);
    return name.isEmpty() ? sampling : sampling + QStringLiteral(" · ") + name;
}

void SamplingForm::retranslate() {
    const QStringList names{tr("System prompt"), tr("Temperature"), tr("Top k"),
                            tr("Top p"),         tr("Min p"),       tr("Seed"),
                            tr("Max tokens"),    tr("Adapter")};
    for (int i = 0; i < names.size(); ++i) {
        auto* label = static_cast<QLabel*>(m_form->itemAt(i, QFormLayout::LabelRole)->widget());
        label->setText(names[i]);
        QWidget* field = m_form->itemAt(i, QFormLayout::FieldRole)->widget();
        field->setAccessibleName(names[i]);
    }
    m_temperature->setToolTip(tr("0 takes the likeliest token every time"));
    m_topK->setSpecialValueText(tr("off"));
    m_system->setPlaceholderText(tr("none"));
    m_adapter->setItemText(0, tr("none: the model itself"));
}

void SamplingForm::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        Q_EMIT changed();
    }
}

} // namespace ui
