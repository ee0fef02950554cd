#include "ui/panels/stage_list.h"

#include "app/load/workload_limits.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/choice_field.h"

#include <QDoubleSpinBox>
#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

QDoubleSpinBox* makeNumber(const app::WorkloadLimit& limit, int decimals, double step,
                           QWidget* parent) {
    auto* box = new QDoubleSpinBox(parent);
    box->setDecimals(decimals);
    box->setRange(limit.minimum, limit.maximum);
    box->setSingleStep(step);
    box->setKeyboardTracking(false);
    box->setGroupSeparatorShown(true);
    // The widest value of its range would ask for more room than the panel has.
    box->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    box->setMinimumWidth(64);
    return box;
}

} // namespace

StageList::StageList(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    m_list = new QVBoxLayout;
    m_list->setSpacing(6);
    column->addLayout(m_list);
    m_add = makeButton({}, ButtonKind::Quiet, this);
    m_add->setIcon(icon(QStringLiteral("plus")));
    column->addWidget(m_add, 0, Qt::AlignLeft);
    connect(m_add, &QPushButton::clicked, this, [this] {
        std::vector<app::Stage> next = stages();
        next.push_back(next.empty() ? app::Stage{} : next.back());
        setStages(next);
        Q_EMIT changed();
    });
    retranslate();
}

void StageList::addRow() {
    Row row;
    row.box = new QWidget(this);
    auto* grid = new QGridLayout(row.box);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(6);
    grid->setVerticalSpacing(4);
    row.kind = new ChoiceField(row.box);
    for (const auto kind :
         {app::ArrivalKind::Poisson, app::ArrivalKind::Gamma, app::ArrivalKind::Closed}) {
        row.kind->addItem(QString(), static_cast<int>(kind));
    }
    row.rate = makeNumber(app::kRateLimit, 2, 1.0, row.box);
    row.arrow = makeLabel(QStringLiteral("→"), TextRole::Caption, row.box);
    row.endRate = makeNumber(app::kEndRateLimit, 2, 1.0, row.box);
    row.burstiness = makeNumber(app::kBurstinessLimit, 2, 0.5, row.box);
    row.users = new QSpinBox(row.box);
    row.users->setRange(static_cast<int>(app::kUsersLimit.minimum),
                        static_cast<int>(app::kUsersLimit.maximum));
    row.users->setKeyboardTracking(false);
    row.seconds = makeNumber(app::kSecondsLimit, 1, 5.0, row.box);
    row.remove = makeButton({}, ButtonKind::Quiet, row.box);
    row.remove->setIcon(icon(QStringLiteral("cross")));
    row.remove->setFixedSize(26, 26);
    grid->addWidget(row.kind, 0, 0);
    grid->addWidget(row.seconds, 0, 1, 1, 3);
    grid->addWidget(row.remove, 0, 4);
    grid->addWidget(row.rate, 1, 1);
    grid->addWidget(row.arrow, 1, 2);
    grid->addWidget(row.endRate, 1, 3);
    row.unit = makeLabel({}, TextRole::Caption, row.box);
    grid->addWidget(row.unit, 1, 4);
    grid->addWidget(row.users, 1, 1, 1, 3);
    grid->addWidget(row.burstiness, 1, 0);
    grid->setColumnStretch(0, 4);
    grid->setColumnStretch(1, 3);
    grid->setColumnStretch(3, 3);
    m_list->addWidget(row.box);
    const std::size_t index = m_rows.size();
    m_rows.push_back(row);
    connect(row.kind, &QComboBox::activated, this, [this, index] {
        arrange(m_rows[index]);
        Q_EMIT changed();
    });
    for (QDoubleSpinBox* box : {row.endRate, row.burstiness, row.seconds}) {
        connect(box, &QDoubleSpinBox::valueChanged, this, &StageList::changed);
    }
    // An even rate stays even when it is changed at its start.
    connect(row.rate, &QDoubleSpinBox::valueChanged, this, [this, index](double rate) {
        Row& at = m_rows[index];
        if (at.rate->property("wasEven").toBool()) {
            const QSignalBlocker blocker(at.endRate);
            at.endRate->setValue(rate);
        }
        Q_EMIT changed();
    });
    connect(row.endRate, &QDoubleSpinBox::valueChanged, this, [this, index](double rate) {
        m_rows[index].rate->setProperty("wasEven", rate == m_rows[index].rate->value());
    });
    connect(row.users, &QSpinBox::valueChanged, this, &StageList::changed);
    connect(row.remove, &QPushButton::clicked, this, [this, index] {
        std::vector<app::Stage> next = stages();
        next.erase(next.begin() + static_cast<std::ptrdiff_t>(index));
        setStages(next);
        Q_EMIT changed();
    });
}

