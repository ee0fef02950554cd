// The language of the window, switched without restart: translators of the product and of Qt's own
// dialogs, and the locale of numbers. Owned by the console; UI thread.
#pragma once

#include <QString>
#include <QTranslator>

namespace ui {

class Language {
public:
    ~Language();
    // "en" or "zh_CN". Widgets hear of it by QEvent::LanguageChange in the next turn of the loop.
    void set(const QString& code);
    // The code itself, or what the system speaks where it is empty.
    static QString resolve(const QString& code);
    const QString& code() const { return m_code; }

private:
    QString m_code;
    QTranslator m_product;
    QTranslator m_qt;
};

} // namespace ui
