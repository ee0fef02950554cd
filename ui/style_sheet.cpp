#include "ui/style_sheet.h"

#include "ui/theme.h"

#include <QDir>
#include <QFile>
#include <QHash>
#include <QRegularExpression>

#include <array>
#include <stdexcept>

namespace ui {

namespace {

struct NamedRole {
    const char* name;
    ColorRole role;
};

constexpr std::array kNamedRoles = {
    NamedRole{"window", ColorRole::Window},
    NamedRole{"panel", ColorRole::Panel},
    NamedRole{"card", ColorRole::Card},
    NamedRole{"input", ColorRole::Input},
    NamedRole{"hover", ColorRole::Hover},
    NamedRole{"line", ColorRole::Line},
    NamedRole{"lineStrong", ColorRole::LineStrong},
    NamedRole{"text1", ColorRole::Text1},
    NamedRole{"text2", ColorRole::Text2},
    NamedRole{"text3", ColorRole::Text3},
    NamedRole{"accent", ColorRole::Accent},
    NamedRole{"onAccent", ColorRole::OnAccent},
    NamedRole{"accentTint", ColorRole::AccentTint},
    NamedRole{"warn", ColorRole::Warn},
    NamedRole{"warnTint", ColorRole::WarnTint},
    NamedRole{"warnBorder", ColorRole::WarnBorder},
    NamedRole{"bad", ColorRole::Bad},
    NamedRole{"badTint", ColorRole::BadTint},
    NamedRole{"badBorder", ColorRole::BadBorder},
    NamedRole{"info", ColorRole::Info},
    NamedRole{"infoTint", ColorRole::InfoTint},
    NamedRole{"better", ColorRole::Better},
    NamedRole{"worse", ColorRole::Worse},
};

// A mark of the sheet: placeholder, icon file, and the colour it is tinted with.
struct Mark {
    const char* name;
    const char* icon;
    ColorRole role;
    bool isOff;
};

constexpr std::array kMarks = {
    Mark{"chevronDown", "chevron-down", ColorRole::Text3, false},
    Mark{"chevronDownOff", "chevron-down", ColorRole::Text3, true},
    Mark{"chevronRight", "chevron-right", ColorRole::Text3, false},
    Mark{"spinUp", "spin-up", ColorRole::Text3, false},
    Mark{"spinUpHover", "spin-up", ColorRole::Text1, false},
    Mark{"spinUpOff", "spin-up", ColorRole::Text3, true},
    Mark{"spinDown", "spin-down", ColorRole::Text3, false},
    Mark{"spinDownHover", "spin-down", ColorRole::Text1, false},
    Mark{"spinDownOff", "spin-down", ColorRole::Text3, true},
    Mark{"checkMark", "check-bold", ColorRole::OnAccent, false},
    Mark{"dashMark", "dash-bold", ColorRole::OnAccent, false},
    Mark{"dotMark", "dot-bold", ColorRole::OnAccent, false},
    Mark{"checkAccent", "check", ColorRole::Accent, false},
};

QByteArray resource(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        throw std::logic_error("missing resource " + path.toStdString());
    }
    return file.readAll();
}

// The path of a tinted copy, named after its colour so that both themes live side by side.
QString markFile(const Mark& mark, app::ThemeKind theme, const QString& folder) {
    QColor tint = app::color(theme, mark.role);
    if (mark.isOff) {
        tint = mix(tint, app::color(theme, ColorRole::Card), 0.5);
    }
    const QString name = QString::fromLatin1(mark.icon);
    const QString path = QStringLiteral("%1/%2-%3.svg").arg(folder, name, tint.name().mid(1));
    QByteArray svg = resource(QStringLiteral(":/headway/icons/%1.svg").arg(name));
    svg.replace("currentColor", tint.name().toLatin1());
    QFile file(path);
    if (file.exists() && file.size() == svg.size()) {
        return path;
    }
    const bool isWritten =
        QDir().mkpath(folder) && file.open(QIODevice::WriteOnly) && file.write(svg) == svg.size();
    return isWritten ? path : QString();
}

QHash<QString, QString> placeholders(app::ThemeKind theme, const QString& arrowFolder) {
    QHash<QString, QString> values;
    const auto of = [theme](ColorRole role) { return app::color(theme, role); };
    for (const NamedRole& named : kNamedRoles) {
        values.insert(QString::fromLatin1(named.name), of(named.role).name());
    }
    // The sheet has no opacity: half-transparent text is mixed with the surface it stands on.
    const QColor card = of(ColorRole::Card);
    values[QStringLiteral("disabled1")] = mix(of(ColorRole::Text1), card, 0.5).name();
    values[QStringLiteral("disabled2")] = mix(of(ColorRole::Text2), card, 0.5).name();
    values[QStringLiteral("disabledAccent")] = mix(of(ColorRole::Accent), card, 0.5).name();
    values[QStringLiteral("disabledOnAccent")] = mix(of(ColorRole::OnAccent), card, 0.6).name();
    values[QStringLiteral("accentHover")] =
        mix(of(ColorRole::Accent), of(ColorRole::Text1), 0.88).name();
    values[QStringLiteral("accentBorder")] =
        mix(of(ColorRole::Accent), of(ColorRole::AccentTint), 0.4).name();
    values[QStringLiteral("accentPressed")] =
        mix(of(ColorRole::Accent), of(ColorRole::Window), 0.85).name();
    values[QStringLiteral("fieldHover")] =
        mix(of(ColorRole::LineStrong), of(ColorRole::Text3), 0.6).name();
    for (const Mark& mark : kMarks) {
        values.insert(QString::fromLatin1(mark.name), markFile(mark, theme, arrowFolder));
    }
    return values;
}

} // namespace

QString makeStyleSheet(app::ThemeKind theme, const QString& arrowFolder) {
    const QString source =
        QString::fromUtf8(resource(QStringLiteral(":/headway/style/console.qss")));
    const QHash<QString, QString> values = placeholders(theme, arrowFolder);
    static const QRegularExpression comment(QStringLiteral("/\\*.*?\\*/"),
                                            QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression placeholder(QStringLiteral("@([A-Za-z0-9]+)"));
    QString text = source;
    text.remove(comment);
    QString sheet;
    qsizetype end = 0;
    for (auto matches = placeholder.globalMatch(text); matches.hasNext();) {
        const QRegularExpressionMatch match = matches.next();
        const auto value = values.constFind(match.captured(1));
        if (value == values.constEnd()) {
            throw std::logic_error("style sheet: unknown placeholder @" +
                                   match.captured(1).toStdString());
        }
        sheet += QStringView(text).mid(end, match.capturedStart() - end);
        sheet += *value;
        end = match.capturedEnd();
    }
    sheet += QStringView(text).mid(end);
    return sheet;
}

} // namespace ui
