#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/gguf_writer.h"
#include "tests/support/gguf_bytes.h"
#include "tests/support/reference_data.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <functional>
#include <limits>

using engine::ErrorCode;
using engine::LoadMode;
using tests::GgufBytes;
namespace fs = std::filesystem;

class TstGguf : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyValueTypeIsRead();
    void tensorsLieWhereTheTableSays();
    void writerAndReaderAgree();
    void unfinishedFileIsRemoved();
    void splitFilesAreOneCheckpoint();
    void brokenSplitsAreNamed_data();
    void brokenSplitsAreNamed();
    void digestFollowsHeaderAndSizeOnly();
    void shrunkenFileIsNoLongerWhole();
    void publishedVocabulariesOpen();

private:
    fs::path path(std::string_view name) const {
        return fs::path(m_folder.path().toStdString()) / name;
    }
    QTemporaryDir m_folder;
};

namespace {

constexpr std::int32_t kF32 = 0;
constexpr std::int32_t kQ8_0 = 8;

QString messageOf(const engine::Result<std::unique_ptr<engine::Checkpoint>>& result) {
    return result ? QStringLiteral("opened") : QString::fromStdString(result.error().message);
}

GgufBytes oneTensor(std::string_view name, const std::vector<std::int64_t>& dims, std::int32_t type,
                    std::uint64_t offset, std::size_t dataBytes) {
    GgufBytes file;
    file.header(1, 0).tensor(name, dims, type, offset).padTo(32).fill(dataBytes, 'x');
    return file;
}

} // namespace

void TstGguf::everyValueTypeIsRead() {
    GgufBytes file;
    file.header(0, 16, 2);
    file.pair("u8", 0, std::uint8_t{255}).pair("i8", 1, std::int8_t{-1});
    file.pair("u16", 2, std::uint16_t{65535}).pair("i16", 3, std::int16_t{-2});
    file.pair("u32", 4, std::uint32_t{4294967295}).pair("i32", 5, std::int32_t{-3});
    file.pair("f32", 6, 1.5F).pair("bool", 7, std::uint8_t{1}).pairText("text", "caf\xC3\xA9");
    file.pair("u64", 10, std::numeric_limits<std::uint64_t>::max());
    file.pair("i64", 11, std::numeric_limits<std::int64_t>::min()).pair("f64", 12, 0.1);
    file.arrayHead("u16s", 2, 3).put(std::uint16_t{1}).put(std::uint16_t{2}).put(std::uint16_t{3});
    file.arrayHead("f32s", 6, 2).put(0.5F).put(-0.5F);
    file.arrayHead("texts", 8, 2).text("").text("b");
    file.arrayHead("bools", 7, 2).put(std::uint8_t{0}).put(std::uint8_t{1});
    tests::writeFile(path("types.gguf"), file.bytes());

    const auto opened = engine::openCheckpoint(path("types.gguf"));
    QVERIFY2(opened.has_value(), qPrintable(messageOf(opened)));
    const engine::Checkpoint& checkpoint = **opened;
    QCOMPARE(checkpoint.integer("u8"), std::optional<std::int64_t>(255));
    QCOMPARE(checkpoint.integer("i8"), std::optional<std::int64_t>(-1));
    QCOMPARE(checkpoint.integer("u16"), std::optional<std::int64_t>(65535));
    QCOMPARE(checkpoint.integer("i16"), std::optional<std::int64_t>(-2));
    QCOMPARE(checkpoint.integer("u32"), std::optional<std::int64_t>(4294967295));
    QCOMPARE(checkpoint.integer("i32"), std::optional<std::int64_t>(-3));
    QCOMPARE(checkpoint.number("f32"), std::optional<double>(1.5));
    QCOMPARE(checkpoint.boolean("bool"), std::optional<bool>(true));
    QVERIFY(checkpoint.text("text") == "caf\xC3\xA9");
    QVERIFY2(!checkpoint.integer("u64").has_value(), "does not fit: absent, not wrapped");
    QCOMPARE(checkpoint.integer("i64"),
             std::optional<std::int64_t>(std::numeric_limits<std::int64_t>::min()));
    QCOMPARE(checkpoint.number("f64"), std::optional<double>(0.1));
    QCOMPARE(checkpoint.number("u16"), std::optional<double>(65535.0));
    QCOMPARE(*checkpoint.integers("u16s"), (std::vector<std::int64_t>{1, 2, 3}));
    QCOMPARE(*checkpoint.numbers("f32s"), (std::vector<double>{0.5, -0.5}));
    QCOMPARE(*checkpoint.strings("texts"), (std::vector<std::string>{"", "b"}));
    QVERIFY(checkpoint.metadata("bools") != nullptr);
    QVERIFY(checkpoint.integers("texts") == nullptr);
    QVERIFY(!checkpoint.integer("text") && !checkpoint.text("u8") && !checkpoint.boolean("u8"));
    QVERIFY(checkpoint.metadata("absent") == nullptr && !checkpoint.number("absent"));
    QCOMPARE(checkpoint.metadataKeys().size(), std::size_t{16});
    QCOMPARE(checkpoint.metadataKeys().front(), std::string("u8"));
    QVERIFY(checkpoint.tensors().empty());
}

