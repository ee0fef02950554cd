// One setting of the configuration panel: label, editor by the field's type, and below it what is
// to be said about its state. Shows what it is given and proposes values; it decides nothing. UI
// thread.
#pragma once

#include "ui/panels/field_view.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace ui {

class ChoiceField;
class NumberField;
class ToggleSwitch;

class FieldRow final : public QWidget {
    Q_OBJECT

public:
    explicit FieldRow(const engine::Field& field, QWidget* parent = nullptr);

    const engine::Field& field() const { return m_field; }
    // `refusal` may be null. `changed`: when the setting was changed in this run, "02:08", or
    // empty.
    void present(const engine::FieldStatus& status, const engine::EngineConfig& requested,
                 const Refusal* refusal, const QString& changed);
    const FieldView& view() const { return m_view; }
    bool matches(const QString& filter) const; // label, key, flag or help
    QWidget* editor() const;
    void retranslate();

Q_SIGNALS:
    void proposed(const QString& valueText);
    void abandoned(); // Esc after a refusal
    void menuRequested(const QPoint& globalPosition);

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildEditor();
    void showValue(const engine::FieldStatus& status, const engine::EngineConfig& requested,
                   const Refusal* refusal);
    void showMessage(const Refusal* refusal);
    void fitTexts();

    const engine::Field& m_field;
    FieldView m_view;
    QString m_effective; // as value text, to go back to from preparing
    QLabel* m_label = nullptr;
    QLabel* m_changed = nullptr;
    NumberField* m_number = nullptr; // exactly one of the three
    ChoiceField* m_choice = nullptr;
    ToggleSwitch* m_switch = nullptr;
    QWidget* m_stateLine = nullptr;
    QLabel* m_icon = nullptr;
    QLabel* m_message = nullptr;
    QProgressBar* m_progress = nullptr;
    QPushButton* m_cancel = nullptr;
    QPushButton* m_nearest = nullptr;
};

} // namespace ui
