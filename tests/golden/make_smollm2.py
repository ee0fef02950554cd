#!/usr/bin/env python3
"""Makes the golden data of the default model with implementations independent of Headway.

    python3 tests/golden/make_smollm2.py MODEL.gguf

Truth is Hugging Face transformers: it opens the GGUF, dequantises the weights and computes them in float64. Greedy
answers are llama-cpp-python's. Needs (Python index): torch transformers accelerate gguf tokenizers numpy llama-cpp-python.

Writes beside this script:
  smollm2_texts.json   texts, their ids by the HF tokenizer, and ten chat prompts with llama.cpp's greedy answers; for
                       every answer position the true gap between the two largest logits
  smollm2_truth.bin    for every position of every text: kTop pairs (u16 id, f32 log-probability), largest first, then
                       f32 log of the probability outside the list; little endian, no padding

The Kullback-Leibler divergence over the list and one bucket for the rest is a lower bound of the full one; this script
prints both for llama.cpp, so the difference is known (see README.md here).
"""
import json
import os
import struct
import sys

import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

TOP = 64

HERE = os.path.dirname(os.path.abspath(__file__))


def chat(*turns, system="You are a helpful AI assistant named SmolLM, trained by Hugging Face"):
    text = f"<|im_start|>system\n{system}<|im_end|>\n"
    for role, content in turns:
        text += f"<|im_start|>{role}\n{content}<|im_end|>\n"
    return text + "<|im_start|>assistant\n"


LONG = (
    "The signal box at the junction was built when the line still carried coal. Its twelve levers moved the points by wire and rod, "
    "and the man on duty knew each of them by the weight of its handle. When two trains came at once he had to choose which one to hold. "
    "Holding the express cost the company money; holding the goods cost nobody anything until the siding was full, and then it cost everyone. "
    "He wrote the times in a ledger, one row for each train, with the minute it was offered, the minute it was accepted and the minute it cleared. "
    "Years later the ledgers were found in a cupboard and a student copied them into a table. "
)

TEXTS = [
    ("chat", chat(("user", "What is the capital of France, and what is it known for?"))),
    ("chat", chat(("user", "Explain in two sentences why the sky is blue."), ("assistant", "Sunlight is scattered by air molecules, and blue light is scattered most. That scattered blue light reaches us from every direction."), ("user", "And why is the sunset red?"))),
    ("chat", chat(("user", "Write a short poem about a lighthouse keeper who counts ships."), system="You answer in rhyme.")),
    ("prose", "It was the third winter without snow, and the reservoir had become a field of cracked mud where children played football between the boats."),
    ("code", "#include <vector>\n\n// Returns the index of the first element that is not less than value.\nsize_t lowerBound(const std::vector<int>& v, int value) {\n    size_t first = 0;\n    size_t count = v.size();\n    while (count > 0) {\n        size_t step = count / 2;\n        if (v[first + step] < value) {\n            first += step + 1;\n            count -= step + 1;\n        } else {\n            count = step;\n        }\n    }\n    return first;\n}\n"),
    ("code", "import sys\n\ndef fibonacci(n):\n    a, b = 0, 1\n    for _ in range(n):\n        yield a\n        a, b = b, a + b\n\nif __name__ == \"__main__\":\n    for value in fibonacci(int(sys.argv[1])):\n        print(value)\n"),
    ("code", "SELECT lane, count(*) AS n, avg(latency_ms) FROM requests WHERE started > '2026-01-01' GROUP BY lane ORDER BY n DESC LIMIT 10;\n"),
    ("chinese", "人工智能正在改变我们的生活方式。从语音助手到自动驾驶，机器学习的应用无处不在。"),
    ("chinese", "在推理服务中，首词元延迟取决于排队时间、预填充的计算量以及批处理策略。"),
    ("mixed", "La bibliothèque ferme à 18 h. Der Zug fährt um 7:42 Uhr ab. 電車は午前七時に出発します。 Поезд уходит в семь часов."),
    ("numbers", "1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765"),
    ("numbers", "Invoice 2026-0042: 17 units at 12.50 each make 212.50; with 19 % tax the total is 252.88. Paid on 03/11/2026 at 14:05:09."),
    ("spaces", "  leading spaces,\ttabs\t\tand   runs   of    blanks \n\n\n  new lines \r\n and a trailing space "),
    ("emoji", "Great work! 🎉🚀 The build is green ✅ and the tests pass 💯. See you tomorrow 👋🏽 — 👨‍👩‍👧‍👦"),
    ("list", "Shopping list:\n- apples\n- bread\n- olive oil\n- two lemons\n\nSteps:\n1. Wash the apples.\n2. Slice the bread.\n3."),
    ("json", '{"name": "headway", "lanes": ["realtime", "batch"], "limits": {"ttft_ms": 300, "tpot_ms": 50}, "enabled": true, "note": null}'),
    ("repeat", "the cat sat on the mat the cat sat on the mat the cat sat on the mat the cat sat on"),
    ("long", LONG * 8),
]

