#include "ui/theme.h"

#include "ui/style_sheet.h"

#include <QApplication>
#include <QDirIterator>
#include <QFontDatabase>
#include <QLabel>
#include <QLocale>
#include <QPalette>
#include <QPushButton>
#include <QStandardPaths>
#include <QStyle>
#include <QStyleFactory>
#include <QVariant>

namespace ui {

namespace {

// The theme in force lives on the application object, so that there is no global of our own.
constexpr const char* kThemeProperty = "headwayTheme";
constexpr const char* kFontsProperty = "headwayFontsLoaded";

void loadFonts(QApplication& application) {
    if (application.property(kFontsProperty).toBool()) {
        return;
    }
    application.setProperty(kFontsProperty, true);
    for (QDirIterator files(QStringLiteral(":/headway/fonts"), {QStringLiteral("*.otf")});
         files.hasNext();) {
        QFontDatabase::addApplicationFont(files.next());
    }
}

QPalette makePalette(ThemeKind theme) {
    const auto of = [theme](ColorRole role) { return app::color(theme, role); };
    QPalette palette;
    palette.setColor(QPalette::Window, of(ColorRole::Window));
    palette.setColor(QPalette::WindowText, of(ColorRole::Text1));
    palette.setColor(QPalette::Base, of(ColorRole::Card));
    palette.setColor(QPalette::AlternateBase, of(ColorRole::Card));
    palette.setColor(QPalette::Text, of(ColorRole::Text1));
    palette.setColor(QPalette::Button, of(ColorRole::Input));
    palette.setColor(QPalette::ButtonText, of(ColorRole::Text1));
    palette.setColor(QPalette::BrightText, of(ColorRole::Bad));
    palette.setColor(QPalette::Highlight, of(ColorRole::AccentTint));
    palette.setColor(QPalette::HighlightedText, of(ColorRole::Accent));
    palette.setColor(QPalette::Link, of(ColorRole::Accent));
    palette.setColor(QPalette::LinkVisited, of(ColorRole::Accent));
    palette.setColor(QPalette::ToolTipBase, of(ColorRole::Input));
    palette.setColor(QPalette::ToolTipText, of(ColorRole::Text1));
    palette.setColor(QPalette::PlaceholderText, of(ColorRole::Text3));
    palette.setColor(QPalette::Light, of(ColorRole::Hover));
    palette.setColor(QPalette::Midlight, of(ColorRole::Line));
    palette.setColor(QPalette::Mid, of(ColorRole::LineStrong));
    palette.setColor(QPalette::Dark, of(ColorRole::Line));
    palette.setColor(QPalette::Shadow, of(ColorRole::Window));
    for (const auto group : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, group,
                         mix(of(ColorRole::Text1), of(ColorRole::Card), 0.5));
    }
    return palette;
}

const char* name(TextRole role) {
    switch (role) {
    case TextRole::Caption:
        return "caption";
    case TextRole::Small:
        return "small";
    case TextRole::SmallTitle:
        return "smallTitle";
    case TextRole::Body:
        return "body";
    case TextRole::CardTitle:
        return "cardTitle";
    case TextRole::PageTitle:
        return "pageTitle";
    case TextRole::Muted:
        return "muted";
    case TextRole::Value:
        return "value";
    }
    return "body";
}

const char* name(ButtonKind kind) {
    switch (kind) {
    case ButtonKind::Normal:
        return "normal";
    case ButtonKind::Primary:
        return "primary";
    case ButtonKind::Quiet:
        return "quiet";
    case ButtonKind::Danger:
        return "danger";
    }
    return "normal";
}

const char* name(Surface surface) {
    switch (surface) {
    case Surface::Window:
        return "window";
    case Surface::Panel:
        return "panel";
    case Surface::Card:
        return "card";
    case Surface::Strip:
        return "strip";
    }
    return "window";
}

} // namespace

void applyTheme(QApplication& application, ThemeKind theme) {
    loadFonts(application);
    application.setProperty(kThemeProperty, static_cast<int>(theme));
    if (application.style() == nullptr ||
        application.style()->name().compare(u"fusion", Qt::CaseInsensitive) != 0) {
        application.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    }
    application.setPalette(makePalette(theme));
    application.setFont(font(type::kBody));
    const QString cache = QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation);
    application.setStyleSheet(makeStyleSheet(theme, cache + QStringLiteral("/headway/style")));
}

ThemeKind themeKind() {
    const QVariant theme = qApp != nullptr ? qApp->property(kThemeProperty) : QVariant();
    return theme.isValid() ? static_cast<ThemeKind>(theme.toInt()) : ThemeKind::Dark;
}

QColor color(ColorRole role) {
    return app::color(themeKind(), role);
}

QColor color(ColorRole role, double opacity) {
    QColor result = color(role);
    result.setAlphaF(static_cast<float>(opacity));
    return result;
}

QColor mix(QColor over, QColor under, double share) {
    const auto part = [share](int a, int b) {
        return static_cast<int>(a * share + b * (1.0 - share) + 0.5);
    };
    return {part(over.red(), under.red()), part(over.green(), under.green()),
            part(over.blue(), under.blue())};
}

QFont font(int pixels, QFont::Weight weight) {
    QFont result;
    result.setFamilies({QStringLiteral("Headway Sans"), QStringLiteral("Inter"),
                        QStringLiteral("Noto Sans CJK SC")});
    result.setPixelSize(pixels);
    // The middle weight of the Chinese face reads as bold beside its normal one.
    const bool isChinese = QLocale().language() == QLocale::Chinese;
    result.setWeight(isChinese && weight == QFont::Medium ? QFont::Normal : weight);
    return result;
}

QLabel* makeLabel(const QString& text, TextRole role, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    setTextRole(label, role);
    return label;
}

void setTextRole(QLabel* label, TextRole role) {
    setSheetProperty(label, "role", QString::fromLatin1(name(role)));
}

QPushButton* makeButton(const QString& text, ButtonKind kind, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    // A click leaves the focus where it was; Tab still reaches every button.
    button->setFocusPolicy(Qt::TabFocus);
    button->setCursor(Qt::PointingHandCursor);
    setButtonKind(button, kind);
    return button;
}

void setButtonKind(QPushButton* button, ButtonKind kind) {
    setSheetProperty(button, "kind", QString::fromLatin1(name(kind)));
}

void setSurface(QWidget* widget, Surface surface) {
    widget->setAttribute(Qt::WA_StyledBackground);
    setSheetProperty(widget, "surface", QString::fromLatin1(name(surface)));
}

void setControlState(QWidget* widget, const char* state) {
    setSheetProperty(widget, "state", QString::fromLatin1(state));
}

void setSheetProperty(QWidget* widget, const char* property, const QVariant& value) {
    if (widget->property(property) == value) {
        return;
    }
    widget->setProperty(property, value);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

} // namespace ui
