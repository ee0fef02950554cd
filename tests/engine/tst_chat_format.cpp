#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/gguf_writer.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/support/reference_data.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>
#include <set>

using engine::ChatMessage;
using engine::Thinking;
namespace fs = std::filesystem;

class TstChatFormat : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void publishedRenderingsAreEqual();
    void defaultModelsTemplateIsKnown();
    void templatesTellTheirFamily_data();
    void templatesTellTheirFamily();
    void contentIsNeverTemplateText_data();
    void contentIsNeverTemplateText();
    void olderFormats_data();
    void olderFormats();

private:
    std::unique_ptr<engine::ChatFormat> formatOf(std::string_view chatTemplate) const;
    QTemporaryDir m_folder;
};

namespace {

std::string joined(const std::vector<engine::PromptPiece>& pieces) {
    std::string text;
    for (const engine::PromptPiece& piece : pieces) {
        text += piece.text;
    }
    return text;
}

const std::vector<ChatMessage> kShort = {{"user", "Hello"}};
const std::vector<ChatMessage> kLong = {
    {"system", "Be brief."}, {"user", "Hello"}, {"assistant", "Hi!"}, {"user", "2+2?"}};

} // namespace

std::unique_ptr<engine::ChatFormat> TstChatFormat::formatOf(std::string_view chatTemplate) const {
    const fs::path file = fs::path(m_folder.path().toStdString()) / "template.gguf";
    engine::gguf::Writer writer(file);
    writer.addText("tokenizer.chat_template", chatTemplate);
    writer.writeHeader();
    writer.finish();
    return engine::makeChatFormat(**engine::openCheckpoint(file));
}

void TstChatFormat::publishedRenderingsAreEqual() {
    if (tests::referenceData().empty()) {
        QSKIP("the reference vectors are not here (HEADWAY_REFERENCE_DATA)");
    }
    std::ifstream stream(tests::referenceData() / "chat" / "rendered.jsonl");
    int lines = 0;
    for (std::string line; std::getline(stream, line);) {
        const auto row = nlohmann::json::parse(line);
        std::vector<ChatMessage> messages;
        for (const auto& message : row.at("messages")) {
            messages.push_back({message.at("role"), message.at("content")});
        }
        const auto format = engine::chatFormatByName(row.at("family").get<std::string>());
        QVERIFY2(format != nullptr, line.c_str());
        const auto& wanted = row.at("enable_thinking");
        const Thinking thinking = wanted.is_null()     ? Thinking::Default
                                  : wanted.get<bool>() ? Thinking::On
                                                       : Thinking::Off;
        QCOMPARE(QString::fromStdString(joined(format->render(messages, thinking))),
                 QString::fromStdString(row.at("rendered").get<std::string>()));
        ++lines;
    }
    QCOMPARE(lines, 69);
}

void TstChatFormat::defaultModelsTemplateIsKnown() {
    // As the file has it, line breaks included.
    const auto format = formatOf(
        "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ "
        "'<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging "
        "Face<|im_end|>\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + "
        "message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ "
        "'<|im_start|>assistant\n' }}{% endif %}");
    QVERIFY(format != nullptr);
    QCOMPARE(format->name(), std::string_view("ChatML"));
    QCOMPARE(joined(format->render(kShort)),
             std::string("<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained "
                         "by Hugging Face<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n"
                         "<|im_start|>assistant\n"));
    QCOMPARE(joined(format->render(kLong)),
             std::string("<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello"
                         "<|im_end|>\n<|im_start|>assistant\nHi!<|im_end|>\n<|im_start|>user\n2+2?"
                         "<|im_end|>\n<|im_start|>assistant\n"));
    QCOMPARE(joined(engine::chatFormatByName("smollm2")->render(kShort)),
             joined(format->render(kShort)));
}

