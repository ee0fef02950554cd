<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>ClaimColumns</name>
    <message numerus="yes">
        <source>%n more block(s)</source>
        <translation>
            <numerusform>%n more block</numerusform>
            <numerusform>%n more blocks</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n load(s)</source>
        <translation>
            <numerusform>%n load</numerusform>
            <numerusform>%n loads</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ExperimentColumns</name>
    <message numerus="yes">
        <source>About %n more block(s) would tell</source>
        <translation>
            <numerusform>About %n more block would tell</numerusform>
            <numerusform>About %n more blocks would tell</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>experiments</name>
    <message numerus="yes">
        <source>%n request(s) preempted</source>
        <translation>
            <numerusform>%n request preempted</numerusform>
            <numerusform>%n requests preempted</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n cold request(s)</source>
        <translation>
            <numerusform>%n cold request</numerusform>
            <numerusform>%n cold requests</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n answer(s) cut at the end of drain</source>
        <translation>
            <numerusform>%n answer cut at the end of drain</numerusform>
            <numerusform>%n answers cut at the end of drain</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) failed or refused</source>
        <translation>
            <numerusform>%n request failed or refused</numerusform>
            <numerusform>%n requests failed or refused</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) of others</source>
        <translation>
            <numerusform>%n request of others</numerusform>
            <numerusform>%n requests of others</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::AdaptersCard</name>
    <message numerus="yes">
        <source>rank %1, %n weight(s), %2</source>
        <translation>
            <numerusform>rank %1, %n weight, %2</numerusform>
            <numerusform>rank %1, %n weights, %2</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n unloaded one(s) still finish their requests.</source>
        <translation>
            <numerusform>%n unloaded one still finishes its requests.</numerusform>
            <numerusform>%n unloaded ones still finish their requests.</numerusform>
        </translation>
    </message>
</context>
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
    <name>ui::ExperimentView</name>
    <message numerus="yes">
        <source>%n level(s)</source>
        <translation>
            <numerusform>%n level</numerusform>
            <numerusform>%n levels</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>closed loop, %n user(s)</source>
        <translation>
            <numerusform>closed loop, %n user</numerusform>
            <numerusform>closed loop, %n users</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::ExperimentsPage</name>
    <message numerus="yes">
        <source>Round %1, %2 · %n configuration(s) measured</source>
        <translation>
            <numerusform>Round %1, %2 · %n configuration measured</numerusform>
            <numerusform>Round %1, %2 · %n configurations measured</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::LoadPage</name>
    <message numerus="yes">
        <source>sending ended · %n to finish</source>
        <translation>
            <numerusform>sending ended · %n to finish</numerusform>
            <numerusform>sending ended · %n to finish</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n without an answer left out.</source>
        <translation>
            <numerusform>%n without an answer left out.</numerusform>
            <numerusform>%n without an answer left out.</numerusform>
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
    <name>ui::Playground</name>
    <message numerus="yes">
        <source>%n character(s) handed over while you type · kept for %1 s</source>
        <translation>
            <numerusform>%n character handed over while you type · kept for %1 s</numerusform>
            <numerusform>%n characters handed over while you type · kept for %1 s</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::ReplayView</name>
    <message numerus="yes">
        <source>%n without an answer left out</source>
        <translation>
            <numerusform>%n without an answer left out</numerusform>
            <numerusform>%n without an answer left out</numerusform>
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
    <name>ui::RunSetView</name>
    <message numerus="yes">
        <source>%n runs side by side</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs side by side</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::RunsPage</name>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) imported</source>
        <translation>
            <numerusform>%n run imported</numerusform>
            <numerusform>%n runs imported</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) saved</source>
        <translation>
            <numerusform>%n run saved</numerusform>
            <numerusform>%n runs saved</numerusform>
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
    <message numerus="yes">
        <source>%n run(s) were recorded beside the run log</source>
        <translation>
            <numerusform>%n run was recorded beside the run log</numerusform>
            <numerusform>%n runs were recorded beside the run log</numerusform>
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
    <message numerus="yes">
        <source>%n alarm(s)</source>
        <translation>
            <numerusform>%n alarm</numerusform>
            <numerusform>%n alarms</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::TunerScatter</name>
    <message numerus="yes">
        <source>%n measured configuration(s)</source>
        <translation>
            <numerusform>%n measured configuration</numerusform>
            <numerusform>%n measured configurations</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n configuration(s) beyond %1 ms →</source>
        <translation>
            <numerusform>%n configuration beyond %1 ms →</numerusform>
            <numerusform>%n configurations beyond %1 ms →</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::TunerView</name>
    <message numerus="yes">
        <source>%n pair(s)</source>
        <translation>
            <numerusform>%n pair</numerusform>
            <numerusform>%n pairs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n measured</source>
        <translation>
            <numerusform>%n measured</numerusform>
            <numerusform>%n measured</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::UnwrittenBox</name>
    <message numerus="yes">
        <source>%n request(s) would be lost.</source>
        <translation>
            <numerusform>%n request would be lost.</numerusform>
            <numerusform>%n requests would be lost.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::VerdictColumn</name>
    <message numerus="yes">
        <source>About %n more block(s).</source>
        <translation>
            <numerusform>About %n more block.</numerusform>
            <numerusform>About %n more blocks.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Run %n more block(s), about %1</source>
        <translation>
            <numerusform>Run %n more block, about %1</numerusform>
            <numerusform>Run %n more blocks, about %1</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n block(s) were measured before and looked at. Going on because the answer was open makes intervals a little too narrow.</source>
        <translation>
            <numerusform>%n block was measured before and looked at. Going on because the answer was open makes intervals a little too narrow.</numerusform>
            <numerusform>%n blocks were measured before and looked at. Going on because the answer was open makes intervals a little too narrow.</numerusform>
        </translation>
    </message>
</context>
</TS>
