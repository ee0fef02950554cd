// Keeps the drawing of ARCHITECTURE.md true: who may include what.
#include <QTest>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace fs = std::filesystem;

class TstTree : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void boxesIncludeOnlyWhatTheyMay();
};

namespace {

bool isAllowed(const fs::path& file, const std::string& box, const std::string& included) {
    const auto starts = [&](const char* prefix) { return included.rfind(prefix, 0) == 0; };
    const bool isEngineRoot = starts("engine/") && included.find('/', 7) == std::string::npos;
    if (box == "kernels") {
        return starts("kernels/");
    }
    if (box == "engine") {
        return starts("kernels/") || starts("engine/");
    }
    if (box == "app") {
        const std::string name = file.filename().string();
        if (name == "main_probe.cpp" || file.string().find("/probe/") != std::string::npos) {
            return starts("kernels/") || starts("engine/") || starts("app/probe/");
        }
        return isEngineRoot || starts("app/") || (name == "main_headway.cpp" && starts("ui/"));
    }
    return isEngineRoot || starts("app/") || starts("ui/");
}

} // namespace

void TstTree::boxesIncludeOnlyWhatTheyMay() {
    const std::regex include("^\\s*#include \"([^\"]+)\"");
    int files = 0;
    for (const char* box : {"kernels", "engine", "app", "ui"}) {
        for (const auto& entry :
             fs::recursive_directory_iterator(fs::path(HEADWAY_SOURCE_DIR) / box)) {
            const auto extension = entry.path().extension();
            if (extension != ".h" && extension != ".cpp") {
                continue;
            }
            ++files;
            std::ifstream stream(entry.path());
            for (std::string line; std::getline(stream, line);) {
                std::smatch match;
                if (std::regex_search(line, match, include)) {
                    const std::string included = match[1];
                    const bool isMoc =
                        included.size() > 4 && included.substr(included.size() - 4) == ".moc";
                    QVERIFY2(isMoc || isAllowed(entry.path(), box, included),
                             (entry.path().string() + " may not include " + included).c_str());
                }
            }
        }
    }
    QVERIFY(files > 20);
}

QTEST_APPLESS_MAIN(TstTree)
#include "tst_tree.moc"
