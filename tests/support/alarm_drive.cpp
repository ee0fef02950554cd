#include "tests/support/alarm_drive.h"

namespace tests {

using app::RequestPoint;

namespace {

const AlarmCase kCases[] = {
    {"ttft_gap",
     [](AlarmDrive& drive) {
         drive.request = [](int n) { return answered(n % 20 == 0 ? 250 : 50); };
     },
     [](AlarmDrive& drive) {
         drive.request = [](int n) { return answered(n % 20 == 0 ? 90 : 50); };
     }},
    {"ttft_timeouts",
     [](AlarmDrive& drive) {
         drive.request = [](int n) { return answered(n % 50 == 0 ? 900 : 50); };
     },
     [](AlarmDrive& drive) { drive.request = [](int) { return answered(50); }; }},
    {"memory", [](AlarmDrive& drive) { drive.level.machineShare = 0.9; },
     [](AlarmDrive& drive) { drive.level.machineShare = 0.5; }},
    {"device_busy", [](AlarmDrive& drive) { drive.level.busyShare = 0.95; },
     [](AlarmDrive& drive) { drive.level.busyShare = 0.7; }},
    {"device_starved",
     [](AlarmDrive& drive) {
         drive.level.busyShare = 0.3;
         drive.level.waiting = 4;
     },
     [](AlarmDrive& drive) {
         drive.level.busyShare = 0.7;
         drive.level.waiting = 4;
     }},
    {"batch_timeliness",
     [](AlarmDrive& drive) {
         drive.request = [](int n) {
             RequestPoint point = answered(50);
             point.metDeadline = n % 100 != 0;
             return point;
         };
     },
     [](AlarmDrive& drive) {
         drive.request = [](int) {
             RequestPoint point = answered(50);
             point.metDeadline = true;
             return point;
         };
     }},
    {"prefix_hits",
     [](AlarmDrive& drive) {
         drive.load = {.isRunning = true, .sent = 50, .lagP50Ms = 1.0};
         drive.request = [](int) {
             RequestPoint point = answered(50);
             point.promptTokens = 100;
             point.hitTokens = 5;
             return point;
         };
     },
     [](AlarmDrive& drive) {
         drive.request = [](int) {
             RequestPoint point = answered(50);
             point.promptTokens = 100;
             return point;
         };
     }},
    {"quality_loss", [](AlarmDrive& drive) { drive.checkQuality("3.0", "yes"); },
     [](AlarmDrive& drive) { drive.checkQuality("1.5", "no"); }},
    {"load_lag",
     [](AlarmDrive& drive) { drive.load = {.isRunning = true, .sent = 50, .lagP50Ms = 25.0}; },
     [](AlarmDrive& drive) { drive.load = {.isRunning = true, .sent = 50, .lagP50Ms = 1.0}; }},
};

} // namespace

std::size_t indexOf(std::string_view alarm) {
    return static_cast<std::size_t>(app::findAlarm(alarm) - app::alarmTable().data());
}

RequestPoint answered(double ttftMs) {
    RequestPoint point;
    point.ttftMs = ttftMs;
    return point;
}

std::span<const AlarmCase> alarmCases() {
    return kCases;
}

} // namespace tests
