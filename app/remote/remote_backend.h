// A server that runs elsewhere as a Backend: what is asked goes there, what comes back is timed
// here and told like the engine's own. Any thread, as Backend says.
#pragma once

#include "app/remote/metrics_import.h"
#include "app/remote/remote_call.h"
#include "app/remote/stream_reader.h"
#include "engine/backend.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace app {

// Attaches: asks what is served there. `stop` gives up within 200 ms.
engine::Result<std::unique_ptr<engine::Backend>>
attachRemote(std::string_view address, const engine::EngineConfig& config, std::stop_token stop);

class RemoteBackend final : public engine::Backend {
public:
    RemoteBackend(std::unique_ptr<RemoteHub> hub, engine::Capabilities capabilities,
                  const engine::EngineConfig& config);
    ~RemoteBackend() override;

    std::shared_ptr<engine::TokenStream> submit(engine::Request request) override;
    void cancel(engine::RequestId id) override;
    engine::Result<void> edit(const std::function<void(engine::EngineConfig&)>& change) override;
    engine::ConfigStatus config() const override;
    engine::Capabilities capabilities() const override { return m_capabilities; }
    engine::Snapshot snapshot() override;
    std::vector<engine::Event> takeEvents() override;
    void post(engine::EventSource source, engine::Notice notice) override;
    engine::Result<std::vector<engine::TokenId>> tokenize(std::string_view text) const override;

private:
    struct Asked; // a request under way

    void begin(const std::shared_ptr<Asked>& asked);
    void take(const std::shared_ptr<Asked>& asked, const RemotePiece& piece);
    void takeEnd(const std::shared_ptr<Asked>& asked, const std::string& problem);
    void finish(const std::shared_ptr<Asked>& asked, engine::FinishReason reason,
                std::string message);
    void watch();
    bool hasRequests() const;
    void takeFigures(const std::string& text);
    void takeLiveness(bool isThere, const std::string& problem);
    void emit(decltype(engine::Event::body) body);

    const engine::Capabilities m_capabilities;
    mutable std::mutex m_mutex; // of what follows, never held while something is called back
    engine::EngineConfig m_config;
    std::uint64_t m_version = 1;
    std::map<engine::RequestId, std::shared_ptr<Asked>> m_asked;
    std::vector<engine::Event> m_events;
    engine::Snapshot m_figures;
    ImportedFigures m_imported;
    std::uint64_t m_nextId = 1, m_nextEvent = 1;
    bool m_isLost = false;
    bool m_hasMetrics = true; // until the server says otherwise
    std::chrono::milliseconds m_backOff{0};
    std::unique_ptr<RemoteHub> m_hub; // last: its thread ends before anything above goes
};

} // namespace app
