// Byte-level BPE (GPT-2 and its heirs): words by the pre-tokenizer, bytes as symbols, merges by
// rank. Short words are merged in arrays of a fixed size, short words met before come from a cache.
#include "engine/base/failure.h"
#include "engine/tokenizer/atomic_characters.h"
#include "engine/tokenizer/bpe_rules.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/merge_symbols.h"
#include "engine/tokenizer/normalization.h"
#include "engine/tokenizer/scratch_pool.h"
#include "engine/tokenizer/text_model.h"
#include "engine/tokenizer/text_scan.h"
#include "engine/tokenizer/word_cache.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>

namespace engine {

namespace {

constexpr std::size_t kShort = 48; // symbols of a word that is merged in arrays

class ByteBpe final : public TextModel {
public:
    ByteBpe(const TokenizerSource& source, const Vocabulary& vocabulary)
        : m_vocabulary(vocabulary),
          m_splitter(source.splitter),
          m_normalizes(source.normalizes),
          m_takesWholeWords(source.takesWholeWords),
          m_rules(vocabulary, source.merges) {
        for (std::size_t byte = 0; byte < m_byteSymbols.size(); ++byte) {
            m_byteSymbols[byte] = m_rules.intern(byteSpelling(static_cast<std::uint8_t>(byte)));
            m_lacksBytes = m_lacksBytes || !m_rules.isToken(m_byteSymbols[byte]);
        }
        if (!m_lacksBytes) {
            m_characters = std::make_unique<AtomicCharacters>(m_rules, m_byteSymbols);
        }
        if (m_takesWholeWords) {
            collectWords();
        }
    }

    void encode(std::string_view text, std::vector<TokenId>& out) const override {
        const std::string normalized = m_normalizes ? normalizedC(text) : std::string();
        const std::string_view whole = m_normalizes ? std::string_view(normalized) : text;
        const auto scratch = m_scratches.borrow();
        Encoding encoding(*this, whole.data() + whole.size(), *scratch, out);
        if (m_splitter) {
            m_splitter->split(whole, encoding);
        } else if (!whole.empty()) {
            encoding.take({&whole, 1});
        }
    }

    void appendBytes(TokenId id, std::string& out) const override {
        const TokenKind kind = m_vocabulary.kind(id);
        const std::string_view piece = m_vocabulary.piece(id);
        const bool isLiteral = kind == TokenKind::UserDefined || kind == TokenKind::Control ||
                               kind == TokenKind::Unknown;
        if (isLiteral) {
            out += piece;
        } else {
            appendBytesOfSpelling(piece, out);
        }
    }

private:
    struct Scratch {
        WordCache cache;
        MergeScratch merges;
        std::string known; // a word without the bytes that the vocabulary lacks
    };

    // Encodes words as they come.
    class Encoding final : public WordSink {
    public:
        Encoding(const ByteBpe& bpe, const char* end, Scratch& scratch, std::vector<TokenId>& out)
            : m_bpe(bpe),
              m_end(end),
              m_scratch(scratch),
              m_out(out) {}

        void take(std::span<const std::string_view> words) override {
            // Ids of cached words are gathered here: four are written, some count.
            std::array<TokenId, 512> ids;
            std::size_t count = 0;
            const auto flush = [&] {
                m_out.insert(m_out.end(), ids.begin(),
                             ids.begin() + static_cast<std::ptrdiff_t>(count));
                count = 0;
            };
            for (const std::string_view word : words) {
                if (count + WordCache::kMostIds > ids.size()) {
                    flush();
                }
                if (word.size() > WordCache::kLongest) {
                    flush();
                    m_bpe.encodeWord(word, m_scratch, m_out);
                    continue;
                }
                const auto key = WordCache::keyOf(word, m_end);
                const std::size_t found = m_scratch.cache.find(key, ids.data() + count);
                count += found;
                if (found == 0) {
                    flush();
                    const std::size_t before = m_out.size();
                    m_bpe.encodeWord(word, m_scratch, m_out);
                    m_scratch.cache.remember(key, std::span(m_out).subspan(before));
                }
            }
            flush();
        }

    private:
        const ByteBpe& m_bpe;
        const char* m_end; // of the text that the words are views into
        Scratch& m_scratch;
        std::vector<TokenId>& m_out;
    };

    void collectWords() {
        for (TokenId id = 0; id < m_vocabulary.size(); ++id) {
            m_wordBegins.push_back(m_wordText.size());
            appendBytes(id, m_wordText);
        }
        m_wordBegins.push_back(m_wordText.size());
        m_words = TextIndex(static_cast<std::size_t>(m_vocabulary.size()));
        for (TokenId id = 0; id < m_vocabulary.size(); ++id) {
            if (!m_vocabulary.isReserved(id)) {
                m_words.add(wordOf(id), id, [this](TokenId other) { return wordOf(other); });
            }
        }
    }
    std::string_view wordOf(TokenId id) const {
        const auto index = static_cast<std::size_t>(id);
        return std::string_view(m_wordText)
            .substr(m_wordBegins[index], m_wordBegins[index + 1] - m_wordBegins[index]);
    }

