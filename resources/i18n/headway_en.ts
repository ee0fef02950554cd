<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>ui::BannerStack</name>
    <message numerus="yes">
        <source>%n more message(s); Log has them all</source>
        <translation>
            <numerusform>%n more message; Log has it</numerusform>
            <numerusform>%n more messages; Log has them all</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::ConfigForm</name>
    <message numerus="yes">
        <source>%n differ</source>
        <translation>
            <numerusform>%n differs</numerusform>
            <numerusform>%n differ</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n preparing</source>
        <translation>
            <numerusform>%n preparing</numerusform>
            <numerusform>%n preparing</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pending</source>
        <translation>
            <numerusform>%n pending</numerusform>
            <numerusform>%n pending</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n settings wait for a reload</source>
        <translation>
            <numerusform>%n setting waits for a reload</numerusform>
            <numerusform>%n settings wait for a reload</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::EventStrip</name>
    <message numerus="yes">
        <source>All %n event(s)</source>
        <translation>
            <numerusform>%n event</numerusform>
            <numerusform>All %n events</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n event(s)</source>
        <translation>
            <numerusform>%n event</numerusform>
            <numerusform>%n events</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::MachineFacts</name>
    <message numerus="yes">
        <source>%n threads</source>
        <translation>
            <numerusform>%n thread</numerusform>
            <numerusform>%n threads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::MainWindow</name>
    <message numerus="yes">
        <source>%n thread(s)</source>
        <translation>
            <numerusform>%n thread</numerusform>
            <numerusform>%n threads</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left</source>
        <translation>
            <numerusform>%n left</numerusform>
            <numerusform>%n left</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::RequestCard</name>
    <message numerus="yes">
        <source>preempted %n times</source>
        <translation>
            <numerusform>preempted once</numerusform>
            <numerusform>preempted %n times</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::RunsPage</name>
    <message numerus="yes">
        <source>%n runs, 2 compared</source>
        <translation>
            <numerusform>%n run, 2 compared</numerusform>
            <numerusform>%n runs, 2 compared</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::SessionBanners</name>
    <message numerus="yes">
        <source>%n request(s) failed. Everything recorded is safe.</source>
        <translation>
            <numerusform>%n request failed. Everything recorded is safe.</numerusform>
            <numerusform>%n requests failed. Everything recorded is safe.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) ended without a stop</source>
        <translation>
            <numerusform>%n run ended without a stop</numerusform>
            <numerusform>%n runs ended without a stop</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::SettingsDifference</name>
    <message numerus="yes">
        <source>%n equal settings hidden</source>
        <translation>
            <numerusform>%n equal setting hidden</numerusform>
            <numerusform>%n equal settings hidden</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::TileStrip</name>
    <message numerus="yes">
        <source>of %n slot(s)</source>
        <translation>
            <numerusform>of %n slot</numerusform>
            <numerusform>of %n slots</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>ended · %n request(s) sent</source>
        <translation>
            <numerusform>ended · %n request sent</numerusform>
            <numerusform>ended · %n requests sent</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::TopStrip</name>
    <message numerus="yes">
        <source>%n alarm(s); a click shows them</source>
        <translation>
            <numerusform>%n alarm; a click shows it</numerusform>
            <numerusform>%n alarms; a click shows them</numerusform>
        </translation>
    </message>
</context>
</TS>
