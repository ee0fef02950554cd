<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>ConfigForm</name>
    <message>
        <source>next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>when running requests have ended</source>
        <translation>运行中的请求结束后</translation>
    </message>
    <message>
        <source>after a reload</source>
        <translation>重新加载后</translation>
    </message>
    <message>
        <source>Effective %1 · %2</source>
        <translation>实际 %1 · %2</translation>
    </message>
    <message>
        <source>Preparing %1 %</source>
        <translation>准备中 %1 %</translation>
    </message>
    <message>
        <source>chosen: %1</source>
        <translation>已选：%1</translation>
    </message>
    <message>
        <source>Range: %1 to %2%3</source>
        <translation>范围：%1 至 %2%3</translation>
    </message>
    <message>
        <source>Default: %1</source>
        <translation>默认：%1</translation>
    </message>
    <message>
        <source>Takes effect: %1</source>
        <translation>生效时间：%1</translation>
    </message>
    <message>
        <source>Flag: %1</source>
        <translation>命令行参数：%1</translation>
    </message>
</context>
<context>
    <name>RequestColumns</name>
    <message>
        <source>warm</source>
        <translation>预热后</translation>
    </message>
    <message>
        <source>cold</source>
        <translation>冷启动</translation>
    </message>
    <message>
        <source>idle start</source>
        <translation>空闲后</translation>
    </message>
    <message>
        <source>warm-up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>preempted</source>
        <translation>被抢占</translation>
    </message>
    <message>
        <source>settings changed</source>
        <translation>设置变更</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>Due</source>
        <translation>计划时刻</translation>
    </message>
    <message>
        <source>When the request was due, from the start of the run</source>
        <translation>请求的计划时刻，从运行开始算起</translation>
    </message>
    <message>
        <source>Lane</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Hit</source>
        <translation>命中</translation>
    </message>
    <message>
        <source>Prompt tokens that the prefix cache already held</source>
        <translation>前缀缓存中已有的输入词元</translation>
    </message>
    <message>
        <source>TTFT ms</source>
        <translation>TTFT ms</translation>
    </message>
    <message>
        <source>From scheduled to the first visible text</source>
        <translation>从计划时刻到首段可见文本</translation>
    </message>
    <message>
        <source>Ledger, 0 – %1 ms</source>
        <translation>构成，0 – %1 ms</translation>
    </message>
    <message>
        <source>TPOT ms</source>
        <translation>TPOT ms</translation>
    </message>
    <message>
        <source>(last token − first visible) ÷ (tokens − 1)</source>
        <translation>（末词元 − 首段可见文本）÷（词元数 − 1）</translation>
    </message>
    <message>
        <source>E2EL ms</source>
        <translation>E2EL ms</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
</context>
<context>
    <name>charts</name>
    <message>
        <source>Share of requests with this TTFT or less</source>
        <translation>首词元延迟不超过该值的请求占比</translation>
    </message>
    <message>
        <source>% over ms</source>
        <translation>%，横轴 ms</translation>
    </message>
    <message>
        <source>TTFT over the run</source>
        <translation>整次运行的首词元延迟 TTFT</translation>
    </message>
    <message>
        <source>ms · rolling %1 s</source>
        <translation>ms · 滚动 %1 秒</translation>
    </message>
    <message>
        <source>No data in this span</source>
        <translation>此时段没有数据</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>首词元延迟 TTFT</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐</translation>
    </message>
    <message>
        <source>tokens/s</source>
        <translation>词元/秒</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>prompt</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Batch and queue</source>
        <translation>批大小与队列</translation>
    </message>
    <message>
        <source>requests</source>
        <translation>请求数</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>%1 slots</source>
        <translation>%1 个槽位</translation>
    </message>
    <message>
        <source>KV blocks in use</source>
        <translation>已用 KV 块</translation>
    </message>
    <message>
        <source>Memory of the machine</source>
        <translation>整机内存</translation>
    </message>
    <message>
        <source>limit 85 %</source>
        <translation>上限 85 %</translation>
    </message>
    <message>
        <source>Memory of this process</source>
        <translation>本进程内存</translation>
    </message>
    <message>
        <source>resident</source>
        <translation>常驻</translation>
    </message>
    <message>
        <source>Device busy: share of threads</source>
        <translation>设备繁忙率（线程占用）</translation>
    </message>
    <message>
        <source>healthy from 60 %</source>
        <translation>健康下限 60 %</translation>
    </message>
    <message>
        <source>healthy to 80 %</source>
        <translation>健康上限 80 %</translation>
    </message>
    <message>
        <source>prefill weights</source>
        <translation>预填充：读权重</translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation>预填充：运算</translation>
    </message>
    <message>
        <source>batch mates</source>
        <translation>同批等待</translation>
    </message>
    <message>
        <source>queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>others</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Where the first token’s time goes</source>
        <translation>首词元时间的构成</translation>
    </message>
    <message>
        <source>mean ms a request, adds up</source>
        <translation>每请求平均 ms，各项相加等于总和</translation>
    </message>
