#include "ui/frame/unwritten_box.h"

#include "app/session.h"

#include <QCoreApplication>
#include <QMessageBox>
#include <QTimer>

namespace ui {

void waitUntilWritten(const app::Session& session) {
    constexpr int kLookMs = 100;
    const auto left = session.unwritten();
    if (!left) {
        return;
    }
    QMessageBox box;
    box.setIcon(QMessageBox::Warning);
    box.setObjectName(QStringLiteral("unwritten"));
    box.setWindowTitle(QStringLiteral("Headway"));
    box.setText(QCoreApplication::translate("ui::UnwrittenBox",
                                            "The end of run %1 is not in the run log yet")
                    .arg(left->run));
    QStringList lines{QString::fromStdString(left->problem)};
    if (const int requests = static_cast<int>(left->requests); requests > 0) {
        lines << QCoreApplication::translate("ui::UnwrittenBox", "%n request(s) would be lost.",
                                             nullptr, requests);
    }
    lines << QCoreApplication::translate("ui::UnwrittenBox",
                                         "It is tried again every second, and this closes by "
                                         "itself once it is written.");
    box.setInformativeText(lines.join(QLatin1Char('\n')));
    box.addButton(QCoreApplication::translate("ui::UnwrittenBox", "Close without it"),
                  QMessageBox::DestructiveRole);
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, &box, [&] {
        if (!session.unwritten()) {
            box.accept();
        }
    });
    timer.start(kLookMs);
    box.exec();
}

} // namespace ui
