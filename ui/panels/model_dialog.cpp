#include "ui/panels/model_dialog.h"

#include "app/background.h"
#include "app/observe/machine.h"
#include "app/observe/model_facts.h"
#include "ui/theme.h"
#include "ui/widgets/card.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/key_button.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace ui {

ModelDialog::ModelDialog(const std::filesystem::path& file, QWidget* parent)
    : QDialog(parent),
      m_file(file) {
    setAttribute(Qt::WA_DeleteOnClose);
    resize(560, 520);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(20, 18, 20, 16);
    column->setSpacing(8);
    auto* head = new QHBoxLayout;
    head->setSpacing(8);
    m_name = makeLabel({}, TextRole::PageTitle, this);
    m_verdict = new Tag({}, Tone::Neutral, this);
    head->addWidget(m_name);
    head->addWidget(m_verdict);
    head->addStretch(1);
    column->addLayout(head);
    m_path = makeLabel(QString::fromStdString(file.string()), TextRole::Caption, this);
    m_path->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_path->setWordWrap(true);
    column->addWidget(m_path);
    m_message = makeLabel({}, TextRole::Small, this);
    m_message->setWordWrap(true);
    m_message->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_message);
    column->addWidget(makeRule(this));
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    m_facts = new QWidget(scroll);
    m_grid = new QGridLayout(m_facts);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(16);
    m_grid->setVerticalSpacing(6);
    m_grid->setColumnStretch(1, 1);
    scroll->setWidget(m_facts);
    column->addWidget(scroll, 1);
    auto* buttons = new QHBoxLayout;
    m_cancel = makeButton({}, ButtonKind::Normal, this);
    m_load = new KeyButton(ButtonKind::Primary, QStringLiteral("⏎"), this);
    m_cancel->setAutoDefault(false); // Enter loads, wherever the focus is
    m_load->setDefault(true);
    m_load->setFocus();
    buttons->addStretch(1);
    buttons->addWidget(m_cancel);
    buttons->addWidget(m_load);
    column->addLayout(buttons);
    connect(m_cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_load, &QPushButton::clicked, this, [this] {
        Q_EMIT loadRequested(QString::fromStdString(m_file.string()));
        accept();
    });
    fill();
    app::runInBackground(
        this, [file] { return engine::inspectModel(file); },
        [this](engine::Result<engine::ModelInspection> result) { take(std::move(result)); });
}

bool ModelDialog::canLoad() const {
    return m_inspection && !m_inspection->unsupported;
}

void ModelDialog::take(engine::Result<engine::ModelInspection> result) {
    if (result) {
        m_inspection = std::move(*result);
    } else {
        m_problem = QString::fromStdString(result.error().message);
    }
    fill();
    Q_EMIT inspected();
}

void ModelDialog::addFact(const QString& name, const QString& value) {
    const int row = m_grid->rowCount();
    auto* nameLabel = makeLabel(name, TextRole::Small, m_facts);
    auto* valueLabel = makeLabel(value, TextRole::Small, m_facts);
    setSheetProperty(nameLabel, "role", QStringLiteral("muted"));
    valueLabel->setTextInteractionFlags(Qt::TextSelectableByMouse);
    valueLabel->setWordWrap(true);
    m_grid->addWidget(nameLabel, row, 0, Qt::AlignTop);
    m_grid->addWidget(valueLabel, row, 1);
}

void ModelDialog::fill() {
    setWindowTitle(tr("Open a model"));
    m_cancel->setText(tr("Cancel"));
    m_load->setText(tr("Load"));
    m_load->setEnabled(canLoad());
    while (QLayoutItem* item = m_grid->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    if (!m_problem.isEmpty()) {
        m_name->setText(QString::fromStdString(m_file.filename().string()));
        m_verdict->setText(tr("not readable"));
        m_verdict->setTone(Tone::Bad);
        m_message->setText(m_problem);
    } else if (!m_inspection) {
        m_name->setText(QString::fromStdString(m_file.filename().string()));
        m_verdict->setText(tr("reading"));
        m_verdict->setTone(Tone::Info);
        m_message->setText(tr("Reading the header…"));
    } else {
        const engine::ModelInspection& model = *m_inspection;
        m_name->setText(
            QString::fromStdString(model.name.empty() ? m_file.filename().string() : model.name));
        m_verdict->setText(model.unsupported ? tr("not supported") : tr("supported"));
        m_verdict->setTone(model.unsupported ? Tone::Bad : Tone::Accent);
        const QString warning = app::memoryWarning(model, app::readMachine().availableBytes);
        QStringList problems;
        for (const std::string& problem : model.problems) {
            problems << QString::fromStdString(problem);
        }
        m_message->setText(model.unsupported ? problems.join(u'\n') : warning);
        setSheetProperty(m_message, "tone",
                         model.unsupported ? QStringLiteral("bad") : QStringLiteral("warn"));
        for (const auto& [name, value] : app::modelFacts(model)) {
            addFact(name, value);
        }
        m_grid->setRowStretch(m_grid->rowCount(), 1);
    }
    m_message->setVisible(!m_message->text().isEmpty());
}

void ModelDialog::changeEvent(QEvent* event) {
    QDialog::changeEvent(event);
    if (event->type() == QEvent::LanguageChange) {
        fill();
    }
}

} // namespace ui