</context>
<context>
    <name>filter</name>
    <message>
        <source>“%1” is no filter. Known: %2.</source>
        <translation>没有名为“%1”的筛选条件。可用：%2。</translation>
    </message>
    <message>
        <source>“%1” needs a value.</source>
        <translation>“%1”需要一个值。</translation>
    </message>
    <message>
        <source>“%1” is text: write %1:value.</source>
        <translation>“%1”是文本：请写成 %1:值。</translation>
    </message>
    <message>
        <source>“%1” is no number.</source>
        <translation>“%1”不是数字。</translation>
    </message>
</context>
<context>
    <name>labels</name>
    <message>
        <source>Batching</source>
        <translation>批处理</translation>
    </message>
    <message>
        <source>Max batch</source>
        <translation>最大批大小</translation>
    </message>
    <message>
        <source>Token budget</source>
        <translation>词元预算</translation>
    </message>
    <message>
        <source>Prefill chunk</source>
        <translation>预填充分块</translation>
    </message>
    <message>
        <source>Max waiting</source>
        <translation>最大等待数</translation>
    </message>
    <message>
        <source>KV blocks</source>
        <translation>KV 块</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>块大小</translation>
    </message>
    <message>
        <source>Max context</source>
        <translation>最大上下文</translation>
    </message>
    <message>
        <source>Threads</source>
        <translation>线程数</translation>
    </message>
    <message>
        <source>Load mode</source>
        <translation>加载方式</translation>
    </message>
    <message>
        <source>Weights layout</source>
        <translation>权重布局</translation>
    </message>
    <message>
        <source>Warm-up requests</source>
        <translation>预热请求数</translation>
    </message>
    <message>
        <source>How requests share a step: one at a time, or all that fit, joining and leaving at every step.</source>
        <translation>请求如何共用一步：逐个执行，或容得下的全部同批，每一步都可加入和离开。</translation>
    </message>
    <message>
        <source>Requests that may run at once; more wait in the queue.</source>
        <translation>可同时运行的请求数；其余在队列中等待。</translation>
    </message>
    <message>
        <source>Most tokens one step computes; a lower budget keeps steps, and so the gaps between tokens, short.</source>
        <translation>一步最多计算的词元数；预算越低，每步越短，词元间隔也越短。</translation>
    </message>
    <message>
        <source>Most tokens of one prompt in one step, so that a long prompt does not hold up the others.</source>
        <translation>一步中单个提示词最多计算的词元数，避免长提示词拖住其他请求。</translation>
    </message>
    <message>
        <source>Requests that may wait in the queue; further ones are rejected at once.</source>
        <translation>队列中可等待的请求数；超出的立即被拒。</translation>
    </message>
    <message>
        <source>Blocks of the key-value cache, shared by all requests.</source>
        <translation>键值缓存的块数，由所有请求共用。</translation>
    </message>
    <message>
        <source>Tokens in one block of the key-value cache: small blocks waste less, large ones cost less to manage.</source>
        <translation>键值缓存每块的词元数：块小浪费少，块大管理开销低。</translation>
    </message>
    <message>
        <source>Longest prompt and answer together; longer requests are refused.</source>
        <translation>提示词与回答合计的最大长度；更长的请求会被拒绝。</translation>
    </message>
    <message>
        <source>Processor threads that compute.</source>
        <translation>参与计算的处理器线程数。</translation>
    </message>
    <message>
        <source>Map the model file into memory, or read it whole first.</source>
        <translation>将模型文件映射到内存，或先整个读入。</translation>
    </message>
    <message>
        <source>Repack weights for this processor at load, or compute on them as the file has them.</source>
        <translation>加载时按本机处理器重排权重，或直接按文件中的格式计算。</translation>
    </message>
    <message>
        <source>Short requests run after loading, so that the first real one is not a cold one.</source>
        <translation>加载后先运行的短请求，使第一个真实请求不是冷启动。</translation>
    </message>
    <message>
        <source>from memory</source>
        <translation>按内存自动</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>模型自身上限</translation>
    </message>
    <message>
        <source>every core</source>
        <translation>全部核心</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Used by the continuous policy only</source>
        <translation>仅连续批处理使用</translation>
    </message>
    <message>
        <source>single</source>
        <translation>单请求</translation>
    </message>
    <message>
        <source>continuous</source>
        <translation>连续</translation>
    </message>
    <message>
        <source>mmap</source>
        <translation>内存映射</translation>
    </message>
    <message>
        <source>read</source>
        <translation>读入</translation>
    </message>
    <message>
        <source>packed</source>
        <translation>重排</translation>
    </message>
    <message>
        <source>file</source>
        <translation>按文件</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>Slots</source>
        <translation>槽位</translation>
    </message>
    <message>
        <source>Step sequences</source>
        <translation>本步序列数</translation>
    </message>
    <message>
        <source>Step tokens</source>
        <translation>本步词元数</translation>
    </message>
    <message>
        <source>KV blocks used</source>
        <translation>已用 KV 块</translation>
    </message>
    <message>
        <source>KV tokens</source>
        <translation>KV 词元数</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>Prompt tokens</source>
        <translation>输入词元</translation>
    </message>
    <message>
        <source>Output tokens</source>
        <translation>输出词元</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>已接收</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Rejected</source>
        <translation>被拒</translation>
    </message>
    <message>
        <source>Preemptions</source>
        <translation>抢占次数</translation>
    </message>
    <message>
        <source>Pool busy time</source>
        <translation>线程池繁忙时间</translation>
    </message>
    <message>
        <source>Weights memory</source>
        <translation>权重内存</translation>
    </message>
    <message>
        <source>KV memory</source>
        <translation>KV 内存</translation>
    </message>
    <message>
        <source>Process memory</source>
        <translation>进程内存</translation>
    </message>
    <message>
        <source>Machine memory</source>
        <translation>整机内存</translation>
    </message>
    <message>
        <source>Machine memory available</source>
        <translation>整机可用内存</translation>
    </message>
    <message>
        <source>open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>map</source>
        <translation>映射</translation>
    </message>
    <message>
        <source>convert</source>
        <translation>转换</translation>
    </message>
    <message>
        <source>upload</source>
        <translation>上传</translation>
    </message>
    <message>
        <source>tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>kernels</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>warm-up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>%1 %2 → %3</source>
        <translation>%1：%2 → %3</translation>
    </message>
    <message>
        <source>%1, from step %2</source>
        <translation>%1，自第 %2 步生效</translation>
    </message>
    <message>
        <source>Request %1: %2, %3 tokens</source>
        <translation>请求 %1：%2，%3 词元</translation>
    </message>
    <message>
        <source>%1 took %2 ms</source>
        <translation>%1用时 %2 ms</translation>
    </message>
    <message>
        <source>Request %1 gave its KV blocks back; %2 tokens are computed again</source>
        <translation>请求 %1 让出 KV 块；%2 个词元需重新计算</translation>
    </message>
    <message>
        <source>Engine: %1</source>
        <translation>引擎：%1</translation>
    </message>
    <message>
        <source>%1 · requests lost: %2</source>
        <translation>%1 · 丢失请求：%2</translation>
    </message>
    <message>
        <source>%1 users, closed loop</source>
        <translation>%1 个用户，闭环</translation>
    </message>
    <message>
        <source>%1 req/s in bursts</source>
        <translation>%1 请求/秒，突发</translation>
    </message>
    <message>
        <source>%1 req/s</source>
        <translation>%1 请求/秒</translation>
    </message>
    <message>
        <source>Model loaded: %1</source>
        <translation>模型已加载：%1</translation>
    </message>
    <message>
        <source>Model not loaded: %1</source>
        <translation>模型未能加载：%1</translation>
    </message>
    <message>
        <source>Run %1 began: %2</source>
        <translation>运行 %1 开始：%2</translation>
    </message>
    <message>
        <source>Run %1 ended</source>
        <translation>运行 %1 结束</translation>
    </message>
    <message>
        <source>Workload %1 began</source>
        <translation>负载 %1 开始</translation>
    </message>
    <message>
        <source>Workload %1 ended</source>
        <translation>负载 %1 结束</translation>
    </message>
    <message>
        <source>Workload %1 was stopped</source>
        <translation>负载 %1 被停止</translation>
    </message>
    <message>
        <source>Not recording: %1</source>
        <translation>未在记录：%1</translation>
    </message>
    <message>
        <source>Note: %1</source>
        <translation>备注：%1</translation>
    </message>
    <message>
        <source>Stage %1: %2</source>
        <translation>阶段 %1：%2</translation>
    </message>
    <message>
        <source>%1 %2 refused: %3</source>
        <translation>%1 %2 已拒绝：%3</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Loading</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>Schedule lag</source>
        <translation>计划滞后</translation>
    </message>
    <message>
        <source>Chat format</source>
        <translation>对话模板</translation>
    </message>
    <message>
        <source>Tokenize</source>
        <translation>分词</translation>
    </message>
    <message>
        <source>Admission</source>
        <translation>准入</translation>
    </message>
    <message>
        <source>Queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>Cold load</source>
        <translation>冷加载</translation>
    </message>
    <message>
        <source>Batch mates</source>
        <translation>同批等待</translation>
    </message>
    <message>
        <source>Prefill weights</source>
        <translation>预填充：读权重</translation>
    </message>
    <message>
        <source>Prefill arithmetic</source>
        <translation>预填充：运算</translation>
    </message>
    <message>
        <source>Sample</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>Detokenize</source>
        <translation>解码文本</translation>
    </message>
    <message>
        <source>Deliver</source>
        <translation>交付</translation>
    </message>
    <message>
        <source>Remainder</source>
        <translation>未归因</translation>
    </message>
    <message>
        <source>Ended by the model</source>
        <translation>模型自行结束</translation>
    </message>
    <message>
        <source>Length limit reached</source>
        <translation>达到长度上限</translation>
    </message>
    <message>
        <source>Prompt too long</source>
        <translation>提示词过长</translation>
    </message>
    <message>
        <source>Deadline missed</source>
        <translation>超过截止时间</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>无模型</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Draining</source>
        <translation>排空中</translation>
    </message>
    <message>
        <source>Realtime</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批量</translation>
    </message>
    <message>
        <source>engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>serving</source>
        <translation>服务</translation>
    </message>
    <message>
        <source>workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>operator</source>
        <translation>操作员</translation>
    </message>
