#include "app/remote/remote_status.h"

#include <algorithm>
#include <array>

namespace app {

engine::FinishReason reasonOfStatus(int status, std::string_view message) {
    using engine::FinishReason;
    if (status == 429 || status == 503) {
        return FinishReason::Overloaded;
    }
    if (status == 504) {
        return FinishReason::Deadline;
    }
    if (status >= 500) {
        return FinishReason::Failed;
    }
    const bool isTooLong = message.find("context") != std::string_view::npos &&
                           (status == 400 || status == 413 || status == 422);
    return isTooLong ? FinishReason::TooLong : FinishReason::Rejected;
}

bool isNeverThere(int status) {
    constexpr std::array kNever = {401, 403, 404, 405, 501};
    return std::ranges::find(kNever, status) != kNever.end();
}

} // namespace app
