// Truncated, mutated and absurd model files: every one is opened or refused with a message; nothing
// crashes, and memory stays bounded by the file. Run under the asan preset as well.
#include "engine/base/failure.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/gguf_layout.h"
#include "engine/model_file.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/support/gguf_bytes.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

#include <array>
#include <fstream>
#include <random>
#include <span>

using engine::SpecialTokens;
namespace fs = std::filesystem;

class TstHostileModels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyPrefixIsRefusedOrWhole();
    void flippedBitsNeverCrash();
    void extremeNumbersNeverCrash();
    void splicedFilesNeverCrash();
    void randomBytesAfterTheMagicNeverCrash();
    void declaredSizesAllocateNothing_data();
    void declaredSizesAllocateNothing();
    void manyTinyEntriesStayBounded();

private:
    void use(const std::string& bytes);
    fs::path path(std::string_view name) const {
        return fs::path(m_folder.path().toStdString()) / name;
    }
    QTemporaryDir m_folder;
    std::string m_valid;
    std::size_t m_headerBytes = 0; // metadata and tensor table: where mutations bite
    int m_files = 0;
    int m_opened = 0;
    int m_refused = 0;
};

namespace {

std::string readAll(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

// In a block of exactly that size, so that a sanitizer sees a read of even one byte too many.
bool parsesInMemory(const std::string& bytes) {
    const std::vector<char> exact(bytes.begin(), bytes.end());
    try {
        engine::gguf::parseLayout(std::as_bytes(std::span(exact)), "memory");
        return true;
    } catch (const engine::Failure& failure) {
        return std::string_view(failure.what()).empty(); // a refusal says why
    }
}

long peakKilobytes() {
    struct rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

} // namespace

// Does with the file whatever the product does: open, look, tokenize, read every tensor.
void TstHostileModels::use(const std::string& bytes) {
    parsesInMemory(bytes);
    // A fresh name each time: rewriting a file in place makes some file systems flush it.
    const fs::path file = path("hostile" + std::to_string(m_files++) + ".gguf");
    tests::writeFile(file, bytes);
    const auto inspected = engine::inspectModel(file);
    if (!inspected) {
        QVERIFY(!inspected.error().message.empty());
        QVERIFY(inspected.error().code != engine::ErrorCode::Internal);
        const auto& message = inspected.error().message;
        QVERIFY(QString::fromStdString(message).toStdString() == message);
    }
    const auto opened = engine::openCheckpoint(file);
    fs::remove(file);
    if (!opened) {
        ++m_refused;
        QVERIFY(!opened.error().message.empty());
        QVERIFY(opened.error().code != engine::ErrorCode::Internal);
        return;
    }
    ++m_opened;
    unsigned sum = 0;
    for (const engine::TensorEntry& tensor : (*opened)->tensors()) {
        for (std::size_t i = 0; i < tensor.bytes.size(); i += 64) {
            sum += std::to_integer<unsigned>(tensor.bytes[i]);
        }
        sum += tensor.bytes.empty() ? 0U : std::to_integer<unsigned>(tensor.bytes.back());
    }
    QVERIFY(sum < ~0U);
    const auto chat = engine::makeChatFormat(**opened);
    const auto tokenizer = engine::makeTokenizer(**opened);
    if (!tokenizer) {
        QVERIFY(!tokenizer.error().message.empty());
        QVERIFY(tokenizer.error().code != engine::ErrorCode::Internal);
        return;
    }
    const auto ids =
        (*tokenizer)->encode("the thing <|im_end|> 123\n\xFF caf\xC3\xA9", SpecialTokens::Parse);
    for (const engine::TokenId id : ids) {
        QVERIFY(id >= 0 && id < (*tokenizer)->size());
    }
    const std::string text = engine::detokenize(**tokenizer, ids, true);
    QVERIFY(QString::fromStdString(text).toStdString() == text);
    engine::Request request;
    request.prompt = std::vector<engine::ChatMessage>{{"user", "Hi"}};
    const auto prompt = engine::encodePrompt(**tokenizer, chat.get(), request);
    QVERIFY(prompt.has_value() || !prompt.error().message.empty());
}

void TstHostileModels::initTestCase() {
    tests::writeTinyModel(path("valid.gguf"), {.format = kernels::Format::Q8_0,
                                               .layers = 1,
                                               .hidden = 32,
                                               .heads = 2,
                                               .kvHeads = 1,
                                               .headDim = 16,
                                               .feedForward = 32,
                                               .vocabulary = 300,
                                               .context = 64});
    m_valid = readAll(path("valid.gguf"));
    const auto opened = engine::openCheckpoint(path("valid.gguf"));
    QVERIFY(opened.has_value());
    std::size_t tensorBytes = 0;
    for (const engine::TensorEntry& tensor : (*opened)->tensors()) {
        tensorBytes += (tensor.bytes.size() + 31) / 32 * 32;
    }
    m_headerBytes = m_valid.size() - tensorBytes;
    QVERIFY(m_headerBytes > 5000 && m_headerBytes < m_valid.size());
    use(m_valid);
    QCOMPARE(m_opened, 1);
}

void TstHostileModels::everyPrefixIsRefusedOrWhole() {
    m_opened = m_refused = 0;
    // Every length in the header, then every 97th in the data.
    for (std::size_t length = 0; length < m_valid.size();
         length += length < m_headerBytes ? 1 : 97) {
        QVERIFY2(!parsesInMemory(m_valid.substr(0, length)), qPrintable(QString::number(length)));
    }
    // Only the padding after the last tensor may be missing.
    use(m_valid);
    QCOMPARE(m_opened, 1);
}

void TstHostileModels::flippedBitsNeverCrash() {
    m_opened = m_refused = 0;
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 1500; ++round) {
        std::string bytes = m_valid;
        for (std::size_t flips = 1 + random() % 4; flips > 0; --flips) {
            // half of them where the structure is densest
            const std::size_t at = random() % (random() % 2 == 0 ? m_headerBytes : bytes.size());
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        }
        use(bytes);
    }
    QVERIFY(m_opened > 0 && m_refused > 0);
}

void TstHostileModels::extremeNumbersNeverCrash() {
    m_opened = m_refused = 0;
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937_64 random(seed);
    constexpr std::array<std::uint64_t, 14> kExtremes = {0,
                                                         1,
                                                         2,
                                                         0x7F,
                                                         0xFF,
                                                         0x7FFFFFFF,
                                                         0x80000000,
                                                         0xFFFFFFFF,
                                                         0x100000000,
                                                         0x7FFFFFFFFFFFFFFF,
                                                         0x8000000000000000,
                                                         0xFFFFFFFFFFFFFFFF,
                                                         0xFFFFFFFFFFFFFFE0,
                                                         0x2000000000000001};
    for (int round = 0; round < 1500; ++round) {
        std::string bytes = m_valid;
        const std::size_t width = random() % 2 == 0 ? 8 : 4;
        const std::size_t at = round < 200 ? 4 + random() % 28 : random() % (m_headerBytes - 8);
        const std::uint64_t value = random() % 4 == 0 ? random() : kExtremes[random() % 14];
        std::memcpy(bytes.data() + at, &value, width);
        use(bytes);
    }
    QVERIFY(m_refused > 0);
}

void TstHostileModels::splicedFilesNeverCrash() {
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 600; ++round) {
        std::string bytes = m_valid;
        const std::size_t from = random() % m_headerBytes;
        const std::size_t to = 24 + random() % (m_headerBytes - 24);
        const std::string piece = bytes.substr(from, 1 + random() % 64);
        switch (random() % 3) {
        case 0:
            bytes.insert(to, piece);
            break;
        case 1:
            bytes.erase(to, 1 + random() % 64);
            break;
        default:
            bytes.replace(to, piece.size(), piece);
            break;
        }
        use(bytes);
    }
}