</context>
<context>
    <name>ledger</name>
    <message>
        <source>lag, admission</source>
        <translation>滞后，准入</translation>
    </message>
    <message>
        <source>text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>queue</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>KV</source>
        <translation>KV</translation>
    </message>
    <message>
        <source>cold load</source>
        <translation>冷加载</translation>
    </message>
    <message>
        <source>batch mates</source>
        <translation>同批等待</translation>
    </message>
    <message>
        <source>prefill weights</source>
        <translation>预填充：读权重</translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation>预填充：运算</translation>
    </message>
    <message>
        <source>deliver</source>
        <translation>交付</translation>
    </message>
    <message>
        <source>remainder</source>
        <translation>未归因</translation>
    </message>
</context>
<context>
    <name>ui::ConfigForm</name>
    <message>
        <source>Allowed: %1 to %2</source>
        <translation>允许：%1 至 %2</translation>
    </message>
    <message numerus="yes">
        <source>%n differ</source>
        <translation>
            <numerusform>%n 项不一致</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n preparing</source>
        <translation>
            <numerusform>%n 项准备中</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n pending</source>
        <translation>
            <numerusform>%n 项等待生效</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n settings wait for a reload</source>
        <translation>
            <numerusform>%n 项设置等待重新加载</numerusform>
        </translation>
    </message>
    <message>
        <source>All at default: no flags needed</source>
        <translation>全部为默认值：不需要参数</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Undo: back to %1</source>
        <translation>撤销：恢复为 %1</translation>
    </message>
    <message>
        <source>Default: %1</source>
        <translation>默认：%1</translation>
    </message>
    <message>
        <source>Copy “%1”</source>
        <translation>复制“%1”</translation>
    </message>
    <message>
        <source>No setting matches “%1”.</source>
        <translation>没有与“%1”匹配的设置。</translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>Hide the panel (Ctrl+B)</source>
        <translation>隐藏面板（Ctrl+B）</translation>
    </message>
    <message>
        <source>Hide the configuration panel</source>
        <translation>隐藏配置面板</translation>
    </message>
    <message>
        <source>Filter settings  /</source>
        <translation>筛选设置项  /</translation>
    </message>
    <message>
        <source>Filter settings</source>
        <translation>筛选设置项</translation>
    </message>
    <message>
        <source>Copy as flags</source>
        <translation>复制为命令行参数</translation>
    </message>
    <message>
        <source>Undo the last setting (Ctrl+Z)</source>
        <translation>撤销上一次设置（Ctrl+Z）</translation>
    </message>
    <message>
        <source>Undo the last setting</source>
        <translation>撤销上一次设置</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>重新加载</translation>
    </message>
