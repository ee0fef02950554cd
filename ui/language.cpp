#include "ui/language.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>

namespace ui {

Language::~Language() {
    QCoreApplication::removeTranslator(&m_product);
    QCoreApplication::removeTranslator(&m_qt);
}

QString Language::resolve(const QString& code) {
    if (!code.isEmpty()) {
        return code;
    }
    return QLocale::system().language() == QLocale::Chinese ? QStringLiteral("zh_CN")
                                                            : QStringLiteral("en");
}

void Language::set(const QString& code) {
    if (code == m_code) {
        return;
    }
    m_code = code;
    QLocale::setDefault(QLocale(code));
    QCoreApplication::removeTranslator(&m_product);
    QCoreApplication::removeTranslator(&m_qt);
    // English has a catalogue of its own only for plural forms; a missing one is no fault.
    if (m_product.load(QStringLiteral(":/i18n/headway_%1.qm").arg(code))) {
        QCoreApplication::installTranslator(&m_product);
    }
    if (code != QStringLiteral("en") &&
        m_qt.load(QStringLiteral("qtbase_%1").arg(code),
                  QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
        QCoreApplication::installTranslator(&m_qt);
    }
}

} // namespace ui
