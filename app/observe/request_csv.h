// Requests as CSV (RFC 4180, a header line, times in milliseconds, absent values empty): what the
// Requests page exports and copies. Pure; any thread.
#pragma once

#include "app/observe/request_row.h"

#include <span>
#include <string>

namespace app {

std::string requestCsvHeader();
std::string requestCsvLine(const RequestRow& row);
std::string requestCsv(std::span<const RequestRow> rows);

} // namespace app