</context>
<context>
    <name>ui::FieldRow</name>
    <message>
        <source>changed %1</source>
        <translation>%1 更改</translation>
    </message>
    <message>
        <source>Use %1</source>
        <translation>改用 %1</translation>
    </message>
    <message>
        <source>Cancel preparing %1</source>
        <translation>取消准备 %1</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
</context>
<context>
    <name>ui::LedgerLegend</name>
    <message>
        <source>Colours of the ledger</source>
        <translation>构成图的颜色</translation>
    </message>
</context>
<context>
    <name>ui::Playground</name>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>You</source>
        <translation>你</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>rate</source>
        <translation>速率</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>词元/秒</translation>
    </message>
    <message>
        <source>no chat format</source>
        <translation>无对话模板</translation>
    </message>
    <message>
        <source>Ask the model something</source>
        <translation>向模型提问</translation>
    </message>
    <message>
        <source>Open a model to try it here</source>
        <translation>打开模型后可在此试用</translation>
    </message>
    <message>
        <source>Playground</source>
        <translation>试用台</translation>
    </message>
    <message>
        <source>Sampling</source>
        <translation>采样</translation>
    </message>
    <message>
        <source>New conversation</source>
        <translation>新对话</translation>
    </message>
    <message>
        <source>What you send here runs beside the load, is measured like any request, and carries the tag “playground”.</source>
        <translation>这里发送的内容与负载同时运行，像其他请求一样测量，并带有“playground”标签。</translation>
    </message>
    <message>
        <source>First token of this answer</source>
        <translation>本回答的首词元</translation>
    </message>
    <message>
        <source>ms from Send</source>
        <translation>ms，自发送</translation>
    </message>
    <message>
        <source>Total after Send</source>
        <translation>发送后合计</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop the answer (Esc)</source>
        <translation>停止回答（Esc）</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Send (Ctrl+Enter)</source>
        <translation>发送（Ctrl+Enter）</translation>
    </message>
