// The filter of the Requests page: `tag:cold ttft>100 lane:batch outcome:failed`. Values; parsing
// on the main thread (messages are translated), matching on any.
#pragma once

#include "app/observe/filter_terms.h"
#include "app/observe/request_row.h"

namespace app {

class RequestFilter {
public:
    // Keys: tag lane outcome reason label id, prompt hit output preemptions, ttft tpot e2e due, and
    // every ledger stage in milliseconds (queue>50). A bare word is looked for in tags, lane,
    // outcome, label and message.
    static engine::Result<RequestFilter> parse(std::string_view text);

    bool matches(const RequestRow& row) const;
    bool isEmpty() const { return m_terms.empty(); }

private:
    std::vector<FilterTerm> m_terms;
};

std::span<const FilterKey> requestFilterKeys();

} // namespace app
