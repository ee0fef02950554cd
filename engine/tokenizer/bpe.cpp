// Byte-level BPE (GPT-2 and its heirs): words by the pre-tokenizer, bytes as symbols, merges by
// rank.
#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/merge_symbols.h"
#include "engine/tokenizer/normalization.h"
#include "engine/tokenizer/text_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <unordered_map>

namespace engine {

namespace {

constexpr std::size_t kMostMerges = std::size_t{1} << 22;

// (left, right) -> merge, open addressing: looked up several times a byte of text.
class PairTable {
public:
    explicit PairTable(std::size_t pairs) : m_slots(std::bit_ceil(2 * pairs + 2)) {}

    // The first of equal pairs counts.
    void add(std::int32_t left, std::int32_t right, Merge merge) {
        const std::uint64_t key = keyOf(left, right);
        std::size_t at = slotOf(key);
        while (m_slots[at].merge.id >= 0) {
            if (m_slots[at].key == key) {
                return;
            }
            at = (at + 1) & (m_slots.size() - 1);
        }
        m_slots[at] = Slot{.key = key, .merge = merge};
    }

    Merge find(std::int32_t left, std::int32_t right) const {
        const std::uint64_t key = keyOf(left, right);
        std::size_t at = slotOf(key);
        while (m_slots[at].merge.id >= 0) {
            if (m_slots[at].key == key) {
                return m_slots[at].merge;
            }
            at = (at + 1) & (m_slots.size() - 1);
        }
        return {};
    }

private:
    struct Slot {
        std::uint64_t key = 0;
        Merge merge; // id < 0: free
    };

    static std::uint64_t keyOf(std::int32_t left, std::int32_t right) {
        return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 |
               static_cast<std::uint32_t>(right);
    }
    std::size_t slotOf(std::uint64_t key) const {
        const std::uint64_t mixed = (key ^ (key >> 29)) * 0x9E3779B97F4A7C15ULL;
        return (mixed >> 20) & (m_slots.size() - 1);
    }

    std::vector<Slot> m_slots;
};

class Bpe final : public TextModel {
public:
    Bpe(const Checkpoint& checkpoint, const Vocabulary& vocabulary, const PreTokenizer& rules)
        : m_vocabulary(vocabulary),
          m_rules(rules),
          m_splitter(makeSplitter(rules)),
          m_pairs(mergesOf(checkpoint).size()) {
        Interning symbols(vocabulary);
        for (std::size_t byte = 0; byte < m_byteSymbols.size(); ++byte) {
            m_byteSymbols[byte] = symbols.idOf(byteSpelling(static_cast<std::uint8_t>(byte)));
            m_lacksBytes = m_lacksBytes || !isToken(m_byteSymbols[byte]);
        }
        addMerges(mergesOf(checkpoint), symbols);
        if (rules.takesWholeWords) {
            collectWords();
        }
    }

    void encode(std::string_view text, std::vector<TokenId>& out) const override {
        const std::string normalized = m_rules.normalizes ? normalizedC(text) : std::string();
        Encoding encoding(*this, out);
        m_splitter->split(m_rules.normalizes ? std::string_view(normalized) : text, encoding);
    }

    std::string bytesOf(TokenId id) const override {
        const TokenKind kind = m_vocabulary.kind(id);
        const std::string_view piece = m_vocabulary.piece(id);
        const bool isLiteral = kind == TokenKind::UserDefined || kind == TokenKind::Control ||
                               kind == TokenKind::Unknown;
        return isLiteral ? std::string(piece) : bytesOfSpelling(piece);
    }

    bool addsSpacePrefix() const override { return false; }

private:
    // Encodes words as they come.
    class Encoding final : public WordSink {
    public:
        Encoding(const Bpe& bpe, std::vector<TokenId>& out) : m_bpe(bpe), m_out(out) {}
        void take(std::span<const std::string_view> words) override {
            for (const std::string_view word : words) {
                m_bpe.encodeWord(word, m_scratch, m_out);
            }
        }

    private:
        const Bpe& m_bpe;
        std::vector<TokenId>& m_out;
        MergeScratch m_scratch;
    };

    // Symbols by spelling: tokens by their id; spellings that only merges know ("strays", in
    // damaged vocabularies) by numbers from the vocabulary's size up.
    class Interning {
    public:
        explicit Interning(const Vocabulary& vocabulary) : m_vocabulary(vocabulary) {}

