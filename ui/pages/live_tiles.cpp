#include "ui/pages/live_tiles.h"

#include "app/labels.h"
#include "app/plot/plot.h"
#include "ui/theme.h"

#include <QResizeEvent>

#include <algorithm>
#include <array>

namespace ui {

namespace {

constexpr int kOneRowFrom = 860;     // narrower strips wrap
constexpr std::size_t kFirstRow = 3; // tiles of the first of two rows

QString percent(std::optional<double> share) {
    return app::numberText(share ? std::optional(100.0 * *share) : std::nullopt, 1);
}

// With the digits that matter: 15.3, 363.
QString shortText(std::optional<double> value) {
    return app::numberText(value, value && *value < 100.0 ? 1 : 0);
}

TileContent ttftTile(const TileContext& context) {
    const app::LiveFigures& figures = context.figures;
    const app::Quantiles& ttft = figures.ttftMs;
    TileContent tile;
    const double from = figures.spans.to - figures.spans.latencySeconds;
    tile.caption =
        context.isSelection
            ? TileStrip::tr("TTFT, %1 – %2")
                  .arg(app::runTimeText(from), app::runTimeText(figures.spans.to))
            : TileStrip::tr("TTFT, last %1 s").arg(app::numberText(figures.spans.latencySeconds));
    tile.corner = QStringLiteral("n ") + app::numberText(static_cast<double>(ttft.n));
    // From ten seconds on in seconds: a tile has room for four digits.
    const bool isLong = ttft.p99.value_or(0.0) >= 10'000.0;
    const auto figure = [&](const QString& name, ColorRole mark, std::optional<double> value,
                            double quantile) {
        tile.figures.push_back({.name = name,
                                .mark = mark,
                                .value = isLong && value ? app::numberText(*value / 1000.0, 1)
                                                         : app::millisecondsText(value),
                                .unit = !value   ? QString()
                                        : isLong ? QStringLiteral("s")
                                                 : QStringLiteral("ms"),
                                .isUnsure = app::missingSamples(quantile, ttft.n) > 0});
    };
    figure(QStringLiteral("p50"), ColorRole::TtftP50, ttft.p50, 0.50);
    figure(QStringLiteral("p90"), ColorRole::TtftP90, ttft.p90, 0.90);
    figure(QStringLiteral("p99"), ColorRole::TtftP99, ttft.p99, 0.99);
    const std::int64_t missing = app::missingSamples(0.99, ttft.n);
    if (ttft.n == 0) {
        tile.foot = {
            {.text = TileStrip::tr("no finished request in this span"), .color = ColorRole::Text3}};
    } else if (missing > 0) {
        tile.foot = {{.text = TileStrip::tr("too few for p99 · %1 more")
                                  .arg(app::numberText(static_cast<double>(missing))),
                      .color = ColorRole::Text3}};
    } else {
        const double limit = context.alarms.limit("ttft_gap");
        const bool isWide = figures.gapMs.value_or(0.0) > limit;
        tile.foot = {
            {.text = TileStrip::tr("gap p99 − p50 %1 ms").arg(app::millisecondsText(figures.gapMs)),
             .color = isWide ? ColorRole::Warn : ColorRole::Text2},
            {.text = TileStrip::tr(" · limit %1").arg(app::numberText(limit)),
             .color = ColorRole::Text2}};
    }
    if (figures.hitShare) {
        tile.foot.push_back({.text = TileStrip::tr(" · hits %1 %").arg(percent(figures.hitShare)),
                             .color = ColorRole::Text2});
    }
    tile.definition = QStringLiteral("ttft");
    return tile;
}

TileContent outputTile(const TileContext& context) {
    const app::LiveFigures& figures = context.figures;
    TileContent tile;
    tile.caption = TileStrip::tr("Output");
    const bool hasTraffic = figures.hasTraffic;
    tile.figures = {{.value = app::numberText(hasTraffic ? figures.outputPerSecond : std::nullopt),
                     .unit = hasTraffic ? TileStrip::tr("tok/s") : QString()}};
    tile.sparkline = figures.outputCurve;
    if (hasTraffic) {
        tile.foot = {
            {.text = TileStrip::tr("Prompt ")},
            {.text = app::numberText(figures.promptPerSecond), .color = ColorRole::PromptTokens},
            {.text = TileStrip::tr(" tok/s")}};
    } else {
        tile.foot = {{.text = TileStrip::tr("no traffic"), .color = ColorRole::Text3}};
    }
    tile.definition = QStringLiteral("output");
    tile.note = TileStrip::tr("The curve is the last minute.");
    return tile;
}

TileContent goodputTile(const TileContext& context) {
    const app::LiveFigures& figures = context.figures;
    TileContent tile;
    tile.caption = TileStrip::tr("Goodput");
    tile.figures = {{.value = shortText(figures.goodputPerSecond),
                     .unit = figures.goodputPerSecond ? TileStrip::tr("req/s") : QString()}};
    const double completed = figures.completedPerSecond.value_or(0.0);
    tile.bar =
        TileBar{.share = completed > 0 ? figures.goodputPerSecond.value_or(0.0) / completed : 0.0,
                .color = ColorRole::Accent};
    tile.foot = {{.text = TileStrip::tr("TTFT ≤ %1, TPOT ≤ %2")
                              .arg(app::numberText(context.target.ttftMs),
                                   app::numberText(context.target.tpotMs))}};
    tile.definition = QStringLiteral("goodput");
    tile.note = TileStrip::tr("The bar is their share of all completed ones: %1 req/s.")
                    .arg(shortText(figures.completedPerSecond));
    return tile;
}

TileContent batchTile(const TileContext& context) {
    const app::LiveFigures& figures = context.figures;
    TileContent tile;
    tile.caption = TileStrip::tr("Running / waiting");
    tile.figures = {{.value = QStringLiteral("%1 / %2").arg(shortText(figures.running),
                                                            shortText(figures.waiting))}};
    tile.bar = TileBar{
        .share = figures.slotCount && figures.running ? *figures.running / *figures.slotCount : 0.0,
        .color = ColorRole::Running};
    if (figures.slotCount) {
        tile.foot = {{.text = TileStrip::tr("of %n slot(s)", nullptr,
                                            static_cast<int>(*figures.slotCount))}};
    }
    tile.definition = QStringLiteral("batch");
    return tile;
}

TileContent kvTile(const TileContext& context) {
    const app::LiveFigures& figures = context.figures;
    TileContent tile;
    tile.caption = TileStrip::tr("KV blocks");
    tile.figures = {{.value = percent(figures.kvShare),
                     .unit = figures.kvShare ? QStringLiteral("%") : QString()}};
    tile.bar = TileBar{.share = figures.kvShare.value_or(0.0), .color = ColorRole::Kv};
    if (context.snapshot.kvBlocksTotal > 0 && !context.isSelection) {
        tile.foot = {
            {.text =
                 TileStrip::tr("%1 of %2 used")
                     .arg(app::numberText(static_cast<double>(context.snapshot.kvBlocksUsed)),
                          app::numberText(static_cast<double>(context.snapshot.kvBlocksTotal)))}};
    }
    tile.definition = QStringLiteral("kv");
    if (context.snapshot.kvUnpackedBytes > 0 && !context.isSelection) {
        const auto before = static_cast<double>(context.snapshot.kvUnpackedBytes);
        const auto after = static_cast<double>(context.snapshot.kvPackedBytes);
        tile.note = TileStrip::tr("%1 cold blocks are packed beside the pool: %2 instead of %3, %4 "
                                  "% less (claimed on top of 4 bits: 30 %).")
                        .arg(app::numberText(static_cast<double>(context.snapshot.kvBlocksPacked)),
                             app::bytesText(context.snapshot.kvPackedBytes),
                             app::bytesText(context.snapshot.kvUnpackedBytes),
                             app::numberText(100.0 * (1.0 - after / before), 1));
    }
    return tile;
}

TileContent memoryTile(const TileContext& context) {
    const app::LiveFigures& figures = context.figures;
    TileContent tile;
    tile.caption = TileStrip::tr("Memory");
    const QString text = figures.processBytes
                             ? app::bytesText(static_cast<std::uint64_t>(*figures.processBytes))
                             : QStringLiteral("—");
    const qsizetype space = text.indexOf(QLatin1Char(' '));
    tile.figures = {{.value = space > 0 ? text.left(space) : text,
                     .unit = space > 0 ? text.mid(space + 1) : QString()}};
    const double share = figures.machineShare.value_or(0.0);
    const double limit = context.alarms.limit("memory") / 100.0;
    tile.bar = TileBar{
        .share = share, .color = share > limit ? ColorRole::Bad : ColorRole::Memory, .tick = limit};
    if (figures.machineShare) {
        tile.foot = {{.text = TileStrip::tr("machine %1 %").arg(app::numberText(100.0 * share))}};
    }
    tile.definition = QStringLiteral("process");
    tile.note = TileStrip::tr("The bar is memory in use of the whole machine, with the limit of "
                              "%1 %.")
                    .arg(app::numberText(100.0 * limit));
    return tile;
}

TileContent busyTile(const TileContext& context) {
    const app::LiveFigures& figures = context.figures;
    TileContent tile;
    tile.caption = TileStrip::tr("Device busy");
    const std::pair<double, double> healthy = {context.alarms.limit("device_starved") / 100.0,
                                               context.alarms.limit("device_busy") / 100.0};
    tile.figures = {
        {.value = app::numberText(figures.busyShare ? std::optional(100.0 * *figures.busyShare)
                                                    : std::nullopt),
         .unit = figures.busyShare ? QStringLiteral("%") : QString()}};
    tile.bar = TileBar{.share = figures.busyShare.value_or(0.0),
                       .color = ColorRole::DeviceBusy,
                       .bracket = healthy};
    tile.foot = {{.text = TileStrip::tr("healthy %1–%2 %")
                              .arg(app::numberText(100.0 * healthy.first),
                                   app::numberText(100.0 * healthy.second))}};
    tile.definition = QStringLiteral("busy");
    tile.note = TileStrip::tr("The bracket is the healthy range.");
    return tile;
}

constexpr std::array<TileRow, 7> kTiles = {{
    {"ttft", 240, app::AlarmTile::Ttft, ttftTile},
    {"throughput", 112, app::AlarmTile::None, outputTile},
    {"throughput", 156, app::AlarmTile::None, goodputTile},
    {"batch", 110, app::AlarmTile::None, batchTile},
    {"kv", 110, app::AlarmTile::None, kvTile},
    {"memory", 108, app::AlarmTile::Memory, memoryTile},
    {"busy", 128, app::AlarmTile::Busy, busyTile},
}};

QString arrivalText(app::ArrivalKind kind) {
    switch (kind) {
    case app::ArrivalKind::Closed:
        return TileStrip::tr("closed loop");
    case app::ArrivalKind::Poisson:
        return TileStrip::tr("Poisson, open loop");
    case app::ArrivalKind::Gamma:
        return TileStrip::tr("gamma bursts, open loop");
    }
    return {};
}

} // namespace

std::span<const TileRow> tileTable() {
    return kTiles;
}

WorkloadTexts workloadTexts(const app::Workload* workload, const app::LoadProgress& progress) {
    WorkloadTexts texts;
    if (workload == nullptr) {
        return texts;
    }
    texts.name = QString::fromStdString(workload->name);
    const auto stage = static_cast<std::size_t>(std::max(0, progress.stage));
    if (stage < workload->stages.size()) {
        texts.name += QStringLiteral(" · ") + arrivalText(workload->stages[stage].kind);
    }
    if (!progress.isRunning) {
        texts.figures =
            TileStrip::tr("ended · %n request(s) sent", nullptr, static_cast<int>(progress.sent));
        return texts;
    }
    const QString lag = app::millisecondsText(progress.lagP99Ms);
    texts.figures = progress.wantedRate > 0
                        ? TileStrip::tr("wanted %1 · achieved %2 req/s · lag p99 %3 ms")
                              .arg(app::numberText(progress.wantedRate, 1),
                                   app::numberText(progress.achievedRate, 1), lag)
                        : TileStrip::tr("achieved %1 req/s · lag p99 %2 ms")
                              .arg(app::numberText(progress.achievedRate, 1), lag);
    return texts;
}

TileStrip::TileStrip(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    for (const TileRow& row : kTiles) {
        auto* tile = new StatTile(this);
        connect(tile, &QAbstractButton::clicked, this,
                [this, key = QString::fromLatin1(row.chart)] { Q_EMIT chartRequested(key); });
        m_tiles.push_back(tile);
    }
}

void TileStrip::setContext(const TileContext& context) {
    for (std::size_t index = 0; index < kTiles.size(); ++index) {
        TileContent content = kTiles[index].make(context);
        content.isAlarm = !context.isSelection && context.alarms.isRaised(kTiles[index].alarm);
        if (content.isAlarm) {
            const QString word = tr("alarm");
            content.corner =
                content.corner.isEmpty() ? word : word + QStringLiteral(" · ") + content.corner;
        }
        m_tiles[index]->setContent(content);
    }
}

int TileStrip::rows(int width) const {
    return width >= kOneRowFrom ? 1 : 2;
}

int TileStrip::heightForWidth(int width) const {
    const int count = rows(width);
    return count * StatTile::kHeight + (count - 1) * space::kBetweenCards;
}

QSize TileStrip::sizeHint() const {
    return {1040, heightForWidth(width())};
}
QSize TileStrip::minimumSizeHint() const {
    return {400, heightForWidth(width())};
}

void TileStrip::resizeEvent(QResizeEvent* event) {
    if (rows(event->size().width()) == 1) {
        placeRow(0, m_tiles.size(), 0);
    } else {
        placeRow(0, kFirstRow, 0);
        placeRow(kFirstRow, m_tiles.size(), StatTile::kHeight + space::kBetweenCards);
    }
    if (event->oldSize().width() != event->size().width()) {
        updateGeometry();
    }
}

void TileStrip::placeRow(std::size_t begin, std::size_t end, int top) {
    int weights = 0;
    for (std::size_t index = begin; index < end; ++index) {
        weights += kTiles[index].weight;
    }
    const int room = width() - space::kBetweenCards * (static_cast<int>(end - begin) - 1);
    int done = 0;
    for (std::size_t index = begin; index < end; ++index) {
        const int left = room * done / weights;
        done += kTiles[index].weight;
        const int right = room * done / weights;
        const int gaps = space::kBetweenCards * static_cast<int>(index - begin);
        m_tiles[index]->setGeometry(left + gaps, top, right - left, StatTile::kHeight);
    }
}

} // namespace ui
