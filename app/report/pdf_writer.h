// A report as PDF: A4 pages with real text and vector charts. Headings stay with what follows,
// tables repeat their head, every page has its number. Main thread with a QGuiApplication.
#pragma once

#include "app/report/document.h"

#include <string>

namespace app::report {

std::string writePdf(const Document& document);

} // namespace app::report