        std::int32_t idOf(const std::string& spelling) {
            const auto id = m_vocabulary.find(spelling);
            if (id && !m_vocabulary.isReserved(*id)) {
                return *id;
            }
            const auto next = m_vocabulary.size() + std::ssize(m_strays);
            return m_strays.try_emplace(spelling, static_cast<std::int32_t>(next)).first->second;
        }

    private:
        const Vocabulary& m_vocabulary;
        std::unordered_map<std::string, std::int32_t> m_strays;
    };

    static const std::vector<std::string>& mergesOf(const Checkpoint& checkpoint) {
        const auto* const merges = checkpoint.strings("tokenizer.ggml.merges");
        if (merges == nullptr) {
            throw Failure(ErrorCode::Corrupt,
                          "The model file has no merges (tokenizer.ggml.merges).");
        }
        if (merges->size() > kMostMerges) {
            throw Failure(ErrorCode::TooLarge, fmt::format("The vocabulary has {} merges; at most "
                                                           "{} are supported.",
                                                           merges->size(), kMostMerges));
        }
        return *merges;
    }

    void addMerges(const std::vector<std::string>& merges, Interning& symbols) {
        std::string left, right, both;
        for (std::size_t rank = 0; rank < merges.size(); ++rank) {
            const std::string& merge = merges[rank];
            const std::size_t space = merge.find(' ', 1);
            if (space == std::string::npos || space + 1 == merge.size()) {
                throw Failure(ErrorCode::Corrupt,
                              fmt::format("Merge {} of the vocabulary, \"{}\", is no pair.", rank,
                                          displayText(merge)));
            }
            left.assign(merge, 0, space);
            right.assign(merge, space + 1);
            both = left + right;
            m_pairs.add(
                symbols.idOf(left), symbols.idOf(right),
                Merge{.priority = static_cast<std::uint32_t>(rank), .id = symbols.idOf(both)});
        }
    }

    void collectWords() {
        m_words.reserve(static_cast<std::size_t>(m_vocabulary.size()));
        for (TokenId id = 0; id < m_vocabulary.size(); ++id) {
            if (!m_vocabulary.isReserved(id)) {
                m_words.try_emplace(bytesOf(id), id);
            }
        }
    }

    void encodeWord(std::string_view word, MergeScratch& scratch, std::vector<TokenId>& out) const {
        if (m_rules.takesWholeWords) {
            const auto whole = m_words.find(std::string(word));
            if (whole != m_words.end()) {
                out.push_back(whole->second);
                return;
            }
        }
        // Some vocabularies lack bytes: those are left out, and their neighbours may merge, as in
        // the libraries that such vocabularies come from.
        std::string known;
        if (m_lacksBytes) {
            std::ranges::copy_if(word, std::back_inserter(known),
                                 [this](char byte) { return isToken(symbolOf(byte)); });
            word = known;
        }
        auto& symbols = scratch.symbols;
        symbols.clear();
        for (std::size_t i = 0; i < word.size(); ++i) {
            symbols.push_back(Symbol{
                .id = symbolOf(word[i]), .begin = static_cast<std::uint32_t>(i), .length = 1});
        }
        mergeSymbols(scratch, [this](const Symbol& left, const Symbol& right) {
            return m_pairs.find(left.id, right.id);
        });
        for (const Symbol& symbol : symbols) {
            if (symbol.length != 0) {
                emit(symbol, word, out);
            }
        }
    }

    // A stray has no token of its own: its bytes stand for it.
    void emit(const Symbol& symbol, std::string_view word, std::vector<TokenId>& out) const {
        if (isToken(symbol.id)) {
            out.push_back(symbol.id);
            return;
        }
        for (const char byte : word.substr(symbol.begin, symbol.length)) {
            out.push_back(symbolOf(byte));
        }
    }

    std::int32_t symbolOf(char byte) const {
        return m_byteSymbols[static_cast<std::uint8_t>(byte)];
    }
    bool isToken(std::int32_t symbol) const { return symbol < m_vocabulary.size(); }

    const Vocabulary& m_vocabulary;
    const PreTokenizer& m_rules;
    std::unique_ptr<Splitter> m_splitter;
    PairTable m_pairs;
    std::array<std::int32_t, 256> m_byteSymbols{};
    bool m_lacksBytes = false;
    std::unordered_map<std::string, TokenId> m_words; // by bytes; of families that take whole words
};

} // namespace

std::unique_ptr<TextModel> makeBpe(const Checkpoint& checkpoint, const Vocabulary& vocabulary,
                                   const PreTokenizer& rules) {
    return std::make_unique<Bpe>(checkpoint, vocabulary, rules);
}

} // namespace engine