    void encodeWord(std::string_view word, Scratch& scratch, std::vector<TokenId>& out) const {
        if (m_takesWholeWords) {
            const TokenId whole = m_words.find(word, [this](TokenId id) { return wordOf(id); });
            if (whole != TextIndex::kNone) {
                out.push_back(whole);
                return;
            }
        }
        if (m_lacksBytes) {
            // Those bytes are left out, and their neighbours may merge, as in the libraries that
            // such vocabularies come from.
            scratch.known.clear();
            std::ranges::copy_if(word, std::back_inserter(scratch.known),
                                 [this](char byte) { return m_rules.isToken(symbolOf(byte)); });
            word = scratch.known;
        }
        if (!encodeShort(word, out)) {
            encodeLong(word, scratch.merges, out);
        }
    }

    // The symbol at `at`, a whole character where that is safe, and where the next one begins.
    struct First {
        std::int32_t symbol;
        const char* next;
    };
    First firstSymbol(const char* at) const {
        const auto lead = static_cast<unsigned char>(*at);
        if (lead >= 0xC2 && lead < 0xF0 && m_characters) {
            const splits::Character character = splits::characterAt(at);
            const std::int32_t symbol = m_characters->symbolOf(character.value);
            if (symbol >= 0) {
                return {symbol, at + character.length};
            }
        }
        return {m_byteSymbols[lead], at + 1};
    }

    // False, and nothing done, for a word of more than kShort symbols.
    bool encodeShort(std::string_view word, std::vector<TokenId>& out) const {
        std::array<std::int32_t, kShort> ids;
        std::array<std::uint32_t, kShort> ranks; // of merging with the next one
        std::size_t count = 0;
        for (const char *at = word.data(), *end = at + word.size(); at < end;) {
            if (count == kShort) {
                return false;
            }
            const First first = firstSymbol(at);
            ids[count++] = first.symbol;
            at = first.next;
        }
        const auto rate = [&](std::size_t i) {
            ranks[i] = i + 1 < count ? m_rules.rankOf(ids[i], ids[i + 1]) : PairTable::kNever;
        };
        for (std::size_t i = 0; i < count; ++i) {
            rate(i);
        }
        while (count > 1) {
            std::size_t best = 0;
            for (std::size_t i = 1; i + 1 < count; ++i) {
                best = ranks[i] < ranks[best] ? i : best;
            }
            if (ranks[best] == PairTable::kNever) {
                break;
            }
            ids[best] = m_rules.merged(ranks[best]);
            --count;
            const std::size_t moved = count - best - 1;
            std::memmove(&ids[best + 1], &ids[best + 2], moved * sizeof(ids[0]));
            std::memmove(&ranks[best + 1], &ranks[best + 2], moved * sizeof(ranks[0]));
            rate(best);
            if (best > 0) {
                rate(best - 1);
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            emit(ids[i], out);
        }
        return true;
    }

    struct ByRank {
        const BpeRules& rules;
        std::uint32_t priorityOf(const Symbol& left, const Symbol& right) const {
            return rules.rankOf(left.id, right.id);
        }
        std::int32_t merged(const Symbol& left, const Symbol&) const {
            return rules.merged(left.priority);
        }
    };

    void encodeLong(std::string_view word, MergeScratch& scratch, std::vector<TokenId>& out) const {
        if (word.size() >= std::numeric_limits<std::uint32_t>::max()) {
            throw Failure(ErrorCode::TooLarge, "The text is too long to be tokenized.");
        }
        scratch.symbols.clear();
        for (const char *at = word.data(), *end = at + word.size(); at < end;) {
            const First first = firstSymbol(at);
            scratch.symbols.push_back(
                Symbol{.id = first.symbol,
                       .begin = static_cast<std::uint32_t>(at - word.data()),
                       .end = static_cast<std::uint32_t>(first.next - word.data())});
            at = first.next;
        }
        mergeSymbols(scratch, ByRank{m_rules});
        for (const Symbol& symbol : scratch.symbols) {
            if (!symbol.isGone()) {
                emit(symbol.id, out);
            }
        }
        scratch.trim();
    }

    // A stray has no token of its own: its bytes stand for it.
    void emit(std::int32_t symbol, std::vector<TokenId>& out) const {
        if (m_rules.isToken(symbol)) {
            out.push_back(symbol);
            return;
        }
        std::string bytes;
        appendBytesOfSpelling(m_rules.spelling(symbol), bytes);
        for (const char byte : bytes) {
            if (m_rules.isToken(symbolOf(byte))) {
                out.push_back(symbolOf(byte));
            }
        }
    }

    std::int32_t symbolOf(char byte) const {
        return m_byteSymbols[static_cast<std::uint8_t>(byte)];
    }

    const Vocabulary& m_vocabulary;
    std::shared_ptr<const Splitter> m_splitter;
    bool m_normalizes, m_takesWholeWords;
    BpeRules m_rules;
    std::array<std::int32_t, 256> m_byteSymbols{};
    bool m_lacksBytes = false;
    std::unique_ptr<AtomicCharacters> m_characters; // null where the vocabulary lacks bytes
    // The bytes of all tokens and their index; of families that take whole words.
    std::string m_wordText;
    std::vector<std::size_t> m_wordBegins;
    TextIndex m_words;
    ScratchPool<Scratch> m_scratches;
};

} // namespace

std::unique_ptr<TextModel> makeByteBpe(const TokenizerSource& source,
                                       const Vocabulary& vocabulary) {
    return std::make_unique<ByteBpe>(source, vocabulary);
}

} // namespace engine
