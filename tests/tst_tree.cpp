// Keeps the drawing of ARCHITECTURE.md true: who may include what.
#include <QTest>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace fs = std::filesystem;

class TstTree : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void boxesIncludeOnlyWhatTheyMay();
    void filesStayShort();
    void cudaStaysInItsFolder();
    void nothingIsCompiledConditionallyOnCuda();
    void theTopHasItsFixedNames();
    void scriptsAreExecutable();
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
            return starts("kernels/") || starts("engine/") || starts("app/probe/") ||
                   starts("app/command/");
        }
        if (file.string().find("/app/command/") != std::string::npos) {
            return isEngineRoot || starts("app/command/"); // shared with the probe: no Qt behind
        }
        return isEngineRoot || starts("app/") || (name == "main_headway.cpp" && starts("ui/"));
    }
    return isEngineRoot || starts("app/") || starts("ui/");
}

// The product's own C++ files.
std::vector<fs::path> sources() {
    std::vector<fs::path> files;
    for (const char* box : {"kernels", "engine", "app", "ui"}) {
        for (const auto& entry :
             fs::recursive_directory_iterator(fs::path(HEADWAY_SOURCE_DIR) / box)) {
            const auto extension = entry.path().extension();
            if (extension == ".h" || extension == ".cpp" || extension == ".cu" ||
                extension == ".cuh") {
                files.push_back(entry.path());
            }
        }
    }
    return files;
}

} // namespace

void TstTree::boxesIncludeOnlyWhatTheyMay() {
    const std::regex include("^\\s*#include \"([^\"]+)\"");
    const auto files = sources();
    QVERIFY(files.size() > 20);
    for (const fs::path& file : files) {
        const std::string box = fs::relative(file, fs::path(HEADWAY_SOURCE_DIR)).begin()->string();
        std::ifstream stream(file);
        for (std::string line; std::getline(stream, line);) {
            std::smatch match;
            if (std::regex_search(line, match, include)) {
                const std::string included = match[1];
                QVERIFY2(included.ends_with(".moc") || isAllowed(file, box, included),
                         (file.string() + " may not include " + included).c_str());
            }
        }
    }
}

void TstTree::filesStayShort() {
    // 80 to 400 lines is the aim; past 450 a file has two responsibilities.
    constexpr int kMostLines = 450;
    for (const fs::path& file : sources()) {
        std::ifstream stream(file);
        int lines = 0;
        for (std::string line; std::getline(stream, line);) {
            ++lines;
        }
        QVERIFY2(lines <= kMostLines, (file.string() + " has " + std::to_string(lines) +
                                       " lines: split it by responsibility")
                                          .c_str());
    }
}

void TstTree::cudaStaysInItsFolder() {
    const std::regex include("^\\s*#\\s*include <(cuda|cublas|nvml|cooperative_groups|emulated_)");
    const std::regex launch("<<<|__shared__");
    for (const fs::path& file : sources()) {
        const bool isCuda = file.string().find("/kernels/cuda/") != std::string::npos;
        const bool isHeader = file.filename() == "shared.cuh" || file.filename() == "launch.cuh";
        std::ifstream stream(file);
        for (std::string line; std::getline(stream, line);) {
            QVERIFY2(isCuda || !std::regex_search(line, include),
                     (file.string() + " may not include CUDA: " + line).c_str());
            // What the executor of the tests can't run.
            QVERIFY2(!isCuda || isHeader || !std::regex_search(line, launch),
                     (file.string() + ": use launch() and SharedCarver: " + line).c_str());
        }
    }
}

void TstTree::nothingIsCompiledConditionallyOnCuda() {
    // CUDA is a module that is loaded at start, so one binary runs with and without a driver.
    const std::regex condition("^\\s*#\\s*(if|ifdef|ifndef|elif).*CUDA");
    for (const fs::path& file : sources()) {
        if (file.string().find("/kernels/cuda/") != std::string::npos) {
            continue;
        }
        std::ifstream stream(file);
        for (std::string line; std::getline(stream, line);) {
            QVERIFY2(!std::regex_search(line, condition), (file.string() + ": " + line).c_str());
        }
    }
}

void TstTree::theTopHasItsFixedNames() {
    for (const char* name :
         {"CMakeLists.txt", "CMakePresets.json", "app", "engine", "kernels", "ui", "resources",
          "tests", "packaging", "README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "LICENSE",
          ".clang-format", ".clang-tidy", ".ci/run"}) {
        QVERIFY2(fs::exists(fs::path(HEADWAY_SOURCE_DIR) / name), name);
    }
}

void TstTree::scriptsAreExecutable() {
    for (const char* name : {"run", "test", "deps", "model", "screenshots", "translations",
                             "cuda-resources", "../.ci/run"}) {
        const auto file = fs::path(HEADWAY_SOURCE_DIR) / "packaging" / name;
        QVERIFY2(fs::exists(file), name);
        const auto permissions = fs::status(file).permissions();
        QVERIFY2((permissions & fs::perms::owner_exec) != fs::perms::none, name);
    }
}

QTEST_APPLESS_MAIN(TstTree)
#include "tst_tree.moc"