void TstGguf::tensorsLieWhereTheTableSays() {
    for (const std::uint32_t alignment : {8U, 32U, 64U}) {
        GgufBytes file;
        file.header(3, 1).pair("general.alignment", 4, alignment);
        const auto padded = [alignment](std::uint64_t bytes) {
            return (bytes + alignment - 1) / alignment * alignment;
        };
        file.tensor("a", {3}, kF32, 0).tensor("b", {64, 2}, kQ8_0, padded(12));
        file.tensor("c", {2, 3, 4, 5}, kF32, padded(12) + padded(136)).padTo(alignment);
        file.fill(12, 'a').padTo(alignment).fill(136, 'b').padTo(alignment).fill(480, 'c');
        tests::writeFile(path("three.gguf"), file.bytes());
        for (const LoadMode mode : {LoadMode::Mmap, LoadMode::Read}) {
            const auto opened = engine::openCheckpoint(path("three.gguf"), mode);
            QVERIFY2(opened.has_value(), qPrintable(messageOf(opened)));
            const engine::Checkpoint& checkpoint = **opened;
            QCOMPARE(checkpoint.tensors().size(), std::size_t{3});
            QCOMPARE(checkpoint.fileBytes(), file.bytes().size());
            const engine::TensorEntry* const b = checkpoint.find("b");
            QVERIFY(b != nullptr && b->format == kernels::Format::Q8_0);
            QVERIFY((b->shape == kernels::Shape{2, 64}));
            QVERIFY((checkpoint.find("c")->shape == kernels::Shape{5, 4, 3, 2}));
            QVERIFY(checkpoint.find("d") == nullptr);
            for (const engine::TensorEntry& tensor : checkpoint.tensors()) {
                QCOMPARE(tensor.bytes.size(),
                         kernels::formatBytes(tensor.format,
                                              static_cast<std::size_t>(tensor.shape.elements())));
                for (const std::byte byte : tensor.bytes) {
                    QCOMPARE(static_cast<char>(byte), tensor.name[0]);
                }
                checkpoint.release(tensor);
            }
            QCOMPARE(static_cast<char>(b->bytes.front()), 'b');
            QVERIFY(checkpoint.stillWhole().has_value());
        }
    }
}

