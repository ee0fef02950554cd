#include "ui/panels/sides_form.h"

#include "app/experiment/experiment_labels.h"
#include "app/labels.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/choice_field.h"
#include "ui/widgets/segmented.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr std::array kWorkloadKeys = {"workload.prompt", "workload.output",      "workload.users",
                                      "workload.rate",   "workload.batch_share", "workload.set",
                                      "workload.typed"};

QString plain(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QComboBox* makeValues(QWidget* parent) {
    auto* box = new ChoiceField(parent);
    box->setEditable(true);
    box->setInsertPolicy(QComboBox::NoInsert);
    box->setMinimumWidth(72);
    box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    return box;
}

std::string valueIn(const app::SettingTexts& settings, const std::string& key) {
    const auto found = std::ranges::find(settings, key, &app::SettingTexts::value_type::first);
    return found != settings.end() ? found->second : std::string();
}

} // namespace

SidesForm::SidesForm(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    m_kind = new Segmented({QString(), QString()}, this);
    column->addWidget(m_kind, 0, Qt::AlignLeft);
    m_pair = new QWidget(this);
    auto* pair = new QVBoxLayout(m_pair);
    pair->setContentsMargins(0, 0, 0, 0);
    pair->setSpacing(4);
    auto* heads = new QHBoxLayout;
    heads->setSpacing(6);
    m_headA = makeLabel(QStringLiteral("A"), TextRole::Caption, m_pair);
    m_headB = makeLabel(QStringLiteral("B"), TextRole::Caption, m_pair);
    heads->addStretch(5);
    heads->addWidget(m_headA, 3);
    heads->addWidget(m_headB, 3);
    heads->addSpacing(32);
    pair->addLayout(heads);
    m_list = new QVBoxLayout;
    m_list->setSpacing(4);
    pair->addLayout(m_list);
    m_add = makeButton({}, ButtonKind::Quiet, m_pair);
    m_add->setIcon(icon(QStringLiteral("plus")));
    pair->addWidget(m_add, 0, Qt::AlignLeft);
    column->addWidget(m_pair);
    m_sweep = new QWidget(this);
    auto* sweep = new QGridLayout(m_sweep);
    sweep->setContentsMargins(0, 0, 0, 0);
    sweep->setHorizontalSpacing(8);
    sweep->setVerticalSpacing(6);
    m_sweepName = makeLabel({}, TextRole::Small, m_sweep);
    m_sweepKey = new ChoiceField(m_sweep);
    fillKeys(m_sweepKey);
    m_valuesName = makeLabel({}, TextRole::Small, m_sweep);
    m_values = new QLineEdit(m_sweep);
    sweep->addWidget(m_sweepName, 0, 0);
    sweep->addWidget(m_sweepKey, 0, 1);
    sweep->addWidget(m_valuesName, 1, 0);
    sweep->addWidget(m_values, 1, 1);
    sweep->setColumnStretch(1, 1);
    column->addWidget(m_sweep);
    m_other = makeLabel({}, TextRole::Caption, this);
    m_other->setWordWrap(true);
    column->addWidget(m_other);
    connect(m_kind, &Segmented::currentChanged, this, [this] {
        m_isOther = false;
        arrange();
        Q_EMIT changed();
    });
    connect(m_add, &QPushButton::clicked, this, [this] {
        addRow(QStringLiteral("batching.max_batch"), QStringLiteral("8"), QStringLiteral("16"));
        Q_EMIT changed();
    });
    connect(m_sweepKey, &QComboBox::activated, this, &SidesForm::changed);
    connect(m_values, &QLineEdit::editingFinished, this, &SidesForm::changed);
    retranslate();
    arrange();
}

// By name, the key as data: the engine's settings, then the workload's own figures.
void SidesForm::fillKeys(QComboBox* keys) const {
    keys->clear();
    for (const engine::Field& field : engine::fieldTable()) {
        keys->addItem(app::fieldLabel(field), plain(field.key));
    }
    for (const char* key : kWorkloadKeys) {
        keys->addItem(app::settingName(key), QString::fromLatin1(key));
    }
}

