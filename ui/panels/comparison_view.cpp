#include "ui/panels/comparison_view.h"

#include "app/labels.h"
#include "app/run_labels.h"
#include "ui/icons.h"
#include "ui/panels/overlay_chart.h"
#include "ui/panels/settings_difference.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/note_edit.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr int kRoomForBar = 740;
constexpr int kRoomForThree = 1280;                  // table, settings and charts beside each other
constexpr int kChartWidth = 274, kChartHeight = 220; // the least, for title and plot

// Scrolls what is too tall, and is as wide as its content needs: nothing of it is cut at the right.
class SideScroll final : public QScrollArea {
public:
    using QScrollArea::QScrollArea;

    QSize minimumSizeHint() const override {
        const int bar = verticalScrollBar()->sizeHint().width();
        return {widget() != nullptr ? widget()->minimumSizeHint().width() + bar : 0, kChartHeight};
    }
    QSize sizeHint() const override { return minimumSizeHint(); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override { // of the content
        const bool isHandled = QScrollArea::eventFilter(watched, event);
        if (event->type() == QEvent::LayoutRequest) {
            updateGeometry();
        }
        return isHandled;
    }
};

QString runName(const std::shared_ptr<const app::RunData>& run) {
    return run != nullptr ? QString::number(run->summary.run.id) : QString();
}

bool hasCaution(const app::Comparison& comparison, std::string_view kind) {
    return std::ranges::find(comparison.cautions, kind) != comparison.cautions.end();
}

} // namespace

ComparisonView::ComparisonView(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::kBetweenCards);
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    m_title = makeLabel({}, TextRole::PageTitle, this);
    m_facts = makeLabel({}, TextRole::Small, this);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_back = makeButton({}, ButtonKind::Normal, this);
    m_back->setIcon(icon(QStringLiteral("chevron-left")));
    head->addWidget(m_back);
    m_swap = makeButton({}, ButtonKind::Quiet, this);
    m_swap->setIcon(icon(QStringLiteral("compare")));
    m_report = makeButton({}, ButtonKind::Normal, this);
    m_report->setIcon(icon(QStringLiteral("export")));
    head->addWidget(m_title);
    head->addSpacing(4);
    head->addWidget(m_facts, 1);
    head->addWidget(m_swap);
    head->addWidget(m_report);
    column->addLayout(head);
    auto* parts = new QHBoxLayout;
    parts->setSpacing(space::kBetweenCards);
    parts->addWidget(buildTable(), 31);
    auto* scroll = new SideScroll(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* side = new QWidget;
    m_side = new QBoxLayout(QBoxLayout::LeftToRight, side);
    m_side->setContentsMargins(0, 0, 0, 0);
    m_side->setSpacing(space::kBetweenCards);
    m_side->addWidget(buildMiddle(), 10);
    addCharts();
    scroll->setWidget(side);
    parts->addWidget(scroll, 20);
    column->addLayout(parts, 1);
    connect(m_swap, &QPushButton::clicked, this, &ComparisonView::swapRequested);
    connect(m_back, &QPushButton::clicked, this, &ComparisonView::backRequested);
    connect(m_table, &TableView::rowChosen, this, [this](int row) { // what F1 opens
        m_table->setProperty(
            "definition", row < 0 ? QString() : QString::fromStdString(m_model->rowAt(row).metric));
    });
    connect(m_report, &QPushButton::clicked, this, [this] { Q_EMIT reportRequested(m_report); });
    refresh();
}

QWidget* ComparisonView::buildTable() {
    auto* card = new Card(this);
    card->setFlush();
    m_model = new ComparisonModel(comparisonColumns([this] { return sideA(); },
                                                    [this] { return sideB(); },
                                                    [this] { return comparisonScale(*m_model); }),
                                  this);
    m_table = new TableView(card);
    m_table->setSortingEnabled(false);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new ComparisonDelegate(*m_model, m_table));
    m_table->horizontalHeader()->setSortIndicatorShown(false);
    for (int i = 0; i < m_model->columnCount(); ++i) {
        m_table->setColumnWidth(i, m_model->column(i).width);
    }
    m_table->setStretchColumn(static_cast<int>(ComparisonColumn::Measure));
    // The bar shows what the interval says: where the measure's name would be cut, it gives way.
    connect(m_table->horizontalHeader(), &QHeaderView::geometriesChanged, this, [this] {
        constexpr int kBar = static_cast<int>(ComparisonColumn::Bar);
        const bool isNarrow = m_table->viewport()->width() < kRoomForBar;
        if (isNarrow != m_table->isColumnHidden(kBar)) {
            m_table->setColumnHidden(kBar, isNarrow);
        }
    });
    card->body()->addWidget(m_table, 1);
    card->body()->addWidget(makeRule(card));
    m_cautions = makeLabel({}, TextRole::Caption, card);
    m_cautions->setWordWrap(true);
    setSheetProperty(m_cautions, "place", QStringLiteral("foot"));
    card->body()->addWidget(m_cautions);
    return card;
}

QWidget* ComparisonView::buildMiddle() {
    auto* card = new Card(this);
    m_settings = new SettingsDifference(card);
    m_environmentTitle = makeLabel({}, TextRole::CardTitle, card);
    m_environment = makeLabel({}, TextRole::Small, card);
    m_environment->setWordWrap(true);
    m_noteTitle = makeLabel({}, TextRole::CardTitle, card);
    m_note = new NoteEdit(card);
    card->body()->addWidget(m_settings);
    card->body()->addSpacing(4);
    card->body()->addWidget(makeRule(card));
    card->body()->addWidget(m_environmentTitle);
    card->body()->addWidget(m_environment);
    card->body()->addSpacing(4);
    card->body()->addWidget(makeRule(card));
    card->body()->addWidget(m_noteTitle);
    card->body()->addWidget(m_note);
    card->body()->addStretch(1);
    connect(static_cast<NoteEdit*>(m_note), &NoteEdit::edited, this, [this](const QString& text) {
        if (m_pair.b != nullptr) {
            Q_EMIT noteEdited(m_pair.b->summary.run.id, text);
        }
    });
    return card;
}

