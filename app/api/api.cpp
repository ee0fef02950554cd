#include "app/api/api.h"

#include "app/api/api_failure.h"
#include "app/api/http_reply.h"

#include <QByteArray>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>

namespace app {

namespace {

constexpr std::int64_t kSessionSeconds = 3600; // renewed by every answer

std::vector<std::string_view> partsOf(std::string_view path) {
    std::vector<std::string_view> parts;
    for (const auto part : std::views::split(path, '/')) {
        parts.emplace_back(part.begin(), part.end());
    }
    return parts;
}

// The parts that stand for a *, or nothing where the path is another one.
std::optional<std::vector<std::string>> matched(std::string_view pattern, std::string_view path) {
    const auto wanted = partsOf(pattern);
    const auto given = partsOf(path);
    if (wanted.size() != given.size()) {
        return std::nullopt;
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] == "*" && !given[i].empty()) {
            const QByteArray part(given[i].data(), static_cast<qsizetype>(given[i].size()));
            parts.push_back(QByteArray::fromPercentEncoding(part).toStdString());
        } else if (wanted[i] != given[i]) {
            return std::nullopt;
        }
    }
    return parts;
}

// Without regard to capital letters, as names and schemes are compared.
bool isSameWord(std::string_view a, std::string_view b) {
    const auto small = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return std::ranges::equal(a, b, {}, small, small);
}

// A name of this machine's own loop, with any port.
bool isLoopback(std::string_view host) {
    const auto colon = host.rfind(':');
    const auto bracket = host.rfind(']');
    if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
        const std::string_view port = host.substr(colon + 1);
        if (port.empty() || port.size() > 5 ||
            port.find_first_not_of("0123456789") != std::string_view::npos) {
            return false;
        }
        host = host.substr(0, colon);
    }
    return host == "127.0.0.1" || isSameWord(host, "localhost") || host == "[::1]";
}

bool isLoopbackOrigin(std::string_view origin) {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (origin.starts_with(scheme)) {
            return isLoopback(origin.substr(scheme.size()));
        }
    }
    return false;
}

// Takes as long wherever the first difference is.
bool isEqual(std::string_view a, std::string_view b) {
    unsigned difference = a.size() == b.size() ? 0U : 1U;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference |= static_cast<unsigned char>(a[i]) ^
                      static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]);
    }
    return difference == 0;
}

HttpResponse responseOf(const ApiFailure& failure) {
    const char* type = failure.status == 401   ? "authentication_error"
                       : failure.status == 403 ? "permission_error"
                       : failure.status >= 500 ? "server_error"
                                               : "invalid_request_error";
    HttpResponse response{.status = failure.status,
                          .body =
                              httpErrorBody(failure.what(), type, failure.code, failure.parameter)};
    if (!failure.allowed.empty()) {
        response.headers.emplace_back("Allow", failure.allowed);
    }
    if (failure.status == 401) {
        response.headers.emplace_back("WWW-Authenticate", "Bearer");
    } else if (failure.status == 503 || failure.status == 429) {
        response.headers.emplace_back("Retry-After", "1");
    }
    return response;
}

} // namespace

Api::Api(std::shared_ptr<ApiState> state, std::string token)
    : m_state(std::move(state)),
      m_token(std::move(token)) {}

std::span<const Api::Route> Api::routes() {
    static constexpr std::array kRoutes = {
        Route{"GET", "/health", true, &Api::health},
        Route{"GET", "/v1/models", false, &Api::listModels},
        Route{"GET", "/v1/models/*", false, &Api::showModel},
        Route{"POST", "/v1/chat/completions", false, &Api::chat},
        Route{"POST", "/v1/completions", false, &Api::complete},
        Route{"POST", "/tokenize", false, &Api::tokenize},
        Route{"POST", "/detokenize", false, &Api::detokenize},
        Route{"POST", "/v1/tokenize", false, &Api::tokenize},
        Route{"POST", "/v1/detokenize", false, &Api::detokenize},
        Route{"GET", "/metrics", false, &Api::metrics},
        Route{"GET", "/v1/config", false, &Api::showConfig},
        Route{"PATCH", "/v1/config", false, &Api::patchConfig},
        Route{"GET", "/v1/degradation", false, &Api::showDegradation},
        Route{"PUT", "/v1/degradation", false, &Api::setDegradation},
        Route{"GET", "/v1/events", false, &Api::events},
        Route{"GET", "/v1/adapters", false, &Api::listAdapters},
        Route{"POST", "/v1/load_lora_adapter", false, &Api::loadAdapter},
        Route{"POST", "/v1/unload_lora_adapter", false, &Api::unloadAdapter},
        Route{"POST", "/v1/streams", false, &Api::openStream},
        Route{"GET", "/v1/streams/*", false, &Api::showStream},
        Route{"DELETE", "/v1/streams/*", false, &Api::closeStream},
        Route{"POST", "/v1/streams/*/append", false, &Api::appendToStream},
        Route{"POST", "/v1/streams/*/truncate", false, &Api::truncateStream},
        Route{"POST", "/v1/streams/*/complete", false, &Api::completeStream},
    };
    return kRoutes;
}

