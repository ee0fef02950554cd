"""Lanes, sessions and streams through nginx with the official client; run by tst_nginx.

usage: openai_through_nginx.py BASE_URL TOKEN REALTIME_PORT,REALTIME_PORT BATCH_PORT
"""

import sys
import time
from http.cookies import SimpleCookie

import openai

url, token, realtime, batch = sys.argv[1:]
hello = {
    "model": "",
    "messages": [{"role": "user", "content": "Say hello."}],
    "max_tokens": 5,
    "temperature": 0,
    "extra_body": {"ignore_eos": True},
}


def connect(**headers):
    return openai.OpenAI(
        base_url=url, api_key=token, max_retries=0, timeout=60, default_headers=headers
    )


def ask(client, **more):
    """Which engine answered, and the cookie it set."""
    raw = client.chat.completions.with_raw_response.create(**(hello | more))
    assert raw.parse().usage.completion_tokens == hello["max_tokens"]
    cookie = SimpleCookie(raw.headers["set-cookie"])["headway_engine"]
    assert int(cookie["max-age"]) >= 60, cookie
    return cookie.value


hello["model"] = connect().models.list().data[0].id

# Lanes.
for headers in ({"X-Batch": "true"}, {"X-Mode": "batch"}):
    assert ask(connect(**headers)) == batch
seen = set()
for _ in range(40):  # a client a session: both engines get some
    seen.add(ask(connect(**{"X-Mode": "realtime"})))
    if len(seen) > 1:
        break
assert seen == set(realtime.split(",")), seen

# Sessions: the client keeps the cookie and stays where it was, other clients in between or not.
for _ in range(2):
    client = connect()
    engine = ask(client)
    kept = [c for c in client._client.cookies.jar if c.name == "headway_engine"]
    assert len(kept) == 1 and kept[0].expires - time.time() >= 60, kept
    for _ in range(6):
        ask(connect())
        assert ask(client) == engine
    # Its batch requests go to the other lane, and back.
    assert ask(client, extra_headers={"X-Batch": "true"}) == batch
    assert ask(client) in seen

# Streams: whole, and as they are made. A buffer would give thousands of bytes at once.
client = connect()
whole = client.chat.completions.create(**hello)
frames = list(
    client.chat.completions.create(**hello, stream=True, stream_options={"include_usage": True})
)
text = "".join(f.choices[0].delta.content or "" for f in frames if f.choices)
assert text == whole.choices[0].message.content, (text, whole)
assert frames[-1].usage.completion_tokens == hello["max_tokens"]
for _ in range(20):
    with client.chat.completions.with_streaming_response.create(
        **(hello | {"max_tokens": 400}), stream=True
    ) as response:
        first = next(response.iter_bytes())
    if len(first) < 2000:
        break
else:
    raise SystemExit("streams are held back")

# Refusals keep their words.
try:
    client.chat.completions.create(**(hello | {"n": 2}))
    raise SystemExit("n=2 was not refused")
except openai.BadRequestError as error:
    assert error.param == "n", error
try:
    openai.OpenAI(base_url=url, api_key="wrong", max_retries=0).models.list()
    raise SystemExit("a wrong token was not refused")
except openai.AuthenticationError:
    pass
print("ok")
