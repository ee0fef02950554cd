// A report as one self-contained HTML file: no script, no outside resource, charts as SVG.
#pragma once

#include "app/report/document.h"

#include <string>

namespace app::report {

std::string writeHtml(const Document& document);
// For text and attribute values: markup is escaped, what HTML has no place for becomes U+FFFD.
std::string escapedHtml(const QString& text);

} // namespace app::report
