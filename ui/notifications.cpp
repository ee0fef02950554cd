#include "ui/notifications.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QStringList>
#include <QVariantMap>

namespace ui {

// The Desktop Notifications Specification, version 1.2.
void notifyDesktop(const QString& title, const QString& text) {
    constexpr int kShownMs = 10'000;
    const QString service = QStringLiteral("org.freedesktop.Notifications");
    QDBusMessage message =
        QDBusMessage::createMethodCall(service, QStringLiteral("/org/freedesktop/Notifications"),
                                       service, QStringLiteral("Notify"));
    message.setArguments({QStringLiteral("Headway"), 0U, QStringLiteral("headway"), title,
                          text.toHtmlEscaped(), QStringList{}, QVariantMap{}, kShownMs});
    QDBusConnection::sessionBus().send(message); // its answer is of no use
}

} // namespace ui
