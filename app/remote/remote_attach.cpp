// Attaching to a server: what it serves, before anything is asked of it.
#include "app/json_depth.h"
#include "app/remote/remote_backend.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <condition_variable>
#include <mutex>

namespace app {

namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kLook{50}; // for a stop
constexpr std::size_t kMostBody = 1024 * 1024;

struct Fetched {
    std::mutex mutex;
    std::condition_variable arrived;
    int status = 0;
    std::string body, problem;
    bool isDone = false;
};

// On the calling thread; an error where nothing came or it was stopped.
engine::Result<std::string> fetch(RemoteHub& hub, const std::string& path,
                                  const std::stop_token& stop) {
    const auto fetched = std::make_shared<Fetched>();
    RemoteListener listener;
    listener.onHead = [fetched](const RemoteHead& head) {
        const std::lock_guard lock(fetched->mutex);
        fetched->status = head.status;
    };
    listener.onBytes = [fetched](std::string_view bytes) {
        const std::lock_guard lock(fetched->mutex);
        fetched->body.append(bytes.substr(0, kMostBody - fetched->body.size()));
    };
    listener.onEnd = [fetched](const std::string& problem) {
        const std::lock_guard lock(fetched->mutex);
        fetched->problem = problem;
        fetched->isDone = true;
        fetched->arrived.notify_all();
    };
    RemoteRequest request{.path = path};
    request.silence = std::chrono::seconds(10);
    const auto call = hub.start(std::move(request), std::move(listener));
    std::unique_lock lock(fetched->mutex);
    while (!fetched->arrived.wait_for(lock, kLook, [&] { return fetched->isDone; })) {
        if (stop.stop_requested()) {
            call->cancel();
            return std::unexpected(
                engine::Error{engine::ErrorCode::Cancelled, "Attaching was cancelled."});
        }
    }
    if (!fetched->problem.empty()) {
        return std::unexpected(engine::Error{engine::ErrorCode::Io, fetched->problem});
    }
    if (fetched->status == 401 || fetched->status == 403) {
        return std::unexpected(engine::Error{
            engine::ErrorCode::Invalid,
            fmt::format("The server {} wants a token: add ?token-file=FILE to its address.",
                        hub.address().text())});
    }
    if (fetched->status != 200) {
        return std::unexpected(engine::Error{
            engine::ErrorCode::Unsupported,
            fmt::format("{}{} answered with status {}: this is no server of the OpenAI API.",
                        hub.address().text(), path, fetched->status)});
    }
    return std::move(fetched->body);
}

std::int64_t contextOf(const json& model) {
    for (const char* name : {"max_model_len", "context_length", "n_ctx"}) {
        if (const auto found = model.find(name);
            found != model.end() && found->is_number_integer() && *found > 0) {
            return found->get<std::int64_t>();
        }
    }
    if (const auto meta = model.find("meta"); meta != model.end() && meta->is_object()) {
        return contextOf(*meta);
    }
    return 0;
}

} // namespace

engine::Result<std::unique_ptr<engine::Backend>>
attachRemote(std::string_view text, const engine::EngineConfig& config, std::stop_token stop) {
    const auto address = parseRemoteAddress(text);
    if (!address) {
        return std::unexpected(address.error());
    }
    auto token = readToken(*address);
    if (!token) {
        return std::unexpected(token.error());
    }
    auto hub = std::make_unique<RemoteHub>(*address, std::move(*token));
    const auto body = fetch(*hub, "/v1/models", stop);
    if (!body) {
        return std::unexpected(body.error());
    }
    const json list =
        isDeeperThan(*body, kDeepestJson) ? json() : json::parse(*body, nullptr, false);
    const auto data = list.is_object() ? list.find("data") : list.end();
    if (!list.is_object() || data == list.end() || !data->is_array() || data->empty() ||
        !data->front().is_object() || !data->front().contains("id") ||
        !data->front()["id"].is_string()) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::Unsupported,
                          fmt::format("{} tells of no model it serves.", address->text())});
    }
    engine::Capabilities capabilities;
    capabilities.modelName = data->front()["id"].get<std::string>();
    capabilities.modelPath = address->text();
    capabilities.device = "attached";
    capabilities.isa = address->text();
    capabilities.contextTokens = contextOf(data->front());
    const auto digest = data->front().find("digest");
    if (digest != data->front().end() && digest->is_string()) {
        capabilities.modelDigest = digest->get<std::string>();
    }
    return std::make_unique<RemoteBackend>(std::move(hub), std::move(capabilities), config);
}

} // namespace app
