// The local API: who may call, which path leads where, and how a failure is told. One for a server,
// on its thread.
#pragma once

#include "app/api/api_state.h"
#include "app/api/http_server.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app {

struct ApiCall {
    const std::shared_ptr<HttpExchange>& exchange;
    const HttpRequest& request;
    std::vector<std::string> parts; // of the path that stand where the route has a *
    engine::TimePoint received;
};

class Api {
public:
    Api(std::shared_ptr<ApiState> state, std::string token);

    // The port is known only once the server listens; it names this engine in the session cookie.
    void setPort(std::uint16_t port) { m_port = port; }
    // Answers whatever comes; throws nothing.
    void handle(const std::shared_ptr<HttpExchange>& exchange);
    // Why a request needs no body to be refused; empty where it is to be handled.
    std::optional<HttpResponse> refusal(const HttpRequest& head) const;

private:
    struct Route {
        std::string_view method;
        std::string_view path; // a * stands for one part
        bool isOpen;           // without the token
        void (Api::*serve)(const ApiCall& call);
    };
    static std::span<const Route> routes();

    void checkCaller(const HttpRequest& request) const;
    bool hasToken(const HttpRequest& request) const;
    // Throws ApiFailure where there is none, or who asks may not. With the parts of its path.
    std::pair<const Route*, std::vector<std::string>> findRoute(const HttpRequest& request) const;
    void dispatch(const std::shared_ptr<HttpExchange>& exchange);
    engine::Capabilities model() const; // throws ApiFailure where none is loaded
    struct ServedModels served() const; // the same
    HttpHeaders sessionHeaders() const;

    // openai_routes.cpp
    void health(const ApiCall& call);
    void listModels(const ApiCall& call);
    void showModel(const ApiCall& call);
    void chat(const ApiCall& call);
    void complete(const ApiCall& call);
    void answer(const ApiCall& call, struct AnswerRequest asked);
    void tokenize(const ApiCall& call);
    void detokenize(const ApiCall& call);
    void metrics(const ApiCall& call);

    // adapter_routes.cpp
    void listAdapters(const ApiCall& call);
    void loadAdapter(const ApiCall& call);
    void unloadAdapter(const ApiCall& call);

    // admin_routes.cpp
    void showConfig(const ApiCall& call);
    void patchConfig(const ApiCall& call);
    void events(const ApiCall& call);
    void showDegradation(const ApiCall& call);
    void setDegradation(const ApiCall& call);

    // stream_routes.cpp
    void openStream(const ApiCall& call);
    void showStream(const ApiCall& call);
    void appendToStream(const ApiCall& call);
    void truncateStream(const ApiCall& call);
    void completeStream(const ApiCall& call);
    void closeStream(const ApiCall& call);

    struct OpenStream;
    OpenStream& streamOf(const ApiCall& call);
    void dropEndedStreams();

    std::shared_ptr<ApiState> m_state;
    std::string m_token;
    std::uint16_t m_port = 0;
    std::map<std::uint64_t, std::shared_ptr<OpenStream>> m_streams;
};

} // namespace app
