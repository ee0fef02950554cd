// Adapters over the loaded model: the calls of vLLM's API, and what they take of memory. See api.h.
#include "app/api/api.h"
#include "app/api/api_request.h"
#include "app/api/http_reply.h"
#include "engine/adapters.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <mutex>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestPath = 4096;

std::string dumped(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json infoJson(const engine::AdapterInfo& info) {
    return {{"name", info.name}, {"path", info.path},       {"digest", info.digest},
            {"rank", info.rank}, {"weights", info.weights}, {"bytes", info.bytes}};
}

std::string neededText(const nlohmann::json& body, const char* name, std::size_t longest) {
    auto text = textOf(body, name);
    if (!text || text->empty() || text->size() > longest) {
        throw ApiFailure(400, fmt::format("{} is a text of 1 to {} bytes.", name, longest), {},
                         name);
    }
    return std::move(*text);
}

ApiFailure failureOf(const engine::Error& error) {
    const int status = error.code == engine::ErrorCode::NotFound      ? 404
                       : error.code == engine::ErrorCode::OutOfMemory ? 503
                       : error.code == engine::ErrorCode::Cancelled   ? 503
                                                                      : 400;
    return {status, error.message, "adapter_refused"};
}

// The outcome of a load on its way from the engine's thread to the server's.
struct Outcome {
    std::mutex mutex;
    std::optional<engine::Result<engine::AdapterInfo>> result;
};

HttpResponse responseOf(const engine::Result<engine::AdapterInfo>& result) {
    if (result) {
        return {.body = dumped(infoJson(*result))};
    }
    const ApiFailure failure = failureOf(result.error());
    return {.status = failure.status,
            .body = httpErrorBody(failure.what(), "invalid_request_error", failure.code, {})};
}

} // namespace

ServedModels Api::served() const {
    ServedModels served{.model = model()};
    m_state->withBackend([&](engine::Backend& backend) {
        if (const engine::Adapters* adapters = backend.adapters()) {
            for (engine::AdapterInfo& info : adapters->adapterStatus().loaded) {
                served.adapters.push_back(std::move(info.name));
            }
        }
    });
    return served;
}

void Api::listAdapters(const ApiCall& call) {
    std::optional<engine::AdapterStatus> status;
    const bool isThere = m_state->withBackend([&](engine::Backend& backend) {
        if (const engine::Adapters* adapters = backend.adapters()) {
            status = adapters->adapterStatus();
        }
    });
    if (!isThere || !status) {
        throw ApiFailure(503,
                         isThere ? "The loaded model takes no adapters." : "No model is loaded.");
    }
    Json list = Json::array();
    for (const engine::AdapterInfo& info : status->loaded) {
        list.push_back(infoJson(info));
    }
    Json memory = {{"base_bytes", status->baseBytes},
                   {"adapter_bytes", status->bytes},
                   {"shared_bytes", status->sharedBytes()}};
    if (const auto separate = status->separateBytes()) {
        memory["separate_bytes"] = *separate;
        memory["saved_percent"] =
            100.0 * (1.0 - static_cast<double>(status->sharedBytes()) /
                               static_cast<double>(std::max<std::uint64_t>(1, *separate)));
    }
    call.exchange->respond({.body = dumped({{"adapters", std::move(list)},
                                            {"leaving", status->leaving},
                                            {"memory", std::move(memory)}})});
}

// {"lora_name": ..., "lora_path": ...}. Answered when it is there, or is refused.
void Api::loadAdapter(const ApiCall& call) {
    const nlohmann::json body = parsedBody(call.request);
    std::string name = neededText(body, "lora_name", kLongestPath);
    std::string path = neededText(body, "lora_path", kLongestPath);
    const auto names = modelNames(model());
    if (std::ranges::find(names, name) != names.end()) {
        throw ApiFailure(400, "This is the name of the loaded model; give the adapter another.", {},
                         "lora_name");
    }
    const auto outcome = std::make_shared<Outcome>();
    const auto wake = call.exchange->waker([exchange = call.exchange, outcome] {
        const std::lock_guard lock(outcome->mutex);
        exchange->respond(responseOf(*outcome->result));
    });
    bool takesAdapters = false;
    const bool isThere = m_state->withBackend([&](engine::Backend& backend) {
        if (engine::Adapters* adapters = backend.adapters()) {
            takesAdapters = true;
            adapters->loadAdapter(std::move(name), std::move(path),
                                  [outcome, wake](engine::Result<engine::AdapterInfo> result) {
                                      {
                                          const std::lock_guard lock(outcome->mutex);
                                          outcome->result = std::move(result);
                                      }
                                      wake();
                                  });
        }
    });
    if (!isThere || !takesAdapters) {
        throw ApiFailure(isThere ? 400 : 503,
                         isThere ? "The loaded model takes no adapters." : "No model is loaded.");
    }
}

void Api::unloadAdapter(const ApiCall& call) {
    const nlohmann::json body = parsedBody(call.request);
    const std::string name = neededText(body, "lora_name", kLongestPath);
    std::optional<engine::Result<void>> result;
    m_state->withBackend([&](engine::Backend& backend) {
        if (engine::Adapters* adapters = backend.adapters()) {
            result = adapters->unloadAdapter(name);
        }
    });
    if (!result) {
        throw ApiFailure(503, "No model is loaded that takes adapters.");
    }
    if (!*result) {
        throw failureOf(result->error());
    }
    call.exchange->respond({.body = dumped({{"unloaded", name}})});
}

} // namespace app
