// Engine settings as flags, made from the field table. Main thread.
#pragma once

#include "engine/config.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace app {

class SettingFlags {
public:
    // Adds a flag a field. The object outlives the parser.
    void declare(CLI::App& command);
    // Field key and value text of what was given, checked; CommandError for a bad value.
    std::vector<std::pair<std::string, std::string>> changed() const;
    // Applies pairs of field key and value text; CommandError where they don't go together.
    static engine::EngineConfig
    applied(const std::vector<std::pair<std::string, std::string>>& settings);

private:
    std::deque<std::optional<std::string>> m_values; // one a field, in table order
};

} // namespace app
