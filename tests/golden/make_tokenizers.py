#!/usr/bin/env python3
"""Writes tokenizers.json: small vocabularies trained by HF `tokenizers` with the pre-tokenizer of each
family, and what that library makes of some texts. tests/engine/tst_tokenizer_golden.cpp reads it.

Usage, in the folder of this script: make_tokenizers.py   (tokenizers 0.23.3)
The patterns are those of engine/tokenizer/pretokenizer.cpp, spelled out here once more.
"""
import json
import random
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
MODERN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}DIGITS| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN35 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}"
          r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
CASED = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}"
SMALL = r"\p{Ll}\p{Lm}\p{Lo}\p{M}"
CONTRACTED = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
HEAD = r"[^\r\n\p{L}\p{N}]?"
TAIL = r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
DEEPSEEK_V3 = ("[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
               "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+")
HAN = "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"
LETTERS = (r"\s?[A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293}"
           r"\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A}\x{38C}"
           r"\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556}\x{10A0}-\x{10C5}"
           r"\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF}\x{1D00}-\x{1D2B}"
           r"\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A}\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45}"
           r"\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D}\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}"
           r"\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}"
           r"\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115}"
           r"\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139}"
           r"\x{213C}-\x{213F}\x{2145}-\x{2149}\x{214E}\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4}"
           r"\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3}\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F}"
           r"\x{A771}-\x{A787}\x{A78B}-\x{A78E}\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06}\x{FB13}-\x{FB17}"
           r"\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A}\x{10400}-\x{1044F}\x{104B0}-\x{104D3}\x{104D8}-\x{104FB}"
           r"\x{10C80}-\x{10CB2}\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF}\x{1E900}-\x{1E943}]+")

# name -> patterns, form C first, whole words first
FAMILIES = {
    "gpt-2": ([GPT2], False, False),
    "smollm": ([r"\p{N}", GPT2], False, False),
    "llama-bpe": ([MODERN.replace("DIGITS", "{1,3}")], False, True),
    "qwen2": ([MODERN.replace("DIGITS", "")], True, False),
    "qwen35": ([QWEN35], True, False),
    "deepseek-llm": (["[\r\n]", LETTERS, r"\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F}\x{3000}-\x{3002}]+", "\\s+$", HAN, "\\p{N}+"],
                     False, False),
    "deepseek-coder": (["[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", HAN, r"\p{N}"], False, False),
    "deepseek-v3": ([r"\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+", DEEPSEEK_V3],
                    False, False),
    "falcon": ([r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"], False, False),
    "gpt-4o": ([f"{HEAD}[{CASED}]*[{SMALL}]+{CONTRACTED}|{HEAD}[{CASED}]+[{SMALL}]*{CONTRACTED}"
                rf"|\p{{N}}{{1,3}}{TAIL}"], False, False),
    "tekken": ([rf"{HEAD}[{CASED}]*[{SMALL}]+|{HEAD}[{CASED}]+[{SMALL}]*|\p{{N}}{TAIL}"], False, True),
}

TEXTS = [
    "", " ", "  ", "\n", "\r\n\r\n", " \n \n  x", "\t\tif x:\n\t\t\treturn 1", "Hello world",
    "Hello  world   again", "I'm you're he'S we'LL they'd don't 'tis '", "3 33 333 3333 33333 1,000.50",
    "x1y22z333", "...!!! ?? -- ==>", "a.b_c->d(e)[f]{g}", "https://example.org/a?b=c&d=%20",
    "中国的首都是北京。", "你好，世界！ 今天 12 月 31 日", "コンピュータ・カーテン゛゜ー々", "안녕하세요 세계",
    "Привет, мир! Ёж", "Ελληνικά και English", "éÉ e\u0301 E\u0301 ﬁ ſ 'ſ K", "नमस्ते दुनिया", "שלום עולם مرحبا",
    "😀 👨\u200d👩\u200d👧 🇨🇳 ☃️", "\u00a0a\u3000b\u2003c\u0085d", "a\u200bb\ufeffc\u00ad", "١٢٣ ⅷ ½ ²",
    "end with spaces   ", "   start with spaces", "tab\tand\u000bvt", "{\"key\": [1, 2.5, null]}\n",
    "def f(x):\n    return x ** 2  # comment\n\n\n", "unreachable unreachable", "ｗｉｄｅ ＴＥＸＴ １２３ ！？",
    "𐐀𐐨 𝒜𝓁𝓅𝒽𝒶 𝟙𝟚", "a" * 70, "ab" * 40, " " * 70, "中" * 60, "\n" * 60, "0" * 61,
]


def random_texts(count):
    source = random.Random(5)
    letters = list("  \n\t'stmd aeiouXYZ019.,-_/") + list("中的éñ한あアー゛・\u0301\u3000\u2019😀１")
    return ["".join(source.choice(letters) for _ in range(source.randrange(1, 40)))
            for _ in range(count)]


def corpus():
    prompts = Path(__file__).parent / "../../resources/prompts"
    # Letters with marks, often enough for families that keep them together to learn them.
    return [file.read_text() for file in sorted(prompts.glob("*.txt"))] + TEXTS + ["x\u0301y " * 400]


def byte_level(patterns, normalizes, whole_words):
    model = models.BPE(ignore_merges=whole_words)
    tokenizer = Tokenizer(model)
    if normalizes:
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in patterns]
        + [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.train_from_iterator(corpus(), trainers.BpeTrainer(
        vocab_size=700, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    return tokenizer


def with_unreachable(tokenizer, word):
    """A token that no merge makes: only families that take whole words may give it."""
    document = json.loads(tokenizer.to_str())
    vocabulary = document["model"]["vocab"]
    vocabulary[word] = len(vocabulary)
    return Tokenizer.from_str(json.dumps(document))


def character_level():
    tokenizer = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("[^\n]+|[\n]+"), "isolated")
    tokenizer.train_from_iterator(corpus(), trainers.BpeTrainer(
        vocab_size=900, show_progress=False, limit_alphabet=250,
        special_tokens=["<unk>"] + [f"<0x{byte:02X}>" for byte in range(256)]))
    document = json.loads(tokenizer.to_str())
    document["added_tokens"] = []  # what the trainer took for special is part of the vocabulary
    return Tokenizer.from_str(json.dumps(document))


def entry(tokenizer, texts):
    model = json.loads(tokenizer.to_str())["model"]
    tokens = [""] * len(model["vocab"])
    for token, number in model["vocab"].items():
        tokens[number] = token
    return {"tokens": tokens, "merges": [" ".join(pair) for pair in model["merges"]],
            "ids": [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]}


def main():
    texts = TEXTS + random_texts(40)
    families = {}
    for name, rules in FAMILIES.items():
        families[name] = entry(with_unreachable(byte_level(*rules), "\u0120unreachable"), texts)
    families["gemma4"] = entry(character_level(), texts)
    with open("tokenizers.json", "w", encoding="utf-8") as file:
        json.dump({"texts": texts, "families": families}, file, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
