#include "app/store/answer_file.h"

#include "app/json_depth.h"
#include "app/store/columns.h"

#include <QFile>
#include <QSaveFile>
#include <QString>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>

namespace app {

namespace {

using nlohmann::json;

constexpr const char* kFormat = "headway-answers-1";

// Ages are told against the clock on the wall: the other one begins anew with the machine.
std::int64_t wallMs() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

json piecesJson(const engine::StoredAnswer& answer) {
    json pieces = json::array();
    for (const engine::TokenStream::Chunk& piece : answer.pieces) {
        pieces.push_back({{"text", piece.text}, {"ids", piece.ids}});
    }
    return pieces;
}

engine::KeptAnswer keptOf(const json& entry, std::int64_t now) {
    auto answer = std::make_shared<engine::StoredAnswer>();
    for (const json& piece : entry.at("pieces")) {
        answer->pieces.push_back(
            {.text = piece.at("text"), .ids = piece.at("ids"), .logprobs = {}});
    }
    answer->reason = finishReasonOf(entry.at("reason").get<std::string>());
    answer->promptTokens = std::max<std::int64_t>(0, entry.at("prompt_tokens"));
    answer->outputTokens = std::max<std::int64_t>(0, entry.at("output_tokens"));
    // A year is older than any lifetime; a time to come, of a clock that was set back, is now.
    constexpr std::int64_t kYearMs = 31'536'000'000;
    const std::int64_t kept = entry.at("kept_unix_ms");
    const std::int64_t age = kept >= now ? 0 : kept < now - kYearMs ? kYearMs : now - kept;
    return {
        .key = entry.at("key"), .answer = std::move(answer), .age = std::chrono::milliseconds(age)};
}

std::unexpected<engine::Error> failure(engine::ErrorCode code, std::string message) {
    return std::unexpected(engine::Error{code, std::move(message)});
}

} // namespace

engine::Result<void> writeAnswers(const std::filesystem::path& file,
                                  const std::vector<engine::KeptAnswer>& answers) {
    const std::int64_t now = wallMs();
    std::string text = fmt::format("{{\"format\":\"{}\",\"answers\":[", kFormat);
    bool isFirst = true;
    for (const engine::KeptAnswer& kept : answers) {
        const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(kept.age).count();
        std::string line;
        try {
            line = json{{"key", kept.key},
                        {"kept_unix_ms", now - age},
                        {"reason", engine::name(kept.answer->reason)},
                        {"prompt_tokens", kept.answer->promptTokens},
                        {"output_tokens", kept.answer->outputTokens},
                        {"pieces", piecesJson(*kept.answer)}}
                       .dump();
        } catch (const json::exception&) {
            continue; // a prompt that is no UTF-8
        }
        text += isFirst ? "\n" : ",\n";
        text += line;
        isFirst = false;
    }
    text += "\n]}\n";
    QSaveFile out(QString::fromStdString(file.string()));
    const bool isDone = out.open(QIODevice::WriteOnly) &&
                        out.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner) &&
                        out.write(text.data(), static_cast<qint64>(text.size())) ==
                            static_cast<qint64>(text.size()) &&
                        out.commit();
    if (!isDone) {
        return failure(
            engine::ErrorCode::Io,
            fmt::format("{} can't be written: {}. Make room or make the folder writable.",
                        file.string(), out.errorString().toStdString()));
    }
    return {};
}

engine::Result<std::vector<engine::KeptAnswer>> readAnswers(const std::filesystem::path& file,
                                                            std::uint64_t mostBytes) {
    QFile in(QString::fromStdString(file.string()));
    if (!in.exists()) {
        return std::vector<engine::KeptAnswer>{};
    }
    if (!in.open(QIODevice::ReadOnly)) {
        return failure(engine::ErrorCode::Io,
                       fmt::format("{} can't be read: {}. Make it readable or remove it.",
                                   file.string(), in.errorString().toStdString()));
    }
    const QByteArray text = in.read(static_cast<qint64>(mostBytes) + 1);
    if (static_cast<std::uint64_t>(text.size()) > mostBytes) {
        return failure(engine::ErrorCode::Invalid,
                       fmt::format("{} is larger than the answers may be. Allow them more memory, "
                                   "or remove it.",
                                   file.string()));
    }
    try {
        const auto document =
            parseBounded<json>({text.data(), static_cast<std::size_t>(text.size())});
        if (document.value("format", "") != kFormat) {
            throw std::invalid_argument("another format");
        }
        const std::int64_t now = wallMs();
        std::vector<engine::KeptAnswer> answers;
        for (const json& entry : document.at("answers")) {
            answers.push_back(keptOf(entry, now));
        }
        return answers;
    } catch (const std::exception&) {
        return failure(engine::ErrorCode::Invalid,
                       fmt::format("{} holds no stored answers of this program, or is damaged. "
                                   "Remove it to begin anew.",
                                   file.string()));
    }
}

} // namespace app
