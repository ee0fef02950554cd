#include "app/store/columns.h"

#include <array>

namespace app {

namespace {

using engine::Stamps;

constexpr std::array kStamps = {
    StampColumn{"scheduled_ns", &Stamps::scheduled},
    StampColumn{"received_ns", &Stamps::received},
    StampColumn{"tokenized_ns", &Stamps::tokenized},
    StampColumn{"admitted_ns", &Stamps::admitted},
    StampColumn{"planned_ns", &Stamps::planned},
    StampColumn{"kv_ready_ns", &Stamps::kvReady},
    StampColumn{"prefill_done_ns", &Stamps::prefillDone},
    StampColumn{"first_sampled_ns", &Stamps::firstSampled},
    StampColumn{"first_visible_ns", &Stamps::firstVisible},
    StampColumn{"last_token_ns", &Stamps::lastToken},
    StampColumn{"finished_ns", &Stamps::finished},
};

constexpr std::array kSamples = {
    SampleColumn{"running", &Sample::running},
    SampleColumn{"waiting", &Sample::waiting},
    SampleColumn{"slots", &Sample::slots},
    SampleColumn{"output_per_second", &Sample::outputPerSecond},
    SampleColumn{"prompt_per_second", &Sample::promptPerSecond},
    SampleColumn{"requests_per_second", &Sample::requestsPerSecond},
    SampleColumn{"kv_share", &Sample::kvShare},
    SampleColumn{"busy_share", &Sample::busyShare},
    SampleColumn{"process_bytes", &Sample::processBytes},
    SampleColumn{"machine_share", &Sample::machineShare},
};

// The enumerator between first and last whose name is `text`.
template <class Enumeration, class Name>
Enumeration enumerator(std::string_view text, int count, Enumeration otherwise, Name nameOf) {
    for (int i = 0; i < count; ++i) {
        const auto value = static_cast<Enumeration>(i);
        if (nameOf(value) == text) {
            return value;
        }
    }
    return otherwise;
}

} // namespace

std::span<const StampColumn> stampColumns() {
    return kStamps;
}

std::span<const SampleColumn> sampleColumns() {
    return kSamples;
}

std::span<const std::string_view> addedRequestColumns() {
    static constexpr std::array<std::string_view, 5> kColumns = {
        "deadline_ns", "blocked_ns", "blocked_by", "streamed_tokens", "streamed_ns"};
    return kColumns;
}

std::string stageColumn(engine::Stage stage) {
    return "ledger_" + std::string(engine::name(stage)) + "_ns";
}

std::string metricColumn(const engine::Metric& metric) {
    return "metric_" + std::string(metric.key);
}

std::string_view laneName(engine::Lane lane) {
    return lane == engine::Lane::Batch ? "batch" : "realtime";
}

std::string_view name(RunState state) {
    constexpr std::array<std::string_view, 4> kNames = {"recording", "finished", "interrupted",
                                                        "failed"};
    return kNames[static_cast<std::size_t>(state)];
}

engine::FinishReason finishReasonOf(std::string_view text) {
    return enumerator(text, static_cast<int>(engine::FinishReason::Failed),
                      engine::FinishReason::Failed,
                      [](engine::FinishReason reason) { return engine::name(reason); });
}

engine::Lane laneOf(std::string_view text) {
    return text == laneName(engine::Lane::Batch) ? engine::Lane::Batch : engine::Lane::Realtime;
}

engine::EventSource eventSourceOf(std::string_view text) {
    return enumerator(text, 4, engine::EventSource::Engine,
                      [](engine::EventSource source) { return engine::name(source); });
}

RunState runStateOf(std::string_view text) {
    return enumerator(text, 4, RunState::Failed, [](RunState state) { return name(state); });
}

std::string tagWords(std::uint32_t tags) {
    using engine::SampleTag;
    constexpr std::array<std::pair<SampleTag, std::string_view>, 10> kWords = {{
        {SampleTag::Cold, "cold"},
        {SampleTag::IdleStart, "idle start"},
        {SampleTag::WarmUp, "warm-up"},
        {SampleTag::Preempted, "preempted"},
        {SampleTag::ConfigChanged, "settings changed"},
        {SampleTag::Streamed, "streamed"},
        {SampleTag::Mixed, "mixed"},
        {SampleTag::Degraded, "degraded"},
        {SampleTag::Cached, "stored answer"},
        {SampleTag::LightModel, "light model"},
    }};
    std::string words;
    for (const auto& [tag, word] : kWords) {
        if ((tags & static_cast<std::uint32_t>(tag)) != 0) {
            words += (words.empty() ? "" : ", ") + std::string(word);
        }
    }
    return words.empty() ? "warm" : words;
}

} // namespace app
