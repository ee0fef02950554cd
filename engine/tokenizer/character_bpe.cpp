// BPE on characters ("gemma4", and Gemma's tokenizer.json): spaces as U+2581, merges by rank, and
// before them bytes for every character that the vocabulary lacks.
#include "engine/base/failure.h"
#include "engine/base/utf8.h"
#include "engine/tokenizer/bpe_rules.h"
#include "engine/tokenizer/merge_symbols.h"
#include "engine/tokenizer/scratch_pool.h"
#include "engine/tokenizer/space_spelling.h"
#include "engine/tokenizer/text_model.h"

namespace engine {

namespace {

// Begins and ends are 32-bit, and a space grows threefold.
constexpr std::size_t kLongestText = std::size_t{1} << 30;

class CharacterBpe final : public TextModel {
public:
    CharacterBpe(const TokenizerSource& source, const Vocabulary& vocabulary)
        : m_vocabulary(vocabulary),
          m_splitter(source.splitter),
          m_addsSpacePrefix(source.addsSpacePrefix),
          m_addsPrefixOnce(source.addsPrefixOnce),
          m_rules(vocabulary, source.merges),
          m_bytes(vocabulary),
          m_unknown(vocabulary.special("unknown").value_or(-1)) {}

    void encode(std::string_view text, std::vector<TokenId>& out) const override {
        if (text.empty()) {
            return;
        }
        if (text.size() > kLongestText) {
            throw Failure(ErrorCode::TooLarge, "The text is too long to be tokenized.");
        }
        const bool hasPrefix =
            m_addsPrefixOnce && (text.starts_with(' ') || text.starts_with("\xE2\x96\x81"));
        const std::string spelled = spelledWithSpaces(text, m_addsSpacePrefix && !hasPrefix);
        const auto scratch = m_scratches.borrow();
        Encoding encoding(*this, *scratch, out);
        const std::string_view whole = spelled;
        if (m_splitter) {
            m_splitter->split(whole, encoding);
        } else {
            encoding.take({&whole, 1});
        }
        scratch->trim();
    }

    void appendBytes(TokenId id, std::string& out) const override {
        m_bytes.append(m_vocabulary, id, out);
    }

private:
    class Encoding final : public WordSink {
    public:
        Encoding(const CharacterBpe& bpe, MergeScratch& scratch, std::vector<TokenId>& out)
            : m_bpe(bpe),
              m_scratch(scratch),
              m_out(out) {}
        void take(std::span<const std::string_view> words) override {
            for (const std::string_view word : words) {
                m_bpe.encodeWord(word, m_scratch, m_out);
            }
        }

    private:
        const CharacterBpe& m_bpe;
        MergeScratch& m_scratch;
        std::vector<TokenId>& m_out;
    };

    struct ByRank {
        const BpeRules& rules;
        std::uint32_t priorityOf(const Symbol& left, const Symbol& right) const {
            return left.id < 0 || right.id < 0 ? kNeverMerged : rules.rankOf(left.id, right.id);
        }
        std::int32_t merged(const Symbol& left, const Symbol&) const {
            return rules.merged(left.priority);
        }
    };

    void encodeWord(std::string_view word, MergeScratch& scratch, std::vector<TokenId>& out) const {
        scratch.symbols.clear();
        for (std::size_t at = 0; at < word.size();) {
            const std::size_t length = utf8Step(word.substr(at)).length;
            addCharacter(word.substr(at, length), at, scratch.symbols);
            at += length;
        }
        mergeSymbols(scratch, ByRank{m_rules});
        bool followsUnknown = false; // unknown characters side by side are one token
        for (const Symbol& symbol : scratch.symbols) {
            if (symbol.isGone()) {
                continue;
            }
            if (symbol.id >= 0 && m_rules.isToken(symbol.id)) {
                out.push_back(symbol.id);
            } else if (m_unknown >= 0 && !followsUnknown) {
                out.push_back(m_unknown);
            }
            followsUnknown = symbol.id < 0;
        }
    }

    void addCharacter(std::string_view character, std::size_t begin,
                      std::vector<Symbol>& symbols) const {
        const auto add = [&](std::int32_t id, std::size_t from, std::size_t length) {
            symbols.push_back(Symbol{.id = id,
                                     .begin = static_cast<std::uint32_t>(from),
                                     .end = static_cast<std::uint32_t>(from + length)});
        };
        const auto id = m_vocabulary.find(character);
        if (id && !m_vocabulary.isReserved(*id)) {
            add(*id, begin, character.size());
        } else if (m_bytes.hasAllOf(character)) {
            for (std::size_t i = 0; i < character.size(); ++i) {
                add(m_bytes.of(character[i]), begin + i, 1);
            }
        } else {
            add(-1, begin, character.size());
        }
    }

    const Vocabulary& m_vocabulary;
    std::shared_ptr<const Splitter> m_splitter;
    bool m_addsSpacePrefix;
    bool m_addsPrefixOnce;
    BpeRules m_rules;
    ByteTokens m_bytes;
    TokenId m_unknown;
    ScratchPool<MergeScratch> m_scratches;
};

} // namespace

std::unique_ptr<TextModel> makeCharacterBpe(const TokenizerSource& source,
                                            const Vocabulary& vocabulary) {
    return std::make_unique<CharacterBpe>(source, vocabulary);
}

} // namespace engine
