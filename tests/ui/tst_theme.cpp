// The sheet and the icons: made from tokens, switched live. Contrast and colour vision of the
// tokens themselves are tested with the palette.
#include "ui/icons.h"
#include "ui/style_sheet.h"
#include "ui/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using app::ColorRole;
using app::ThemeKind;

namespace {

int countNear(const QImage& image, const QColor& wanted) {
    int found = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor pixel = image.pixelColor(x, y);
            const int distance = std::abs(pixel.red() - wanted.red()) +
                                 std::abs(pixel.green() - wanted.green()) +
                                 std::abs(pixel.blue() - wanted.blue());
            found += pixel.alpha() > 200 && distance < 24 ? 1 : 0;
        }
    }
    return found;
}

} // namespace

class TstTheme : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void theSheetNamesNoColourOfItsOwn();
    void everyPlaceholderIsFilled_data();
    void everyPlaceholderIsFilled();
    void withoutAFolderTheSheetGoesOn();
    void everyIconDraws();
    void iconsFollowTheTheme();
    void aPrimaryButtonIsAccent();
    void focusKeepsTheSize_data();
    void focusKeepsTheSize();
    void aPropertyChangesTheLook();
    void digitsAreAllEquallyWide();

private:
    QTemporaryDir m_folder;
};

void TstTheme::initTestCase() {
    qputenv("XDG_CACHE_HOME", m_folder.path().toUtf8());
    ui::applyTheme(*qApp, ThemeKind::Dark);
}

void TstTheme::theSheetNamesNoColourOfItsOwn() {
    QFile file(QStringLiteral(":/headway/style/console.qss"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString sheet = QString::fromUtf8(file.readAll());
    const QRegularExpression colour(QStringLiteral("#[0-9a-fA-F]{3,8}\\b|rgba?\\("));
    QVERIFY2(!colour.match(sheet).hasMatch(), qPrintable(colour.match(sheet).captured()));
}

void TstTheme::everyPlaceholderIsFilled_data() {
    QTest::addColumn<int>("theme");
    QTest::newRow("dark") << static_cast<int>(ThemeKind::Dark);
    QTest::newRow("light") << static_cast<int>(ThemeKind::Light);
}

void TstTheme::everyPlaceholderIsFilled() {
    QFETCH(int, theme);
    const QString sheet =
        ui::makeStyleSheet(static_cast<ThemeKind>(theme), m_folder.filePath(QStringLiteral("s")));
    QVERIFY(sheet.size() > 4000);
    QVERIFY(!sheet.contains(QLatin1Char('@')));
    QVERIFY(!sheet.contains(QStringLiteral("url()")));
    // Each arrow that the sheet names is there.
    auto urls = QRegularExpression(QStringLiteral("url\\(([^)]+)\\)")).globalMatch(sheet);
    QVERIFY(urls.hasNext());
    while (urls.hasNext()) {
        const QString path = urls.next().captured(1);
        QVERIFY2(QFile::exists(path), qPrintable(path));
    }
}

void TstTheme::withoutAFolderTheSheetGoesOn() {
    // A path under a file can't be made, not even by root.
    QFile blocker(m_folder.filePath(QStringLiteral("file")));
    QVERIFY(blocker.open(QIODevice::WriteOnly));
    const QString sheet =
        ui::makeStyleSheet(ThemeKind::Dark, m_folder.filePath(QStringLiteral("file/style")));
    QVERIFY(sheet.contains(QStringLiteral("QPushButton")));
}

void TstTheme::everyIconDraws() {
    const QStringList files = QDir(QStringLiteral(":/headway/icons")).entryList();
    QVERIFY(files.size() > 40);
    for (const QString& file : files) {
        const QString name = file.chopped(4);
        QVERIFY(ui::hasIcon(name));
        QImage image(40, 40, QImage::Format_ARGB32_Premultiplied);
        image.fill(Qt::transparent);
        QPainter painter(&image);
        ui::paintIcon(painter, name, QRectF(0, 0, 40, 40), Qt::red);
        painter.end();
        QVERIFY2(countNear(image, Qt::red) > 10, qPrintable(name));
    }
}

void TstTheme::iconsFollowTheTheme() {
    const QIcon icon = ui::icon(QStringLiteral("live"), ColorRole::Accent);
    for (const ThemeKind theme : {ThemeKind::Light, ThemeKind::Dark}) {
        ui::applyTheme(*qApp, theme);
        const QImage image = icon.pixmap(QSize(40, 40)).toImage();
        QVERIFY(countNear(image, app::color(theme, ColorRole::Accent)) > 20);
    }
}

void TstTheme::aPrimaryButtonIsAccent() {
    QWidget window;
    auto* button = ui::makeButton(QStringLiteral("Go"), ui::ButtonKind::Primary, &window);
    button->resize(80, 28);
    for (const ThemeKind theme : {ThemeKind::Light, ThemeKind::Dark}) {
        ui::applyTheme(*qApp, theme);
        window.ensurePolished();
        const QImage image = button->grab().toImage();
        QVERIFY(countNear(image, app::color(theme, ColorRole::Accent)) > 800);
        QVERIFY(countNear(image, app::color(theme, ColorRole::OnAccent)) > 5);
    }
}

void TstTheme::focusKeepsTheSize_data() {
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"button", "combo", "spin", "line"}) {
        QTest::newRow(kind) << QString::fromLatin1(kind);
    }
}

void TstTheme::focusKeepsTheSize() {
    QFETCH(QString, kind);
    QWidget window;
    QWidget* control = nullptr;
    if (kind == QStringLiteral("button")) {
        control = ui::makeButton(QStringLiteral("Press"), ui::ButtonKind::Normal, &window);
    } else if (kind == QStringLiteral("combo")) {
        auto* combo = new QComboBox(&window);
        combo->addItem(QStringLiteral("continuous"));
        control = combo;
    } else if (kind == QStringLiteral("spin")) {
        control = new QSpinBox(&window);
    } else {
        control = new QLineEdit(&window);
    }
    window.show();
    const QSize before = control->sizeHint();
    window.activateWindow();
    control->setFocus(Qt::TabFocusReason);
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTRY_VERIFY(control->hasFocus());
    QCOMPARE(control->sizeHint(), before);
}

void TstTheme::aPropertyChangesTheLook() {
    QWidget window;
    auto* field = new QLineEdit(&window);
    field->resize(120, 28);
    ui::setControlState(field, "bad");
    QVERIFY(countNear(field->grab().toImage(), ui::color(ColorRole::Bad)) > 100);
    ui::setControlState(field, "");
    QCOMPARE(countNear(field->grab().toImage(), ui::color(ColorRole::Bad)), 0);
}

void TstTheme::digitsAreAllEquallyWide() {
    if (!QDir(QStringLiteral(":/headway/fonts")).exists()) {
        QSKIP("the font is part of the program, not of this test");
    }
    for (const int pixels : {11, 12, 13, 20, 24}) {
        const QFontMetricsF metrics(ui::font(pixels));
        for (char digit = '1'; digit <= '9'; ++digit) {
            QCOMPARE(metrics.horizontalAdvance(QChar::fromLatin1(digit)),
                     metrics.horizontalAdvance(QLatin1Char('0')));
        }
    }
}

QTEST_MAIN(TstTheme)
#include "tst_theme.moc"
