// The three hand-painted buttons of the top strip. UI thread.
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
