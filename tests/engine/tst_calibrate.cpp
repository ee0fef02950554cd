// Ranges of what goes into products: found channel by channel, kept in a file that is refused
// unless it is whole and of this model, and used by products with one scale a row.
#include "engine/calibrate.h"
#include "engine/evaluate.h"
#include "engine/quality/matrix_ops.h"
#include "kernels/thread_pool.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>
#include <iterator>
#include <random>

using namespace engine;

namespace {

class Model {
public:
    explicit Model(const tests::TinyModel& shape = {}) { tests::writeTinyModel(file(), shape); }
    std::filesystem::path folder() const { return m_folder.path().toStdString(); }
    std::filesystem::path file() const { return folder() / "tiny.gguf"; }
    std::filesystem::path sidecar() const { return folder() / "tiny.gguf.calibration"; }

private:
    QTemporaryDir m_folder;
};

std::vector<std::string> someSamples(int count) {
    std::vector<std::string> samples;
    for (int i = 0; i < count; ++i) {
        samples.push_back("sample " + std::to_string(i * i) + " of a text that goes on a while");
    }
    return samples;
}

Calibration example() {
    Calibration calibration{.modelDigest = "xxh3:0123", .samples = 512, .tokens = 9000};
    calibration.largest["blk.0.ffn_down.weight"] = {1.0F, 0.0F, 3.5F};
    calibration.largest["blk.1.ffn_down.weight"] = {};
    return calibration;
}

std::string bytesOf(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

std::vector<float> lastLogits(Evaluator& evaluator) {
    std::vector<TokenId> ids;
    for (int i = 0; i < 40; ++i) {
        ids.push_back((i * i * 5 + i + 7) % 320);
    }
    std::vector<float> last;
    const auto done =
        evaluator.logits(ids, 16, LogitRows::Last, [&](std::int64_t, std::span<const float> row) {
            last.assign(row.begin(), row.end());
        });
    return done ? last : std::vector<float>{};
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += std::abs(a[i] - b[i]);
    }
    return a.size() == b.size() && !a.empty() ? sum / static_cast<double>(a.size()) : 1e9;
}

} // namespace

class TstCalibrate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyMatrixHasItsChannels();
    void rangesDependOnNoThreadsAndGrowWithSamples();
    void rangesAreTheLargestOfWhatIsMultiplied();
    void aStopEndsItAtOnce();
    void withoutSamplesOrTextItSaysSo();
    void filesComeBackAsTheyWere();
    void damagedFilesAreRefused();
    void filesOfOthersAreRefused();
    void whereTheFolderIsClosedTheCacheServes();
    void rowsRoundMoreThanGroups();
    void smoothingNeedsItsCalibration();
    void smoothingEvensOutALargeChannel();
};

