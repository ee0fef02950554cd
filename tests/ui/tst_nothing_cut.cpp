// No word of any page is cut: at the smallest window and at a usual one, in both languages, at
// 100, 125 and 200 %.
#include "app/preferences.h"
#include "app/session.h"
#include "tests/support/fake_backend.h"
#include "ui/frame/rail.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/theme.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/choice_row.h"

#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QProcess>
#include <QPushButton>
#include <QScrollArea>
#include <QStyleOptionComboBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

namespace {

constexpr int kRounding = 1;             // of a scaled font's width
constexpr int kPadding = 8, kArrow = 10; // of a table's head
constexpr int kRailRoom = 6;             // at both sides of a word in the rail

QString nameOf(const QWidget& widget) {
    QStringList path;
    for (const QWidget* each = &widget; each != nullptr && path.size() < 3;
         each = each->parentWidget()) {
        path.prepend(QString::fromLatin1(each->metaObject()->className()));
    }
    return path.join(QLatin1Char('/'));
}

// Where the widget sticks out of what shows it. What scrolls is not cut.
QString outside(const QWidget& widget, const QWidget& window) {
    for (const QWidget* around = widget.parentWidget(); around != nullptr && around != &window;
         around = around->parentWidget()) {
        const auto* area = qobject_cast<const QAbstractScrollArea*>(around->parentWidget());
        if (area != nullptr && area->viewport() == around) {
            return {};
        }
        const QRect place(widget.mapTo(around, QPoint(0, 0)), widget.size());
        if (!around->rect()
                 .adjusted(-kRounding, -kRounding, kRounding, kRounding)
                 .contains(place)) {
            return QStringLiteral("sticks out of %1").arg(nameOf(*around));
        }
    }
    return {};
}

QString tooNarrow(const QString& text, int has, int needs) {
    return has + kRounding >= needs
               ? QString()
               : QStringLiteral("“%1” has %2 of %3 px").arg(text.left(60)).arg(has).arg(needs);
}

QString problemOf(const QLabel& label) {
    if (label.text().isEmpty()) {
        return {};
    }
    if (label.wordWrap()) {
        return tooNarrow(label.text(), label.height(), label.heightForWidth(label.width()));
    }
    return tooNarrow(label.text(), label.width(), label.sizeHint().width());
}

QString problemOf(const QComboBox& box) {
    QStyleOptionComboBox option;
    option.initFrom(&box);
    option.editable = box.isEditable();
    const QRect room = box.style()->subControlRect(QStyle::CC_ComboBox, &option,
                                                   QStyle::SC_ComboBoxEditField, &box);
    return tooNarrow(box.currentText(), room.width(),
                     box.fontMetrics().horizontalAdvance(box.currentText()));
}

QString problemOf(const QHeaderView& head) {
    QStringList problems;
    const QFontMetrics metrics(ui::font(ui::type::kCaption, QFont::Medium)); // the style sheet's
    for (int i = 0; i < head.count() && head.orientation() == Qt::Horizontal; ++i) {
        const QString text = head.model()->headerData(i, Qt::Horizontal).toString();
        if (!head.isSectionHidden(i) && !text.isEmpty()) {
            const bool hasArrow = head.isSortIndicatorShown() && head.sortIndicatorSection() == i;
            problems << tooNarrow(text, head.sectionSize(i),
                                  metrics.horizontalAdvance(text) + 2 * kPadding +
                                      (hasArrow ? kArrow : 0));
        }
    }
    problems.removeAll(QString());
    return problems.join(QStringLiteral("; "));
}

QString problemOf(const QWidget& widget, const QWidget& window) {
    QString problem;
    if (const auto* label = qobject_cast<const QLabel*>(&widget)) {
        problem = problemOf(*label);
    } else if (const auto* box = qobject_cast<const QComboBox*>(&widget)) {
        problem = problemOf(*box);
    } else if (const auto* head = qobject_cast<const QHeaderView*>(&widget)) {
        problem = problemOf(*head);
    } else if (const auto* page = qobject_cast<const ui::RailButton*>(&widget)) {
        const QFontMetrics metrics(ui::font(ui::type::kCaption, QFont::Medium)); // in front
        problem = tooNarrow(page->text(), page->width(),
                            metrics.horizontalAdvance(page->text()) + 2 * kRailRoom);
    } else if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) {
        if (!button->text().isEmpty()) { // else an icon, or painted
            problem = tooNarrow(button->text(), button->width(), button->sizeHint().width());
        }
    } else if (qobject_cast<const ui::ChoiceRow*>(&widget) != nullptr ||
               qobject_cast<const ui::Tag*>(&widget) != nullptr) {
        problem = tooNarrow(widget.accessibleName(), widget.width(), widget.sizeHint().width());
    } else {
        return {};
    }
    return problem.isEmpty() ? outside(widget, window) : problem;
}

} // namespace

