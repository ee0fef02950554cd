// Everything that serves requests is a Backend. This is the only door of the engine.
#pragma once

#include "engine/config.h"
#include "engine/events.h"
#include "engine/metrics.h"
#include "engine/request.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace engine {

// What a loaded backend is and can do.
struct Capabilities {
    std::string modelName; // general.name, or the file's name
    std::string modelPath;
    std::string modelDigest; // "xxh3:..." of the file's header and tensor table plus its size;
                             // cheap and stable
    std::string architecture;
    std::string fileFormat; // dominant weight format, "Q4_1"
    std::string computing;  // what products are computed in, "INT8 x Q4_1"
    std::string chatFormat; // "ChatML", or "none"
    std::string device;     // "CPU"
    std::string isa;        // "AVX-512 VNNI"
    std::string cpu;        // processor's name
    std::uint64_t parameters = 0;
    std::int64_t contextTokens = 0; // effective limit of prompt + answer
    std::int64_t vocabulary = 0;
    std::uint64_t kvBytesPerToken = 0;
    double readBytesPerSecond = 0; // measured at load, for the modelled ledger stage
};

class Serving;  // engine/serving.h
class Adapters; // engine/adapters.h

class Backend {
public:
    virtual ~Backend() = default; // cancels what runs, joins its threads

    // Never blocks; refusals arrive on the stream. Any thread.
    virtual std::shared_ptr<TokenStream> submit(Request request) = 0;
    // Streamed prompts: what has been written is computed while the rest is still to come. The open
    // text is the plain prompt, or the last message's; truncate() counts its bytes. Nothing is
    // sampled before complete(); refusals and the end of an abandoned prompt (setting streams.ttl)
    // arrive on the stream. Unknown ids are ignored. Any thread.
    virtual std::shared_ptr<TokenStream> open(Request request);
    virtual void append(RequestId id, std::string text);
    virtual void truncate(RequestId id, std::size_t bytes);
    virtual void complete(RequestId id, Completion completion);
    // Takes effect within one step. Unknown ids are ignored. Any thread.
    virtual void cancel(RequestId id) = 0;
    // Validated at once, applied at a step boundary. Any thread.
    virtual Result<void> edit(const std::function<void(EngineConfig&)>& change) = 0;
    virtual ConfigStatus config() const = 0;
    virtual Capabilities capabilities() const = 0;
    // The newest figures. One reader thread.
    virtual Snapshot snapshot() = 0;
    // All events since the last call, in order. One consumer thread (the recorder).
    virtual std::vector<Event> takeEvents() = 0;
    // Forgets every kept beginning of a prompt, within one step. Any thread.
    virtual void resetPrefixCache() {}
    // Adds the application's own event to the one ordered stream. Any thread.
    virtual void post(EventSource source, Notice notice) = 0;
    // Token ids of a text, and text of ids, by the model's tokenizer. Any thread.
    virtual Result<std::vector<TokenId>> tokenize(std::string_view text) const = 0;
    virtual Result<std::string> detokenize(std::span<const TokenId> ids) const;
    // What one token stands for, bytes of a part of a character and marks too. Any thread.
    virtual Result<std::string> tokenBytes(TokenId id) const;
    // What is wrapped around the engines to serve under pressure; null where nothing is.
    virtual Serving* serving() { return nullptr; }
    // Low-rank adapters over the loaded model; null where there can't be any.
    virtual Adapters* adapters() { return nullptr; }
};

struct LoadProgress {
    std::string phase; // open, map, convert, tokenizer, warm-up
    std::int64_t done = 0;
    std::int64_t total = 0;
};

// Loads on the calling thread; stop cancels within 200 ms with ErrorCode::Cancelled.
Result<std::unique_ptr<Backend>>
makeEngine(const std::filesystem::path& model, const EngineConfig& config,
           const std::function<void(const LoadProgress&)>& progress = {},
           std::stop_token stop = {});

} // namespace engine
