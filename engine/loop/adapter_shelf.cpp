#include "engine/loop/adapter_shelf.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

namespace engine {

namespace {

constexpr std::size_t kMostAdapters = 1024;
constexpr std::size_t kLongestName = 128;
constexpr std::size_t kMostOrders = 256; // that wait
constexpr int kNice = 10;                // behind what serves requests

std::optional<std::string> nameProblem(const std::string& name) {
    if (name.empty() || name.size() > kLongestName || displayText(name, kLongestName) != name) {
        return fmt::format("The name of an adapter is a text of 1 to {} bytes.", kLongestName);
    }
    return std::nullopt;
}

Error invalid(std::string message) {
    return {ErrorCode::Invalid, std::move(message)};
}

} // namespace

AdapterShelf::AdapterShelf(AdapterBase base, PrepareMaker makePrepare,
                           std::shared_ptr<MemoryClaims> memory, std::function<void(Notice)> tell)
    : m_base(std::move(base)),
      m_makePrepare(std::move(makePrepare)),
      m_memory(std::move(memory)),
      m_tell(std::move(tell)),
      m_thread([this](const std::stop_token& stop) { run(stop); }) {}

AdapterShelf::~AdapterShelf() {
    m_thread.request_stop();
    m_changed.notify_all();
    m_thread.join();
    for (const Order& order : m_orders) {
        order.done(std::unexpected(Error{ErrorCode::Cancelled, "The model was closed."}));
    }
}

void AdapterShelf::loadAdapter(std::string name, std::filesystem::path file,
                               std::function<void(Result<AdapterInfo>)> done) {
    std::optional<std::string> problem = nameProblem(name);
    {
        const std::lock_guard lock(m_mutex);
        if (!problem && m_orders.size() >= kMostOrders) {
            problem = fmt::format("{} adapters wait to be loaded already.", m_orders.size());
        }
        if (!problem) {
            m_orders.push_back(
                {.name = std::move(name), .file = std::move(file), .done = std::move(done)});
        }
    }
    if (problem) {
        done(std::unexpected(invalid(std::move(*problem))));
        return;
    }
    m_changed.notify_all();
}

Result<void> AdapterShelf::unloadAdapter(const std::string& name) {
    std::shared_ptr<const Adapter> gone; // freed, if nobody runs with it, outside the lock
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_loaded.find(name);
        if (found == m_loaded.end()) {
            return std::unexpected(
                Error{ErrorCode::NotFound,
                      fmt::format("The adapter \"{}\" is not loaded.", displayText(name))});
        }
        gone = std::move(found->second);
        m_loaded.erase(found);
        std::erase_if(m_leaving, [](const auto& entry) { return entry.expired(); });
        m_leaving.push_back(gone);
    }
    m_tell({.kind = "adapter_unloaded", .values = {{"name", name}}});
    return {};
}

std::shared_ptr<const Adapter> AdapterShelf::find(const std::string& name) const {
    const std::lock_guard lock(m_mutex);
    const auto found = m_loaded.find(name);
    return found == m_loaded.end() ? nullptr : found->second;
}

std::string AdapterShelf::missing(const std::string& name) const {
    constexpr std::size_t kNamed = 5;
    std::string others;
    const std::lock_guard lock(m_mutex);
    for (const auto& [other, adapter] : m_loaded) {
        others += fmt::format("{}\"{}\"", others.empty() ? "" : ", ", other);
        if (std::ranges::count(others, '"') / 2 == static_cast<std::ptrdiff_t>(kNamed)) {
            others += m_loaded.size() > kNamed ? ", ..." : "";
            break;
        }
    }
    return fmt::format("The adapter \"{}\" is not loaded; {}.", displayText(name),
                       others.empty() ? "none is" : "loaded: " + others);
}

