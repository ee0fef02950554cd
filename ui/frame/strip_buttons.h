// The hand-painted buttons of the top strip. UI thread.
#pragma once

#include <QAbstractButton>

namespace ui {

// Hover and focus are looked at when painting; subclasses only say what they look like.
class StripButton : public QAbstractButton {
    Q_OBJECT

public:
    explicit StripButton(QWidget* parent);

protected:
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
};

// Name over format and computing, with a chevron.
class ModelButton final : public StripButton {
    Q_OBJECT

public:
    explicit ModelButton(QWidget* parent) : StripButton(parent) {}
    void setModel(const QString& name, const QString& detail);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_name;
    QString m_detail;
};

// Looks like a search field and opens the palette.
class PaletteField final : public StripButton {
    Q_OBJECT

public:
    explicit PaletteField(QWidget* parent) : StripButton(parent) {}
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

// A bell; with alarms, how many, in the colour of what nobody has acknowledged yet.
class AlarmButton final : public StripButton {
    Q_OBJECT

public:
    explicit AlarmButton(QWidget* parent) : StripButton(parent) {}
    void setCounts(int fresh, int raised, const QString& words); // no words: the sign, and a number
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int m_fresh = 0;
    int m_raised = 0;
};

// A shield; under a level of degradation which, in the level's colour.
class LevelButton final : public StripButton {
    Q_OBJECT

public:
    explicit LevelButton(QWidget* parent) : StripButton(parent) {}
    void setLevel(int level, const QString& words); // colour of the level; no words: the sign alone
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int m_level = 0;
};

class RecordButton final : public StripButton {
    Q_OBJECT

public:
    enum class Look { Idle, Recording, Blocked };

    explicit RecordButton(QWidget* parent) : StripButton(parent) {}
    // `time` is shown while recording.
    void setLook(Look look, const QString& words, const QString& time);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Look m_look = Look::Idle;
    QString m_time;
};

} // namespace ui
