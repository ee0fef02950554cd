// Settings of two runs beside each other, requested → effective where they differ; only what
// differs, or all. UI thread.
#pragma once

#include "app/compare/comparison.h"

#include <QFrame>

#include <memory>

class QGridLayout;
class QLabel;

namespace ui {

class ToggleSwitch;

// "512 tok"; where 0 is a word, that word.
QString settingValue(const engine::Field& field, const std::string& value);

class SettingsDifference final : public QFrame {
    Q_OBJECT

public:
    explicit SettingsDifference(QWidget* parent = nullptr);

    void setRuns(std::shared_ptr<const app::RunData> a, std::shared_ptr<const app::RunData> b,
                 const app::Comparison& comparison, const QString& nameA, const QString& nameB);

protected:
    void changeEvent(QEvent* event) override;

private:
    void fill();

    std::shared_ptr<const app::RunData> m_a, m_b;
    app::Comparison m_comparison;
    QString m_nameA, m_nameB; // of the columns
    QLabel* m_title = nullptr;
    ToggleSwitch* m_onlyDifferent = nullptr;
    QWidget* m_table = nullptr;
    QLabel* m_hidden = nullptr;
};

} // namespace ui
