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
    void publishedToolConversationsAreEqual_data();
    void publishedToolConversationsAreEqual();
    void thinkingIsWhatEachFormatSays_data();
    void thinkingIsWhatEachFormatSays();
    void toolConversations_data();
    void toolConversations();
    void toolsThatAreNoJsonAreRefused();
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
            messages.back().reasoning = message.value("reasoning_content", "");
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

void TstChatFormat::publishedToolConversationsAreEqual_data() {
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("input");
    QTest::addColumn<QString>("output");
    QTest::newRow("V3.2") << "deepseek-v3.2"
                          << "v32_input.json"
                          << "v32_output.txt";
    QTest::newRow("V4, tools") << "deepseek-v4"
                               << "v4_input_1.json"
                               << "v4_output_1.txt";
    QTest::newRow("V4, plain") << "deepseek-v4"
                               << "v4_input_2.json"
                               << "v4_output_2.txt";
}

void TstChatFormat::publishedToolConversationsAreEqual() {
    QFETCH(QString, family);
    QFETCH(QString, input);
    QFETCH(QString, output);
    if (tests::referenceData().empty()) {
        QSKIP("the reference vectors are not here (HEADWAY_REFERENCE_DATA)");
    }
    const fs::path folder = tests::referenceData() / "chat";
    std::ifstream expected(folder / output.toStdString());
    std::string text{std::istreambuf_iterator<char>(expected), {}};
    if (text.ends_with('\n')) {
        text.pop_back(); // the file's, not the prompt's
    }
    std::ifstream stream(folder / input.toStdString());
    const auto document = nlohmann::ordered_json::parse(stream);
    const auto& list = document.is_array() ? document : document.at("messages");
    std::vector<ChatMessage> messages;
    for (const auto& message : list) {
        messages.push_back({message.at("role"), message.value("content", "")});
        messages.back().reasoning = message.value("reasoning_content", "");
        messages.back().toolCallId = message.value("tool_call_id", "");
        for (const auto& call : message.value("tool_calls", nlohmann::ordered_json::array())) {
            messages.back().toolCalls.push_back({.name = call.at("function").at("name"),
                                                 .arguments = call.at("function").at("arguments"),
                                                 .id = call.at("id")});
        }
    }
    if (document.is_object()) {
        messages[0].tools = document.at("tools").dump();
    }
    const auto format = engine::chatFormatByName(family.toStdString());
    QCOMPARE(QString::fromStdString(joined(format->render(messages, Thinking::On))),
             QString::fromStdString(text));
}

namespace {

// Formats are written here with | for the wide bar and _ for the block that stands for a space.
QString wide(const char* text) {
    return QString::fromLatin1(text)
        .replace(QLatin1Char('|'), QChar(0xFF5C))
        .replace(QLatin1Char('_'), QChar(0x2581));
}

} // namespace

void TstChatFormat::thinkingIsWhatEachFormatSays_data() {
    QTest::addColumn<QString>("family");
    QTest::addColumn<int>("thinking");
    QTest::addColumn<QString>("rendered");
    const auto row = [](const char* family, Thinking thinking, const QString& rendered) {
        QTest::addRow("%s %d", family, static_cast<int>(thinking))
            << QString::fromLatin1(family) << static_cast<int>(thinking) << rendered;
    };
    // system, question, an answer with reasoning, question
    const auto deepseek = [](const char* earlier, const char* last) {
        return wide("<|begin_of_sentence|>Be brief.<|User|>Hello<|Assistant|>") +
               QString::fromLatin1(earlier) +
               wide("Hi!<|end_of_sentence|><|User|>2+2?<|Assistant|>") + QString::fromLatin1(last);
    };
    for (const auto thinking : {Thinking::Default, Thinking::On, Thinking::Off}) {
        const bool isOn = thinking == Thinking::On;
        row("deepseek-v3", thinking, deepseek("", ""));
        row("deepseek-r1", thinking, deepseek("", "<think>\n"));
        row("deepseek-v3.1", thinking,
            deepseek("<think></think>", isOn ? "<think>" : "<think></think>"));
        row("deepseek-v3.2", thinking, deepseek("</think>", isOn ? "<think>" : "<think></think>"));
        row("deepseek-v4", thinking, deepseek("</think>", isOn ? "<think>" : "</think>"));
        row("qwen3", thinking,
            QStringLiteral("<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello"
                           "<|im_end|>\n<|im_start|>assistant\nHi!<|im_end|>\n<|im_start|>user\n"
                           "2+2?<|im_end|>\n<|im_start|>assistant\n") +
                QString::fromLatin1(thinking == Thinking::Off ? "<think>\n\n</think>\n\n" : ""));
    }
}

void TstChatFormat::thinkingIsWhatEachFormatSays() {
    QFETCH(QString, family);
    QFETCH(int, thinking);
    QFETCH(QString, rendered);
    auto messages = kLong;
    messages[2].reasoning = "greet back";
    const auto format = engine::chatFormatByName(family.toStdString());
    QCOMPARE(
        QString::fromStdString(joined(format->render(messages, static_cast<Thinking>(thinking)))),
        rendered);
}