void TstCalibrate::everyMatrixHasItsChannels() {
    const Model model;
    std::vector<std::int64_t> told;
    const auto made = calibrate(
        model.file(), {.threads = 2,
                       .samples = someSamples(5),
                       .progress = [&](std::int64_t done, std::int64_t) { told.push_back(done); }});
    QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
    QCOMPARE(made->samples, std::int64_t(5));
    QVERIFY(made->tokens > 50);
    QCOMPARE(told, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
    for (const char* layer : {"blk.0.", "blk.1."}) {
        for (const char* name :
             {"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"}) {
            const auto found = made->largest.find(std::string(layer) + name + ".weight");
            QVERIFY2(found != made->largest.end(), name);
            const std::size_t channels = std::string(name) == "ffn_down" ? 256 : 64;
            QCOMPARE(found->second.size(), channels);
            QVERIFY(std::ranges::any_of(found->second, [](float one) { return one > 0.0F; }));
        }
    }
    // What reads the same rows has the same ranges.
    QCOMPARE(made->largest.at("blk.0.ffn_gate.weight"), made->largest.at("blk.0.ffn_up.weight"));
}

void TstCalibrate::rangesDependOnNoThreadsAndGrowWithSamples() {
    const Model model;
    const auto one = calibrate(model.file(), {.threads = 1, .samples = someSamples(6)});
    const auto three = calibrate(model.file(), {.threads = 3, .samples = someSamples(6)});
    const auto fewer = calibrate(model.file(), {.threads = 1, .samples = someSamples(2)});
    QVERIFY(one && three && fewer);
    QVERIFY(one->largest == three->largest);
    for (const auto& [tensor, largest] : one->largest) {
        const std::vector<float>& less = fewer->largest.at(tensor);
        for (std::size_t i = 0; i < largest.size(); ++i) {
            QVERIFY(less[i] <= largest[i]);
        }
    }
}

void TstCalibrate::rangesAreTheLargestOfWhatIsMultiplied() {
    kernels::ThreadPool pool(1);
    MatrixNames names{.current = "blk.0.ffn_up.weight", .names = {}};
    Calibration calibration;
    const auto ops = makeRangeOps(kernels::makeCpuOps(pool), names, calibration);
    const kernels::Buffer matrix = kernels::Buffer::cpu(kernels::Format::F32, {16, 4});
    const auto weight = ops->prepare(matrix.view(), kernels::WeightLayout::Packed,
                                     kernels::ActivationPrecision::Int8);
    const kernels::Buffer x = kernels::Buffer::cpu(kernels::Format::F32, {2, 4});
    const kernels::Buffer out = kernels::Buffer::cpu(kernels::Format::F32, {2, 16});
    const float rows[] = {1.0F, -2.0F, 0.0F, 4.0F, -3.0F, 1.0F, 0.0F, 5.0F};
    std::ranges::copy(rows, x.view().f32());
    const kernels::Weight* weights[] = {weight.get()};
    const kernels::View outs[] = {out.view()};
    ops->matmul(x.view(), weights, outs);
    QCOMPARE(calibration.largest.at("blk.0.ffn_up.weight"),
             (std::vector<float>{3.0F, 2.0F, 0.0F, 5.0F}));
}

void TstCalibrate::aStopEndsItAtOnce() {
    const Model model;
    std::stop_source stop;
    const auto made = calibrate(model.file(), {.samples = someSamples(500),
                                               .progress =
                                                   [&](std::int64_t done, std::int64_t) {
                                                       if (done == 2) {
                                                           stop.request_stop();
                                                       }
                                                   },
                                               .stop = stop.get_token()});
    QVERIFY(!made);
    QCOMPARE(made.error().code, ErrorCode::Cancelled);
}

void TstCalibrate::withoutSamplesOrTextItSaysSo() {
    const Model model;
    QVERIFY(!calibrate(model.file(), {}));
    QVERIFY(!calibrate(model.file(), {.samples = {"", ""}}));
    QVERIFY(!calibrate(model.folder() / "none.gguf", {.samples = someSamples(1)}));
}

void TstCalibrate::filesComeBackAsTheyWere() {
    const Model model;
    QVERIFY(writeCalibration(model.sidecar(), example()));
    const auto again = readCalibration(model.sidecar(), "xxh3:0123");
    QVERIFY(again.has_value());
    QCOMPARE(again->samples, std::int64_t(512));
    QCOMPARE(again->tokens, std::int64_t(9000));
    QVERIFY(again->largest == example().largest);
    // Nothing else is left in the folder.
    QCOMPARE(std::distance(std::filesystem::directory_iterator(model.folder()), {}), 2);
}

void TstCalibrate::damagedFilesAreRefused() {
    const Model model;
    QVERIFY(writeCalibration(model.sidecar(), example()));
    const std::string whole = bytesOf(model.sidecar());
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
        write(model.sidecar(), whole.substr(0, bytes));
        QVERIFY(!readCalibration(model.sidecar(), "xxh3:0123"));
        std::string changed = whole;
        changed[bytes] = static_cast<char>(changed[bytes] ^ 0x20);
        write(model.sidecar(), changed);
        QVERIFY(!readCalibration(model.sidecar(), "xxh3:0123"));
    }
    write(model.sidecar(), whole + "x");
    QVERIFY(!readCalibration(model.sidecar(), "xxh3:0123"));
    write(model.sidecar(), whole);
    QVERIFY(readCalibration(model.sidecar(), "xxh3:0123").has_value());
}

void TstCalibrate::filesOfOthersAreRefused() {
    const Model model;
    QVERIFY(writeCalibration(model.sidecar(), example()));
    const auto other = readCalibration(model.sidecar(), "xxh3:9999");
    QVERIFY(!other);
    QVERIFY2(other.error().message.find("another model") != std::string::npos,
             other.error().message.c_str());
    std::string newer = bytesOf(model.sidecar());
    newer[8] = 7; // the version behind the magic
    write(model.sidecar(), newer);
    const auto refused = readCalibration(model.sidecar(), "xxh3:0123");
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::Unsupported);
    QVERIFY2(refused.error().message.find("version 7") != std::string::npos,
             refused.error().message.c_str());
    QCOMPARE(readCalibration(model.folder() / "none", "x").error().code, ErrorCode::NotFound);
}

void TstCalibrate::whereTheFolderIsClosedTheCacheServes() {
    const QTemporaryDir cache;
    qputenv("XDG_CACHE_HOME", cache.path().toUtf8());
    // No folder of that name: nothing can be written beside it.
    const std::filesystem::path model = cache.path().toStdString() + "/absent/model.gguf";
    const auto saved = saveCalibration(model, example());
    QVERIFY2(saved.has_value(), saved ? "" : saved.error().message.c_str());
    QVERIFY(saved->string().starts_with(cache.path().toStdString()));
    QVERIFY(loadCalibration(model, "xxh3:0123").has_value());
    QCOMPARE(loadCalibration(model, "xxh3:other").error().code, ErrorCode::NotFound);
    qunsetenv("XDG_CACHE_HOME");
}

