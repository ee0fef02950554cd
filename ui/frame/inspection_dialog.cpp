#include "ui/frame/inspection_dialog.h"

#include "app/labels.h"
#include "ui/theme.h"

#include <QApplication>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QPointer>
#include <QTableWidget>
#include <QThreadPool>
#include <QVBoxLayout>

namespace ui {

InspectionDialog::InspectionDialog(const QString& file, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("What the file holds"));
    resize(620, 560);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 14, 16, 16);
    layout->setSpacing(8);
    m_title = makeLabel(QFileInfo(file).fileName(), TextRole::PageTitle, this);
    layout->addWidget(m_title);
    m_note = makeLabel(tr("Reading the header…"), TextRole::Small, this);
    m_note->setWordWrap(true);
    m_note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    layout->addWidget(m_note);
    m_table = new QTableWidget(0, 2, this);
    m_table->horizontalHeader()->hide();
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(size::kRow);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setColumnWidth(0, 220);
    m_table->setShowGrid(false);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionMode(QAbstractItemView::ContiguousSelection);
    m_table->setAccessibleName(tr("Properties of the file"));
    setSheetProperty(m_table, "framed", true);
    layout->addWidget(m_table, 1);

    QThreadPool::globalInstance()->start([guard = QPointer<InspectionDialog>(this), file] {
        const auto inspection = engine::inspectModel(file.toStdString());
        QMetaObject::invokeMethod(
            qApp,
            [guard, inspection] {
                if (guard == nullptr) {
                    return;
                }
                if (inspection) {
                    guard->fill(*inspection);
                } else {
                    guard->m_note->setText(QString::fromStdString(inspection.error().message));
                }
            },
            Qt::QueuedConnection);
    });
}

void InspectionDialog::fill(const engine::ModelInspection& inspection) {
    const auto number = [](auto value) { return app::numberText(static_cast<double>(value)); };
    m_title->setText(QString::fromStdString(inspection.name));
    m_note->setText(
        inspection.unsupported
            ? tr("This file can't be run: %1").arg(QString::fromStdString(*inspection.unsupported))
            : tr("This file can be run."));
    addRow(tr("Architecture"), QString::fromStdString(inspection.architecture));
    addRow(tr("Parameters"), number(inspection.parameters));
    addRow(tr("File"), app::bytesText(inspection.fileBytes));
    addRow(tr("License"), inspection.license.empty() ? tr("not stated")
                                                     : QString::fromStdString(inspection.license));
    addRow(tr("Layers"), number(inspection.layers));
    addRow(tr("Hidden size"), number(inspection.hidden));
    addRow(tr("Heads, of keys and values"),
           QStringLiteral("%1, %2").arg(number(inspection.heads), number(inspection.kvHeads)));
    addRow(tr("Context"), tr("%1 tokens").arg(number(inspection.context)));
    addRow(tr("Vocabulary"), number(inspection.vocabulary));
    addRow(tr("Tokenizer"),
           QStringLiteral("%1, %2").arg(QString::fromStdString(inspection.tokenizerModel),
                                        QString::fromStdString(inspection.preTokenizer)));
    addRow(tr("Chat format"), QString::fromStdString(inspection.chatFormat));
    for (const engine::FormatGroup& group : inspection.groups) {
        addRow(tr("Tensors: %1").arg(QString::fromStdString(group.role)),
               tr("%1 × %2, %3")
                   .arg(number(group.tensors), QString::fromStdString(group.format),
                        app::bytesText(group.bytes)));
    }
    for (const engine::MemoryNeed& need : inspection.memory) {
        addRow(tr("Memory at %1 tokens").arg(number(need.contextTokens)),
               tr("weights %1, KV %2")
                   .arg(app::bytesText(need.weightsBytes), app::bytesText(need.kvBytes)));
    }
    for (const auto& [key, text] : inspection.metadata) {
        addRow(QString::fromStdString(key), QString::fromStdString(text));
    }
}

void InspectionDialog::addRow(const QString& name, const QString& value) {
    const int row = m_table->rowCount();
    m_table->insertRow(row);
    auto* nameItem = new QTableWidgetItem(name);
    nameItem->setForeground(color(ColorRole::Text2));
    m_table->setItem(row, 0, nameItem);
    auto* valueItem = new QTableWidgetItem(value);
    valueItem->setToolTip(value);
    m_table->setItem(row, 1, valueItem);
}

} // namespace ui