void TstChatFormat::toolConversations_data() {
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("rendered");
    const QString fenced = wide(
        "<|begin_of_sentence|><|User|>Sum?<|Assistant|><|tool_calls_begin|><|tool_call_begin|>"
        "function<|tool_sep|>add\n```json\n{\"a\":1,\"b\":\"x\"}\n```<|tool_call_end|>\n"
        "<|tool_call_begin|>function<|tool_sep|>now\n```json\n{}\n```<|tool_call_end|>"
        "<|tool_calls_end|><|end_of_sentence|><|tool_outputs_begin|><|tool_output_begin|>3"
        "<|tool_output_end|>\n<|tool_output_begin|>noon<|tool_output_end|><|tool_outputs_end|>");
    QTest::newRow("deepseek-v3") << "deepseek-v3" << fenced;
    QTest::newRow("deepseek-r1") << "deepseek-r1" << fenced;
    QTest::newRow("deepseek-v3.1")
        << "deepseek-v3.1"
        << wide("<|begin_of_sentence|><|User|>Sum?<|Assistant|><think></think><|tool_calls_begin|>"
                "<|tool_call_begin|>add<|tool_sep|>{\"a\":1,\"b\":\"x\"}<|tool_call_end|>"
                "<|tool_call_begin|>now<|tool_sep|>{}<|tool_call_end|><|tool_calls_end|>"
                "<|end_of_sentence|><|tool_output_begin|>3<|tool_output_end|><|tool_output_begin|>"
                "noon<|tool_output_end|>");
    const char* const calls =
        "\n\n<|DSML|%1>\n<|DSML|invoke name=\"add\">\n<|DSML|parameter name=\"a\" "
        "string=\"false\">1</|DSML|parameter>\n<|DSML|parameter name=\"b\" string=\"true\">x"
        "</|DSML|parameter>\n</|DSML|invoke>\n<|DSML|invoke name=\"now\">\n\n</|DSML|invoke>\n"
        "</|DSML|%1><|end_of_sentence|>";
    QTest::newRow("deepseek-v3.2")
        << "deepseek-v3.2"
        << wide("<|begin_of_sentence|><|User|>Sum?<|Assistant|></think>") +
               wide(calls).arg(QStringLiteral("function_calls")) +
               QStringLiteral("\n\n<function_results>\n<result>3</result>\n<result>noon</result>\n"
                              "</function_results>\n\n</think>");
    // Results go in the order of their calls.
    QTest::newRow("deepseek-v4")
        << "deepseek-v4"
        << wide("<|begin_of_sentence|><|User|>Sum?<|Assistant|></think>") +
               wide(calls).arg(QStringLiteral("tool_calls")) + wide("<|User|>") +
               QStringLiteral("<tool_result>noon</tool_result>\n\n<tool_result>3</tool_result>") +
               wide("<|Assistant|></think>");
    QTest::newRow("qwen3")
        << "qwen3"
        << QStringLiteral("<|im_start|>user\nSum?<|im_end|>\n<|im_start|>assistant\n<tool_call>\n"
                          "{\"name\": \"add\", \"arguments\": {\"a\": 1, \"b\": \"x\"}}\n"
                          "</tool_call>\n<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n"
                          "</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\n3\n"
                          "</tool_response>\n<tool_response>\nnoon\n</tool_response><|im_end|>\n"
                          "<|im_start|>assistant\n");
}

void TstChatFormat::toolConversations() {
    QFETCH(QString, family);
    QFETCH(QString, rendered);
    std::vector<ChatMessage> messages = {
        {"user", "Sum?"}, {"assistant", ""}, {"tool", "3"}, {"tool", "noon"}};
    messages[1].toolCalls = {{.name = "add", .arguments = R"({"a":1,"b":"x"})", .id = "second"},
                             {.name = "now", .arguments = "{}", .id = "first"}};
    messages[2].toolCallId = family == QLatin1String("deepseek-v4") ? "first" : "second";
    messages[3].toolCallId = family == QLatin1String("deepseek-v4") ? "second" : "first";
    const auto format = engine::chatFormatByName(family.toStdString());
    QCOMPARE(QString::fromStdString(joined(format->render(messages, Thinking::Off)))
                 .replace(QLatin1String("<think>\n\n</think>\n\n"), QString()),
             rendered);
}

void TstChatFormat::toolsThatAreNoJsonAreRefused() {
    std::vector<ChatMessage> messages = {{"system", ""}, {"user", "Sum?"}};
    const std::string deep = std::string(200'000, '[');
    for (const std::string& tools : {std::string("not JSON"), std::string("{}"), deep}) {
        messages[0].tools = tools;
        for (const char* family : {"deepseek-v3.2", "deepseek-v4", "qwen3", "llama3.1"}) {
            QVERIFY_THROWS_EXCEPTION(std::exception,
                                     engine::chatFormatByName(family)->render(messages));
        }
    }
    // Arguments come from a model: whatever they are, they are shown.
    messages = {{"user", "Sum?"}, {"assistant", ""}};
    messages[1].toolCalls = {{.name = "add", .arguments = deep}};
    for (const std::string_view family : engine::chatFormatNames()) {
        QVERIFY(!engine::chatFormatByName(family)->render(messages).empty());
    }
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
    row("unknown", "{{ messages }}{{ raise_exception('no') }}", "generic",
        "User: Hello\n\nAssistant:");
    row("empty", "", "generic", "User: Hello\n\nAssistant:");
}

void TstChatFormat::templatesTellTheirFamily() {
    QFETCH(QString, text);
    QFETCH(QString, name);
    QFETCH(QString, rendered);
    const auto format = formatOf(text.toStdString());
    QVERIFY(format != nullptr);
    QCOMPARE(QString::fromStdString(std::string(format->name())), name);
    QCOMPARE(QString::fromStdString(joined(format->render(kShort))), rendered);
    QCOMPARE(format->isGeneric(), name.startsWith(QLatin1String("generic")));
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
    QVERIFY(
        !engine::chatFormatByName("generic")->isGeneric()); // asked for, it stands in for nothing
}

QTEST_APPLESS_MAIN(TstChatFormat)
#include "tst_chat_format.moc"