void TstChatFormat::templatesTellTheirFamily_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("rendered");
    const auto row = [](const char* tag, const char* text, const char* name, const char* rendered) {
        QTest::newRow(tag) << QString::fromUtf8(text) << QString::fromUtf8(name)
                           << QString::fromUtf8(rendered);
    };
    row("plain ChatML",
        "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + "
        "message['content'] + '<|im_end|>'}}{% endfor %}",
        "ChatML", "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
    row("Qwen2.5",
        "{%- if tools %}{{- '<|im_start|>system\\n' }}{{- messages[0]['content'] }}{{- "
        "'<|im_end|>\\n' }}{%- else %}{{- '<|im_start|>system\\nYou are Qwen, created by Alibaba "
        "Cloud. You are a helpful assistant.<|im_end|>\\n' }}{%- endif %}",
        "ChatML",
        "<|im_start|>system\nYou are Qwen, created by Alibaba Cloud. You are a helpful "
        "assistant.<|im_end|>\n<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
    row("Qwen3", "'<|im_start|>' + message.role '<|im_end|>' enable_thinking", "ChatML (Qwen3)",
        "<|im_start|>user\nHello<|im_end|>\n<|im_start|>assistant\n");
    row("Llama 3", "'<|start_header_id|>' + message['role'] + '<|eot_id|>'", "Llama 3",
        "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nHello<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n");
    row("Gemma", "'<start_of_turn>' + role + '<end_of_turn>'", "Gemma",
        "<bos><start_of_turn>user\nHello<end_of_turn>\n<start_of_turn>model\n");
    row("DeepSeek V3",
        "'<\xEF\xBD\x9CUser\xEF\xBD\x9C>' '<\xEF\xBD\x9C"
        "Assistant\xEF\xBD\x9C>'",
        "DeepSeek V3",
        "<\xEF\xBD\x9C"
        "begin\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C><\xEF\xBD\x9CUser"
        "\xEF\xBD\x9C>Hello<\xEF\xBD\x9C"
        "Assistant\xEF\xBD\x9C>");
    row("DeepSeek V3.1",
        "thinking '<\xEF\xBD\x9C"
        "Assistant\xEF\xBD\x9C>' '</think>'",
        "DeepSeek V3.1",
        "<\xEF\xBD\x9C"
        "begin\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C><\xEF\xBD\x9CUser"
        "\xEF\xBD\x9C>Hello<\xEF\xBD\x9C"
        "Assistant\xEF\xBD\x9C></think>");
    row("unknown", "{{ messages }}", "", "");
}

void TstChatFormat::templatesTellTheirFamily() {
    QFETCH(QString, text);
    QFETCH(QString, name);
    QFETCH(QString, rendered);
    const auto format = formatOf(text.toStdString());
    QCOMPARE(format == nullptr, name.isEmpty());
    if (format) {
        QCOMPARE(QString::fromStdString(std::string(format->name())), name);
        QCOMPARE(QString::fromStdString(joined(format->render(kShort))), rendered);
    }
}

void TstChatFormat::contentIsNeverTemplateText_data() {
    QTest::addColumn<QString>("family");
    for (const std::string_view name : engine::chatFormatNames()) {
        QTest::newRow(std::string(name).c_str()) << QString::fromStdString(std::string(name));
    }
}

void TstChatFormat::contentIsNeverTemplateText() {
    QFETCH(QString, family);
    const auto format = engine::chatFormatByName(family.toStdString());
    QVERIFY(format != nullptr);
    const std::vector<ChatMessage> messages = {{"system", "SYSTEM-MARK"},
                                               {"user", "USER-MARK"},
                                               {"assistant", "ANSWER-MARK"},
                                               {"user", "USER-MARK"}};
    std::multiset<std::string> marks;
    for (const engine::PromptPiece& piece : format->render(messages)) {
        QVERIFY(!piece.text.empty());
        if (piece.special == engine::SpecialTokens::Parse) {
            QVERIFY2(piece.text.find("MARK") == std::string::npos, piece.text.c_str());
        }
        for (const char* mark : {"SYSTEM-MARK", "USER-MARK", "ANSWER-MARK"}) {
            if (piece.text.find(mark) != std::string::npos) {
                marks.insert(mark);
            }
        }
    }
    QCOMPARE(marks.size(), std::size_t{4});
    // An empty conversation, an unknown role, empty texts: nothing throws.
    format->render({});
    format->render(std::vector<ChatMessage>{{"", ""}, {"tool", "x"}, {"assistant", ""}});
}

void TstChatFormat::olderFormats_data() {
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("rendered");
    QTest::newRow("deepseek-v2")
        << "deepseek-v2"
        << QString::fromUtf8("<\xEF\xBD\x9C"
                             "begin\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>"
                             "Be brief.\n\nUser: Hello\n\nAssistant: Hi!<\xEF\xBD\x9C"
                             "end\xE2\x96"
                             "\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>User: 2+2?\n\nAssistant:");
    QTest::newRow("gemma3") << "gemma3"
                            << "<bos><start_of_turn>user\nBe brief.\n\nHello<end_of_turn>\n"
                               "<start_of_turn>model\nHi!<end_of_turn>\n<start_of_turn>user\n2+2?"
                               "<end_of_turn>\n<start_of_turn>model\n";
}

void TstChatFormat::olderFormats() {
    QFETCH(QString, family);
    QFETCH(QString, rendered);
    const auto format = engine::chatFormatByName(family.toStdString());
    QCOMPARE(QString::fromStdString(joined(format->render(kLong))), rendered);
    QVERIFY(engine::chatFormatByName("no such family") == nullptr);
}

QTEST_APPLESS_MAIN(TstChatFormat)
#include "tst_chat_format.moc"
