// Every rule of the format, broken one at a time: refused with a message that names what is wrong.
#include "engine/checkpoint/checkpoint.h"
#include "tests/support/gguf_bytes.h"

#include <QTemporaryDir>
#include <QTest>

#include <limits>

using engine::ErrorCode;
using tests::GgufBytes;
namespace fs = std::filesystem;

class TstGgufRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void brokenRulesAreNamed_data();
    void brokenRulesAreNamed();
    void otherKindsAreRefusedByName_data();
    void otherKindsAreRefusedByName();

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

void TstGgufRules::brokenRulesAreNamed_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("mentions");
    const auto row = [](const char* name, const GgufBytes& file, const char* mentions) {
        QTest::newRow(name) << QByteArray::fromStdString(file.bytes())
                            << QString::fromUtf8(mentions);
    };
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    row("version 1", GgufBytes{}.header(0, 0, 1), "version 1");
    row("version 4", GgufBytes{}.header(0, 0, 4), "version 4");
    row("big endian", GgufBytes{}.header(0, 0, 0x03000000), "big-endian");
    row("negative tensors", GgufBytes{}.header(-1, 0), "-1 tensors");
    row("many tensors", GgufBytes{}.header(kMost, 0), "can't hold that many");
    row("many pairs", GgufBytes{}.header(0, kMost), "can't hold that many");
    row("negative pairs", GgufBytes{}.header(0, -5), "-5 metadata pairs");
    row("empty key", GgufBytes{}.header(0, 1).pair("", 4, 1U).fill(9, 0), "key 0 is empty");
    row("long key", GgufBytes{}.header(0, 1).pair(std::string(65536, 'k'), 4, 1U), "65535");
    row("key outside", GgufBytes{}.header(0, 1).put(std::uint64_t{100}).fill(20, 'k'),
        "ends inside metadata key 0");
    row("wrapping key", GgufBytes{}.header(0, 1).put(~std::uint64_t{0}).fill(20, 'k'),
        "metadata key 0");
    row("duplicate key", GgufBytes{}.header(0, 2).pair("twin", 4, 1U).pair("twin", 4, 2U),
        "\"twin\" occurs twice");
    row("unknown type", GgufBytes{}.header(0, 1).pair("odd", 13, 1U), "\"odd\"");
    row("negative type", GgufBytes{}.header(0, 1).pair("odd", -1, 1U), "\"odd\"");
    row("bool of 2", GgufBytes{}.header(0, 1).pair("flag", 7, std::uint8_t{2}), "\"flag\"");
    row("text outside",
        GgufBytes{}.header(0, 1).text("note").put(std::int32_t{8}).put(std::uint64_t{99}),
        "\"note\"");
    row("text of 2^60",
        GgufBytes{}.header(0, 1).text("note").put(std::int32_t{8}).put(std::uint64_t{1} << 60),
        "\"note\"");
    row("array of arrays", GgufBytes{}.header(0, 1).arrayHead("nest", 9, 1).fill(16, 0),
        "\"nest\" is an array of arrays");
    row("array too long", GgufBytes{}.header(0, 1).arrayHead("list", 12, 2).put(1.0), "\"list\"");
    row("array wraps",
        GgufBytes{}.header(0, 1).arrayHead("list", 12, (std::uint64_t{1} << 61) + 1).put(1.0),
        "\"list\"");
    row("texts too many", GgufBytes{}.header(0, 1).arrayHead("list", 8, 3).text("a").text("b"),
        "\"list\"");
    row("huge u64s", GgufBytes{}.header(0, 1).arrayHead("list", 10, 1).put(~std::uint64_t{0}),
        "\"list\"");
    for (const std::uint32_t alignment : {0U, 1U, 4U, 24U, 33U, 131072U}) {
        row(qPrintable(QStringLiteral("alignment %1").arg(alignment)),
            GgufBytes{}.header(0, 1).pair("general.alignment", 4, alignment), "general.alignment");
    }
    row("alignment kind", GgufBytes{}.header(0, 1).pair("general.alignment", 10, std::uint64_t{32}),
        "general.alignment");
    row("no name", oneTensor("", {4}, kF32, 0, 16), "tensor 0 has no usable name");
    row("NUL in name", oneTensor(std::string_view("a\0b", 3), {4}, kF32, 0, 16), "no usable name");
    row("long name", oneTensor(std::string(64, 'n'), {4}, kF32, 0, 16), "at most 63");
    row("no dimensions", oneTensor("w", {}, kF32, 0, 48), "\"w\" has 0 dimensions");
    row("five dimensions", oneTensor("w", {1, 1, 1, 1, 1}, kF32, 0, 4), "\"w\" has 5 dimensions");
    row("dimension 0", oneTensor("w", {4, 0}, kF32, 0, 16), "\"w\" has a dimension of 0");
    row("dimension -1", oneTensor("w", {-1}, kF32, 0, 16), "\"w\" has a dimension of -1");
    row("2^64 elements", oneTensor("w", {kMost, 4}, kF32, 0, 16), "\"w\" has more than 2^63");
    row("2^65 bytes", oneTensor("w", {kMost}, kF32, 0, 16), "\"w\" takes more than 2^63 bytes");
    row("removed format", oneTensor("w", {32}, 4, 0, 64), "\"w\" has format Q4_2");
    row("unknown format", oneTensor("w", {32}, 999, 0, 64), "\"w\" has the unknown format 999");
    row("negative format", oneTensor("w", {32}, -2, 0, 64), "\"w\" has the unknown format -2");
    row("activation format", oneTensor("w", {32}, 9, 0, 64), "\"w\" has format Q8_1");
    row("no kernels", oneTensor("w", {256}, 19, 0, 50), "format IQ1_S of tensor \"w\"");
    row("part of a block", oneTensor("w", {33}, kQ8_0, 0, 68), "\"w\" has rows of 33");
    row("cut short", oneTensor("w", {5}, kF32, 0, 16), "\"w\" ends behind the end");
    row("offset not 0", oneTensor("w", {4}, kF32, 32, 64), "\"w\" starts at offset 32");
    row("overlap",
        GgufBytes{}
            .header(2, 0)
            .tensor("v", {16}, kF32, 0)
            .tensor("w", {16}, kF32, 32)
            .padTo(32)
            .fill(128, 'x'),
        "\"w\" starts at offset 32 instead of 64");
    row("twin tensors",
        GgufBytes{}
            .header(2, 0)
            .tensor("w", {8}, kF32, 0)
            .tensor("w", {8}, kF32, 32)
            .padTo(32)
            .fill(64, 'x'),
        "\"w\" occurs twice");
    row("hostile name", oneTensor("w\x1B[31m\xFF", {5}, kF32, 0, 16),
        "\"w\xEF\xBF\xBD[31m\xEF\xBF\xBD\"");
}