void TstGguf::writerAndReaderAgree() {
    const std::vector<float> values = {1.0F, -2.0F, 3.5F};
    {
        engine::gguf::Writer writer(path("written.gguf"));
        writer.addText("general.architecture", "llama");
        writer.addUnsigned("llama.block_count", 2);
        writer.addReal("llama.rope.freq_base", 10000.0F);
        writer.addBool("yes", true);
        writer.addTexts("words", std::vector<std::string>{"a", "", "ccc"});
        writer.addIntegers("kinds", std::vector<std::int32_t>{1, 3});
        writer.addReals("scores", values);
        writer.declareTensor("t", kernels::Format::F32, {1, 3});
        writer.declareTensor("u", kernels::Format::F32, {3});
        writer.writeHeader();
        const auto bytes = std::as_bytes(std::span(values));
        writer.writeData(bytes.first(4));
        writer.writeData(bytes.subspan(4));
        writer.writeData(bytes);
        writer.finish();
    }
    QVERIFY(!fs::exists(path("written.gguf.partial")));
    const auto opened = engine::openCheckpoint(path("written.gguf"));
    QVERIFY2(opened.has_value(), qPrintable(messageOf(opened)));
    const engine::Checkpoint& checkpoint = **opened;
    QCOMPARE(checkpoint.integer("llama.block_count"), std::optional<std::int64_t>(2));
    QCOMPARE(checkpoint.strings("words")->at(2), std::string("ccc"));
    QCOMPARE(checkpoint.numbers("scores")->at(2), 3.5);
    for (const engine::TensorEntry& tensor : checkpoint.tensors()) {
        QCOMPARE(std::memcmp(tensor.bytes.data(), values.data(), tensor.bytes.size()), 0);
    }
}

void TstGguf::unfinishedFileIsRemoved() {
    {
        engine::gguf::Writer writer(path("half.gguf"));
        writer.declareTensor("t", kernels::Format::F32, {3});
        writer.writeHeader();
    }
    QVERIFY(!fs::exists(path("half.gguf")) && !fs::exists(path("half.gguf.partial")));
}

namespace {

struct PartOptions {
    std::uint16_t number = 0;
    std::uint16_t count = 2;
    std::int32_t declared = 2;
    std::string_view tensor = "a";
};

std::string partBytes(const PartOptions& options) {
    GgufBytes file;
    file.header(1, 4).pairText("general.name", options.number == 0 ? "whole" : "part");
    file.pair("split.no", 2, options.number).pair("split.count", 2, options.count);
    file.pair("split.tensors.count", 5, options.declared);
    file.tensor(options.tensor, {8}, kF32, 0).padTo(32).fill(32, options.tensor[0]);
    return file.bytes();
}

constexpr std::string_view kFirst = "m-00001-of-00002.gguf";
constexpr std::string_view kSecond = "m-00002-of-00002.gguf";

} // namespace

void TstGguf::splitFilesAreOneCheckpoint() {
    tests::writeFile(path(kFirst), partBytes({}));
    tests::writeFile(path(kSecond), partBytes({.number = 1, .tensor = "b"}));
    const auto opened = engine::openCheckpoint(path(kFirst));
    QVERIFY2(opened.has_value(), qPrintable(messageOf(opened)));
    QCOMPARE((*opened)->tensors().size(), std::size_t{2});
    QVERIFY((*opened)->text("general.name") == "whole");
    QCOMPARE(static_cast<char>((*opened)->find("b")->bytes[31]), 'b');
    QCOMPARE((*opened)->fileBytes(), fs::file_size(path(kFirst)) + fs::file_size(path(kSecond)));
    const auto second = engine::openCheckpoint(path(kSecond));
    QVERIFY2(messageOf(second).contains(QStringLiteral("open m-00001-of-00002.gguf instead")),
             qPrintable(messageOf(second)));
    fs::resize_file(path(kSecond), 100);
    QVERIFY(!(*opened)->stillWhole().has_value());
    QVERIFY((*opened)->stillWhole().error().message.find(kSecond) != std::string::npos);
}