void ComparisonView::addCharts() {
    auto* charts = new QVBoxLayout;
    charts->setSpacing(space::kBetweenCards);
    for (OverlayChart** chart : {&m_distribution, &m_overTime}) {
        *chart = new OverlayChart(this);
        (*chart)->setMinimumSize(kChartWidth, kChartHeight);
        charts->addWidget(*chart, 1);
    }
    m_side->addLayout(charts, 12);
}

void ComparisonView::placeSide() {
    m_side->setDirection(width() < kRoomForThree ? QBoxLayout::TopToBottom
                                                 : QBoxLayout::LeftToRight);
}

void ComparisonView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    placeSide();
}

void ComparisonView::setPair(app::RunPair pair) {
    m_pair = std::move(pair);
    m_model->retranslate(); // the sides stand in its head
    m_model->setRows(m_pair.comparison.rows);
    m_distribution->setPlot(m_pair.distribution);
    m_overTime->setPlot(m_pair.overTime);
    if (m_pair.b != nullptr) {
        m_note->setPlainText(QString::fromStdString(m_pair.b->summary.run.note));
    }
    refresh();
}

void ComparisonView::setNoteEditable(bool isEditable) {
    m_note->setReadOnly(!isEditable);
}

QString ComparisonView::sideA() const {
    return m_pair.split ? app::sideName(app::SplitSide::Before) : runName(m_pair.a);
}

QString ComparisonView::sideB() const {
    return m_pair.split ? app::sideName(app::SplitSide::After) : runName(m_pair.b);
}

// What the sides are, and what is in neither.
QString ComparisonView::splitFacts() const {
    const app::SplitFacts& facts = *m_pair.split;
    return tr("%1 – %2 against %3 – %4 · the first %5 s after the cut and %6 requests left out")
        .arg(app::runTimeText(facts.from), app::runTimeText(facts.at),
             app::runTimeText(facts.at + facts.settleSeconds), app::runTimeText(facts.to),
             app::numberText(facts.settleSeconds),
             app::numberText(static_cast<double>(facts.inFlight)));
}

void ComparisonView::refresh() {
    m_back->setText(tr("Back to the run"));
    m_back->setVisible(m_pair.split.has_value());
    m_swap->setVisible(!m_pair.split);
    m_swap->setText(tr("Swap sides"));
    m_report->setText(tr("Report…"));
    m_environmentTitle->setText(tr("Environment"));
    m_table->setAccessibleName(tr("Differences between the runs"));
    if (m_pair.a == nullptr || m_pair.b == nullptr) {
        return;
    }
    m_settings->setRuns(m_pair.a, m_pair.b, m_pair.comparison, sideA(), sideB());
    const app::RunSummary &a = m_pair.a->summary, &b = m_pair.b->summary;
    m_title->setText(m_pair.split
                         ? tr("Run %1, before and after %2")
                               .arg(runName(m_pair.b), app::runTimeText(m_pair.split->at))
                         : tr("Run %1 against run %2").arg(runName(m_pair.b), runName(m_pair.a)));
    const QString counts = tr("n %1 / %2")
                               .arg(app::numberText(static_cast<double>(b.ttftMs.n)),
                                    app::numberText(static_cast<double>(a.ttftMs.n)));
    const QString list =
        hasCaution(m_pair.comparison, "request_list_differs")
            ? tr("different request lists")
            : tr("same request list %1").arg(app::shortDigest(a.run.requestDigest));
    m_facts->setText(counts + QStringLiteral(" · ") + (m_pair.split ? splitFacts() : list));
    m_facts->setToolTip(m_facts->text());
    QStringList cautions;
    for (const std::string& kind : m_pair.comparison.cautions) {
        cautions << app::cautionText(kind);
    }
    if (m_pair.split && m_pair.split->otherChanges > 0) {
        cautions << tr("Other changes inside: %1.")
                        .arg(app::numberText(static_cast<double>(m_pair.split->otherChanges)));
    }
    cautions << tr("Intervals by bootstrap over requests.");
    m_cautions->setText(cautions.join(u' '));
    QStringList environment;
    environment << (hasCaution(m_pair.comparison, "machine_differs") ? tr("The machines differ.")
                                                                     : tr("Same machine."))
                << (hasCaution(m_pair.comparison, "model_differs")
                        ? tr("The models differ: %1 and %2.")
                              .arg(QString::fromStdString(a.run.modelName),
                                   QString::fromStdString(b.run.modelName))
                        : tr("Same model, %1.").arg(QString::fromStdString(a.run.modelName)));
    m_environment->setText(environment.join(u' '));
    m_environment->setToolTip(app::machineLines(b.run.machineJson).join(u'\n'));
    m_noteTitle->setText(tr("Note on %1").arg(runName(m_pair.b)));
    m_note->setPlaceholderText(m_note->isReadOnly() ? tr("No note") : tr("Write a note"));
    m_note->setAccessibleName(m_noteTitle->text());
}

void ComparisonView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        m_model->retranslate();
        refresh();
    }
}

} // namespace ui
