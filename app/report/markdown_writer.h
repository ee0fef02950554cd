// A report as GitHub-flavoured Markdown: text and tables, no charts.
#pragma once

#include "app/report/document.h"

#include <string>

namespace app::report {

std::string writeMarkdown(const Document& document);

} // namespace app::report