void TstCalibrate::rowsRoundMoreThanGroups() {
    const Model model({.feedForward = 512});
    const auto exact = openEvaluator(model.file(), {.threads = 1});
    const auto groups =
        openEvaluator(model.file(), {.threads = 1, .precision = WeightPrecision::INT8});
    const auto rows = openEvaluator(
        model.file(),
        {.threads = 1, .precision = WeightPrecision::INT8, .int8Scales = Int8Scales::Row});
    QVERIFY(exact && groups && rows);
    const std::vector<float> truth = lastLogits(**exact);
    const double ofGroups = distance(lastLogits(**groups), truth);
    const double ofRows = distance(lastLogits(**rows), truth);
    QVERIFY2(ofGroups > 0.0 && ofGroups < ofRows && ofRows < 0.5,
             qPrintable(QStringLiteral("%1 %2").arg(ofGroups).arg(ofRows)));
    QVERIFY(!openEvaluator(model.file(), {.int8Scales = Int8Scales::Row})); // not INT8
}

void TstCalibrate::smoothingNeedsItsCalibration() {
    const Model model;
    const EvaluatorOptions smooth{
        .threads = 1, .precision = WeightPrecision::INT8, .int8Scales = Int8Scales::Smooth};
    const auto without = openEvaluator(model.file(), smooth);
    QVERIFY(!without);
    QCOMPARE(without.error().code, ErrorCode::NotFound);
    const auto made = calibrate(model.file(), {.samples = someSamples(8)});
    QVERIFY(made && saveCalibration(model.file(), *made));
    QVERIFY(std::filesystem::exists(model.sidecar()));
    const auto with = openEvaluator(model.file(), smooth);
    QVERIFY2(with.has_value(), with ? "" : with.error().message.c_str());
    const auto exact = openEvaluator(model.file(), {.threads = 1});
    QVERIFY(distance(lastLogits(**with), lastLogits(**exact)) < 0.5);
}

// One input channel a hundred times the others takes all steps of a row, unless it is smoothed.
void TstCalibrate::smoothingEvensOutALargeChannel() {
    constexpr std::size_t kColumns = 64;
    kernels::ThreadPool pool(1);
    std::mt19937 draw(3);
    std::normal_distribution<float> normal;
    const kernels::Buffer matrix = kernels::Buffer::cpu(kernels::Format::F32, {16, kColumns});
    const kernels::Buffer x = kernels::Buffer::cpu(kernels::Format::F32, {8, kColumns});
    Calibration calibration;
    std::vector<float>& largest = calibration.largest["blk.0.ffn_down.weight"];
    largest.assign(kColumns, 0.0F);
    for (std::size_t i = 0; i < 16 * kColumns; ++i) {
        matrix.view().f32()[i] = normal(draw);
    }
    for (std::size_t i = 0; i < 8 * kColumns; ++i) {
        float& one = x.view().f32()[i];
        one = normal(draw) * (i % kColumns == 5 ? 100.0F : 1.0F);
        largest[i % kColumns] = std::max(largest[i % kColumns], std::abs(one));
    }
    const auto product = [&](kernels::Ops& ops) {
        const auto weight = ops.prepare(matrix.view(), kernels::WeightLayout::Packed,
                                        kernels::ActivationPrecision::Int8);
        const kernels::Buffer out = kernels::Buffer::cpu(kernels::Format::F32, {8, 16});
        const kernels::Weight* weights[] = {weight.get()};
        const kernels::View outs[] = {out.view()};
        ops.matmul(x.view(), weights, outs);
        return std::vector<float>(out.view().f32(), out.view().f32() + 8 * 16);
    };
    const auto plain = kernels::makeCpuOps(pool);
    MatrixNames names{.current = "blk.0.ffn_down.weight", .names = {}};
    const auto rows = makeRowScaleOps(kernels::makeCpuOps(pool), names, nullptr);
    const auto smooth = makeRowScaleOps(kernels::makeCpuOps(pool), names, &calibration);
    const std::vector<float> truth = product(*plain);
    const double ofRows = distance(product(*rows), truth);
    const double ofSmooth = distance(product(*smooth), truth);
    QVERIFY2(ofSmooth < 0.6 * ofRows,
             qPrintable(QStringLiteral("%1 %2").arg(ofSmooth).arg(ofRows)));
}

QTEST_GUILESS_MAIN(TstCalibrate)
#include "tst_calibrate.moc"