class TstNothingCut : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QCoreApplication::setApplicationName(QStringLiteral("headway")); }
    void init();
    void cleanup();
    void theCheckSeesACutWord();
    void noWordIsCut_data();
    void noWordIsCut();
    void noWordIsCutAtOtherScales_data();
    void noWordIsCutAtOtherScales();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<app::Preferences> m_preferences;
    std::unique_ptr<ui::Language> m_language;
    std::unique_ptr<app::Session> m_session;
    std::unique_ptr<ui::MainWindow> m_window;
};

void TstNothingCut::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CACHE_HOME", m_folder->path().toUtf8());
    const auto file = [this](const char* name) {
        return std::filesystem::path(m_folder->filePath(QLatin1String(name)).toStdString());
    };
    m_preferences = std::make_unique<app::Preferences>(file("headway.ini"));
    m_language = std::make_unique<ui::Language>();
    m_language->set(QStringLiteral("en"));
    ui::applyTheme(*qApp, ui::ThemeKind::Dark);
    m_session = std::make_unique<app::Session>(
        file("runs.db"),
        [](const std::filesystem::path&, const engine::EngineConfig& config,
           const std::function<void(const engine::LoadProgress&)>&,
           std::stop_token) -> engine::Result<std::unique_ptr<engine::Backend>> {
            return std::make_unique<tests::FakeBackend>(config);
        });
    m_window = std::make_unique<ui::MainWindow>(*m_session, *m_preferences, *m_language);
    m_window->show();
}

void TstNothingCut::cleanup() {
    m_window.reset();
    m_session.reset();
    m_language.reset();
    m_preferences.reset();
}

void TstNothingCut::theCheckSeesACutWord() {
    QWidget around;
    around.resize(300, 100);
    QPushButton button(QStringLiteral("A word that is long"), &around);
    button.resize(button.sizeHint());
    QCOMPARE(problemOf(button, around), QString());
    button.resize(button.width() - 5, button.height());
    QVERIFY(!problemOf(button, around).isEmpty());
    QLabel label(QStringLiteral("Words that wrap over some lines"), &around);
    label.setWordWrap(true);
    label.resize(60, label.heightForWidth(60));
    QCOMPARE(problemOf(label, around), QString());
    label.resize(60, label.height() - 5);
    QVERIFY(!problemOf(label, around).isEmpty());
}

void TstNothingCut::noWordIsCut_data() {
    QTest::addColumn<QSize>("size");
    QTest::addColumn<QString>("language");
    for (const char* language : {"en", "zh_CN"}) {
        for (const QSize size : {QSize(1120, 700), QSize(1440, 900)}) {
            QTest::addRow("%dx%d %s", size.width(), size.height(), language)
                << size << QString::fromLatin1(language);
        }
    }
}

void TstNothingCut::noWordIsCut() {
    QFETCH(const QSize, size);
    QFETCH(const QString, language);
    m_window->resize(size);
    QCOMPARE(m_window->size(), size); // no page asks for more than the smallest window
    m_window->setLanguage(language);
    m_window->openModel(m_folder->filePath(QStringLiteral("model.gguf")));
    QTRY_VERIFY(m_session->hasModel());
    QList<std::pair<QString, QString>> views;
    for (const QString& key : m_window->pageKeys()) {
        views.append({key, {}});
    }
    for (const char* view : {"claims", "tuner", "advisor", "replay"}) {
        views.append({QStringLiteral("experiments"), QLatin1String(view)});
    }
    QStringList problems;
    for (const auto& [key, view] : views) {
        m_window->showPage(key, view);
        QTest::qWait(50); // layouts and a tick
        for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
            if (!widget->isVisible() || widget->window() != m_window.get()) {
                continue;
            }
            if (const QString problem = problemOf(*widget, *m_window); !problem.isEmpty()) {
                problems
                    << QStringLiteral("%1 %2: %3: %4").arg(key, view, nameOf(*widget), problem);
            }
        }
    }
    problems.removeDuplicates();
    QVERIFY2(problems.isEmpty(), qPrintable(problems.join(QLatin1Char('\n'))));
}

void TstNothingCut::noWordIsCutAtOtherScales_data() {
    QTest::addColumn<QString>("scale");
    QTest::newRow("125 %") << QStringLiteral("1.25");
    QTest::newRow("200 %") << QStringLiteral("2");
}

// The scale is read when an application begins.
void TstNothingCut::noWordIsCutAtOtherScales() {
    QFETCH(const QString, scale);
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_SCALE_FACTOR"), scale);
    process.setProcessEnvironment(environment);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QCoreApplication::applicationFilePath(), {QStringLiteral("noWordIsCut")});
    QVERIFY(process.waitForFinished(120'000));
    const QByteArray output = process.readAll();
    QVERIFY2(process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0,
             output.constData());
}

QTEST_MAIN(TstNothingCut)
#include "tst_nothing_cut.moc"
