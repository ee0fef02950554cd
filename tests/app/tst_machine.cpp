#include "app/observe/default_model.h"
#include "app/observe/machine.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace {

void write(const fs::path& file, const std::string& text) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

} // namespace

class TstMachine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsProcessorMemoryAndGpu();
    void missingFilesLeaveFactsEmpty();
    void thisMachineHasThreadsAndMemory();
    void modelOfWrongSizeIsDamaged();
    void modelOfRightSizeAndWrongBytesFailsTheCheck();
};

void TstMachine::readsProcessorMemoryAndGpu() {
    const QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    write(root / "proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\n"
                                 "flags\t\t: fpu avx2 avx512f avx512bw avx512_vnni avx512_bf16\n");
    write(root / "proc/meminfo",
          "MemTotal:       1024 kB\nMemFree: 1 kB\nMemAvailable:    512 kB\n");
    write(root / "proc/driver/nvidia/gpus/0000:01:00.0/information",
          "Model: \t\t Some GPU\nIRQ: 3\n");
    const app::Machine machine = app::readMachine(root, 2);
    QCOMPARE(machine.processor, std::string("Some CPU @ 2 GHz"));
    QCOMPARE(machine.threads, 2);
    QCOMPARE(machine.instructionSets, std::string("AVX-512 VNNI, BF16"));
    QCOMPARE(machine.memoryBytes, std::uint64_t{1024 * 1024});
    QCOMPARE(machine.availableBytes, std::uint64_t{512 * 1024});
    QCOMPARE(machine.gpu, std::string("Some GPU"));
}

void TstMachine::missingFilesLeaveFactsEmpty() {
    const QTemporaryDir folder;
    const app::Machine machine = app::readMachine(fs::path(folder.path().toStdString()), 1);
    QVERIFY(machine.processor.empty() && machine.gpu.empty() && machine.instructionSets.empty());
    QCOMPARE(machine.memoryBytes, std::uint64_t{0});
}

void TstMachine::thisMachineHasThreadsAndMemory() {
    const app::Machine machine = app::readMachine();
    QVERIFY(machine.threads >= 1);
    QVERIFY(machine.memoryBytes > machine.availableBytes);
}

void TstMachine::modelOfWrongSizeIsDamaged() {
    const QTemporaryDir folder;
    const fs::path models = folder.path().toStdString();
    QCOMPARE(app::findDefaultModel(models).presence, app::ModelPresence::Missing);
    QCOMPARE(app::findDefaultModel(models / "absent").presence, app::ModelPresence::Missing);
    write(models / "other.gguf", "GGUF");
    QCOMPARE(app::findDefaultModel(models).presence, app::ModelPresence::Missing);
    write(models / "SmolLM2-135M-Instruct.Q4_1.gguf", "GGUF");
    QCOMPARE(app::findDefaultModel(models).presence, app::ModelPresence::Damaged);
}

void TstMachine::modelOfRightSizeAndWrongBytesFailsTheCheck() {
    const QTemporaryDir folder;
    const fs::path file = fs::path(folder.path().toStdString()) / "SmolLM2-135M-Instruct.gguf";
    write(file, "GGUF");
    fs::resize_file(file, app::kDefaultModelBytes); // sparse: costs no disk
    QCOMPARE(app::findDefaultModel(file.parent_path()).presence, app::ModelPresence::Present);
    const app::DefaultModel checked = app::checkDefaultModel(file.parent_path());
    QCOMPARE(checked.presence, app::ModelPresence::Damaged);
    QCOMPARE(checked.file, file);
}

QTEST_GUILESS_MAIN(TstMachine)
#include "tst_machine.moc"
