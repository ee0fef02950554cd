"""Asks a server what the official client of the OpenAI API can ask; run by tst_serve_program.

usage: openai_client.py BASE_URL TOKEN
"""

import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key=sys.argv[2], max_retries=0, timeout=60)
model = client.models.list().data[0].id
hello = [{"role": "user", "content": "Say hello."}]

whole = client.chat.completions.create(
    model=model, messages=hello, max_tokens=6, temperature=0, extra_body={"ignore_eos": True}
)
assert whole.choices[0].finish_reason == "length", whole
assert whole.usage.completion_tokens == 6, whole
assert whole.choices[0].message.role == "assistant"

frames = list(
    client.chat.completions.create(
        model=model,
        messages=hello,
        max_tokens=6,
        temperature=0,
        stream=True,
        stream_options={"include_usage": True},
        extra_body={"ignore_eos": True},
    )
)
streamed = "".join(f.choices[0].delta.content or "" for f in frames if f.choices)
assert streamed == whole.choices[0].message.content, (streamed, whole)
assert frames[0].choices[0].delta.role == "assistant"
assert frames[-1].usage.completion_tokens == 6 and not frames[-1].choices
assert [f.choices[0].finish_reason for f in frames if f.choices][-1] == "length"


def draw(seed):
    return (
        client.completions.create(
            model=model,
            prompt="Once",
            max_tokens=8,
            temperature=1,
            seed=seed,
            extra_body={"ignore_eos": True},
        )
        .choices[0]
        .text
    )


assert draw(7) == draw(7)
assert len({draw(seed) for seed in range(6)}) > 1

logprobs = client.chat.completions.create(
    model=model,
    messages=hello,
    max_tokens=3,
    temperature=0,
    logprobs=True,
    top_logprobs=4,
    extra_body={"ignore_eos": True},
).choices[0].logprobs.content
assert logprobs, "no log-probabilities"
for token in logprobs:
    assert token.logprob <= 1e-5
    assert len(token.top_logprobs) == 4
    assert abs(token.top_logprobs[0].logprob - token.logprob) < 1e-6  # greedy takes the likeliest
    values = [t.logprob for t in token.top_logprobs]
    assert values == sorted(values, reverse=True)

try:
    client.chat.completions.create(model=model, messages=hello, n=2)
    raise SystemExit("n=2 was not refused")
except openai.BadRequestError as error:
    assert error.param == "n", error
try:
    client.chat.completions.create(model="no-such-model", messages=hello)
    raise SystemExit("an unknown model was not refused")
except openai.NotFoundError:
    pass
try:
    openai.OpenAI(base_url=sys.argv[1], api_key="wrong", max_retries=0).models.list()
    raise SystemExit("a wrong token was not refused")
except openai.AuthenticationError:
    pass

batch = client.chat.completions.create(
    model=model,
    messages=hello,
    max_tokens=2,
    extra_headers={"X-Batch": "true"},
    extra_body={"ignore_eos": True},
)
assert batch.usage.completion_tokens >= 1
print("ok")
