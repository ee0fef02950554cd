// A number as pages show it: caption, value with unit, a bar where there is a share, a note. UI
// thread.
#pragma once

#include <QFrame>

#include <optional>

class QLabel;
class QProgressBar;

namespace ui {

class Figure final : public QFrame {
    Q_OBJECT

public:
    explicit Figure(QWidget* parent = nullptr);

    void setCaption(const QString& caption);
    void setValue(const QString& value, const QString& unit = {});
    void setNote(const QString& note);
    void setShare(std::optional<double> share); // 0..1; empty: no bar
    void setTone(const char* tone);             // of the note: "", "warn", "bad"
    void setUnsure(bool isUnsure);              // too few samples: the value is grey
    bool isUnsure() const { return m_isUnsure; }

private:
    void describe();

    QLabel* m_caption = nullptr;
    QLabel* m_value = nullptr;
    QProgressBar* m_bar = nullptr;
    QLabel* m_note = nullptr;
    bool m_isUnsure = false;
};

} // namespace ui
