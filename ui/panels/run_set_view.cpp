#include "ui/panels/run_set_view.h"

#include "app/labels.h"
#include "app/run_labels.h"
#include "app/value_text.h"
#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/paint.h"
#include "ui/widgets/plot_view.h"
#include "ui/widgets/table_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

namespace {

constexpr int kNameWidth = 170;
constexpr int kRunWidth = 136;
constexpr int kPictureHeight = 150;

QString plain(const std::string& text) {
    return QString::fromStdString(text);
}

QString withSign(double value, int decimals) {
    const QString text = app::numberText(value, decimals);
    return value > 0.0 ? u'+' + text : text;
}

SetRow::Cell againstFirst(const app::ComparisonRow& row) {
    const int decimals = app::shownDecimals(row);
    SetRow::Cell cell{.value = app::numberText(row.b, decimals),
                      .difference = {},
                      .verdict = row.verdict,
                      .tip = {}};
    if (row.difference) {
        cell.difference = app::isAboutZero(row, decimals) ? QStringLiteral("≈ 0")
                                                          : withSign(*row.difference, decimals);
    }
    QStringList tip{verdictLook(row.verdict).text};
    if (row.interval) {
        tip << RunSetView::tr("95 % interval of the difference [%1, %2]")
                   .arg(withSign(row.interval->low, decimals),
                        withSign(row.interval->high, decimals));
    }
    tip << RunSetView::tr("n %1 against %2")
               .arg(app::numberText(static_cast<double>(row.nB)),
                    app::numberText(static_cast<double>(row.nA)));
    tip.removeAll(QString());
    cell.tip = tip.join(u'\n');
    return cell;
}

// "on → off" where what was asked for was not what was in force.
QString settingText(const app::RunSummary& run, const std::string& key) {
    const auto row = std::ranges::find(run.settings, key, &app::SettingRow::field);
    const engine::Field* field = engine::findField(key);
    if (row == run.settings.end()) {
        return QStringLiteral("—");
    }
    const auto label = [field](const std::string& value) {
        return field != nullptr ? app::choiceLabel(*field, value) : plain(value);
    };
    return row->requested == row->effective || row->effective.empty()
               ? label(row->requested)
               : label(row->requested) + QStringLiteral(" → ") + label(row->effective);
}

std::vector<SetRow> settingRows(const app::RunSet& set) {
    std::vector<std::string> fields;
    for (const app::Comparison& comparison : set.againstFirst) {
        for (const app::SettingDifference& difference : comparison.settings) {
            if (std::ranges::find(fields, difference.field) == fields.end()) {
                fields.push_back(difference.field);
            }
        }
    }
    std::vector<SetRow> rows;
    for (const std::string& key : fields) {
        const engine::Field* field = engine::findField(key);
        SetRow row{.name = field != nullptr ? app::fieldLabel(*field) : plain(key),
                   .unit = {},
                   .cells = {}};
        for (const auto& run : set.runs) {
            const QString text = settingText(run->summary, key);
            row.cells.push_back({.value = text, .difference = {}, .tip = text});
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

class SetDelegate final : public TableDelegate {
public:
    SetDelegate(const TableModel<SetRow>& model, QObject* parent)
        : TableDelegate(parent),
          m_model(model) {}

protected:
    void paintCell(QPainter& painter, const QRect& bounds,
                   const QModelIndex& index) const override {
        const SetRow& row = m_model.rowAt(index.row());
        const QFont face = ui::font(type::kControl);
        if (index.column() == 0) {
            const double width =
                paintText(painter, bounds, row.name, face, color(ColorRole::Text1));
            paintText(painter, QRectF(bounds).adjusted(width + 5, 0, 0, 0), row.unit, face,
                      color(ColorRole::Text3));
            return;
        }
        const auto place = static_cast<std::size_t>(index.column() - 1);
        if (place >= row.cells.size()) {
            return;
        }
        const SetRow::Cell& cell = row.cells[place];
        const QFont strong = ui::font(type::kControl, QFont::DemiBold);
        paintText(painter, bounds, cell.value, strong, color(ColorRole::Text1),
                  Qt::AlignRight | Qt::AlignVCenter);
        if (cell.difference.isEmpty()) {
            return;
        }
        const ColorRole role = cell.verdict == app::Verdict::Better  ? ColorRole::Better
                               : cell.verdict == app::Verdict::Worse ? ColorRole::Worse
                                                                     : ColorRole::Text3;
        // Left of the widest value, so that both stand in columns. The sign of the verdict beside
        // it: colour is never alone.
        const QRectF left = QRectF(bounds).adjusted(0, 0, -62, 0);
        paintText(painter, left, cell.difference, face, color(role),
                  Qt::AlignRight | Qt::AlignVCenter);
        const VerdictLook look = verdictLook(cell.verdict);
        const bool isResolved =
            cell.verdict == app::Verdict::Better || cell.verdict == app::Verdict::Worse;
        if (isResolved && !look.iconName.isEmpty()) {
            paintIcon(painter, look.iconName,
                      QRectF(bounds.left() - 2, bounds.center().y() - 5.5, 12, 12), color(role));
        }
    }

private:
    const TableModel<SetRow>& m_model;
};

} // namespace

std::vector<SetRow> setRows(const app::RunSet& set) {
    std::vector<SetRow> rows;
    if (set.againstFirst.empty()) {
        return rows;
    }
    for (std::size_t i = 0; i < set.againstFirst.front().rows.size(); ++i) {
        const app::ComparisonRow& first = set.againstFirst.front().rows[i];
        SetRow row{.name = app::measureLabel(first.metric),
                   .unit = app::unitText(first.unit),
                   .cells = {}};
        row.cells.push_back(
            {.value = app::numberText(first.a, app::shownDecimals(first)),
             .difference = {},
             .tip = RunSetView::tr("n %1").arg(app::numberText(static_cast<double>(first.nA)))});
        for (const app::Comparison& comparison : set.againstFirst) {
            row.cells.push_back(againstFirst(comparison.rows[i]));
        }
        rows.push_back(std::move(row));
    }
    std::ranges::move(settingRows(set), std::back_inserter(rows));
    return rows;
}

RunSetView::RunSetView(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::kBetweenCards);
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    m_title = makeLabel({}, TextRole::PageTitle, this);
    m_facts = makeLabel({}, TextRole::Small, this);
    head->addWidget(m_title);
    head->addWidget(m_facts, 1);
    m_report = makeButton({}, ButtonKind::Normal, this);
    m_report->setIcon(icon(QStringLiteral("export")));
    head->addWidget(m_report);
    connect(m_report, &QPushButton::clicked, this, [this] { Q_EMIT reportRequested(m_report); });
    column->addLayout(head);
    auto* parts = new QHBoxLayout;
    parts->setSpacing(space::kBetweenCards);
    auto* card = new Card(this);
    card->setFlush();
    m_table = new TableView(card);
    m_table->setSortingEnabled(false);
    card->body()->addWidget(m_table, 1);
    card->body()->addWidget(makeRule(card));
    m_cautions = makeLabel({}, TextRole::Caption, card);
    m_cautions->setWordWrap(true);
    setSheetProperty(m_cautions, "place", QStringLiteral("foot"));
    card->body()->addWidget(m_cautions);
    parts->addWidget(card, 5);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* pictures = new QWidget;
    m_pictures = new QVBoxLayout(pictures);
    m_pictures->setContentsMargins(0, 0, 0, 0);
    m_pictures->setSpacing(space::kBetweenCards);
    scroll->setWidget(pictures);
    parts->addWidget(scroll, 3);
    column->addLayout(parts, 1);
    refresh();
}

void RunSetView::setRuns(app::RunSet set) {
    m_set = std::move(set);
    while (m_plots.size() < m_set.overTime.size()) {
        auto* card = new Card(m_pictures->parentWidget());
        auto* plot = new PlotView(card);
        plot->setMinimumHeight(kPictureHeight);
        card->body()->addWidget(plot, 1);
        m_pictures->addWidget(card);
        m_plots.push_back(plot);
    }
    for (std::size_t i = 0; i < m_plots.size(); ++i) {
        const bool isUsed = i < m_set.overTime.size();
        m_plots[i]->parentWidget()->setVisible(isUsed);
        if (isUsed) {
            m_plots[i]->setPlot(m_set.overTime[i]);
        }
    }
    using C = Column<SetRow>;
    std::vector<C> columns{C([] { return tr("Measure"); },
                             [](const SetRow& row) {
                                 return (row.name + u' ' + row.unit).trimmed();
                             }).wide(kNameWidth)};
    for (std::size_t i = 0; i < m_set.runs.size(); ++i) {
        const QString name = QString::number(m_set.runs[i]->summary.run.id);
        columns.push_back(C([name] { return tr("Run %1").arg(name); },
                            [i](const SetRow& row) {
                                const SetRow::Cell& cell = row.cells[i];
                                return (cell.value + u' ' + cell.difference).trimmed();
                            })
                              .withToolTip([i](const SetRow& row) { return row.cells[i].tip; })
                              .atRight()
                              .wide(kRunWidth));
    }
    auto* before = m_model;
    const auto* painter = m_table->itemDelegate();
    m_model = new TableModel<SetRow>(std::move(columns), this);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new SetDelegate(*m_model, m_table));
    m_table->horizontalHeader()->setSortIndicatorShown(false);
    for (int i = 0; i < m_model->columnCount(); ++i) {
        m_table->setColumnWidth(i, m_model->column(i).width);
    }
    m_table->setStretchColumn(0);
    if (before != nullptr) {
        delete painter;
        delete before;
    }
    refresh();
}

void RunSetView::refresh() {
    m_table->setAccessibleName(tr("Measures of the runs"));
    m_report->setText(tr("Report…"));
    if (m_set.runs.empty()) {
        return;
    }
    m_model->setRows(setRows(m_set));
    const QString first = QString::number(m_set.runs.front()->summary.run.id);
    m_title->setText(tr("%n runs side by side", nullptr, static_cast<int>(m_set.runs.size())));
    QStringList names;
    for (const auto& run : m_set.runs) {
        names << QStringLiteral("%1 %2").arg(run->summary.run.id).arg(plain(run->summary.run.name));
    }
    m_facts->setText(tr("differences to run %1").arg(first) + QStringLiteral(" · ") +
                     names.join(QStringLiteral(", ")));
    m_facts->setToolTip(names.join(u'\n'));
    std::vector<std::string> kinds;
    for (const app::Comparison& comparison : m_set.againstFirst) {
        for (const std::string& kind : comparison.cautions) {
            if (std::ranges::find(kinds, kind) == kinds.end()) {
                kinds.push_back(kind);
            }
        }
    }
    QStringList cautions;
    for (const std::string& kind : kinds) {
        cautions << app::cautionText(kind);
    }
    cautions << tr("Intervals by bootstrap over requests, each for itself. Tick two runs for the "
                   "whole comparison.");
    m_cautions->setText(cautions.join(u' '));
}

void RunSetView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        refresh();
        if (m_model != nullptr) {
            m_model->retranslate();
        }
    }
}

} // namespace ui
