// What a RunStore is made of. Private to run_store*.cpp.
#pragma once

#include "app/store/figures.h"
#include "app/store/run_store.h"
#include "app/store/store_file.h"

#include <unordered_map>

namespace app {

struct RunStore::State {
    explicit State(StoreFile opened) : store(std::move(opened)) {}

    // The door of every public function: the body returns a Result and may throw.
    template <class Body>
    auto guarded(Body body) const -> decltype(body()) {
        try {
            return body();
        } catch (const DatabaseFailure& failure) {
            return std::unexpected(describe(failure, store.file()));
        }
    }
    template <class Body>
    auto written(Body body) -> decltype(body()) {
        return guarded([&]() -> decltype(body()) {
            if (auto ready = store.prepareWrite(); !ready) {
                return std::unexpected(ready.error());
            }
            Transaction transaction(store.database());
            auto result = body();
            if (result) {
                transaction.commit();
            }
            return result;
        });
    }

    static engine::Error noSuchRun(std::int64_t run, const std::filesystem::path& file);
    engine::Result<RunInfo> info(std::int64_t run) const;
    // A run that is being recorded while nobody writes the log was interrupted; the next writer
    // notes it. `wasWritten`: asked before the rows were read.
    void markLeftOpen(std::vector<RunInfo>& runs, bool wasWritten) const;
    // A run with its settings; `fill` adds the rest, all from one state of the log.
    template <class Fill>
    engine::Result<RunData> read(std::int64_t run, Fill fill) const;
    // From what is kept, or from the requests.
    RunSummary summarize(RunInfo info, const std::vector<SettingRow>& settings) const;
    // After a statement that returns the id of the run it changed.
    engine::Result<void> foundOne(Statement& changed, std::int64_t run) const;

    // Numbers already used in a run that is being written.
    struct Numbers {
        std::int64_t request = 0, event = 0;
    };
    Numbers numbersOf(std::int64_t run) const;

    StoreFile store;
    std::unordered_map<std::int64_t, Numbers> numbers;
    FiguresJob figures; // of the writer
};

} // namespace app