AdapterShelf::Figures AdapterShelf::countLocked() const {
    Figures figures{.loaded = std::ssize(m_loaded), .bytes = 0};
    for (const auto& [name, adapter] : m_loaded) {
        figures.bytes += adapter->info().bytes;
    }
    std::erase_if(m_leaving, [](const auto& entry) { return entry.expired(); });
    for (const auto& entry : m_leaving) {
        if (const auto adapter = entry.lock()) {
            figures.bytes += adapter->info().bytes;
        }
    }
    return figures;
}

AdapterShelf::Figures AdapterShelf::figures() const {
    const std::lock_guard lock(m_mutex);
    return countLocked();
}

AdapterStatus AdapterShelf::adapterStatus() const {
    AdapterStatus status;
    const std::lock_guard lock(m_mutex);
    status.bytes = countLocked().bytes;
    status.leaving = std::ssize(m_leaving);
    status.baseBytes = m_baseBytes.load(std::memory_order_relaxed);
    for (const auto& [name, adapter] : m_loaded) {
        status.loaded.push_back(adapter->info());
    }
    return status;
}

Result<void> AdapterShelf::writeSampleAdapter(const std::filesystem::path& file, std::int64_t rank,
                                              std::uint64_t seed) const {
    return atTheDoor([&] { writeRandomAdapter(file, m_base, rank, seed); });
}

void AdapterShelf::run(const std::stop_token& stop) {
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
    std::unique_lock lock(m_mutex);
    while (m_changed.wait(lock, stop, [this] { return !m_orders.empty(); })) {
        if (stop.stop_requested()) {
            return;
        }
        const Order order = std::move(m_orders.front());
        m_orders.pop_front();
        lock.unlock();
        order.done(take(order));
        lock.lock();
    }
}

Result<AdapterInfo> AdapterShelf::take(const Order& order) {
    const auto known = [&](const auto& loaded) {
        return loaded.contains(order.name)
                   ? std::optional(invalid(fmt::format(
                         "An adapter \"{}\" is loaded already; unload it first.", order.name)))
               : loaded.size() >= kMostAdapters
                   ? std::optional(
                         invalid(fmt::format("{} adapters are loaded already.", loaded.size())))
                   : std::nullopt;
    };
    {
        const std::lock_guard lock(m_mutex);
        if (auto problem = known(m_loaded)) {
            return std::unexpected(std::move(*problem));
        }
    }
    auto adapter = atTheDoor([&] { return read(order); });
    if (!adapter) {
        return std::unexpected(adapter.error());
    }
    const AdapterInfo info = (*adapter)->info();
    {
        // Only this thread adds.
        const std::lock_guard lock(m_mutex);
        m_loaded.emplace(order.name, std::move(*adapter));
    }
    m_tell({.kind = "adapter_loaded",
            .values = {{"name", info.name},
                       {"rank", fmt::format("{}", info.rank)},
                       {"weights", fmt::format("{}", info.weights)},
                       {"mib", fmt::format("{:.1f}", static_cast<double>(info.bytes) / 0x1p20)}}});
    return info;
}

std::shared_ptr<const Adapter> AdapterShelf::read(const Order& order) const {
    std::optional<MemoryClaims::Claim> claim;
    AdapterFile file = readAdapterFile(order.file, m_base, [&](std::uint64_t bytes) {
        claim.emplace(m_memory->claim(2 * bytes)); // as read, and as prepared
    });
    const Prepare prepare = m_makePrepare();
    AdapterInfo info{.name = order.name,
                     .path = order.file.string(),
                     .digest = file.digest,
                     .rank = 0,
                     .weights = std::ssize(file.matrices),
                     .bytes = 0};
    Adapter::Pairs pairs;
    for (AdapterMatrices& matrices : file.matrices) {
        LowRankPair pair{.a = prepare(matrices.a.view()),
                         .b = prepare(matrices.b.view()),
                         .scale = matrices.scale};
        matrices.a = {};
        matrices.b = {};
        info.rank = std::max(info.rank, pair.rank());
        info.bytes += pair.a->bytes() + pair.b->bytes();
        pairs.emplace(matrices.site, std::move(pair));
    }
    return std::make_shared<const Adapter>(std::move(info), std::move(pairs));
}

} // namespace engine