void TstGguf::brokenSplitsAreNamed_data() {
    QTest::addColumn<QByteArray>("first");
    QTest::addColumn<QByteArray>("second");
    QTest::addColumn<QString>("mentions");
    const auto row = [](const char* name, const PartOptions& first, const PartOptions& second,
                        const char* mentions) {
        QTest::newRow(name) << QByteArray::fromStdString(partBytes(first))
                            << QByteArray::fromStdString(partBytes(second))
                            << QString::fromUtf8(mentions);
    };
    const PartOptions good{.number = 1, .tensor = "b"};
    row("misnamed second", {.number = 1}, good, "this is part 2 of 2; open the first part");
    row("wrong second number", {}, {.number = 0, .tensor = "b"}, "m-00002-of-00002.gguf");
    row("wrong second count", {}, {.number = 1, .count = 3, .tensor = "b"},
        "should be part 2 of 2");
    row("twin tensors", {}, {.number = 1, .tensor = "a"}, "\"a\" occurs in two parts");
    row("tensor missing", {.declared = 3}, good, "hold 2 tensors, 3 are declared");
    row("name says otherwise", {.count = 3}, good, "must be named");
    row("number outside", {.number = 7}, good, "split.no");
    row("count of 0", {.count = 0}, good, "split.count is 0");
    QTest::newRow("second missing")
        << QByteArray::fromStdString(partBytes({})) << QByteArray() << "m-00002-of-00002.gguf";
}

void TstGguf::brokenSplitsAreNamed() {
    QFETCH(QByteArray, first);
    QFETCH(QByteArray, second);
    QFETCH(QString, mentions);
    fs::remove(path(kSecond));
    tests::writeFile(path(kFirst), first.toStdString());
    if (!second.isEmpty()) {
        tests::writeFile(path(kSecond), second.toStdString());
    }
    const auto opened = engine::openCheckpoint(path(kFirst));
    QVERIFY(!opened.has_value());
    QVERIFY2(messageOf(opened).contains(mentions), qPrintable(messageOf(opened)));
}

void TstGguf::digestFollowsHeaderAndSizeOnly() {
    const auto digestOf = [this](const GgufBytes& file) {
        tests::writeFile(path("digest.gguf"), file.bytes());
        return engine::openCheckpoint(path("digest.gguf")).value()->digest();
    };
    const std::string digest = digestOf(oneTensor("w", {4}, kF32, 0, 16));
    QVERIFY(digest.starts_with("xxh3:"));
    QCOMPARE(digest.size(), std::size_t{21});
    QCOMPARE(digestOf(oneTensor("w", {4}, kF32, 0, 16)), digest);
    QVERIFY(digestOf(oneTensor("v", {4}, kF32, 0, 16)) != digest);
    QVERIFY(digestOf(oneTensor("w", {4}, kF32, 0, 17)) != digest);
    GgufBytes others;
    others.header(1, 0).tensor("w", {4}, kF32, 0).padTo(32).fill(16, 'y');
    QCOMPARE(digestOf(others), digest);
}

void TstGguf::shrunkenFileIsNoLongerWhole() {
    GgufBytes file = oneTensor("w", {65536}, kF32, 0, 262144);
    tests::writeFile(path("shrinks.gguf"), file.bytes());
    const auto opened = engine::openCheckpoint(path("shrinks.gguf"));
    QVERIFY(opened.has_value());
    fs::resize_file(path("shrinks.gguf"), 4096);
    const auto bytes = (*opened)->find("w")->bytes;
    QCOMPARE(static_cast<char>(bytes[200000]), '\0'); // a fault, answered with zeros
    QVERIFY(!(*opened)->stillWhole().has_value());
    QVERIFY((*opened)->stillWhole().error().code == ErrorCode::Corrupt);
}

void TstGguf::publishedVocabulariesOpen() {
    const fs::path folder = tests::referenceData() / "tokenizers";
    if (tests::referenceData().empty()) {
        QSKIP("the reference vectors are not here (HEADWAY_REFERENCE_DATA)");
    }
    int files = 0;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (entry.path().extension() == ".gguf") {
            const auto opened = engine::openCheckpoint(entry.path());
            QVERIFY2(opened.has_value(), qPrintable(messageOf(opened)));
            QVERIFY((*opened)->strings("tokenizer.ggml.tokens")->size() > 30000);
            ++files;
        }
    }
    QVERIFY(files >= 5);
}

QTEST_APPLESS_MAIN(TstGguf)
#include "tst_gguf.moc"
