#include "ui/panels/advisor_view.h"

#include "app/labels.h"
#include "app/value_text.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"

#include <QDoubleSpinBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace ui {

namespace {

constexpr int kFormWidth = 228;
enum class AdviceColumn { What, Settings, Ttft, Tpot, Output, Requests, N, Verdict };

QString configuration(const app::SettingTexts& settings) {
    return app::configurationText({.label = "—", .settings = settings});
}

QString whatText(const AdviceRow& row) {
    switch (row.kind) {
    case AdviceRow::Kind::Rule:
        return AdvisorView::tr("The rule");
    case AdviceRow::Kind::BestRun:
        return AdvisorView::tr("Best recorded run, %1").arg(row.run.value_or(0));
    case AdviceRow::Kind::Search:
        return AdvisorView::tr("Optimum of the last search");
    case AdviceRow::Kind::InForce:
        break;
    }
    return AdvisorView::tr("In force now");
}

std::vector<Column<AdviceRow>> columns() {
    using C = Column<AdviceRow>;
    const auto figure = [](std::optional<double> AdviceRow::*member, int decimals) {
        return [member, decimals](const AdviceRow& row) {
            return app::numberText(row.*member, decimals);
        };
    };
    const auto latency = [](std::optional<double> AdviceRow::*member) {
        return [member](const AdviceRow& row) { return app::millisecondsText(row.*member); };
    };
    return {
        C([] { return AdvisorView::tr("Advice"); }, whatText).wide(140),
        C([] { return AdvisorView::tr("Configuration"); },
          [](const AdviceRow& row) {
              return configuration(row.settings);
          }).wide(220),
        C([] { return QStringLiteral("TTFT p99 ms"); }, latency(&AdviceRow::ttftP99Ms))
            .atRight()
            .wide(100),
        C([] { return QStringLiteral("TPOT p99 ms"); }, latency(&AdviceRow::tpotP99Ms))
            .atRight()
            .wide(100),
        C([] { return AdvisorView::tr("Output tok/s"); }, figure(&AdviceRow::outputPerSecond, 0))
            .atRight()
            .wide(100),
        C([] { return AdvisorView::tr("Requests/s"); }, figure(&AdviceRow::requestsPerSecond, 1))
            .atRight()
            .wide(96),
        C([] { return QStringLiteral("n"); },
          [](const AdviceRow& row) {
              return row.n > 0 ? app::numberText(static_cast<double>(row.n)) : QString();
          })
            .atRight()
            .wide(60),
        C([] { return AdvisorView::tr("Limits"); },
          [](const AdviceRow& row) {
              return !row.ttftP99Ms ? AdvisorView::tr("not measured")
                     : row.isWithin ? AdvisorView::tr("within")
                                    : AdvisorView::tr("beyond");
          }).wide(110)};
}

class AdviceDelegate final : public TableDelegate {
public:
    AdviceDelegate(const AdviceModel& model, QObject* parent)
        : TableDelegate(parent),
          m_model(model) {}

protected:
    CellStyle style(const QModelIndex& index) const override {
        const bool isFirst = index.column() == static_cast<int>(AdviceColumn::What);
        const bool isThin = m_model.rowAt(index.row()).n < app::leastCount(0.99);
        return {.color = isFirst || !isThin ? ColorRole::Text1 : ColorRole::Text3,
                .isStrong = isFirst};
    }
    void paintCell(QPainter& painter, const QRect& bounds,
                   const QModelIndex& index) const override {
        if (index.column() != static_cast<int>(AdviceColumn::Verdict)) {
            TableDelegate::paintCell(painter, bounds, index);
            return;
        }
        const AdviceRow& row = m_model.rowAt(index.row());
        const Tone tone = !row.ttftP99Ms ? Tone::Neutral
                          : row.isWithin ? Tone::Better
                                         : Tone::Worse;
        paintTag(painter, QPointF(bounds.left(), QRectF(bounds).center().y()),
                 index.data().toString(), tone,
                 !row.ttftP99Ms ? QString()
                 : row.isWithin ? QStringLiteral("check")
                                : QStringLiteral("cross"));
    }

private:
    const AdviceModel& m_model;
};

QDoubleSpinBox* limitBox(double least, double value, QWidget* parent) {
    auto* box = new QDoubleSpinBox(parent);
    box->setRange(least, 600'000);
    box->setDecimals(0);
    box->setValue(value);
    box->setSuffix(QStringLiteral(" ms"));
    return box;
}

QLabel* sentence(QWidget* parent) {
    QLabel* label = makeLabel({}, TextRole::Body, parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

AdviceRow rowOf(AdviceRow::Kind kind, const app::RunSummary& run, app::SettingTexts settings,
                const app::ServiceLimits& limits) {
    return {.kind = kind,
            .settings = std::move(settings),
            .run = run.run.id,
            .ttftP99Ms = run.ttftMs.p99,
            .tpotP99Ms = run.tpotMs.p99,
            .outputPerSecond = run.outputPerSecond,
            .requestsPerSecond = run.requestsPerSecond,
            .n = run.ttftMs.n,
            .isWithin = app::isWithin(run, limits)};
}

} // namespace

AdvisorView::AdvisorView(QWidget* parent) : QWidget(parent) {
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    line->addWidget(buildForm());
    auto* body = new QVBoxLayout;
    body->setContentsMargins(8, 8, 8, 8);
    body->setSpacing(space::kBetweenCards);
    m_title = makeLabel({}, TextRole::PageTitle, this);
    body->addWidget(m_title);
    auto* pair = new QHBoxLayout;
    pair->setSpacing(space::kBetweenCards);
    m_ruleCard = new Card(this);
    m_rule = sentence(m_ruleCard);
    m_ruleCard->body()->addWidget(m_rule);
    m_ruleCard->body()->addStretch(1);
    m_measuredCard = new Card(this);
    m_measured = sentence(m_measuredCard);
    m_measuredCard->body()->addWidget(m_measured);
    m_measuredCard->body()->addStretch(1);
    pair->addWidget(m_ruleCard, 1);
    pair->addWidget(m_measuredCard, 1);
    body->addLayout(pair);
    m_tableCard = new Card(this);
    m_tableCard->setFlush();
    m_model = new AdviceModel(columns(), this);
    m_table = new TableView(m_tableCard);
    m_table->setSortingEnabled(false);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new AdviceDelegate(*m_model, m_table));
    m_table->horizontalHeader()->setSortIndicatorShown(false);
    for (int i = 0; i < m_model->columnCount(); ++i) {
        m_table->setColumnWidth(i, m_model->column(i).width);
    }
    m_table->setStretchColumn(static_cast<int>(AdviceColumn::Settings));
    m_tableCard->body()->addWidget(m_table, 1);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(12, 8, 12, 10);
    foot->setSpacing(8);
    m_apply = makeButton({}, ButtonKind::Primary, m_tableCard);
    m_open = makeButton({}, ButtonKind::Normal, m_tableCard);
    foot->addWidget(m_apply);
    foot->addWidget(m_open);
    foot->addStretch(1);
    m_tableCard->body()->addWidget(makeRule(m_tableCard));
    m_tableCard->body()->addLayout(foot);
    body->addWidget(m_tableCard, 1);
    line->addLayout(body, 1);
    connect(m_table, &TableView::rowChosen, this, [this] { showChosen(); });
    connect(m_apply, &QPushButton::clicked, this, [this] {
        if (const int row = m_table->currentRow(); row >= 0) {
            Q_EMIT applyRequested(m_model->rowAt(row).settings);
        }
    });
    const auto open = [this] {
        const int row = m_table->currentRow();
        if (row >= 0 && m_model->rowAt(row).run) {
            Q_EMIT runRequested(*m_model->rowAt(row).run);
        }
    };
    connect(m_open, &QPushButton::clicked, this, open);
    connect(m_table, &TableView::rowActivated, this, open);
    refresh();
}

QWidget* AdvisorView::buildForm() {
    auto* side = new QWidget(this);
    setSurface(side, Surface::Panel);
    setSheetProperty(side, "edge", QStringLiteral("right"));
    side->setFixedWidth(kFormWidth);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(space::kPanel, 12, space::kPanel, 10);
    column->setSpacing(6);
    m_formTitle = makeLabel({}, TextRole::CardTitle, side);
    column->addWidget(m_formTitle);
    m_ttftName = makeLabel({}, TextRole::Caption, side);
    m_ttft = limitBox(0, 300, side);
    m_tpotName = makeLabel({}, TextRole::Caption, side);
    m_tpot = limitBox(0, 0, side);
    for (QWidget* each : std::initializer_list<QWidget*>{m_ttftName, m_ttft, m_tpotName, m_tpot}) {
        column->addWidget(each);
    }
    m_note = makeLabel({}, TextRole::Small, side);
    m_note->setWordWrap(true);
    column->addSpacing(6);
    column->addWidget(m_note);
    column->addStretch(1);
    m_searchButton = makeButton({}, ButtonKind::Normal, side);
    column->addWidget(m_searchButton);
    connect(m_searchButton, &QPushButton::clicked, this, &AdvisorView::searchRequested);
    for (QDoubleSpinBox* box : {m_ttft, m_tpot}) {
        connect(box, &QDoubleSpinBox::valueChanged, this, [this] {
            Q_EMIT limitsChanged();
            refresh();
        });
    }
    return side;
}

app::ServiceLimits AdvisorView::limits() const {
    app::ServiceLimits limits;
    if (m_ttft->value() > 0) {
        limits.ttftP99Ms = m_ttft->value();
    }
    if (m_tpot->value() > 0) {
        limits.tpotP99Ms = m_tpot->value();
    }
    return limits;
}

void AdvisorView::setRuns(std::vector<app::RunSummary> runs) {
    m_runs = std::move(runs);
    refresh();
}

void AdvisorView::setSearch(std::optional<AdviceRow> optimum) {
    m_search = std::move(optimum);
    refresh();
}

void AdvisorView::setInForce(app::SettingTexts settings) {
    if (settings != m_inForce) {
        m_inForce = std::move(settings);
        refresh();
    }
}

void AdvisorView::setCanApply(bool canApply) {
    m_canApply = canApply;
    showChosen();
}

void AdvisorView::showChosen() {
    const int row = m_table->currentRow();
    const AdviceRow* chosen = row >= 0 ? &m_model->rowAt(row) : nullptr;
    m_apply->setEnabled(m_canApply && chosen != nullptr &&
                        chosen->kind != AdviceRow::Kind::InForce);
    m_open->setEnabled(chosen != nullptr && chosen->run.has_value());
}

void AdvisorView::refresh() {
    const app::ServiceLimits wanted = limits();
    const app::Advice advice = app::ruleFor(wanted);
    const auto ofRule = app::recordedWith(m_runs, advice.settings);
    const auto best = app::bestRecorded(m_runs, wanted);
    std::vector<AdviceRow> rows;
    rows.push_back(ofRule ? rowOf(AdviceRow::Kind::Rule, *ofRule, advice.settings, wanted)
                          : AdviceRow{.kind = AdviceRow::Kind::Rule, .settings = advice.settings});
    if (best) {
        rows.push_back(rowOf(AdviceRow::Kind::BestRun, *best, app::servingSettings(*best), wanted));
    }
    if (m_search) {
        rows.push_back(*m_search);
    }
    if (!m_inForce.empty()) {
        const auto present = app::recordedWith(m_runs, m_inForce);
        rows.push_back(present
                           ? rowOf(AdviceRow::Kind::InForce, *present, m_inForce, wanted)
                           : AdviceRow{.kind = AdviceRow::Kind::InForce, .settings = m_inForce});
    }
    const int before = m_table->currentRow();
    m_model->setRows(std::move(rows));
    m_table->selectShownRow(std::clamp(before, 0, m_model->rowCount() - 1));
    m_formTitle->setText(tr("Target"));
    m_ttftName->setText(tr("TTFT p99, at most (0: no limit)"));
    m_tpotName->setText(tr("TPOT p99, at most (0: no limit)"));
    m_ttft->setAccessibleName(m_ttftName->text());
    m_tpot->setAccessibleName(m_tpotName->text());
    m_note->setText(tr("The rule looks at the target alone. What stands beside it was measured on "
                       "this machine."));
    m_searchButton->setText(tr("Search in the tuner…"));
    m_title->setText(tr("The rule, and what the measurements say"));
    m_ruleCard->setTitle(tr("The rule"));
    m_rule->setText(advice.isRealtime
                        ? tr("TTFT target below 300 ms: the rule says realtime first, one request "
                             "at a time, INT8, warmed.")
                        : tr("No TTFT target below 300 ms: the rule says throughput first, FP16, "
                             "dynamic batches."));
    m_measuredCard->setTitle(tr("The measurements"));
    m_measured->setText(
        best ? tr("Of the recorded runs within the target, run %1 served most: %2 requests/s at "
                  "TTFT p99 %3 ms, n %4.")
                   .arg(best->run.id)
                   .arg(app::numberText(best->requestsPerSecond, 1),
                        app::millisecondsText(best->ttftMs.p99),
                        app::numberText(static_cast<double>(best->ttftMs.n)))
             : tr("No recorded run of %1 requests or more was within the target. A search in the "
                  "tuner measures what is.")
                   .arg(app::leastCount(0.99)));
    m_apply->setText(tr("Apply live"));
    m_open->setText(tr("Open the run"));
    m_table->setAccessibleName(tr("Rule and measurements"));
    showChosen();
}

void AdvisorView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        m_model->retranslate();
        refresh();
    }
}

} // namespace ui
