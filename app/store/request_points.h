// Requests as charts need them, packed: what request_page holds. A page is a version, the number of
// ledger stages, a count, and then one record of fixed size a request, little-endian. Pure; any
// thread.
#pragma once

#include "app/observe/history.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace app {

std::vector<std::byte> packPoints(std::span<const RequestPoint> points);
// Empty where the page is of another version or does not have the size that its count asks for.
std::optional<std::vector<RequestPoint>> unpackPoints(std::span<const std::byte> page);

} // namespace app
