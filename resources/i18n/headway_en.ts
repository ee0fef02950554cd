<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
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
    <name>ui::RequestCard</name>
    <message numerus="yes">
        <source>preempted %n times</source>
        <translation>
            <numerusform>preempted once</numerusform>
            <numerusform>preempted %n times</numerusform>
        </translation>
    </message>
</context>
</TS>
