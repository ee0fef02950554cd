// The filter of the Runs page: `chat model:smol tag:baseline p99<300 state:interrupted`. Parsing on
// the main thread (messages are translated), matching on any.
#pragma once

#include "app/observe/filter_terms.h"
#include "app/store/run_store.h"

namespace app {

class RunFilter {
public:
    // Keys: name tag model workload state, id requests seconds, p50 p90 p99 (TTFT, ms), output
    // goodput. A bare word is looked for in name, note, tags, model and workload.
    static engine::Result<RunFilter> parse(std::string_view text);

    bool matches(const RunSummary& run) const;
    bool isEmpty() const { return m_terms.empty(); }

private:
    std::vector<FilterTerm> m_terms;
};

} // namespace app
