// A conversation with the loaded model: the answer streams in, its figures and its own ledger stay
// beside it. UI thread.
#pragma once

#include "app/answer_stream.h"
#include "app/prompt_feeder.h"

#include <QWidget>

#include <vector>

class QLabel;
class QPushButton;
class QScrollArea;
class QTimer;
class QVBoxLayout;

namespace app {
class Session;
}

namespace ui {

class Card;
class PromptEdit;
class SamplingForm;
class Tag;
class ToggleSwitch;
class Waterfall;

class Playground final : public QWidget {
    Q_OBJECT

public:
    Playground(app::Session& session, QWidget* parent = nullptr);

    bool isStreaming() const { return m_answer != nullptr && !m_answer->isFinished(); }
    QString lastAnswer() const;
    PromptEdit* prompt() const { return m_prompt; }

public Q_SLOTS:
    void send();
    void stop();
    void startAnew();

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Turn {
        engine::ChatMessage message;
        QLabel* text = nullptr;
        Tag* who = nullptr;
        bool isSaid = true; // to the model, with the next message
    };

    void buildHead(QVBoxLayout* column);
    void buildConversation(QVBoxLayout* column);
    void buildComposer(QVBoxLayout* column);
    Turn& addTurn(const char* role, const QString& text);
    engine::Request makeRequest() const;
    void takeBack();
    engine::Request opening();
    void feed();
    void dropFeed();
    void showFeed();
    void measureWithout();
    void showAnswer();
    void finishAnswer();
    void showFigures();
    void refreshModel();
    void refreshAdapters();
    void retranslate();

    app::Session& m_session;
    QLabel* m_title = nullptr;
    Tag* m_format = nullptr;
    Tag* m_samplingTag = nullptr;
    QPushButton* m_samplingButton = nullptr;
    QPushButton* m_new = nullptr;
    SamplingForm* m_sampling = nullptr;
    QScrollArea* m_scroll = nullptr;
    QVBoxLayout* m_turnList = nullptr;
    QLabel* m_hint = nullptr;
    QLabel* m_figures = nullptr;
    Card* m_ledgerCard = nullptr;
    Waterfall* m_waterfall = nullptr;
    QLabel* m_totalName = nullptr;
    QLabel* m_total = nullptr;
    PromptEdit* m_prompt = nullptr;
    QLabel* m_pasteNote = nullptr;
    QPushButton* m_stop = nullptr;
    QPushButton* m_send = nullptr;
    ToggleSwitch* m_feed = nullptr; // on: the engine computes the prompt while it is typed
    QLabel* m_feedName = nullptr;
    QLabel* m_feedState =
        nullptr; // what of the draft has been handed over, and how long it is kept
    QTimer* m_feedTimer = nullptr;
    app::PromptFeeder m_feeder;
    bool m_wasFed = false;                // the present answer's prompt was
    app::AnswerStream* m_plain = nullptr; // the same prompt again, sent whole, for its TTFT
    std::uint64_t m_plainNumber = 0;
    QTimer* m_repaint = nullptr; // text is laid out at most thirty times a second
    std::vector<Turn> m_turns;
    app::AnswerStream* m_answer = nullptr;
};

} // namespace ui
