#include "app/json_depth.h"

namespace app {

bool isDeeperThan(std::string_view json, int depth) {
    int level = 0;
    bool isQuoted = false;
    for (std::size_t at = 0; at < json.size(); ++at) {
        const char c = json[at];
        if (isQuoted) {
            at += c == '\\' ? 1 : 0;
            isQuoted = c != '"';
        } else if (c == '"') {
            isQuoted = true;
        } else if (c == '[' || c == '{') {
            if (++level > depth) {
                return true;
            }
        } else if (c == ']' || c == '}') {
            --level;
        }
    }
    return false;
}

} // namespace app
