// Small tinted words: tags and verdicts painted in tables, and check buttons with a count. UI
// thread.
#pragma once

#include "app/compare/comparison.h"
#include "ui/theme.h"

#include <QAbstractButton>
#include <QPainter>

#include <optional>

namespace ui {

enum class Tone { Neutral, Accent, Info, Warn, Bad, Better, Worse };

struct ToneColors {
    QColor tint, text, border;
};
ToneColors toneColors(Tone tone);

// A tag's size and picture; `at` is the left end of its middle line. Returns the right end.
int tagWidth(const QString& text, bool hasIcon = false);
double paintTag(QPainter& painter, QPointF at, const QString& text, Tone tone,
                const QString& iconName = {});

// How a verdict is said: word, sign and colour, never colour alone.
struct VerdictLook {
    QString text;
    QString iconName;
    Tone tone = Tone::Neutral;
};
VerdictLook verdictLook(app::Verdict verdict);

// A tag as a widget: beside titles.
class Tag final : public QWidget {
    Q_OBJECT

public:
    explicit Tag(const QString& text, Tone tone = Tone::Neutral, QWidget* parent = nullptr);

    void setText(const QString& text);
    void setTone(Tone tone);
    void setIconName(const QString& name);
    QString text() const { return m_text; }
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
    QString m_iconName;
    Tone m_tone;
};

// A check button with a count beside its word: "Completed 6,620".
class Chip final : public QAbstractButton {
    Q_OBJECT

public:
    explicit Chip(const QString& text, QWidget* parent = nullptr);

    void setCount(std::optional<qint64> count);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_count;
};

} // namespace ui
