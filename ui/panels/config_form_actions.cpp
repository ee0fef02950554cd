// What the configuration panel does beside showing rows: undo, presets, flags, the menu of a row.
// See config_form.h.
#include "app/labels.h"
#include "app/session.h"
#include "app/setting_edit.h"
#include "ui/panels/config_form.h"
#include "ui/panels/config_presets.h"
#include "ui/panels/field_row.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>

#include <algorithm>

namespace ui {

void ConfigForm::toggle(std::string_view key) {
    if (FieldRow* found = row(key)) {
        const std::string value = engine::valueText(found->field(), m_session.config().requested);
        propose(found, value == "on" ? QStringLiteral("off") : QStringLiteral("on"));
    }
}

void ConfigForm::reveal(std::string_view key) {
    FieldRow* found = row(key);
    if (found == nullptr) {
        return;
    }
    m_filter->clear();
    for (QWidget* at = m_scroll->parentWidget(); at != nullptr; at = at->parentWidget()) {
        if (auto* scroll = qobject_cast<QScrollArea*>(at)) {
            scroll->ensureWidgetVisible(found, 0, 80);
            break;
        }
    }
    found->editor()->setFocus(Qt::OtherFocusReason);
}

// In one edit: rules across settings see all of it. Undo takes them back one by one.
void ConfigForm::applySettings(const app::SettingTexts& settings) {
    const engine::EngineConfig before = m_session.config().requested;
    const auto edited = m_session.edit([&settings](engine::EngineConfig& config) {
        for (const auto& [key, value] : settings) {
            if (const engine::Field* field = engine::findField(key)) {
                static_cast<void>(engine::setFromText(*field, config, value));
            }
        }
    });
    if (!edited) {
        const std::string& key = settings.front().first;
        m_refusals[key] = {.typed = QString::fromStdString(settings.front().second),
                           .reason = QString::fromStdString(edited.error().message),
                           .nearest = {}};
        reveal(key);
    } else {
        m_refusals.clear();
        for (const engine::FieldChange& change :
             engine::diff(before, m_session.config().requested)) {
            m_undo.push_back({change.key, change.before});
        }
    }
    refresh();
}

void ConfigForm::openPresets() {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    for (const ConfigPreset& preset : configPresets()) {
        QAction* action = menu->addAction(
            preset.name, this, [this, settings = preset.settings] { applySettings(settings); });
        action->setToolTip(preset.note);
    }
    const QSize size = menu->sizeHint();
    menu->popup(m_presets->mapToGlobal(QPoint(0, -size.height() - 2)));
}

void ConfigForm::undoLast() {
    if (m_undo.empty()) {
        return;
    }
    const Edit edit = m_undo.back();
    m_undo.pop_back();
    const std::size_t depth = m_undo.size();
    propose(row(edit.key), QString::fromStdString(edit.before));
    // Going back is no new step to go back from.
    m_undo.resize(std::min(depth, m_undo.size()));
    m_undoButton->setEnabled(!m_undo.empty());
}

void ConfigForm::copyAsFlags() {
    const std::string flags = app::asFlags(m_session.config().requested);
    QGuiApplication::clipboard()->setText(QString::fromStdString(flags));
    m_copy->setText(flags.empty() ? tr("All at default: no flags needed") : tr("Copied"));
}

void ConfigForm::openMenu(FieldRow* row, const QPoint& globalPosition) {
    const engine::Field& field = row->field();
    engine::EngineConfig byDefault;
    field.set(byDefault, field.defaultValue);
    const std::string standard = engine::valueText(field, byDefault);
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto change = m_changes.find(field.key);
    if (change != m_changes.end()) {
        const std::string before = change->second.before;
        menu->addAction(tr("Undo: back to %1").arg(fieldValueText(field, before)), this,
                        [this, row, before] { propose(row, QString::fromStdString(before)); });
    }
    QAction* reset =
        menu->addAction(tr("Default: %1").arg(fieldValueText(field, standard)), this,
                        [this, row, standard] { propose(row, QString::fromStdString(standard)); });
    reset->setEnabled(engine::valueText(field, m_session.config().requested) != standard);
    const QString flag =
        QString::fromUtf8(field.flag.data(), static_cast<qsizetype>(field.flag.size())) + u' ' +
        QString::fromStdString(engine::valueText(field, m_session.config().requested));
    menu->addAction(tr("Copy “%1”").arg(flag), this,
                    [flag] { QGuiApplication::clipboard()->setText(flag); });
    menu->popup(globalPosition);
}

} // namespace ui
