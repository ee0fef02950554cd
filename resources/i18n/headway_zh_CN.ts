<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>charts</name>
    <message>
        <source>Share of requests with this TTFT or less</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>% over ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT over the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ms · rolling %1 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No data in this span</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prompt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch and queue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 slots</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV blocks in use</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory of the machine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>limit 85 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory of this process</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>resident</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Device busy: share of threads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>healthy from 60 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>healthy to 80 %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prefill weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>batch mates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>queue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the first token’s time goes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean ms a request, adds up</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>filter</name>
    <message>
        <source>“%1” is no filter. Known: %2.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” needs a value.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” is text: write %1:value.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>“%1” is no number.</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>labels</name>
    <message>
        <source>Batching</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Token budget</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prefill chunk</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Block size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max context</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Threads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load mode</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weights layout</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm-up requests</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How requests share a step: one at a time, or all that fit, joining and leaving at every step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests that may run at once; more wait in the queue.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most tokens one step computes; a lower budget keeps steps, and so the gaps between tokens, short.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Most tokens of one prompt in one step, so that a long prompt does not hold up the others.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Requests that may wait in the queue; further ones are rejected at once.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks of the key-value cache, shared by all requests.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokens in one block of the key-value cache: small blocks waste less, large ones cost less to manage.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Longest prompt and answer together; longer requests are refused.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Processor threads that compute.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Map the model file into memory, or read it whole first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repack weights for this processor at load, or compute on them as the file has them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Short requests run after loading, so that the first real one is not a cold one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>from memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>every core</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Used by the continuous policy only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>single</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>continuous</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mmap</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>packed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>on</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>off</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Slots</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step sequences</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV blocks used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompt tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Output tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Received</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Completed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preemptions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pool busy time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Weights memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Process memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Machine memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Machine memory available</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>open</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>map</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>convert</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>upload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tokenizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kernels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warm-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2 → %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1, from step %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Request %1: %2, %3 tokens</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 took %2 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Request %1 gave its KV blocks back; %2 tokens are computed again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Engine: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 · requests lost: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 users, closed loop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 req/s in bursts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 req/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model loaded: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model not loaded: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run %1 began: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run %1 ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workload %1 began</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workload %1 ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Workload %1 was stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not recording: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note: %1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stage %1: %2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>%1 %2 refused: %3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Schedule lag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chat format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tokenize</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Admission</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Queue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cold load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch mates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prefill weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prefill arithmetic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sample</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Detokenize</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deliver</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remainder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ended by the model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Length limit reached</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prompt too long</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deadline missed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draining</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Realtime</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>serving</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>workload</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>operator</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ledger</name>
    <message>
        <source>lag, admission</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>queue</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KV</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cold load</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>batch mates</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>prefill weights</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>deliver</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>remainder</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ui::LedgerLegend</name>
    <message>
        <source>Colours of the ledger</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>ui::Waterfall</name>
    <message>
        <source>Where the first token&apos;s time went, in milliseconds</source>
        <translation type="unfinished"></translation>
    </message>
</context>
<context>
    <name>verdict</name>
    <message>
        <source>better</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>worse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>same</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not resolved</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