void SidesForm::fillValues(QComboBox* values, const QString& key) const {
    const QString typed = values->currentText();
    values->clear();
    const engine::Field* field = engine::findField(key.toStdString());
    if (field != nullptr && field->type == engine::FieldType::Switch) {
        values->addItems({QStringLiteral("off"), QStringLiteral("on")});
    } else if (field != nullptr) {
        for (const std::string_view choice : field->choices) {
            values->addItem(plain(choice));
        }
    }
    values->setEditText(typed);
}

void SidesForm::addRow(const QString& key, const QString& a, const QString& b) {
    Row row;
    row.box = new QWidget(m_pair);
    auto* line = new QHBoxLayout(row.box);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(6);
    row.key = new ChoiceField(row.box);
    row.key->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    fillKeys(row.key);
    row.key->setCurrentIndex(row.key->findData(key));
    line->addWidget(row.key, 5);
    for (std::size_t side = 0; side < row.values.size(); ++side) {
        row.values[side] = makeValues(row.box);
        fillValues(row.values[side], key);
        row.values[side]->setEditText(side == 0 ? a : b);
        line->addWidget(row.values[side], 3);
        connect(row.values[side], &QComboBox::activated, this, &SidesForm::changed);
        connect(row.values[side]->lineEdit(), &QLineEdit::editingFinished, this,
                &SidesForm::changed);
    }
    row.remove = makeButton({}, ButtonKind::Quiet, row.box);
    row.remove->setIcon(icon(QStringLiteral("cross")));
    row.remove->setFixedSize(26, 26);
    line->addWidget(row.remove);
    m_list->addWidget(row.box);
    connect(row.key, &QComboBox::activated, this, [this, row] {
        for (QComboBox* values : row.values) {
            fillValues(values, row.key->currentData().toString());
        }
        Q_EMIT changed();
    });
    connect(row.remove, &QPushButton::clicked, this, [this, box = row.box] {
        removeRow(box);
        Q_EMIT changed();
    });
    m_rows.push_back(row);
    retranslate();
    arrange();
}

void SidesForm::removeRow(const QWidget* box) {
    const auto row = std::ranges::find(m_rows, box, &Row::box);
    if (row != m_rows.end()) {
        row->box->hide();
        row->box->deleteLater();
        m_rows.erase(row);
    }
}

void SidesForm::clearRows() {
    while (!m_rows.empty()) {
        removeRow(m_rows.back().box);
    }
}

QComboBox* SidesForm::valueOf(int row, int side) const {
    return m_rows.at(static_cast<std::size_t>(row)).values.at(static_cast<std::size_t>(side));
}

void SidesForm::chooseSweep(bool isSweep) {
    m_kind->setCurrentIndex(isSweep ? 1 : 0);
}

void SidesForm::setExperiment(const app::Experiment& experiment) {
    const QSignalBlocker blockers[] = {QSignalBlocker(this), QSignalBlocker(m_kind),
                                       QSignalBlocker(m_values)};
    const bool isSweep = !experiment.sweepKey.empty();
    m_isOther = !isSweep && experiment.sides.size() > 2;
    m_isSingle = !isSweep && experiment.sides.size() == 1;
    m_kind->setCurrentIndex(isSweep ? 1 : 0);
    if (isSweep) {
        m_sweepKey->setCurrentIndex(
            m_sweepKey->findData(QString::fromStdString(experiment.sweepKey)));
        QStringList values;
        for (const app::Side& side : experiment.sides) {
            values << QString::fromStdString(side.label);
        }
        m_values->setText(values.join(QStringLiteral(", ")));
    } else if (!m_isOther) {
        std::vector<std::string> keys;
        for (const app::Side& side : experiment.sides) {
            for (const auto& [key, value] : side.settings) {
                if (std::ranges::find(keys, key) == keys.end()) {
                    keys.push_back(key);
                }
            }
        }
        // Rows that only have other values stay as they are, with the focus where it is.
        if (keys.size() != m_rows.size()) {
            clearRows();
            for (const std::string& key : keys) {
                addRow(QString::fromStdString(key), {}, {});
            }
        }
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const QString key = QString::fromStdString(keys[i]);
            m_rows[i].key->setCurrentIndex(m_rows[i].key->findData(key));
            for (std::size_t side = 0; side < experiment.sides.size(); ++side) {
                fillValues(m_rows[i].values[side], key);
                m_rows[i].values[side]->setEditText(
                    QString::fromStdString(valueIn(experiment.sides[side].settings, keys[i])));
            }
        }
    }
    arrange();
}

