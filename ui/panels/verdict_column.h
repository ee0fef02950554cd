// The right column of an experiment: the answer in one line, claim against measurement, what is not
// resolved and what it would take, what could spoil it. UI thread.
#pragma once

#include "app/experiment/claims.h"

#include <QWidget>

class QLabel;
class QPushButton;

namespace ui {

class Card;
class ClaimScale;
class Icon;
class Tag;

class VerdictColumn final : public QWidget {
    Q_OBJECT

public:
    explicit VerdictColumn(QWidget* parent = nullptr);

    void show(const app::Experiment& experiment, const std::vector<app::Block>& blocks,
              const app::ExperimentVerdict& verdict, bool isRunning);

Q_SIGNALS:
    void moreRequested(int blocks);

private:
    void showAnswer(const app::Experiment& experiment, const app::ExperimentVerdict& verdict,
                    bool isRunning);
    void showUnresolved(const app::Experiment& experiment, const app::ExperimentVerdict& verdict,
                        bool isRunning);
    void showSpoilers(const app::Experiment& experiment, const std::vector<app::Block>& blocks,
                      const app::ExperimentVerdict& verdict);

    Card* m_answer = nullptr;
    Tag* m_tag = nullptr;
    QLabel* m_count = nullptr;
    QLabel* m_value = nullptr;
    QLabel* m_unit = nullptr;
    QLabel* m_interval = nullptr;
    QLabel* m_claim = nullptr;
    ClaimScale* m_scale = nullptr;
    Icon* m_icon = nullptr;
    QLabel* m_sentence = nullptr;
    Card* m_unresolved = nullptr;
    QLabel* m_unresolvedText = nullptr;
    QPushButton* m_more = nullptr;
    int m_moreBlocks = 0;
    Card* m_spoilers = nullptr;
    QLabel* m_spoilersText = nullptr;
};

} // namespace ui