void Api::handle(const std::shared_ptr<HttpExchange>& exchange) {
    try {
        dispatch(exchange);
    } catch (const ApiFailure& failure) {
        exchange->respond(responseOf(failure));
    } catch (const std::exception&) {
        exchange->respond(responseOf(ApiFailure(500, "The request could not be handled.")));
    }
}

// A page in a browser reaches the loopback interface too: under a name of its own that points
// there, or from another origin.
void Api::checkCaller(const HttpRequest& request) const {
    if (request.count("host") != 1) {
        throw ApiFailure(400, "The request needs one Host header.");
    }
    if (!isLoopback(request.header("host"))) {
        throw ApiFailure(403, "Only 127.0.0.1 and localhost are served under this port.");
    }
    if (request.count("origin") > 0 && !isLoopbackOrigin(request.header("origin"))) {
        throw ApiFailure(403, "Pages of other origins may not call this API.");
    }
}

bool Api::hasToken(const HttpRequest& request) const {
    constexpr std::string_view kScheme = "Bearer ";
    const std::string_view given = request.header("authorization");
    return isSameWord(given.substr(0, kScheme.size()), kScheme) &&
           isEqual(given.substr(kScheme.size()), m_token);
}

// Who may not call, or calls what is not there, is told so before the body is read.
std::optional<HttpResponse> Api::refusal(const HttpRequest& head) const {
    try {
        findRoute(head);
        return std::nullopt;
    } catch (const ApiFailure& failure) {
        return responseOf(failure);
    }
}

std::pair<const Api::Route*, std::vector<std::string>>
Api::findRoute(const HttpRequest& request) const {
    checkCaller(request);
    const bool isHead = request.method == "HEAD";
    const std::string_view method = isHead ? std::string_view("GET") : request.method;
    std::string allowed;
    for (const Route& route : routes()) {
        auto parts = matched(route.path, request.path);
        if (!parts) {
            continue;
        }
        if (route.method != method) {
            allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
            continue;
        }
        if (!route.isOpen && !hasToken(request)) {
            throw ApiFailure(401,
                             "The token is missing or wrong: send it as \"Authorization: Bearer "
                             "TOKEN\".",
                             "invalid_api_key");
        }
        return {&route, std::move(*parts)};
    }
    if (allowed.empty()) {
        throw ApiFailure(404, "There is nothing under this path.", "not_found");
    }
    ApiFailure failure(405, fmt::format("{} is not possible here.", request.method));
    failure.allowed = std::move(allowed);
    throw failure;
}

void Api::dispatch(const std::shared_ptr<HttpExchange>& exchange) {
    const HttpRequest& request = exchange->request();
    auto [route, parts] = findRoute(request);
    (this->*route->serve)({.exchange = exchange,
                           .request = request,
                           .parts = std::move(parts),
                           .received = engine::Clock::now()});
}

engine::Capabilities Api::model() const {
    auto model = m_state->model();
    if (!model) {
        throw ApiFailure(503, "No model is loaded.", "no_model");
    }
    return std::move(*model);
}

// Names this engine, so that a router in front brings the session back to it.
HttpHeaders Api::sessionHeaders() const {
    return {{"Set-Cookie", fmt::format("headway_engine={}; Max-Age={}; Path=/; HttpOnly; "
                                       "SameSite=Strict",
                                       m_port, kSessionSeconds)}};
}

} // namespace app
