// The reference's predictions as a file: magic with a version, a checksum of what follows, then
// counts and numbers as they lie in memory. Whatever does not fit what is asked for is not there.
#include "engine/quality/reference.h"

#include <xxhash.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace engine {

namespace {

constexpr char kMagic[8] = {'H', 'W', 'Q', 'U', 'A', 'L', '0', '2'};
constexpr std::uint64_t kMost = std::uint64_t{1} << 24; // of any list

class Writer {
public:
    explicit Writer(std::ostream& out) : m_out(out) {}
    template <class T>
    void number(T value) {
        m_out.write(reinterpret_cast<const char*>(&value), sizeof value);
    }
    template <class T>
    void list(const std::vector<T>& values) {
        number(static_cast<std::uint64_t>(values.size()));
        m_out.write(reinterpret_cast<const char*>(values.data()),
                    static_cast<std::streamsize>(values.size() * sizeof(T)));
    }
    void text(const std::string& value) { list(std::vector<char>(value.begin(), value.end())); }

private:
    std::ostream& m_out;
};

class Reader {
public:
    explicit Reader(std::istream& in) : m_in(in) {}
    bool isGood() const { return static_cast<bool>(m_in); }
    template <class T>
    T number() {
        T value{};
        m_in.read(reinterpret_cast<char*>(&value), sizeof value);
        return isGood() ? value : T{};
    }
    template <class T>
    std::vector<T> list() {
        const auto count = number<std::uint64_t>();
        if (!isGood() || count > kMost) {
            m_in.setstate(std::ios::failbit);
            return {};
        }
        std::vector<T> values;
        constexpr std::uint64_t kPiece = 4096; // a false count costs no memory
        for (std::uint64_t at = 0; at < count && isGood(); at += kPiece) {
            const auto piece = static_cast<std::size_t>(std::min(kPiece, count - at));
            values.resize(values.size() + piece);
            m_in.read(reinterpret_cast<char*>(values.data() + values.size() - piece),
                      static_cast<std::streamsize>(piece * sizeof(T)));
        }
        return values;
    }
    std::string text() {
        const auto bytes = list<char>();
        return {bytes.begin(), bytes.end()};
    }

private:
    std::istream& m_in;
};

bool areTokens(const std::vector<TokenId>& ids, std::int64_t vocabulary) {
    return !ids.empty() &&
           std::ranges::all_of(ids, [&](TokenId id) { return id >= 0 && id < vocabulary; });
}

bool isPrediction(const TopTokens& top, std::int64_t vocabulary) {
    if (!areTokens(top.ids, vocabulary) || top.ids.size() != top.logProbabilities.size() ||
        !std::isfinite(top.target)) {
        return false;
    }
    for (const float one : top.logProbabilities) {
        if (!std::isfinite(one) || one > 0.001F) {
            return false;
        }
    }
    return true;
}

std::optional<QualityPassage> readPassage(Reader& reader, const QualityPassage& wanted,
                                          std::int64_t vocabulary) {
    QualityPassage passage;
    passage.ids = reader.list<TokenId>();
    if (passage.ids != wanted.ids) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i + 1 < passage.ids.size(); ++i) {
        TopTokens top;
        top.ids = reader.list<TokenId>();
        top.logProbabilities = reader.list<float>();
        top.target = reader.number<float>();
        if (!reader.isGood() || !isPrediction(top, vocabulary)) {
            return std::nullopt;
        }
        passage.expected.push_back(std::move(top));
    }
    return passage;
}

std::uint64_t checksumOf(const std::string& contents) {
    return XXH3_64bits(contents.data(), contents.size());
}

// What follows the head, where it is what was written.
std::optional<std::string> readContents(const std::filesystem::path& file) {
    constexpr std::uintmax_t kLargest = std::uintmax_t{1} << 30U;
    std::error_code error;
    if (const auto size = std::filesystem::file_size(file, error); error || size > kLargest) {
        return std::nullopt;
    }
    std::ifstream stream(file, std::ios::binary);
    char magic[sizeof kMagic];
    if (!stream.read(magic, sizeof magic) || std::memcmp(magic, kMagic, sizeof magic) != 0) {
        return std::nullopt;
    }
    const auto checksum = Reader(stream).number<std::uint64_t>();
    std::string contents((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
    return checksumOf(contents) == checksum ? std::optional(std::move(contents)) : std::nullopt;
}

} // namespace

std::filesystem::path referenceFile(const std::string& digest) {
    std::filesystem::path folder;
    if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
        folder = cache;
    } else if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
        folder = std::filesystem::path(home) / ".cache";
    } else {
        return {};
    }
    std::string name;
    for (const char c : digest) {
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
    }
    return folder / "headway" / "quality" / name;
}

std::optional<QualityReference> readReference(const std::filesystem::path& file,
                                              const std::string& digest,
                                              const std::vector<QualityPassage>& passages,
                                              std::int64_t vocabulary) {
    const auto contents = readContents(file);
    if (!contents) {
        return std::nullopt;
    }
    std::istringstream stream(*contents);
    Reader reader(stream);
    QualityReference reference;
    reference.digest = reader.text();
    if (reference.digest != digest || reader.number<std::uint64_t>() != passages.size()) {
        return std::nullopt;
    }
    for (const QualityPassage& wanted : passages) {
        auto passage = readPassage(reader, wanted, vocabulary);
        if (!passage) {
            return std::nullopt;
        }
        reference.passages.push_back(std::move(*passage));
    }
    const auto canaries = reader.number<std::uint64_t>();
    for (std::uint64_t i = 0; i < canaries && reader.isGood(); ++i) {
        QualityCanary canary;
        canary.name = reader.text();
        canary.prompt = reader.list<TokenId>();
        canary.answer = reader.list<TokenId>();
        canary.loss = reader.number<double>();
        if (!areTokens(canary.prompt, vocabulary) || !areTokens(canary.answer, vocabulary) ||
            !std::isfinite(canary.loss)) {
            return std::nullopt;
        }
        reference.canaries.push_back(std::move(canary));
    }
    return reader.isGood() ? std::optional(std::move(reference)) : std::nullopt;
}

namespace {

std::string contentsOf(const QualityReference& reference) {
    std::ostringstream stream;
    Writer writer(stream);
    writer.text(reference.digest);
    writer.number(static_cast<std::uint64_t>(reference.passages.size()));
    for (const QualityPassage& passage : reference.passages) {
        writer.list(passage.ids);
        for (const TopTokens& top : passage.expected) {
            writer.list(top.ids);
            writer.list(top.logProbabilities);
            writer.number(top.target);
        }
    }
    writer.number(static_cast<std::uint64_t>(reference.canaries.size()));
    for (const QualityCanary& canary : reference.canaries) {
        writer.text(canary.name);
        writer.list(canary.prompt);
        writer.list(canary.answer);
        writer.number(canary.loss);
    }
    return std::move(stream).str();
}

} // namespace

// The file appears whole or not at all.
bool writeReference(const std::filesystem::path& file, const QualityReference& reference) {
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    const std::filesystem::path part = file.string() + ".part";
    {
        std::ofstream stream(part, std::ios::binary | std::ios::trunc);
        stream.write(kMagic, sizeof kMagic);
        const std::string contents = contentsOf(reference);
        Writer(stream).number(checksumOf(contents));
        stream.write(contents.data(), std::ssize(contents));
        stream.close();
        if (!stream) {
            std::filesystem::remove(part, error);
            return false;
        }
    }
    std::filesystem::rename(part, file, error);
    return !error;
}

} // namespace engine