void SidesForm::applyTo(app::Experiment& experiment) const {
    if (m_isOther) {
        return;
    }
    if (m_kind->currentIndex() == 1) {
        experiment.sweepKey = m_sweepKey->currentData().toString().toStdString();
        experiment.sides.clear();
        static const QRegularExpression between(QStringLiteral("[,;\\s]+"));
        for (const QString& value : m_values->text().split(between, Qt::SkipEmptyParts)) {
            bool isNumber = false;
            const double number = value.toDouble(&isNumber);
            experiment.sides.push_back(
                {.label = value.toStdString(),
                 .settings = {{experiment.sweepKey, value.toStdString()}},
                 .x = isNumber ? number : static_cast<double>(experiment.sides.size())});
        }
        return;
    }
    experiment.sweepKey.clear();
    std::vector<app::Side> sides(m_isSingle ? 1 : 2);
    for (std::size_t side = 0; side < sides.size(); ++side) {
        sides[side].label = std::string(1, side == 0 ? 'A' : 'B');
        for (const Row& row : m_rows) {
            const std::string value = row.values[side]->currentText().trimmed().toStdString();
            if (!value.empty()) {
                sides[side].settings.emplace_back(row.key->currentData().toString().toStdString(),
                                                  value);
            }
        }
    }
    experiment.sides = std::move(sides);
}

void SidesForm::arrange() {
    const bool isSweep = m_kind->currentIndex() == 1;
    m_pair->setVisible(!isSweep && !m_isOther);
    m_sweep->setVisible(isSweep && !m_isOther);
    m_other->setVisible(m_isOther);
    m_headB->setVisible(!m_isSingle);
    for (const Row& row : m_rows) {
        row.values[1]->setVisible(!m_isSingle);
    }
}

void SidesForm::retranslate() {
    m_kind->setItems({tr("A against B"), tr("Sweep")});
    m_kind->setAccessibleName(tr("What varies"));
    m_add->setText(tr("Add a setting"));
    m_sweepName->setText(tr("Setting"));
    m_sweepKey->setAccessibleName(tr("Setting that is swept"));
    m_valuesName->setText(tr("Values"));
    m_values->setPlaceholderText(QStringLiteral("1, 2, 4, 8"));
    m_values->setAccessibleName(tr("Values of the sweep"));
    m_other->setText(tr("This experiment has several named sides; edit them as TOML."));
    int number = 1;
    for (const Row& row : m_rows) {
        row.key->setAccessibleName(tr("Setting %1").arg(number));
        row.values[0]->setAccessibleName(tr("Setting %1 of side A").arg(number));
        row.values[1]->setAccessibleName(tr("Setting %1 of side B").arg(number));
        row.remove->setAccessibleName(tr("Remove setting %1").arg(number));
        row.remove->setToolTip(tr("Remove this setting"));
        ++number;
    }
}

void SidesForm::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        for (QComboBox* keys : {m_sweepKey}) {
            const QVariant chosen = keys->currentData();
            fillKeys(keys);
            keys->setCurrentIndex(keys->findData(chosen));
        }
        for (const Row& row : m_rows) {
            const QVariant chosen = row.key->currentData();
            fillKeys(row.key);
            row.key->setCurrentIndex(row.key->findData(chosen));
        }
        retranslate();
    }
}

} // namespace ui