void StageList::setStages(const std::vector<app::Stage>& stages) {
    while (m_rows.size() > stages.size()) {
        m_rows.back().box->hide();
        m_rows.back().box->deleteLater();
        m_rows.pop_back();
    }
    const bool hasGrown = m_rows.size() < stages.size();
    while (m_rows.size() < stages.size()) {
        addRow();
    }
    if (hasGrown) {
        retranslate();
    }
    for (std::size_t i = 0; i < stages.size(); ++i) {
        showStage(m_rows[i], stages[i]);
        m_rows[i].remove->setEnabled(stages.size() > 1);
    }
}

void StageList::showStage(Row& row, const app::Stage& stage) {
    const QSignalBlocker kind(row.kind), rate(row.rate), end(row.endRate), burst(row.burstiness),
        users(row.users), seconds(row.seconds);
    row.kind->setCurrentIndex(row.kind->findData(static_cast<int>(stage.kind)));
    row.rate->setValue(stage.ratePerSecond);
    row.endRate->setValue(stage.endRatePerSecond);
    row.rate->setProperty("wasEven", stage.ratePerSecond == stage.endRatePerSecond);
    row.burstiness->setValue(stage.burstiness);
    row.users->setValue(stage.users);
    row.seconds->setValue(stage.seconds);
    arrange(row);
}

app::Stage StageList::stageOf(const Row& row) {
    return {.kind = static_cast<app::ArrivalKind>(row.kind->currentData().toInt()),
            .ratePerSecond = row.rate->value(),
            .endRatePerSecond = row.endRate->value(),
            .burstiness = row.burstiness->value(),
            .users = row.users->value(),
            .seconds = row.seconds->value()};
}

std::vector<app::Stage> StageList::stages() const {
    std::vector<app::Stage> stages;
    std::ranges::transform(m_rows, std::back_inserter(stages), &StageList::stageOf);
    return stages;
}

// Only the numbers that have a bearing on the kind are shown.
void StageList::arrange(Row& row) {
    const auto kind = static_cast<app::ArrivalKind>(row.kind->currentData().toInt());
    const bool isClosed = kind == app::ArrivalKind::Closed;
    row.users->setVisible(isClosed);
    for (QWidget* widget : {static_cast<QWidget*>(row.rate), static_cast<QWidget*>(row.arrow),
                            static_cast<QWidget*>(row.endRate), static_cast<QWidget*>(row.unit)}) {
        widget->setVisible(!isClosed);
    }
    row.burstiness->setVisible(kind == app::ArrivalKind::Gamma);
}

void StageList::retranslate() {
    m_add->setText(tr("Add a stage"));
    const QStringList kinds{tr("Poisson"), tr("Gamma bursts"), tr("Closed loop")};
    int number = 1;
    for (Row& row : m_rows) {
        for (int i = 0; i < row.kind->count(); ++i) {
            row.kind->setItemText(i, kinds[i]);
        }
        row.unit->setText(tr("req/s"));
        row.burstiness->setPrefix(tr("burstiness "));
        row.users->setSuffix(tr(" users"));
        row.seconds->setSuffix(tr(" s"));
        row.kind->setAccessibleName(tr("Kind of stage %1").arg(number));
        row.rate->setAccessibleName(tr("Rate at the start of stage %1").arg(number));
        row.endRate->setAccessibleName(tr("Rate at the end of stage %1").arg(number));
        row.burstiness->setAccessibleName(tr("Burstiness of stage %1").arg(number));
        row.burstiness->setToolTip(
            tr("Squared coefficient of variation of the gaps: 1 is Poisson, above it bursts"));
        row.users->setAccessibleName(tr("Users of stage %1").arg(number));
        row.seconds->setAccessibleName(tr("Seconds of stage %1").arg(number));
        row.remove->setAccessibleName(tr("Remove stage %1").arg(number));
        row.remove->setToolTip(tr("Remove this stage"));
        ++number;
    }
}

void StageList::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

} // namespace ui