void TstGgufRules::brokenRulesAreNamed() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, mentions);
    tests::writeFile(path("broken.gguf"), bytes.toStdString());
    const auto opened = engine::openCheckpoint(path("broken.gguf"));
    QVERIFY(!opened.has_value());
    QVERIFY2(messageOf(opened).contains(mentions), qPrintable(messageOf(opened)));
    QVERIFY2(messageOf(opened).startsWith(QStringLiteral("broken.gguf: ")),
             qPrintable(messageOf(opened)));
    QVERIFY(opened.error().code != ErrorCode::Internal);
}

void TstGgufRules::otherKindsAreRefusedByName_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("empty") << QByteArray() << "is empty";
    QTest::newRow("text") << QByteArray("hello, this is no model") << "not a model file";
    QTest::newRow("short") << QByteArray("GG") << "not a model file";
    QTest::newRow("magic only") << QByteArray("GGUF") << "too short";
    QTest::newRow("safetensors") << QByteArray("\x08\0\0\0\0\0\0\0{\"a\": 1}", 16)
                                 << "config.json is missing";
    QTest::newRow("zip") << QByteArray("PK\x03\x04.............") << "PyTorch";
}

void TstGgufRules::otherKindsAreRefusedByName() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, mentions);
    tests::writeFile(path("other.bin"), bytes.toStdString());
    const auto opened = engine::openCheckpoint(path("other.bin"));
    QVERIFY(!opened.has_value());
    QVERIFY2(messageOf(opened).contains(mentions), qPrintable(messageOf(opened)));
}

QTEST_APPLESS_MAIN(TstGgufRules)
#include "tst_gguf_rules.moc"
