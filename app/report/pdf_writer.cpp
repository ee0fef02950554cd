#include "app/report/pdf_writer.h"

#include "app/plot/plot_painter.h"
#include "app/report/pdf_table.h"
#include "app/report/pdf_text.h"
#include "app/report/report_text.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QPdfWriter>

#include <algorithm>
#include <functional>

namespace app::report {

namespace {

using namespace pdf;

constexpr double kPageWidth = 794, kPageHeight = 1123; // A4 at 96 a inch
constexpr double kMargin = 64, kTop = 44, kBottom = 1050;
constexpr double kWidth = kPageWidth - 2 * kMargin;
constexpr double kFooterLine = 1072;
constexpr int kResolution = 1200;
constexpr double kWideChart = 232, kHalfChart = 196, kGap = 24;
constexpr double kLeastBelowHeading = 72; // what must follow a heading on its page

using Draw = std::function<void(QPainter&)>;

// Pages as lists of what to draw: how many there are is known before the first is painted.
class Pages {
public:
    Pages() { begin(); }

    double y() const { return m_y; }
    double room() const { return kBottom - m_y; }
    bool isAtTop() const { return m_y <= kTop; }
    void skip(double height) { m_y += isAtTop() ? 0 : height; }
    void begin() {
        m_pages.emplace_back();
        m_y = kTop;
    }
    // Begins a page where less room is left than `height`; what is taller than a page is cut.
    void require(double height) {
        if (height > room() && !isAtTop()) {
            begin();
        }
    }
    // `draw` gets the painter and the top of the piece.
    void add(double height, const std::function<void(QPainter&, double)>& draw) {
        require(height);
        m_pages.back().push_back([draw, top = m_y](QPainter& painter) { draw(painter, top); });
        m_y += height;
    }
    const std::vector<std::vector<Draw>>& pages() const { return m_pages; }

private:
    std::vector<std::vector<Draw>> m_pages;
    double m_y = kTop;
};

void addText(Pages& pages, const Text& text, const TextStyle& style, double width = kWidth,
             double left = kMargin) {
    pages.add(textHeight(text, style, width), [=](QPainter& painter, double top) {
        paintText(painter, {left, top}, text, style, width);
    });
}

void paintChart(QPainter& painter, const Plot& plot, const QRectF& bounds) {
    painter.save();
    painter.setFont(font(11));
    painter.setClipRect(bounds.adjusted(-4, -4, 8, 4)); // a long caption ends before the next chart
    paintPlot(painter, plot, bounds, ThemeKind::Light);
    painter.restore();
}

double factsHeight(const Facts& facts, double width) {
    double height = 22;
    for (const auto& [label, value] : facts.rows) {
        height += textHeight(value, {.pixels = 11}, width - 110) + 3;
    }
    return height;
}

void paintFacts(QPainter& painter, QPointF at, const Facts& facts, double width) {
    paintText(painter, at, facts.title, {.pixels = 13, .weight = QFont::DemiBold}, width);
    double y = at.y() + 22;
    for (const auto& [label, value] : facts.rows) {
        paintText(painter, {at.x(), y}, label, {.pixels = 11, .color = ColorRole::Text3}, 104);
        y += paintText(painter, {at.x() + 110, y}, value, {.pixels = 11}, width - 110) + 3;
    }
}

void paintFigures(QPainter& painter, double top, const Figures& figures) {
    const double each = kWidth / static_cast<double>(figures.figures.size());
    for (std::size_t i = 0; i < figures.figures.size(); ++i) {
        const Figure& figure = figures.figures[i];
        const double left = kMargin + each * static_cast<double>(i) + (i > 0 ? 10 : 0);
        if (i > 0) {
            painter.fillRect(QRectF(left - 10, top, 0.8, 52), ink(ColorRole::LineStrong));
        }
        const double width = each - 12;
        paintText(painter, {left, top}, figure.label, {.pixels = 10, .color = ColorRole::Text2},
                  width);
        // A long value gives way in size, not in lines.
        int pixels = 19;
        while (pixels > 11 && naturalWidth(figure.value, {.pixels = pixels}) > width) {
            --pixels;
        }
        const TextStyle large{.pixels = pixels, .weight = QFont::DemiBold};
        paintText(painter, {left, top + 14}, figure.value, large, width);
        const double used = naturalWidth(figure.value, large);
        if (used + 20 < width) {
            paintText(painter, {left + used + 3, top + 21}, figure.unit,
                      {.pixels = 10, .color = ColorRole::Text2}, width - used);
        }
        paintText(painter, {left, top + 40}, figure.detail,
                  {.pixels = 10, .color = ColorRole::Text2}, width);
    }
}

// One overload a kind of block: a new kind does not compile until it is drawn here.
struct BlockPainter {
    Pages& pages;