void TstHostileModels::randomBytesAfterTheMagicNeverCrash() {
    std::mt19937_64 random(std::random_device{}());
    for (int round = 0; round < 500; ++round) {
        std::string bytes = "GGUF";
        bytes += std::string("\x03\0\0\0", 4);
        for (std::size_t left = random() % 400; left > 0; --left) {
            bytes += static_cast<char>(random() % 2 == 0 ? 0 : random() % 256);
        }
        use(bytes);
    }
}

void TstHostileModels::declaredSizesAllocateNothing_data() {
    QTest::addColumn<QByteArray>("bytes");
    const auto row = [](const char* name, tests::GgufBytes file) {
        file.fill(64, 0);
        QTest::newRow(name) << QByteArray::fromStdString(file.bytes());
    };
    constexpr std::uint64_t kBillion = std::uint64_t{1} << 30;
    row("tensors", tests::GgufBytes{}.header(1 << 30, 0));
    row("pairs", tests::GgufBytes{}.header(0, 1 << 30));
    row("key", tests::GgufBytes{}.header(0, 1).put(kBillion));
    row("text", tests::GgufBytes{}.header(0, 1).text("k").put(std::int32_t{8}).put(kBillion));
    for (const std::int32_t type : {0, 4, 7, 8, 10, 12}) {
        row(qPrintable(QStringLiteral("array of %1").arg(type)),
            tests::GgufBytes{}.header(0, 1).arrayHead("k", type, kBillion));
    }
    row("tensor", tests::GgufBytes{}.header(1, 0).tensor("w", {1 << 30, 1 << 30}, 0, 0));
}

void TstHostileModels::declaredSizesAllocateNothing() {
    QFETCH(QByteArray, bytes);
    const long before = peakKilobytes();
    m_refused = 0;
    use(bytes.toStdString());
    QCOMPARE(m_refused, 1);
    QVERIFY2(peakKilobytes() - before < 50'000, "memory was taken for a mere claim");
}

void TstHostileModels::manyTinyEntriesStayBounded() {
    // 3 MB of empty strings and of one-letter keys: decoded they take more than in the file, but
    // within a known factor.
    tests::GgufBytes texts;
    texts.header(0, 1).arrayHead("list", 8, 375'000).fill(375'000 * 8, 0);
    tests::GgufBytes pairs;
    constexpr int kPairs = 100'000;
    pairs.header(0, kPairs);
    for (int i = 0; i < kPairs; ++i) {
        pairs.pair(std::to_string(i), 0, std::uint8_t{1});
    }
    const long before = peakKilobytes();
    m_opened = 0;
    use(texts.bytes());
    use(pairs.bytes());
    QCOMPARE(m_opened, 2);
    QVERIFY(peakKilobytes() - before < 300'000);
}

QTEST_APPLESS_MAIN(TstHostileModels)
#include "tst_hostile_models.moc"
