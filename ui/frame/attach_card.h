// Attach to a server that runs elsewhere: its address and, where it asks for one, the file with its
// token. Says what is wrong with an address at the field. UI thread.
#pragma once

#include "ui/frame/overlay_card.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace ui {

class AttachCard final : public OverlayCard {
    Q_OBJECT

public:
    explicit AttachCard(QWidget* window);
    QLineEdit* addressField() const { return m_address; }
    QLineEdit* tokenField() const { return m_token; }

Q_SIGNALS:
    void attachRequested(const QString& address); // with its token file

protected:
    QSize cardSize(QSize window) const override;
    int cardTop(QSize window) const override;
    QWidget* firstFocus() override;
    void prepare() override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QString address() const;
    void check();
    void attach();
    void chooseToken();

    QLabel* m_title;
    QLabel* m_lead;
    QLabel* m_addressLabel;
    QLineEdit* m_address;
    QLabel* m_tokenLabel;
    QLineEdit* m_token;
    QPushButton* m_choose;
    QLabel* m_problem;
    QPushButton* m_close;
    QPushButton* m_attach;
};

} // namespace ui
