// A push button that names its key at the right of its text: "Send  Ctrl ⏎". UI thread.
#pragma once

#include "ui/theme.h"

#include <QPushButton>

namespace ui {

class KeyButton final : public QPushButton {
    Q_OBJECT

public:
    KeyButton(ButtonKind kind, const QString& keys, QWidget* parent = nullptr);

    void setKeys(const QString& keys); // empty: a plain button
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    int keysWidth() const;

    QString m_keys;
};

} // namespace ui