</context>
<context>
    <name>ui::RequestCard</name>
    <message>
        <source>Copy the stages</source>
        <translation>复制各阶段</translation>
    </message>
    <message>
        <source>Copy the stages of this request</source>
        <translation>复制此请求的各阶段</translation>
    </message>
    <message>
        <source>next request</source>
        <translation>下一个请求</translation>
    </message>
    <message>
        <source>open on the timeline</source>
        <translation>在时间线上打开</translation>
    </message>
    <message>
        <source>No request selected</source>
        <translation>未选择请求</translation>
    </message>
    <message>
        <source>Select a request to see where its first token&apos;s time went.</source>
        <translation>选择一个请求，查看其首词元时间的去向。</translation>
    </message>
    <message>
        <source>Request %1</source>
        <translation>请求 %1</translation>
    </message>
    <message>
        <source>TTFT %1 ms from scheduled &amp;nbsp; from received %2 &amp;nbsp; from admitted %3</source>
        <translation>TTFT %1 ms，自计划时刻 &amp;nbsp; 自接收 %2 &amp;nbsp; 自准入 %3</translation>
    </message>
    <message>
        <source>It ended before its first token: %1.</source>
        <translation>它在首词元之前结束：%1。</translation>
    </message>
    <message>
        <source>&lt;b&gt;Sum of stages %1 ms&lt;/b&gt;</source>
        <translation>&lt;b&gt;各阶段合计 %1 ms&lt;/b&gt;</translation>
    </message>
    <message>
        <source>&lt;b&gt;No first token&lt;/b&gt;</source>
        <translation>&lt;b&gt;没有首词元&lt;/b&gt;</translation>
    </message>
    <message>
        <source>no preemption</source>
        <translation>未被抢占</translation>
    </message>
    <message numerus="yes">
        <source>preempted %n times</source>
        <translation>
            <numerusform>被抢占 %n 次</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 prompt tokens · %2 output tokens · %3</source>
        <translation>%1 个输入词元 · %2 个输出词元 · %3</translation>
    </message>
    <message>
        <source>TTFT ms from scheduled %1, from received %2, from admitted %3</source>
        <translation>TTFT ms：自计划时刻 %1，自接收 %2，自准入 %3</translation>
    </message>
