#include "ui/panels/dialect_view.h"

#include "app/labels.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/table_view.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QVBoxLayout>

#include <cmath>

namespace ui {

namespace {

using Figure = app::DialectFigure;

// With about three digits; counts whole.
QString number(const Figure& figure, std::optional<double> value) {
    const double size = std::abs(value.value_or(0.0));
    const bool isCount = figure.value && *figure.value == std::floor(*figure.value);
    return value ? app::numberText(value, isCount || size >= 99.95 ? 0
                                          : size >= 9.995          ? 1
                                          : size >= 0.0995         ? 2
                                                                   : 3)
                 : QString();
}

std::vector<Column<Figure>> columns() {
    using C = Column<Figure>;
    const auto value = [](const char* title, std::optional<double> Figure::*member) {
        return C([title] { return QLatin1String(title); },
                 [member](const Figure& figure) { return number(figure, figure.*member); })
            .atRight()
            .wide(82);
    };
    return {C([] { return DialectView::tr("Figure"); },
              [](const Figure& figure) {
                  return figure.name;
              }).wide(230),
            C([] { return DialectView::tr("Unit"); },
              [](const Figure& figure) {
                  return figure.unit;
              }).wide(104),
            C([] { return DialectView::tr("Value"); },
              [](const Figure& figure) { return number(figure, figure.value); })
                .atRight()
                .wide(90),
            C([] { return DialectView::tr("Mean"); },
              [](const Figure& figure) { return number(figure, figure.mean); })
                .atRight()
                .wide(82),
            value("p50", &Figure::p50),
            value("p90", &Figure::p90),
            value("p95", &Figure::p95),
            value("p99", &Figure::p99),
            C([] { return QStringLiteral("n"); },
              [](const Figure& figure) { return app::numberText(static_cast<double>(figure.n)); })
                .atRight()
                .wide(70),
            C([] { return DialectView::tr("In our words"); },
              [](const Figure& figure) { return figure.note; })
                .withToolTip([](const Figure& figure) { return figure.note; })
                .wide(220)};
}

} // namespace

DialectView::DialectView(QWidget* parent)
    : QWidget(parent),
      m_model(new TableModel<Figure>(columns(), this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    auto* card = new Card(this);
    card->setFlush();
    m_table = new TableView(card);
    m_table->setSortingEnabled(false);
    m_table->setModel(m_model);
    m_table->setItemDelegate(new TableDelegate(m_table));
    m_table->horizontalHeader()->setSortIndicatorShown(false);
    for (int i = 0; i < m_model->columnCount(); ++i) {
        m_table->setColumnWidth(i, m_model->column(i).width);
    }
    m_table->setStretchColumn(m_model->columnCount() - 1);
    card->body()->addWidget(m_table, 1);
    card->body()->addWidget(makeRule(card));
    m_lead = makeLabel({}, TextRole::Caption, card);
    m_lead->setWordWrap(true);
    setSheetProperty(m_lead, "place", QStringLiteral("foot"));
    card->body()->addWidget(m_lead);
    column->addWidget(card, 1);
    retranslate();
}

void DialectView::setFigures(app::Dialect dialect, std::vector<app::DialectFigure> figures) {
    m_dialect = dialect;
    m_model->setRows(std::move(figures));
    retranslate();
}

void DialectView::retranslate() {
    const QString tool = app::dialectName(m_dialect);
    m_table->setAccessibleName(tr("Figures as %1 names them").arg(tool));
    m_lead->setText(
        tr("Names, units and definitions of %1, of the whole run by its own stamps: every "
           "completed request counts, cold ones too, from its arrival; rates are of the time "
           "between the first arrival and the last token. These figures are no part of verdicts.")
            .arg(tool));
    m_model->retranslate();
}

void DialectView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
    }
}

} // namespace ui
