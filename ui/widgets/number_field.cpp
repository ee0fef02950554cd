#include "ui/widgets/number_field.h"

#include "app/labels.h"
#include "ui/theme.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QWheelEvent>

#include <algorithm>
#include <limits>

namespace ui {

namespace {

// "1,024", "1 024" and "1024" are one number.
QString digitsOnly(QString text) {
    text.replace(QChar(0x2212), u'-');
    text.remove(u',');
    text.remove(u' ');
    text.remove(QChar(0x00A0));
    text.remove(QChar(0x202F));
    return text;
}

} // namespace

NumberField::NumberField(QWidget* parent) : QSpinBox(parent) {
    setRange(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    setKeyboardTracking(false);
    setFocusPolicy(Qt::StrongFocus);
    m_unit = makeLabel({}, TextRole::Caption, lineEdit());
    m_unit->setAttribute(Qt::WA_TransparentForMouseEvents);
    connect(lineEdit(), &QLineEdit::textChanged, this, &NumberField::placeUnit);
    connect(lineEdit(), &QLineEdit::textEdited, this, [this] { m_isTyped = true; });
    connect(this, &QSpinBox::editingFinished, this, [this] {
        if (m_isTyped) {
            m_isTyped = false;
            Q_EMIT proposed(value());
        }
    });
}

void NumberField::setUnit(const QString& unit) {
    m_unit->setText(unit);
    placeUnit();
}

void NumberField::setZeroText(const QString& text) {
    m_zeroText = text;
}

void NumberField::setStepper(std::function<std::int64_t(std::int64_t, int)> stepper) {
    m_stepper = std::move(stepper);
}

void NumberField::stepBy(int steps) {
    interpretText();
    const std::int64_t next = m_stepper ? m_stepper(value(), steps) : value() + steps;
    m_isTyped = false;
    if (next != value()) {
        setValue(static_cast<int>(next));
        Q_EMIT proposed(next);
    }
    selectAll();
}

QValidator::State NumberField::validate(QString& input, int&) const {
    const QString digits = digitsOnly(input);
    if (digits.isEmpty() || digits == u"-") {
        return QValidator::Intermediate;
    }
    bool isNumber = false;
    digits.toLongLong(&isNumber);
    if (isNumber || input == m_zeroText) {
        return QValidator::Acceptable;
    }
    return !m_zeroText.isEmpty() && m_zeroText.startsWith(input) ? QValidator::Intermediate
                                                                 : QValidator::Invalid;
}

int NumberField::valueFromText(const QString& text) const {
    const qlonglong value = digitsOnly(text).toLongLong();
    return static_cast<int>(std::clamp<qlonglong>(value, std::numeric_limits<int>::min(),
                                                  std::numeric_limits<int>::max()));
}

QString NumberField::textFromValue(int value) const {
    return value == 0 && !m_zeroText.isEmpty() ? m_zeroText : app::numberText(value);
}

QAbstractSpinBox::StepEnabled NumberField::stepEnabled() const {
    if (!m_stepper) {
        return StepUpEnabled | StepDownEnabled;
    }
    StepEnabled enabled = StepNone;
    if (m_stepper(value(), 1) > value()) {
        enabled |= StepUpEnabled;
    }
    if (m_stepper(value(), -1) < value()) {
        enabled |= StepDownEnabled;
    }
    return enabled;
}

void NumberField::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        m_isTyped = false;
        Q_EMIT abandoned();
        return;
    }
    QSpinBox::keyPressEvent(event);
}

void NumberField::wheelEvent(QWheelEvent* event) {
    // Scrolling past a form must not change the settings under the pointer.
    if (hasFocus()) {
        QSpinBox::wheelEvent(event);
    } else {
        event->ignore();
    }
}

void NumberField::resizeEvent(QResizeEvent* event) {
    QSpinBox::resizeEvent(event);
    placeUnit();
}

void NumberField::placeUnit() {
    const int text = lineEdit()->fontMetrics().horizontalAdvance(lineEdit()->text());
    const QSize wanted = m_unit->sizeHint();
    m_unit->setGeometry(text + 7, (lineEdit()->height() - wanted.height()) / 2, wanted.width(),
                        wanted.height());
    m_unit->setVisible(lineEdit()->text() != m_zeroText || m_zeroText.isEmpty());
}

} // namespace ui