</context>
<context>
    <name>ui::RequestsPage</name>
    <message>
        <source>%1 running, %2 waiting</source>
        <translation>%1 个运行，%2 个等待</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>The table keeps the newest %1; all are in the run log.</source>
        <translation>表格保留最新的 %1 个；全部都在运行日志中。</translation>
    </message>
    <message>
        <source>No request has finished yet. Start a load, or ask the model something at the right.</source>
        <translation>尚无完成的请求。可开始负载，或在右侧向模型提问。</translation>
    </message>
    <message>
        <source>No request matches the filter.</source>
        <translation>没有符合筛选条件的请求。</translation>
    </message>
    <message>
        <source>Export the requests shown</source>
        <translation>导出显示的请求</translation>
    </message>
    <message>
        <source>CSV files (*.csv)</source>
        <translation>CSV 文件 (*.csv)</translation>
    </message>
    <message>
        <source>Requests exported</source>
        <translation>请求已导出</translation>
    </message>
    <message>
        <source>The export failed</source>
        <translation>导出失败</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Export requests as CSV</source>
        <translation>将请求导出为 CSV</translation>
    </message>
    <message>
        <source>New conversation in the playground</source>
        <translation>试用台新对话</translation>
    </message>
    <message>
        <source>Show cold requests</source>
        <translation>显示冷启动请求</translation>
    </message>
    <message>
        <source>Filter: tag:cold ttft&gt;100 lane:batch outcome:failed</source>
        <translation>筛选：tag:cold ttft&gt;100 lane:batch outcome:failed</translation>
    </message>
    <message>
        <source>Walk through the requests</source>
        <translation>逐个浏览请求</translation>
    </message>
    <message>
        <source>Open the request on the timeline</source>
        <translation>在时间线上打开请求</translation>
    </message>
    <message>
        <source>Copy the row</source>
        <translation>复制此行</translation>
    </message>
    <message>
        <source>Send the prompt</source>
        <translation>发送提示词</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>停止回答</translation>
    </message>
    <message>
        <source>Filter requests</source>
        <translation>筛选请求</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>CSV</source>
        <translation>CSV</translation>
    </message>
    <message>
        <source>Export the requests shown as CSV</source>
        <translation>将显示的请求导出为 CSV</translation>
    </message>
    <message>
        <source>Finished requests</source>
        <translation>已结束的请求</translation>
    </message>
</context>
<context>
    <name>ui::SamplingForm</name>
    <message>
        <source>greedy</source>
        <translation>贪心</translation>
    </message>
    <message>
        <source>temperature %1</source>
        <translation>温度 %1</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Top k</source>
        <translation>Top k</translation>
    </message>
    <message>
        <source>Top p</source>
        <translation>Top p</translation>
    </message>
    <message>
        <source>Min p</source>
        <translation>Min p</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Max tokens</source>
        <translation>最大词元数</translation>
    </message>
    <message>
        <source>0 takes the likeliest token every time</source>
        <translation>0 表示每次取最可能的词元</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
</context>
<context>
    <name>ui::Waterfall</name>
    <message>
        <source>Where the first token&apos;s time went, in milliseconds</source>
        <translation>首词元时间的去向，单位毫秒</translation>
    </message>
</context>
<context>
    <name>verdict</name>
    <message>
        <source>better</source>
        <translation>改善</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>变差</translation>
    </message>
    <message>
        <source>same</source>
        <translation>相同</translation>
    </message>
    <message>
        <source>not resolved</source>
        <translation>未能分辨</translation>
    </message>
</context>
</TS>