    void operator()(const Paragraph& block) const {
        const TextStyle style{.pixels = block.isLead ? 14 : 12,
                              .color = block.isLead ? ColorRole::Text2 : ColorRole::Text1};
        addText(pages, block.text, style, block.isLead ? kWidth * 0.92 : kWidth);
        pages.skip(10);
    }
    void operator()(const Bullets& block) const {
        for (const Text& item : block.items) {
            const TextStyle style{.pixels = 12, .color = ColorRole::Text2};
            pages.add(textHeight(item, style, kWidth - 14) + 3,
                      [item, style](QPainter& painter, double top) {
                          paintText(painter, {kMargin, top}, QStringLiteral("•"), style, 12);
                          paintText(painter, {kMargin + 14, top}, item, style, kWidth - 14);
                      });
        }
        pages.skip(6);
    }
    void operator()(const Figures& block) const {
        if (!block.figures.empty()) {
            pages.skip(4);
            pages.add(
                62, [block](QPainter& painter, double top) { paintFigures(painter, top, block); });
            pages.skip(10);
        }
    }
    void operator()(const Chart& block) const {
        pages.add(kWideChart, [plot = block.plot](QPainter& painter, double top) {
            paintChart(painter, plot, {kMargin, top, kWidth, kWideChart - 6});
        });
        pages.skip(8);
    }
    void operator()(const ChartRowOf2& block) const {
        pages.add(kHalfChart, [plots = block.plots](QPainter& painter, double top) {
            const double width = (kWidth - kGap) / 2;
            double left = kMargin;
            for (const Plot& plot : plots) {
                paintChart(painter, plot, {left, top, width, kHalfChart - 6});
                left += width + kGap;
            }
        });
        pages.skip(8);
    }
    void operator()(const Table& block) const {
        const TableLayout layout(block, kWidth);
        const auto head = [&] {
            pages.add(layout.headHeight(), [layout](QPainter& painter, double top) {
                layout.paintHead(painter, {kMargin, top});
            });
        };
        // A head never stands alone at the end of a page.
        pages.require(layout.headHeight() + (layout.rows() > 0 ? layout.rowHeight(0) : 0));
        head();
        for (std::size_t row = 0; row < layout.rows(); ++row) {
            if (layout.rowHeight(row) > pages.room() && !pages.isAtTop()) {
                pages.begin();
                head();
            }
            pages.add(layout.rowHeight(row), [layout, row](QPainter& painter, double top) {
                layout.paintRow(painter, {kMargin, top}, row);
            });
        }
        if (!block.more.isEmpty()) {
            pages.skip(3);
            addText(pages, block.more, {.pixels = 10, .color = ColorRole::Text3});
        }
        pages.skip(10);
    }
    void operator()(const Facts& block) const {
        pages.add(factsHeight(block, kWidth), [block](QPainter& painter, double top) {
            paintFacts(painter, {kMargin, top}, block, kWidth);
        });
        pages.skip(10);
    }
    void operator()(const FactsRowOf2& block) const {
        const double width = (kWidth - kGap) / 2;
        pages.skip(6);
        pages.add(std::max(factsHeight(block.left, width), factsHeight(block.right, width)),
                  [block, width](QPainter& painter, double top) {
                      paintFacts(painter, {kMargin, top}, block.left, width);
                      paintFacts(painter, {kMargin + width + kGap, top}, block.right, width);
                  });
        pages.skip(10);
    }
};

void paintMark(QPainter& painter, const QRectF& bounds) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink(ColorRole::Accent), 0.8));
    painter.setBrush(ink(ColorRole::AccentTint));
    painter.drawRoundedRect(bounds, 6, 6);
    const double unit = bounds.width() / 28;
    painter.translate(bounds.topLeft());
    painter.scale(unit, unit);
    painter.setPen(QPen(ink(ColorRole::Accent), 3, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(QPointF(9, 8.5), QPointF(9, 19.5));
    painter.drawLine(QPointF(19, 8.5), QPointF(19, 19.5));
    painter.setPen(QPen(ink(ColorRole::Accent), 2, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(QPointF(12.5, 14), QPointF(15.5, 14));
    painter.restore();
}

void addBrand(Pages& pages, const Document& document) {
    pages.add(40, [document](QPainter& painter, double top) {
        paintMark(painter, {kMargin, top, 24, 24});
        const TextStyle brand{.pixels = 14, .weight = QFont::DemiBold};
        const QString name = QStringLiteral("Headway");
        paintText(painter, {kMargin + 34, top + 2}, name, brand, 120);
        paintText(painter, {kMargin + 34 + naturalWidth(name, brand) + 8, top + 4}, document.kind,
                  {.pixels = 11, .color = ColorRole::Text2}, 160);
        paintText(painter, {kMargin + 220, top + 4}, document.headline,
                  {.pixels = 11, .color = ColorRole::Text2, .align = Align::Right}, kWidth - 220);
        painter.fillRect(QRectF(kMargin, top + 33, kWidth, 1.6), ink(ColorRole::Text1));
    });
    pages.skip(10);
    addText(pages, document.title, {.pixels = 24, .weight = QFont::DemiBold});
    pages.skip(4);
}

void addHeading(Pages& pages, const Section& section) {
    pages.skip(10);
    pages.require(24 + kLeastBelowHeading);
    pages.add(24, [section](QPainter& painter, double top) {
        const TextStyle style{.pixels = 13, .weight = QFont::DemiBold};
        paintText(painter, {kMargin, top}, section.title, style, kWidth);
        if (!section.note.isEmpty()) {
            const double used = naturalWidth(section.title, style) + 10;
            paintText(painter, {kMargin + used, top + 2}, section.note,
                      {.pixels = 10, .color = ColorRole::Text3}, kWidth - used);
        }
    });
}

void paintFooter(QPainter& painter, const Document& document, std::size_t page, std::size_t pages) {
    painter.fillRect(QRectF(kMargin, kFooterLine, kWidth, 0.8), ink(ColorRole::LineStrong));
    const TextStyle style{.pixels = 10, .color = ColorRole::Text3};
    paintText(painter, {kMargin, kFooterLine + 7}, document.footer, style, kWidth - 60);
    paintText(painter, {kMargin + kWidth - 60, kFooterLine + 7},
              QStringLiteral("%1 / %2").arg(page + 1).arg(pages),
              {.pixels = 10, .color = ColorRole::Text3, .align = Align::Right}, 60);
}

} // namespace

std::string writePdf(const Document& document) {
    Pages pages;
    addBrand(pages, document);
    for (const Section& section : document.sections) {
        if (section.startsPage && !pages.isAtTop()) {
            pages.begin();
        }
        if (!section.title.isEmpty()) {
            addHeading(pages, section);
        }
        for (const Block& block : section.blocks) {
            std::visit(BlockPainter{pages}, block);
        }
    }
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&buffer);
        writer.setResolution(kResolution);
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageMargins(QMarginsF(0, 0, 0, 0));
        writer.setTitle(document.title);
        writer.setCreator(QStringLiteral("Headway"));
        QPainter painter(&writer);
        painter.scale(writer.width() / kPageWidth, writer.height() / kPageHeight);
        for (std::size_t page = 0; page < pages.pages().size(); ++page) {
            if (page > 0) {
                writer.newPage();
            }
            for (const Draw& draw : pages.pages()[page]) {
                draw(painter);
            }
            paintFooter(painter, document, page, pages.pages().size());
        }
    }
    return buffer.data().toStdString();
}

} // namespace app::report