QUESTIONS = [
    "What is gravity?", "Give me three uses for a paper clip.", "Write a haiku about rain.",
    "Translate to French: The train is late.", "What is 17 plus 25?", "Name the planets of the solar system.",
    "Write a Python function that reverses a string.", "Who wrote Romeo and Juliet?", "用中文介绍一下北京。",
    "Summarize why sleep is important in one sentence.", "Count from 1 to 40.",
]
MONTHS = "January, February, March, April, May, June, July, August, September, October, November, December. "
# Of questions the first near tie comes soon; what repeats or counts goes on without one.
CONTINUED = [
    "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,", MONTHS * 2 + "January, February,",
    TEXTS[5][1] * 2 + TEXTS[5][1][:20], TEXTS[6][1] * 3 + TEXTS[6][1][:20], TEXTS[4][1] * 2 + TEXTS[4][1][:60],
]
GREEDY = [(prompt, chat(("user", prompt))) for prompt in QUESTIONS] + [(prompt, prompt) for prompt in CONTINUED]
GREEDY_TOKENS = 64
GREEDY_GAP = 0.5


def log_softmax(logits):
    logits = np.asarray(logits, dtype=np.float64)
    peak = logits.max(axis=-1, keepdims=True)
    return logits - peak - np.log(np.exp(logits - peak).sum(axis=-1, keepdims=True))


def main(path):
    folder, name = os.path.split(os.path.abspath(path))
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    model = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float64,
        quantization_config=GgufConfig(gguf_file=name, dequantize=True)).eval()
    assert all(parameter.dtype == torch.float64 for parameter in model.parameters())

    from llama_cpp import Llama
    peer = Llama(path, n_ctx=2048, n_threads=2, logits_all=True, verbose=False)

    texts, divergence, full, agree, positions, close = [], 0.0, 0.0, 0, 0, 0
    with open(os.path.join(HERE, "smollm2_truth.bin"), "wb") as out, torch.no_grad():
        for kind, text in TEXTS:
            ids = tokenizer.encode(text, add_special_tokens=False)
            texts.append({"kind": kind, "text": text, "ids": ids})
            truth = log_softmax(model(torch.tensor([ids])).logits[0].numpy())
            peer.reset()
            peer.eval(ids)
            other = log_softmax(peer.scores[: len(ids)])
            for row, got in zip(truth, other):
                top = np.argsort(-row, kind="stable")[:TOP]
                rest = np.log(max(1.0 - np.exp(row[top]).sum(), 1e-300))
                for i in top:
                    out.write(struct.pack("<Hf", int(i), float(row[i])))
                out.write(struct.pack("<f", float(rest)))
                got_rest = np.log(max(1.0 - np.exp(got[top]).sum(), 1e-300))
                divergence += float((np.exp(row[top]) * (row[top] - got[top])).sum() + np.exp(rest) * (rest - got_rest))
                full += float((np.exp(row) * (row - got)).sum())
                agree += int(top[0] == got.argmax())
                close += int(top[0] != got.argmax() and row[top[0]] - row[top[1]] > 0.5)
                positions += 1
    print(f"llama.cpp over {positions} positions: mean KL {full / positions:.5f} (listed {divergence / positions:.5f}), "
          f"argmax agrees {100 * agree / positions:.2f} %, disagrees beyond 0.5: {close}")

    greedy = []
    compared = 0
    for prompt, text in GREEDY:
        ids = tokenizer.encode(text, add_special_tokens=False)
        peer.reset()
        answer = []
        for token in peer.generate(ids, temp=0.0, repeat_penalty=1.0, top_k=1):
            if token == peer.token_eos() or len(answer) == GREEDY_TOKENS:
                break
            answer.append(int(token))
        with torch.no_grad():
            rows = model(torch.tensor([ids + answer])).logits[0].numpy()[len(ids) - 1:]
        ordered = np.sort(rows, axis=-1)
        gaps = (ordered[:, -1] - ordered[:, -2])[: len(answer)]
        firm = next((i for i, gap in enumerate(gaps) if gap < GREEDY_GAP), len(gaps))
        compared += firm
        print(f"{firm:3} of {len(answer)} tokens before a near tie: {prompt[:60]!r}")
        greedy.append({"prompt": prompt, "prompt_ids": ids, "ids": answer, "text": tokenizer.decode(answer),
                       "gaps": [round(float(g), 3) for g in gaps]})
    print(f"greedy tokens that must be equal: {compared}")
    with open(os.path.join(HERE, "smollm2_texts.json"), "w", encoding="utf-8") as out:
        json.dump({"top": TOP, "texts": texts, "greedy": greedy}, out, ensure_ascii=False, indent=0)
        out.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
