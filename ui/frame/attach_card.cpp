#include "ui/frame/attach_card.h"

#include "app/remote/remote_address.h"
#include "ui/icons.h"
#include "ui/theme.h"

#include <QFileDialog>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

AttachCard::AttachCard(QWidget* window) : OverlayCard(window) {
    auto* column = new QVBoxLayout(card());
    column->setContentsMargins(20, 16, 20, 16);
    column->setSpacing(8);
    auto* head = new QHBoxLayout;
    m_title = makeLabel({}, TextRole::PageTitle, this);
    m_close = makeButton({}, ButtonKind::Quiet, this);
    m_close->setIcon(icon(QStringLiteral("cross")));
    head->addWidget(m_title, 1);
    head->addWidget(m_close);
    column->addLayout(head);
    m_lead = makeLabel({}, TextRole::Small, this);
    m_lead->setWordWrap(true);
    column->addWidget(m_lead);
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(8);
    m_addressLabel = makeLabel({}, TextRole::Body, this);
    m_address = new QLineEdit(this);
    m_address->setPlaceholderText(QStringLiteral("http://127.0.0.1:8000"));
    m_tokenLabel = makeLabel({}, TextRole::Body, this);
    m_token = new QLineEdit(this);
    m_choose = makeButton({}, ButtonKind::Normal, this);
    m_addressLabel->setBuddy(m_address);
    m_tokenLabel->setBuddy(m_token);
    grid->addWidget(m_addressLabel, 0, 0);
    grid->addWidget(m_address, 0, 1, 1, 2);
    grid->addWidget(m_tokenLabel, 1, 0);
    grid->addWidget(m_token, 1, 1);
    grid->addWidget(m_choose, 1, 2);
    grid->setColumnStretch(1, 1);
    column->addLayout(grid);
    m_problem = makeLabel({}, TextRole::Caption, this);
    setSheetProperty(m_problem, "tone", QStringLiteral("bad"));
    m_problem->setWordWrap(true);
    column->addWidget(m_problem);
    column->addStretch(1);
    auto* foot = new QHBoxLayout;
    m_attach = makeButton({}, ButtonKind::Primary, this);
    foot->addStretch(1);
    foot->addWidget(m_attach);
    column->addLayout(foot);
    connect(m_close, &QPushButton::clicked, this, &OverlayCard::close);
    connect(m_attach, &QPushButton::clicked, this, &AttachCard::attach);
    connect(m_choose, &QPushButton::clicked, this, &AttachCard::chooseToken);
    connect(m_address, &QLineEdit::textChanged, this, &AttachCard::check);
    connect(m_token, &QLineEdit::textChanged, this, &AttachCard::check);
}

QSize AttachCard::cardSize(QSize window) const {
    return {std::min(560, window.width() - 40), std::min(270, window.height() - 80)};
}

int AttachCard::cardTop(QSize window) const {
    return std::max(40, window.height() / 5);
}

QWidget* AttachCard::firstFocus() {
    return m_address;
}

void AttachCard::prepare() {
    m_title->setText(tr("Attach to a server"));
    setAccessibleName(m_title->text());
    m_lead->setText(tr("vLLM, SGLang, llama.cpp or any server with the OpenAI API. Traffic, charts "
                       "and runs are as for a model of this machine; times are measured on this "
                       "side. The server’s settings can’t be changed from here."));
    m_addressLabel->setText(tr("Address"));
    m_address->setAccessibleName(m_addressLabel->text());
    m_tokenLabel->setText(tr("Token file"));
    m_token->setPlaceholderText(tr("none"));
    m_token->setAccessibleName(m_tokenLabel->text());
    m_token->setToolTip(tr("A file with the server’s API key in its first line; the key itself is "
                           "never kept"));
    m_choose->setText(tr("Choose…"));
    m_attach->setText(tr("Attach"));
    m_close->setToolTip(tr("Close"));
    m_close->setAccessibleName(tr("Close"));
    check();
    m_address->selectAll();
}

QString AttachCard::address() const {
    QString text = m_address->text().trimmed();
    if (!text.isEmpty() && !text.contains(QStringLiteral("://"))) {
        text.prepend(QStringLiteral("http://"));
    }
    const QString token = m_token->text().trimmed();
    return token.isEmpty() ? text : text + QStringLiteral("?token-file=") + token;
}

// Nothing is wrong with a field that is still empty.
void AttachCard::check() {
    const bool isEmpty = m_address->text().trimmed().isEmpty();
    const auto parsed = app::parseRemoteAddress(address().toStdString());
    const bool isBad = !isEmpty && !parsed;
    m_problem->setText(isBad ? QString::fromStdString(parsed.error().message) : QString());
    m_address->setAccessibleDescription(m_problem->text());
    setControlState(m_address, isBad ? "bad" : "");
    m_attach->setEnabled(!isEmpty && !isBad);
}

void AttachCard::attach() {
    if (!m_attach->isEnabled()) {
        return;
    }
    const auto parsed = app::parseRemoteAddress(address().toStdString());
    if (const auto token = app::readToken(*parsed); !token) {
        m_problem->setText(QString::fromStdString(token.error().message));
        setControlState(m_token, "bad");
        return;
    }
    setControlState(m_token, "");
    close();
    Q_EMIT attachRequested(address());
}

void AttachCard::chooseToken() {
    auto* dialog = new QFileDialog(this, tr("Choose the token file"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, m_token, &QLineEdit::setText);
    dialog->open();
}

void AttachCard::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        attach();
    } else {
        OverlayCard::keyPressEvent(event);
    }
}

} // namespace ui
