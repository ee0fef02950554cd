#include "ui/widgets/figure.h"

#include "ui/theme.h"

#include <QLabel>
#include <QProgressBar>
#include <QVBoxLayout>

namespace ui {

Figure::Figure(QWidget* parent) : QFrame(parent) {
    setSurface(this, Surface::Card);
    // Neighbours share the width by their stretch, not by what they happen to say.
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::kInsideCard, 8, space::kInsideCard, 8);
    column->setSpacing(3);
    m_caption = makeLabel({}, TextRole::Caption, this);
    m_value = makeLabel({}, TextRole::Value, this);
    m_value->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_bar = new QProgressBar(this);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_note = makeLabel({}, TextRole::Caption, this);
    column->addWidget(m_caption);
    column->addWidget(m_value);
    column->addWidget(m_bar);
    column->addWidget(m_note);
    m_bar->hide();
}

void Figure::setCaption(const QString& caption) {
    m_caption->setText(caption);
    describe();
}

void Figure::setValue(const QString& value, const QString& unit) {
    const QString small = unit.isEmpty()
                              ? QString()
                              : QStringLiteral(" <span style=\"font-size:12px; font-weight:400; "
                                               "color:%1\">%2</span>")
                                    .arg(color(ColorRole::Text3).name(), unit.toHtmlEscaped());
    m_value->setText(value.toHtmlEscaped() + small);
    m_value->setProperty("spoken", value + u' ' + unit);
    describe();
}

void Figure::setNote(const QString& note) {
    m_note->setText(note);
    describe();
}

void Figure::setShare(std::optional<double> share) {
    m_bar->setVisible(share.has_value());
    m_bar->setValue(static_cast<int>(share.value_or(0.0) * 1000.0));
}

void Figure::setTone(const char* tone) {
    setSheetProperty(m_note, "tone", QString::fromLatin1(tone));
}

void Figure::setUnsure(bool isUnsure) {
    m_isUnsure = isUnsure;
    setSheetProperty(m_value, "tone", isUnsure ? QStringLiteral("unsure") : QString());
}

void Figure::describe() {
    setAccessibleName(m_caption->text());
    setAccessibleDescription(m_value->property("spoken").toString() + QStringLiteral(", ") +
                             m_note->text());
}

} // namespace ui
