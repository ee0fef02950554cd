<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Chart</name>
    <message>
        <source>total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>run time</source>
        <translation>运行时间</translation>
    </message>
</context>
<context>
    <name>ClaimColumns</name>
    <message>
        <source>not run</source>
        <translation>未运行</translation>
    </message>
    <message numerus="yes">
        <source>%n more block(s)</source>
        <translation>
            <numerusform>还需 %n 个区组</numerusform>
        </translation>
    </message>
    <message>
        <source>Claim</source>
        <translation>声称</translation>
    </message>
    <message>
        <source>Claimed</source>
        <translation>声称值</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95 % 置信区间</translation>
    </message>
    <message>
        <source>▏claimed  ● measured, with interval</source>
        <translation>▏声称值  ● 实测值及区间</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message numerus="yes">
        <source>%n load(s)</source>
        <translation>
            <numerusform>%n 次加载</numerusform>
        </translation>
    </message>
    <message>
        <source>%1, shortened</source>
        <translation>%1，已缩短</translation>
    </message>
</context>
<context>
    <name>ComparisonColumns</name>
    <message>
        <source>n %1 / %2</source>
        <translation>n %1 / %2</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95 % 置信区间</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Too few values for an interval</source>
        <translation>数值太少，得不出区间</translation>
    </message>
</context>
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
    <message>
        <source>Preparing %1 %, %2 s left</source>
        <translation>准备中 %1 %，还需 %2 秒</translation>
    </message>
    <message>
        <source>%1: %2, %3</source>
        <translation>%1：%2，%3</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>Every setting that takes no reload</source>
        <translation>所有无需重新加载的设置</translation>
    </message>
    <message>
        <source>Realtime first</source>
        <translation>实时优先</translation>
    </message>
    <message>
        <source>One request at a time, INT8</source>
        <translation>一次一个请求，INT8</translation>
    </message>
    <message>
        <source>Throughput first</source>
        <translation>吞吐优先</translation>
    </message>
    <message>
        <source>Dynamic batches, FP16</source>
        <translation>动态批处理，FP16</translation>
    </message>
</context>
<context>
    <name>ExperimentColumns</name>
    <message>
        <source>n %1 / %2</source>
        <translation>n %1 / %2</translation>
    </message>
    <message>
        <source>A block has too few requests to bound this quantile; its own value is compared all the same.</source>
        <translation>某个区组的请求太少，无法给出该分位数的界；仍按区组自身的值比较。</translation>
    </message>
    <message numerus="yes">
        <source>About %n more block(s) would tell</source>
        <translation>
            <numerusform>约再需 %n 个区组才能分辨</numerusform>
        </translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95 % 置信区间</translation>
    </message>
    <message>
        <source>p, Holm</source>
        <translation>p（Holm）</translation>
    </message>
    <message>
        <source>Paired t over rounds, adjusted by Holm over the measures of this table</source>
        <translation>按轮次配对 t 检验，对本表各指标做 Holm 校正</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
</context>
<context>
    <name>LoadPreview</name>
    <message>
        <source>planned arrivals</source>
        <translation>计划到达</translation>
    </message>
    <message>
        <source>wanted</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>%1 users, closed loop</source>
        <translation>%1 个用户，闭环</translation>
    </message>
    <message>
        <source>%1/s in bursts</source>
        <translation>突发 %1/秒</translation>
    </message>
    <message>
        <source>%1/s</source>
        <translation>%1/秒</translation>
    </message>
    <message>
        <source>Arrivals</source>
        <translation>到达</translation>
    </message>
    <message>
        <source>requests/s</source>
        <translation>请求/秒</translation>
    </message>
    <message>
        <source>A closed loop has no rate of its own: each user asks again after its answer.</source>
        <translation>闭环没有自己的速率：每个用户得到回答后再次提问。</translation>
    </message>
    <message>
        <source>achieved, last 10 s</source>
        <translation>实际，最近 10 秒</translation>
    </message>
</context>
<context>
    <name>LoadingPhase</name>
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
        <source>tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>warm-up</source>
        <translation>预热</translation>
    </message>
</context>
<context>
    <name>Playground</name>
    <message>
        <source>%1 characters are not shown</source>
        <translation>有 %1 个字符未显示</translation>
    </message>
</context>
<context>
    <name>ReplayColumns</name>
    <message>
        <source>Requests sent</source>
        <translation>发送的请求</translation>
    </message>
    <message>
        <source>Completed requests</source>
        <translation>完成的请求</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Recorded</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>Real</source>
        <translation>真实</translation>
    </message>
    <message>
        <source>Error of the simulation</source>
        <translation>模拟误差</translation>
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
    <message>
        <source>degraded</source>
        <translation>降级中</translation>
    </message>
    <message>
        <source>stored answer</source>
        <translation>缓存答案</translation>
    </message>
    <message>
        <source>light model</source>
        <translation>轻量模型</translation>
    </message>
    <message>
        <source>fed while typing</source>
        <translation>边输入边预填充</translation>
    </message>
    <message>
        <source>mixed weights</source>
        <translation>混合权重</translation>
    </message>
    <message>
        <source>not a latency sample</source>
        <translation>不计入延迟样本</translation>
    </message>
</context>
<context>
    <name>RunColumns</name>
    <message>
        <source>n %1: %2 more would make it sure</source>
        <translation>n %1：再有 %2 个即可确定</translation>
    </message>
    <message>
        <source>events lost</source>
        <translation>有事件丢失</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>TTFT p50 ms</source>
        <translation>TTFT p50 ms</translation>
    </message>
    <message>
        <source>TTFT p99 ms</source>
        <translation>TTFT p99 ms</translation>
    </message>
    <message>
        <source>Output tok/s</source>
        <translation>输出词元/秒</translation>
    </message>
    <message>
        <source>Goodput req/s</source>
        <translation>有效吞吐 请求/秒</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>baseline</source>
        <translation>基线</translation>
    </message>
    <message>
        <source>other workload</source>
        <translation>其他负载</translation>
    </message>
    <message>
        <source>other model</source>
        <translation>其他模型</translation>
    </message>
    <message>
        <source>too short</source>
        <translation>太短</translation>
    </message>
    <message>
        <source>To baseline</source>
        <translation>相对基线</translation>
    </message>
    <message>
        <source>TTFT p99 against the pinned run&apos;s; compare the two for an interval</source>
        <translation>TTFT p99 与基线之差；比较两次运行可得区间</translation>
    </message>
    <message>
        <source>within TTFT %1 and TPOT %2</source>
        <translation>以 TTFT %1、TPOT %2 计</translation>
    </message>
    <message>
        <source>Hits</source>
        <translation>命中</translation>
    </message>
</context>
<context>
    <name>app::ExperimentRun</name>
    <message>
        <source>Another model was loaded.</source>
        <translation>已加载另一个模型。</translation>
    </message>
    <message>
        <source>Stopped; what was measured is kept.</source>
        <translation>已停止；测得的数据保留。</translation>
    </message>
    <message>
        <source>%1 = %2 did not take effect: %3</source>
        <translation>%1 = %2 未生效：%3</translation>
    </message>
    <message>
        <source>Recording was ended; what was measured is kept.</source>
        <translation>记录已结束；测得的数据保留。</translation>
    </message>
    <message>
        <source>No request was answered while measuring what the engine can do.</source>
        <translation>测量引擎能力时没有请求得到回答。</translation>
    </message>
    <message>
        <source>The interval was narrow enough.</source>
        <translation>区间已足够窄。</translation>
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
        <source>KV blocks in use</source>
        <translation>已用 KV 块</translation>
    </message>
    <message>
        <source>Memory of the machine</source>
        <translation>整机内存</translation>
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
        <source>Where the first token’s time goes</source>
        <translation>首词元时间的构成</translation>
    </message>
    <message>
        <source>mean ms a request, adds up</source>
        <translation>每请求平均 ms，各项相加等于总和</translation>
    </message>
    <message>
        <source>logarithmic axis</source>
        <translation>对数坐标轴</translation>
    </message>
    <message>
        <source>%1 at %2 ms</source>
        <translation>%1：%2 ms</translation>
    </message>
    <message>
        <source>target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>level 1</source>
        <translation>1 级</translation>
    </message>
    <message>
        <source>level 2</source>
        <translation>2 级</translation>
    </message>
    <message>
        <source>slots</source>
        <translation>槽位</translation>
    </message>
    <message>
        <source>limit %1 %</source>
        <translation>限值 %1 %</translation>
    </message>
    <message>
        <source>healthy from %1 %</source>
        <translation>健康下限 %1 %</translation>
    </message>
    <message>
        <source>healthy to %1 %</source>
        <translation>健康上限 %1 %</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>其余 %1 项</translation>
    </message>
    <message>
        <source>Schedule lag</source>
        <translation>计划滞后</translation>
    </message>
    <message>
        <source>ms late · rolling %1 s</source>
        <translation>滞后 ms · 滚动 %1 秒</translation>
    </message>
</context>
<context>
    <name>definitions</name>
    <message>
        <source>Time to first token (TTFT)</source>
        <translation>首词元延迟（TTFT）</translation>
    </message>
    <message>
        <source>From the moment the workload wanted the request to its first visible text, so that waiting counts. Live can begin at received or admitted instead, and says so. Latency samples only: completed, neither cold nor after an idle engine nor warm-up. A value is grey until its 95 % interval exists: n ≥ 6, 29, 59, 299 for p50, p90, p95, p99.</source>
        <translation>从负载计划发出请求的时刻到第一段可见文本，因此等待也计入。实时页可改为从接收或准入算起，并会注明。只计延迟样本：已完成，且非冷启动、非空闲后、非预热。95 % 置信区间存在之前数值为灰色：p50、p90、p95、p99 分别需要 n ≥ 6、29、59、299。</translation>
    </message>
    <message>
        <source>vLLM’s benchmark counts from sending; its server’s histogram from arrival, queue included; its figure of a request leaves the queue out.</source>
        <translation>vLLM 的基准测试从发送算起；其服务器直方图从到达算起，含排队；其单个请求的数值不含排队。</translation>
    </message>
    <message>
        <source>TTFT gap</source>
        <translation>TTFT 差距</translation>
    </message>
    <message>
        <source>How far the slow requests lie from the usual ones. Above the limit (100 ms unless set otherwise) it is an alarm.</source>
        <translation>慢请求与一般请求相差多少。超过上限（默认 100 ms）即告警。</translation>
    </message>
    <message>
        <source>Time per output token (TPOT)</source>
        <translation>每词元耗时（TPOT）</translation>
    </message>
    <message>
        <source>The pace of an answer after its first text. Empty for answers of one token, and then not held against a limit.</source>
        <translation>首段文本之后答案的速度。只有一个词元的答案没有此值，也不按上限判定。</translation>
    </message>
    <message>
        <source>AIPerf calls this inter-token latency. GuideLLM’s TPOT includes the first token.</source>
        <translation>AIPerf 称之为词元间延迟。GuideLLM 的 TPOT 包含首词元。</translation>
    </message>
    <message>
        <source>Inter-token latency (ITL)</source>
        <translation>词元间延迟（ITL）</translation>
    </message>
    <message>
        <source>Gaps between the engine’s steps that gave visible tokens, of all completed, warm requests together. A step may give more than one token.</source>
        <translation>引擎产出可见词元的各步之间的间隔，汇集所有已完成的预热后请求。一步可产出多个词元。</translation>
    </message>
    <message>
        <source>vLLM: gaps between the chunks that a client received, pooled.</source>
        <translation>vLLM：客户端收到的各数据块之间的间隔，合并统计。</translation>
    </message>
    <message>
        <source>End-to-end latency (E2EL)</source>
        <translation>端到端延迟（E2EL）</translation>
    </message>
    <message>
        <source>The whole answer, waiting included. A trailing usage frame does not lengthen it.</source>
        <translation>整个答案，含等待。末尾的用量帧不计入。</translation>
    </message>
    <message>
        <source>AIPerf and GuideLLM: request latency.</source>
        <translation>AIPerf 与 GuideLLM：request latency。</translation>
    </message>
    <message>
        <source>Schedule lag</source>
        <translation>计划滞后</translation>
    </message>
    <message>
        <source>How late the load generator was. A median above 10 ms means that the generator, not the engine, is the bottleneck.</source>
        <translation>负载发生器迟了多少。中位数超过 10 ms 说明瓶颈在发生器而不在引擎。</translation>
    </message>
    <message>
        <source>Tools that count from sending hide it: the slower the engine, the fewer requests they send (coordinated omission).</source>
        <translation>从发送算起的工具会掩盖它：引擎越慢，发出的请求越少（协同遗漏）。</translation>
    </message>
    <message>
        <source>Achieved rate</source>
        <translation>实际速率</translation>
    </message>
    <message>
        <source>Requests a second that arrived. It stands beside the wanted rate of the workload; a closed loop wants none.</source>
        <translation>每秒到达的请求数，与负载的目标速率并列；闭环没有目标速率。</translation>
    </message>
    <message>
        <source>Output throughput</source>
        <translation>输出吞吐</translation>
    </message>
    <message>
        <source>Tokens made a second: of the whole run, of a selected span, or live over the last 5 s. Output and prompt are never added.</source>
        <translation>每秒产出的词元：整次运行、所选时段，或实时的最近 5 秒。输出与输入从不相加。</translation>
    </message>
    <message>
        <source>vLLM’s benchmark also gives a total that adds prompt and output.</source>
        <translation>vLLM 的基准测试还给出输入与输出相加的总数。</translation>
    </message>
    <message>
        <source>Prompt throughput</source>
        <translation>输入吞吐</translation>
    </message>
    <message>
        <source>Prompt tokens a second whose prefill ended, without those that the prefix cache held.</source>
        <translation>每秒完成预填充的输入词元，不含前缀缓存命中的部分。</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐</translation>
    </message>
    <message>
        <source>Means over whole seconds, or over columns of the picture where these are wider.</source>
        <translation>按整秒求平均；图上一列更宽时按列求平均。</translation>
    </message>
    <message>
        <source>Requests a second</source>
        <translation>每秒请求数</translation>
    </message>
    <message>
        <source>Requests that ended as wanted within the run. Cancelled, failed and rejected ones are counted apart; the four add up to all.</source>
        <translation>在运行期间正常完成的请求。取消、失败和被拒的另计；四者之和为全部。</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>有效吞吐</translation>
    </message>
    <message>
        <source>Requests a second that met the service target (TTFT from scheduled, TPOT). Cached, light-model, rejected and failed answers never count. The limits in force are kept with each run.</source>
        <translation>每秒达到服务目标（自计划时刻的 TTFT、TPOT）的请求数。缓存、轻量模型、被拒和失败的答案从不计入。生效的上限随每次运行保存。</translation>
    </message>
    <message>
        <source>vLLM’s benchmark: request goodput.</source>
        <translation>vLLM 基准测试：request goodput。</translation>
    </message>
    <message>
        <source>Running, waiting, slots</source>
        <translation>运行、等待、槽位</translation>
    </message>
    <message>
        <source>As the engine counts them at a step. Tiles show means of the last 5 s.</source>
        <translation>引擎在每一步的计数。指标块显示最近 5 秒的平均值。</translation>
    </message>
    <message>
        <source>vLLM: num_requests_running, num_requests_waiting.</source>
        <translation>vLLM：num_requests_running、num_requests_waiting。</translation>
    </message>
    <message>
        <source>Where the first token’s time goes</source>
        <translation>首词元时间的构成</translation>
    </message>
    <message>
        <source>The stages of a request add up to its TTFT; what no stage explains is shown as the remainder. Batch mates: the part of its own prefill steps that went to other requests. Prefill’s split into weights and arithmetic is modelled from measured bandwidth; it is drawn hatched and is part of no verdict.</source>
        <translation>请求各阶段之和等于其 TTFT；无法归因的部分显示为未归因。同批等待：自身预填充步骤中用于其他请求的部分。预填充按读权重与运算的拆分由实测带宽建模得出，以斜线绘出，不参与任何结论。</translation>
    </message>
    <message>
        <source>KV blocks in use</source>
        <translation>已用 KV 块</translation>
    </message>
    <message>
        <source>Blocks of the KV cache that sequences refer to. Blocks kept only for prefixes count as free.</source>
        <translation>序列所引用的 KV 缓存块。仅为前缀保留的块视为空闲。</translation>
    </message>
    <message>
        <source>vLLM: kv_cache_usage_perc, which goes from 0 to 1.</source>
        <translation>vLLM：kv_cache_usage_perc，取值 0 到 1。</translation>
    </message>
    <message>
        <source>Prefix hits</source>
        <translation>前缀命中</translation>
    </message>
    <message>
        <source>Of the requests behind the latencies shown. From 1 % on a comparison is marked: a hit makes a first token look fast.</source>
        <translation>针对所示延迟对应的请求。达到 1 % 起对比会被标记：命中会让首词元显得更快。</translation>
    </message>
    <message>
        <source>Memory of the machine</source>
        <translation>整机内存</translation>
    </message>
    <message>
        <source>Memory in use by all programs, with the alarm’s limit (85 % unless set otherwise).</source>
        <translation>所有程序占用的内存，附告警上限（默认 85 %）。</translation>
    </message>
    <message>
        <source>Memory of this process</source>
        <translation>本进程内存</translation>
    </message>
    <message>
        <source>What this program holds in memory. Pages of a mapped model file count where they were read.</source>
        <translation>本程序占用的内存。映射的模型文件中已读取的页计入。</translation>
    </message>
    <message>
        <source>Device busy</source>
        <translation>设备繁忙率</translation>
    </message>
    <message>
        <source>Share of the engine’s threads that computed. From 60 to 80 % is the healthy range: below it the machine idles, above it queues form.</source>
        <translation>引擎线程用于计算的比例。60 % 到 80 % 为健康区间：低于它机器闲置，高于它开始排队。</translation>
    </message>
    <message>
        <source>A GPU’s utilisation says that some kernel ran, not that the device was full.</source>
        <translation>GPU 利用率只表示有内核在运行，并不表示设备已满载。</translation>
    </message>
    <message>
        <source>Warm samples</source>
        <translation>预热后样本</translation>
    </message>
    <message>
        <source>Samples that say how the engine runs, not how it starts. The others are kept and shown apart, never dropped.</source>
        <translation>反映引擎如何运行而非如何启动的样本。其余样本保留并单独显示，从不丢弃。</translation>
    </message>
    <message>
        <source>Quantiles</source>
        <translation>分位数</translation>
    </message>
    <message>
        <source>Exact, of all values of the span shown; always with n. Values of two runs are never averaged.</source>
        <translation>由所示时段的全部数值精确得出，总附 n。两次运行的数值从不取平均。</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95 % 置信区间</translation>
    </message>
    <message>
        <source>Where the true difference lies in 95 of 100 such measurements. An experiment takes turns (A-B-A-B), so drift falls out; two runs in sequence, or two parts of one, do not exclude it, and each interval stands for itself.</source>
        <translation>在 100 次这样的测量中有 95 次包含真实差值的范围。实验交替进行（A-B-A-B），漂移随之抵消；先后两次运行或同一运行的两部分不能排除漂移，各区间各自独立。</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Not resolved means that the interval holds 0 or that there are too few values; the table says about how many more it would take.</source>
        <translation>未能分辨表示区间包含 0 或数值太少；表中给出大约还需多少。</translation>
    </message>
    <message>
        <source>Effect of an event</source>
        <translation>事件的影响</translation>
    </message>
    <message>
        <source>Not across another event, without the first two seconds, and only with 30 requests on each side. Drift is not excluded.</source>
        <translation>不跨越其他事件，不含最初两秒，且两侧各需 30 个请求。不能排除漂移。</translation>
    </message>
    <message>
        <source>Before and after</source>
        <translation>前后对比</translation>
    </message>
    <message>
        <source>A run cut at an event or at the crosshair. Requests that the cut parts are in no side’s latencies; their number is shown. Tokens count by their own time.</source>
        <translation>在事件或十字线处切分的运行。跨越切点的请求不计入任何一侧的延迟，其数目会显示。词元按各自的时间计。</translation>
    </message>
    <message>
        <source>Degradation level</source>
        <translation>降级级别</translation>
    </message>
    <message>
        <source>Over 30 s with at least 30 requests, three times running; back after five healthy minutes below 600 ms, tried on a few requests first. Limits can be set.</source>
        <translation>30 秒窗口、至少 30 个请求、连续三次；低于 600 ms 健康五分钟后恢复，先用少量请求试行。上限可设置。</translation>
    </message>
    <message>
        <source>p99 − p50 of TTFT</source>
        <translation>TTFT 的 p99 − p50</translation>
    </message>
    <message>
        <source>time of a step − time of the step before, of one request</source>
        <translation>同一请求中，一步的时刻 − 上一步的时刻</translation>
    </message>
    <message>
        <source>(arrivals − 1) ÷ (last − first arrival)</source>
        <translation>（到达数 − 1）÷（最后到达 − 最先到达）</translation>
    </message>
    <message>
        <source>visible tokens ÷ seconds</source>
        <translation>可见词元 ÷ 秒</translation>
    </message>
    <message>
        <source>computed prompt tokens ÷ seconds</source>
        <translation>计算过的输入词元 ÷ 秒</translation>
    </message>
    <message>
        <source>tokens ÷ seconds, output and prompt apart</source>
        <translation>词元 ÷ 秒，输出与输入分开</translation>
    </message>
    <message>
        <source>completed requests ÷ seconds</source>
        <translation>完成的请求 ÷ 秒</translation>
    </message>
    <message>
        <source>completed within every limit ÷ seconds</source>
        <translation>在每项限值内完成的请求 ÷ 秒</translation>
    </message>
    <message>
        <source>sequences in the batch; requests in the queue; batch limit in effect</source>
        <translation>批中的序列；队列中的请求；生效的批上限</translation>
    </message>
    <message>
        <source>lag + admission + queue + KV + prefill + sample + delivery + remainder = TTFT</source>
        <translation>滞后 + 准入 + 队列 + KV + 预填充 + 采样 + 交付 + 未归因 = TTFT</translation>
    </message>
    <message>
        <source>blocks referred to ÷ all blocks</source>
        <translation>被引用的块 ÷ 全部块</translation>
    </message>
    <message>
        <source>prompt tokens found in the prefix cache ÷ prompt tokens</source>
        <translation>前缀缓存中找到的输入词元 ÷ 输入词元</translation>
    </message>
    <message>
        <source>1 − available ÷ total</source>
        <translation>1 − 可用 ÷ 总量</translation>
    </message>
    <message>
        <source>resident bytes</source>
        <translation>常驻字节数</translation>
    </message>
    <message>
        <source>busy thread time ÷ (threads × time)</source>
        <translation>线程繁忙时间 ÷（线程数 × 时间）</translation>
    </message>
    <message>
        <source>completed ∧ ¬cold ∧ ¬idle start ∧ ¬warm-up</source>
        <translation>已完成 ∧ ¬冷启动 ∧ ¬空闲后启动 ∧ ¬预热</translation>
    </message>
    <message>
        <source>linear between order statistics</source>
        <translation>次序统计量之间线性插值</translation>
    </message>
    <message>
        <source>experiments: paired t over blocks, Holm; runs: bootstrap over requests</source>
        <translation>实验：对区组的配对 t，Holm 校正；运行：对请求的自助法</translation>
    </message>
    <message>
        <source>better, worse: the interval excludes 0; same: it lies within ±1 %</source>
        <translation>改善、变差：区间不含 0；相同：区间在 ±1 % 之内</translation>
    </message>
    <message>
        <source>median TTFT of up to 60 s after − of up to 60 s before</source>
        <translation>之后至多 60 秒的 TTFT 中位数 − 之前至多 60 秒的</translation>
    </message>
    <message>
        <source>requests that arrived and ended before the cut | from 2 s after it</source>
        <translation>在切点之前到达并结束的请求 | 切点 2 秒之后的请求</translation>
    </message>
    <message>
        <source>lower 95 % bound of TTFT p90 &gt; 800 ms (level 1), &gt; 1.5 s (level 2)</source>
        <translation>TTFT p90 的 95 % 下界 &gt; 800 ms（1 级），&gt; 1.5 秒（2 级）</translation>
    </message>
</context>
<context>
    <name>dialects</name>
    <message>
        <source>from arrival: the schedule’s lag is not in it</source>
        <translation>从到达算起：不含计划滞后</translation>
    </message>
    <message>
        <source>our TPOT</source>
        <translation>即本工具的 TPOT</translation>
    </message>
    <message>
        <source>prompt and output added, prefix hits included</source>
        <translation>输入与输出相加，含前缀命中</translation>
    </message>
    <message>
        <source>between steps; there between chunks</source>
        <translation>步与步之间；该工具为数据块之间</translation>
    </message>
    <message>
        <source>from the first step to the second</source>
        <translation>从第一步到第二步</translation>
    </message>
    <message>
        <source>our E2EL, from arrival</source>
        <translation>即本工具的 E2EL，从到达算起</translation>
    </message>
    <message>
        <source>1 ÷ TPOT of each request</source>
        <translation>每个请求的 1 ÷ TPOT</translation>
    </message>
    <message>
        <source>mean number of requests under way</source>
        <translation>进行中请求的平均数</translation>
    </message>
    <message>
        <source>includes the first token: (lastToken − received) ÷ tokens</source>
        <translation>含首词元：(lastToken − received) ÷ 词元数</translation>
    </message>
    <message>
        <source>cancelled, failed and rejected together</source>
        <translation>取消、失败与被拒合计</translation>
    </message>
</context>
<context>
    <name>experiments</name>
    <message>
        <source>Prompt length</source>
        <translation>提示词长度</translation>
    </message>
    <message>
        <source>Answer length</source>
        <translation>回答长度</translation>
    </message>
    <message>
        <source>Users</source>
        <translation>用户数</translation>
    </message>
    <message>
        <source>Arrival rate</source>
        <translation>到达速率</translation>
    </message>
    <message>
        <source>Share of the batch lane</source>
        <translation>批量通道占比</translation>
    </message>
    <message>
        <source>Texts</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Fed while typing</source>
        <translation>边输入边预填充</translation>
    </message>
    <message>
        <source>Cold start</source>
        <translation>冷启动</translation>
    </message>
    <message>
        <source>First token</source>
        <translation>首词元</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Batching</source>
        <translation>批处理</translation>
    </message>
    <message>
        <source>Attention and KV</source>
        <translation>注意力与 KV</translation>
    </message>
    <message>
        <source>Streaming prefill</source>
        <translation>流式预填充</translation>
    </message>
    <message>
        <source>Degradation</source>
        <translation>降级</translation>
    </message>
    <message>
        <source>holds</source>
        <translation>成立</translation>
    </message>
    <message>
        <source>does not hold</source>
        <translation>不成立</translation>
    </message>
    <message>
        <source>not resolved</source>
        <translation>未能分辨</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>已测量</translation>
    </message>
    <message>
        <source>modelled</source>
        <translation>模型值</translation>
    </message>
    <message>
        <source>needs more</source>
        <translation>条件不足</translation>
    </message>
    <message>
        <source>not run</source>
        <translation>未运行</translation>
    </message>
    <message>
        <source>about %1</source>
        <translation>约 %1</translation>
    </message>
    <message>
        <source>not stated</source>
        <translation>未声称</translation>
    </message>
    <message>
        <source>a CUDA device</source>
        <translation>CUDA 设备</translation>
    </message>
    <message>
        <source>a model with %1 tokens of context</source>
        <translation>上下文达 %1 词元的模型</translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) preempted</source>
        <translation>
            <numerusform>%n 个请求被抢占</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n cold request(s)</source>
        <translation>
            <numerusform>%n 个冷请求</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n answer(s) cut at the end of drain</source>
        <translation>
            <numerusform>排空结束时截断 %n 个回答</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) failed or refused</source>
        <translation>
            <numerusform>%n 个请求失败或被拒</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) of others</source>
        <translation>
            <numerusform>%n 个其他请求</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 % prefix hits</source>
        <translation>前缀命中 %1 %</translation>
    </message>
    <message>
        <source>the generator was %1 ms late</source>
        <translation>负载发生器滞后 %1 ms</translation>
    </message>
    <message>
        <source>the clock moved by %1 %</source>
        <translation>时钟变动 %1 %</translation>
    </message>
    <message>
        <source>other programs took %1 % of the processor</source>
        <translation>其他程序占用处理器 %1 %</translation>
    </message>
    <message>
        <source>%1 was changed</source>
        <translation>%1 被更改</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Claim holds on this machine</source>
        <translation>声称值在本机成立</translation>
    </message>
    <message>
        <source>Claim does not hold on this machine</source>
        <translation>声称值在本机不成立</translation>
    </message>
    <message>
        <source>The interval holds both</source>
        <translation>区间同时包含两种情况</translation>
    </message>
    <message>
        <source>Too few rounds for an interval</source>
        <translation>轮次太少，无法给出区间</translation>
    </message>
    <message>
        <source>Measured; no figure is claimed</source>
        <translation>已测量；没有声称值</translation>
    </message>
    <message>
        <source>A model&apos;s figure takes part in no verdict</source>
        <translation>模型推算值不参与结论</translation>
    </message>
    <message>
        <source>Needs %1</source>
        <translation>需要 %1</translation>
    </message>
    <message>
        <source>Not run yet</source>
        <translation>尚未运行</translation>
    </message>
    <message>
        <source>No values yet</source>
        <translation>尚无数据</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>区组</translation>
    </message>
    <message>
        <source>No block has ended yet</source>
        <translation>尚无区组结束</translation>
    </message>
    <message>
        <source>TTFT</source>
        <translation>TTFT</translation>
    </message>
    <message>
        <source>ms, share of requests, %</source>
        <translation>ms，请求占比，%</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>tokens/s, share of seconds, %</source>
        <translation>词元/秒，时间占比，%</translation>
    </message>
    <message>
        <source>No round has ended yet</source>
        <translation>尚无轮次结束</translation>
    </message>
    <message>
        <source>mean, 95 % interval</source>
        <translation>均值，95 % 区间</translation>
    </message>
    <message>
        <source>claimed</source>
        <translation>声称值</translation>
    </message>
    <message>
        <source>Continuous batching, best number of slots</source>
        <translation>连续批处理，最佳槽位数</translation>
    </message>
    <message>
        <source>A closed loop of 32 users; which values can&apos;t be told from the best is the interval.</source>
        <translation>32 个用户的闭环；与最佳值无法区分的取值构成区间。</translation>
    </message>
    <message>
        <source>Cold blocks, zig-zag, further memory</source>
        <translation>冷块 zig-zag 编码，再省内存</translation>
    </message>
    <message>
        <source>Continuous batching against single requests</source>
        <translation>连续批处理对比单请求</translation>
    </message>
    <message>
        <source>A closed loop of eight users.</source>
        <translation>8 个用户的闭环。</translation>
    </message>
    <message>
        <source>CUDA graphs, TTFT</source>
        <translation>CUDA 图，TTFT</translation>
    </message>
    <message>
        <source>Degradation level 1, TTFT p90 past saturation</source>
        <translation>1 级降级，过饱和时的 TTFT p90</translation>
    </message>
    <message>
        <source>Dynamic batching&apos;s long tail, TTFT p99 against continuous</source>
        <translation>动态批处理的长尾，TTFT p99 对比连续批处理</translation>
    </message>
    <message>
        <source>In a closed batch short answers wait for the longest one; answers of 4 to 128 tokens show it.</source>
        <translation>封闭批次中短回答要等最长的那个；4 到 128 词元的回答可显示这一点。</translation>
    </message>
    <message>
        <source>Dynamic batching, time-out 100 ms against 50 ms</source>
        <translation>动态批处理，超时 100 ms 对比 50 ms</translation>
    </message>
    <message>
        <source>Poisson arrivals at half of what the engine can do; the longer window fills batches and waits.</source>
        <translation>以引擎能力一半的泊松到达；更长的窗口填满批次，但要等待。</translation>
    </message>
    <message>
        <source>FP8 E4M3 weight-only, output throughput</source>
        <translation>FP8 E4M3 仅权重，输出吞吐</translation>
    </message>
    <message>
        <source>INT8 W8A8, output throughput</source>
        <translation>INT8 W8A8，输出吞吐</translation>
    </message>
    <message>
        <source>Kernels compiled ahead of time, first TTFT</source>
        <translation>预编译内核，首个 TTFT</translation>
    </message>
    <message>
        <source>KV at INT4, output throughput</source>
        <translation>KV 为 INT4，输出吞吐</translation>
    </message>
    <message>
        <source>Ledger share of arithmetic</source>
        <translation>运算占首词元时间的份额</translation>
    </message>
    <message>
        <source>Share of the time to the first token, of requests one after the other with prompts of about 500 tokens.</source>
        <translation>在首词元延迟中的份额；请求逐个进行，提示词约 500 词元。</translation>
    </message>
    <message>
        <source>Ledger share of KV initialisation</source>
        <translation>KV 初始化占首词元时间的份额</translation>
    </message>
    <message>
        <source>Ledger share of reading weights</source>
        <translation>读权重占首词元时间的份额</translation>
    </message>
    <message>
        <source>Prompts above 8k, share of latency at 16k</source>
        <translation>16k 时，8k 以上提示词占延迟的份额</translation>
    </message>
    <message>
        <source>How much of the TTFT of a 16k prompt comes after its first 8k tokens.</source>
        <translation>16k 提示词的 TTFT 中，前 8k 词元之后所占的部分。</translation>
    </message>
    <message>
        <source>Map instead of read, load time</source>
        <translation>内存映射代替读取，加载时间</translation>
    </message>
    <message>
        <source>Loads the model by reading the file and by mapping it, in turn. The file is in the page cache on both sides.</source>
        <translation>轮流以读取和映射方式加载模型。两侧文件都在页缓存中。</translation>
    </message>
    <message>
        <source>Priority lane, TTFT p99 at 1.2× saturation</source>
        <translation>优先通道，1.2 倍饱和时的 TTFT p99</translation>
    </message>
    <message>
        <source>Four of ten requests are realtime. Only these are measured, with and without priority.</source>
        <translation>十个请求中四个为实时。只测量这些请求，有无优先级各一侧。</translation>
    </message>
    <message>
        <source>Prompt-length slope, per 1k tokens</source>
        <translation>提示词长度斜率，每 1k 词元</translation>
    </message>
    <message>
        <source>One request at a time with prompts of growing length; the slope of TTFT over the prompt&apos;s tokens.</source>
        <translation>逐个请求，提示词逐渐变长；TTFT 随提示词词元数的斜率。</translation>
    </message>
    <message>
        <source>Queue p99 exceeds compute above</source>
        <translation>排队 p99 超过计算的速率</translation>
    </message>
    <message>
        <source>Open-loop load at growing rates: where the p99 of queueing passes the p99 of the prefill.</source>
        <translation>速率递增的开环负载：排队 p99 超过预填充 p99 之处。</translation>
    </message>
    <message>
        <source>Selective batching by prompt length, throughput</source>
        <translation>按提示词长度批处理，吞吐</translation>
    </message>
    <message>
        <source>Prompts of 16 to 1,500 tokens under a closed loop of 16 users. Steps here carry tokens and no padding, so similar lengths save no work.</source>
        <translation>16 个用户的闭环，提示词 16 到 1,500 词元。这里的步只含词元、没有填充，长度相近并不省计算。</translation>
    </message>
    <message>
        <source>Selective batching by prompt length, TTFT p50 against continuous</source>
        <translation>按提示词长度批处理，TTFT p50 对比连续批处理</translation>
    </message>
    <message>
        <source>Most prompts are short, some take many steps; at 0.8 of what the engine can do. Shows what short prompts gain and what it costs long ones.</source>
        <translation>多数提示词较短，少数需要许多步；负载为引擎能力的 0.8。显示短提示词得到什么、长提示词付出什么。</translation>
    </message>
    <message>
        <source>Tiered sparse attention, TTFT of long prompts</source>
        <translation>分层稀疏注意力，长提示词的 TTFT</translation>
    </message>
    <message>
        <source>Streaming prefill, TTFT after Send</source>
        <translation>流式预填充，发送后的 TTFT</translation>
    </message>
    <message>
        <source>A prompt of about 600 tokens written over two seconds; on side B it is fed meanwhile. Claimed: 320 to 250 ms.</source>
        <translation>约 600 词元的提示词用两秒写完；B 侧边写边预填充。声称：320 到 250 ms。</translation>
    </message>
    <message>
        <source>Tenants over one base, memory</source>
        <translation>多租户共用一个底座，内存</translation>
    </message>
    <message>
        <source>Tokenizing 16k tokens of Chinese</source>
        <translation>16k 词元中文的分词</translation>
    </message>
    <message>
        <source>Texts that were not seen before, encoded by the model&apos;s own tokenizer; nothing else runs.</source>
        <translation>未见过的文本，由模型自带分词器编码；不运行其他任务。</translation>
    </message>
    <message>
        <source>Tokenizing 16k tokens of mixed code</source>
        <translation>16k 词元混合代码的分词</translation>
    </message>
    <message>
        <source>Tokenizing 16k tokens of English</source>
        <translation>16k 词元英文的分词</translation>
    </message>
    <message>
        <source>Tokenizing 16k tokens of English, memory</source>
        <translation>16k 词元英文的分词，内存</translation>
    </message>
    <message>
        <source>How far the process grew above where it stood.</source>
        <translation>进程内存超出原有水平的增量。</translation>
    </message>
    <message>
        <source>Warm-up of 4 blank requests, first TTFT</source>
        <translation>4 个空请求预热，首个 TTFT</translation>
    </message>
    <message>
        <source>Loads the model without and with four warm-up requests, and times the first token of the first real request.</source>
        <translation>分别以不预热和四个预热请求加载模型，并测量首个真实请求的首词元延迟。</translation>
    </message>
    <message>
        <source>a build with the setting %1</source>
        <translation>带有设置 %1 的版本</translation>
    </message>
    <message>
        <source>TTFT, median of each second, ms; line: the block’s</source>
        <translation>TTFT，每秒中位数，ms；横线：该区组</translation>
    </message>
    <message>
        <source>output tokens/s, each second; line: the block’s</source>
        <translation>输出词元/秒，逐秒；横线：该区组</translation>
    </message>
    <message>
        <source>Tenants</source>
        <translation>租户</translation>
    </message>
    <message>
        <source>How far the process grew above where it stood, for two tenants with an adapter of rank 16 each: over a copy of the model of their own, and over one.</source>
        <translation>两个租户各带一个秩为 16 的适配器时，进程内存比原先增长多少：各用一份模型副本，与共用一份模型。</translation>
    </message>
    <message>
        <source>Round %1 is left out: block %2 was cut short.</source>
        <translation>第 %1 轮未计入：块 %2 被提前中断。</translation>
    </message>
    <message>
        <source>Round %1 is left out: block %2 was not measured.</source>
        <translation>第 %1 轮未计入：块 %2 没有测量。</translation>
    </message>
    <message>
        <source>Round %1 is left out: block %2 has no %3.</source>
        <translation>第 %1 轮未计入：块 %2 没有 %3。</translation>
    </message>
    <message>
        <source>Round %1 is left out: its figures make no number to claim.</source>
        <translation>第 %1 轮未计入：由其数据得不出所主张的数值。</translation>
    </message>
    <message>
        <source>Round %1 was not begun: the experiment ended before.</source>
        <translation>第 %1 轮未开始：实验已先结束。</translation>
    </message>
    <message>
        <source>Rounds %1 to %2 were not begun: the experiment ended before.</source>
        <translation>第 %1 至 %2 轮未开始：实验已先结束。</translation>
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
    <message>
        <source>req</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>tok</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>About the model: %1</source>
        <translation>关于模型：%1</translation>
    </message>
    <message>
        <source>Alarm cleared: %1 is %2</source>
        <translation>告警解除：%1 为 %2</translation>
    </message>
    <message>
        <source>Alarm: %1 is %2, below %3</source>
        <translation>告警：%1 为 %2，低于 %3</translation>
    </message>
    <message>
        <source>Alarm: %1 is %2, above %3</source>
        <translation>告警：%1 为 %2，高于 %3</translation>
    </message>
    <message>
        <source>TTFT p99 − p50</source>
        <translation>TTFT p99 − p50</translation>
    </message>
    <message>
        <source>TTFT above the target</source>
        <translation>TTFT 超出目标</translation>
    </message>
    <message>
        <source>Memory of the machine</source>
        <translation>整机内存</translation>
    </message>
    <message>
        <source>Device busy</source>
        <translation>设备繁忙率</translation>
    </message>
    <message>
        <source>Device busy while requests wait</source>
        <translation>有请求等待时的设备繁忙率</translation>
    </message>
    <message>
        <source>Lag of the load generator, median</source>
        <translation>负载发生器滞后（中位数）</translation>
    </message>
    <message>
        <source>The file&apos;s chat template is not known; conversations are sent as plain text: %1</source>
        <translation>文件的聊天模板未知；对话按纯文本发送：%1</translation>
    </message>
    <message>
        <source>Token gap target</source>
        <translation>词元间隔目标</translation>
    </message>
    <message>
        <source>Batch window</source>
        <translation>批次等待窗口</translation>
    </message>
    <message>
        <source>Class width</source>
        <translation>类别宽度</translation>
    </message>
    <message>
        <source>Class lead</source>
        <translation>类别让先时间</translation>
    </message>
    <message>
        <source>Lane priority</source>
        <translation>通道优先级</translation>
    </message>
    <message>
        <source>Ageing</source>
        <translation>老化时间</translation>
    </message>
    <message>
        <source>Batch lane share</source>
        <translation>批量通道份额</translation>
    </message>
    <message>
        <source>Realtime deadline</source>
        <translation>实时通道期限</translation>
    </message>
    <message>
        <source>Batch deadline</source>
        <translation>批量通道期限</translation>
    </message>
    <message>
        <source>Prefix cache</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>Prefix lifetime</source>
        <translation>前缀保留时间</translation>
    </message>
    <message>
        <source>Stream lifetime</source>
        <translation>流式提示词保留时间</translation>
    </message>
    <message>
        <source>Stream cores</source>
        <translation>流式提示词核心占比</translation>
    </message>
    <message>
        <source>How requests share steps: one at a time; in closed batches; joining and leaving at every step; or that with prompts of similar length together.</source>
        <translation>请求如何共享步骤：逐个执行；按封闭批次执行；每一步都可加入和离开；或在此基础上把长度相近的提示词放在一起。</translation>
    </message>
    <message>
        <source>Longest gap between two tokens of an answer that prompts in the same step may cause; their chunks are cut to fit it.</source>
        <translation>同一步中的提示词最多可使回答的两个词元之间产生的间隔；提示词分块会据此缩短。</translation>
    </message>
    <message>
        <source>Longest time that a batch collects requests before it runs to its end.</source>
        <translation>一个批次在开始执行到底之前收集请求的最长时间。</translation>
    </message>
    <message>
        <source>Prompts whose lengths fall into the same step of so many tokens share a step.</source>
        <translation>长度落在同一档（每档这么多词元）内的提示词共享一步。</translation>
    </message>
    <message>
        <source>How much longer than a class of shorter prompts the next longer one may wait for its turn.</source>
        <translation>较长一类的提示词轮到之前，最多可比较短一类多等多久。</translation>
    </message>
    <message>
        <source>Requests of the realtime lane go before those of the batch lane.</source>
        <translation>实时通道的请求先于批量通道的请求。</translation>
    </message>
    <message>
        <source>After waiting this long a request of the batch lane counts as one of the realtime lane.</source>
        <translation>批量通道的请求等待这么久之后，按实时通道的请求对待。</translation>
    </message>
    <message>
        <source>Most of a step&apos;s token budget that the batch lane has beside realtime work.</source>
        <translation>有实时工作时，批量通道最多占用每步词元预算的比例。</translation>
    </message>
    <message>
        <source>Realtime requests that bring no deadline of their own end unfinished after this time.</source>
        <translation>未自带期限的实时请求超过此时间即中止。</translation>
    </message>
    <message>
        <source>Batch requests that bring no deadline of their own end unfinished after this time.</source>
        <translation>未自带期限的批量请求超过此时间即中止。</translation>
    </message>
    <message>
        <source>Keep the keys and values of prompts that ended, so that a prompt that begins alike starts behind them.</source>
        <translation>保留已结束提示词的键和值，使开头相同的提示词从其后开始计算。</translation>
    </message>
    <message>
        <source>How long a kept block may lie unused before it is given back.</source>
        <translation>保留的块闲置多久之后被归还。</translation>
    </message>
    <message>
        <source>How long a prompt that is still being written is kept without a new piece.</source>
        <translation>仍在书写的提示词在没有新内容时保留多久。</translation>
    </message>
    <message>
        <source>Share of the threads that computes prompts which are still being written, while nothing else runs; of few threads as a share of their time.</source>
        <translation>没有其他工作时，用于计算仍在书写的提示词的线程占比；线程很少时按时间占比。</translation>
    </message>
    <message>
        <source>no target</source>
        <translation>无目标</translation>
    </message>
    <message>
        <source>no lead</source>
        <translation>不让先</translation>
    </message>
    <message>
        <source>never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>until the place is needed</source>
        <translation>直到需要空间时</translation>
    </message>
    <message>
        <source>The single policy runs one request at a time</source>
        <translation>单请求策略一次只运行一个请求</translation>
    </message>
    <message>
        <source>Used by the dynamic policy only</source>
        <translation>仅用于动态策略</translation>
    </message>
    <message>
        <source>Used by the selective policy only</source>
        <translation>仅用于选择性策略</translation>
    </message>
    <message>
        <source>Used with lane priority only</source>
        <translation>仅在启用通道优先级时有效</translation>
    </message>
    <message>
        <source>The prefix cache is off</source>
        <translation>前缀缓存已关闭</translation>
    </message>
    <message>
        <source>dynamic</source>
        <translation>动态</translation>
    </message>
    <message>
        <source>selective</source>
        <translation>选择性</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>%</source>
        <translation>%</translation>
    </message>
    <message>
        <source>KV blocks kept</source>
        <translation>保留的 KV 块</translation>
    </message>
    <message>
        <source>Prefix queries</source>
        <translation>前缀查询</translation>
    </message>
    <message>
        <source>Prefix hits</source>
        <translation>前缀命中</translation>
    </message>
    <message>
        <source>Blocked by a batch</source>
        <translation>被批次阻塞</translation>
    </message>
    <message>
        <source>Batch deadlines met</source>
        <translation>批量期限达成</translation>
    </message>
    <message>
        <source>Batch deadlines missed</source>
        <translation>批量期限未达成</translation>
    </message>
    <message>
        <source>Batch %1: %2 requests in %3 ms</source>
        <translation>批次 %1：%2 个请求，用时 %3 毫秒</translation>
    </message>
    <message>
        <source>%1 waited for request %2 while places were free for %3 ms</source>
        <translation>有空位的 %3 毫秒内，%1 个请求在等待请求 %2</translation>
    </message>
    <message>
        <source>Prefix cache emptied: %1 blocks</source>
        <translation>前缀缓存已清空：%1 个块</translation>
    </message>
    <message>
        <source>Lanes</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Streamed prompts</source>
        <translation>流式提示词</translation>
    </message>
    <message>
        <source>Degradation</source>
        <translation>降级</translation>
    </message>
    <message>
        <source>Whether settings give way when first tokens take too long: never, by the measured latency, or held at a level.</source>
        <translation>首词元过慢时设置是否让步：从不、按实测延迟，或固定在某一级。</translation>
    </message>
    <message>
        <source>Level 1 above</source>
        <translation>1 级上限</translation>
    </message>
    <message>
        <source>90th percentile of the time to first token, from received, above which level 1 begins.</source>
        <translation>自收到起的首词元延迟第 90 百分位超过此值时进入 1 级。</translation>
    </message>
    <message>
        <source>Level 2 above</source>
        <translation>2 级上限</translation>
    </message>
    <message>
        <source>The same percentile above which level 2 begins.</source>
        <translation>同一百分位超过此值时进入 2 级。</translation>
    </message>
    <message>
        <source>Healthy below</source>
        <translation>健康下限</translation>
    </message>
    <message>
        <source>The same percentile below which the time of recovery runs.</source>
        <translation>同一百分位低于此值时开始计恢复时间。</translation>
    </message>
    <message>
        <source>Watched window</source>
        <translation>观察窗口</translation>
    </message>
    <message>
        <source>First tokens of this last time are judged, once a second.</source>
        <translation>每秒对最近这段时间内的首词元判断一次。</translation>
    </message>
    <message>
        <source>Least first tokens</source>
        <translation>最少首词元数</translation>
    </message>
    <message>
        <source>Fewer of them in the window never begin a level.</source>
        <translation>窗口内少于此数时绝不进入降级。</translation>
    </message>
    <message>
        <source>Held for</source>
        <translation>持续时间</translation>
    </message>
    <message>
        <source>How long the percentile must surely be above the limit without a break.</source>
        <translation>该百分位须不间断地确定超过上限多久。</translation>
    </message>
    <message>
        <source>at once</source>
        <translation>立即</translation>
    </message>
    <message>
        <source>Least stay</source>
        <translation>最短停留</translation>
    </message>
    <message>
        <source>Shortest time between two changes of the level.</source>
        <translation>两次级别变化之间的最短时间。</translation>
    </message>
    <message>
        <source>Recovery</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Healthy time after which the level below is tried; doubles with each relapse.</source>
        <translation>健康多久后试用下一级；每次复发后加倍。</translation>
    </message>
    <message>
        <source>Longest recovery</source>
        <translation>最长恢复时间</translation>
    </message>
    <message>
        <source>What doubling after relapses ends at.</source>
        <translation>复发后加倍的上限。</translation>
    </message>
    <message>
        <source>Trial requests</source>
        <translation>试用请求数</translation>
    </message>
    <message>
        <source>First tokens by which the level below is judged before it stays.</source>
        <translation>用多少个首词元来判断下一级能否保持。</translation>
    </message>
    <message>
        <source>Trial time</source>
        <translation>试用时间</translation>
    </message>
    <message>
        <source>Longest time that the level below is tried.</source>
        <translation>试用下一级的最长时间。</translation>
    </message>
    <message>
        <source>Level 1: batching</source>
        <translation>1 级：批处理</translation>
    </message>
    <message>
        <source>What level 1 makes of the dynamic policy, whose requests wait for a window; other policies stay.</source>
        <translation>1 级如何处理请求需等待窗口的动态策略；其他策略不变。</translation>
    </message>
    <message>
        <source>Level 1: weights</source>
        <translation>1 级：权重</translation>
    </message>
    <message>
        <source>What level 1 computes with, where the weights in use are not that light already.</source>
        <translation>1 级用什么精度运算；所用权重已经同样轻时不变。</translation>
    </message>
    <message>
        <source>Level 2: stored answers</source>
        <translation>2 级：答案缓存</translation>
    </message>
    <message>
        <source>Whether level 2 answers a known prompt from the store.</source>
        <translation>2 级是否用缓存回答已知的提示。</translation>
    </message>
    <message>
        <source>Level 2: light model</source>
        <translation>2 级：轻量模型</translation>
    </message>
    <message>
        <source>Whether level 2 hands new requests to the light model, where one is ready.</source>
        <translation>轻量模型就绪时，2 级是否把新请求交给它。</translation>
    </message>
    <message>
        <source>Light model</source>
        <translation>轻量模型</translation>
    </message>
    <message>
        <source>What level 2 answers with: nothing, the same file as it is, or a file of its own.</source>
        <translation>2 级用什么回答：无、原样的同一文件，或另一个文件。</translation>
    </message>
    <message>
        <source>Stored answers always</source>
        <translation>始终使用答案缓存</translation>
    </message>
    <message>
        <source>Answer a known prompt from the store at every level.</source>
        <translation>在任何级别都用缓存回答已知的提示。</translation>
    </message>
    <message>
        <source>Store sampled answers</source>
        <translation>缓存采样答案</translation>
    </message>
    <message>
        <source>Keep also answers that were drawn with a temperature; the same seed asks for the same one.</source>
        <translation>也保留按温度采样的答案；相同的种子得到相同的答案。</translation>
    </message>
    <message>
        <source>Answer memory</source>
        <translation>缓存内存</translation>
    </message>
    <message>
        <source>What stored answers may hold; the least used go first.</source>
        <translation>缓存答案可占的内存；最少使用的先移除。</translation>
    </message>
    <message>
        <source>MiB</source>
        <translation>MiB</translation>
    </message>
    <message>
        <source>Answer lifetime</source>
        <translation>答案有效期</translation>
    </message>
    <message>
        <source>How long an answer may be given again.</source>
        <translation>答案可重复使用多久。</translation>
    </message>
    <message>
        <source>Used by automatic degradation only</source>
        <translation>仅用于自动降级</translation>
    </message>
    <message>
        <source>Degradation is off</source>
        <translation>降级已关闭</translation>
    </message>
    <message>
        <source>No stored answers are used</source>
        <translation>未使用答案缓存</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>keep</source>
        <translation>保持</translation>
    </message>
    <message>
        <source>int8</source>
        <translation>INT8</translation>
    </message>
    <message>
        <source>int4</source>
        <translation>INT4</translation>
    </message>
    <message>
        <source>same</source>
        <translation>同一文件</translation>
    </message>
    <message>
        <source>chosen</source>
        <translation>另选文件</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>preparing</source>
        <translation>准备中</translation>
    </message>
    <message>
        <source>in force</source>
        <translation>生效</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>unavailable</source>
        <translation>不可用</translation>
    </message>
    <message>
        <source>The setting says to keep it.</source>
        <translation>设置要求保持不变。</translation>
    </message>
    <message>
        <source>Only the dynamic policy lets requests wait for a window.</source>
        <translation>只有动态策略让请求等待窗口。</translation>
    </message>
    <message>
        <source>Weights are computed with as the file has them.</source>
        <translation>权重按文件原样运算。</translation>
    </message>
    <message>
        <source>The weights in use are that light already.</source>
        <translation>所用权重已经同样轻。</translation>
    </message>
    <message>
        <source>The setting says not to.</source>
        <translation>设置要求不使用。</translation>
    </message>
    <message>
        <source>No light model is chosen (setting light.model).</source>
        <translation>未选择轻量模型（设置 light.model）。</translation>
    </message>
    <message>
        <source>It is being loaded.</source>
        <translation>正在加载。</translation>
    </message>
    <message>
        <source>Held by level 1.</source>
        <translation>由 1 级降级锁定。</translation>
    </message>
    <message>
        <source>Held by level 2.</source>
        <translation>由 2 级降级锁定。</translation>
    </message>
    <message>
        <source>Cached answers</source>
        <translation>缓存答案</translation>
    </message>
    <message>
        <source>Light model requests</source>
        <translation>轻量模型请求</translation>
    </message>
    <message>
        <source>Degradation level</source>
        <translation>降级级别</translation>
    </message>
    <message>
        <source>Attached to %1: %2. Times are those of this side.</source>
        <translation>已连接 %1：%2。时间以本侧为准。</translation>
    </message>
    <message>
        <source>The server %1 is back</source>
        <translation>服务器 %1 已恢复</translation>
    </message>
    <message>
        <source>Level %1 can&apos;t change the settings: %2</source>
        <translation>%1 级无法更改设置：%2</translation>
    </message>
    <message>
        <source>too slow</source>
        <translation>过慢</translation>
    </message>
    <message>
        <source>healthy, tried</source>
        <translation>健康，试用</translation>
    </message>
    <message>
        <source>trial passed</source>
        <translation>试用通过</translation>
    </message>
    <message>
        <source>trial failed</source>
        <translation>试用失败</translation>
    </message>
    <message>
        <source>chosen by the operator</source>
        <translation>由操作员选择</translation>
    </message>
    <message>
        <source>switched off</source>
        <translation>已关闭</translation>
    </message>
    <message>
        <source>Level %1</source>
        <translation>%1 级</translation>
    </message>
    <message>
        <source>Level %1 → %2</source>
        <translation>%1 级 → %2 级</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>TTFT p90 %1 ms, n %2</source>
        <translation>TTFT p90 %1 ms，n %2</translation>
    </message>
    <message>
        <source>limit %1 ms</source>
        <translation>上限 %1 ms</translation>
    </message>
    <message>
        <source>better</source>
        <translation>改善</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>变差</translation>
    </message>
    <message>
        <source>not resolved</source>
        <translation>未能分辨</translation>
    </message>
    <message>
        <source>Effect of level %1 → %2: %3</source>
        <translation>%1 级 → %2 级的效果：%3</translation>
    </message>
    <message>
        <source>median TTFT %1 ms (n %2) → %3 ms (n %4)</source>
        <translation>TTFT 中位数 %1 ms（n %2）→ %3 ms（n %4）</translation>
    </message>
    <message>
        <source>level %1</source>
        <translation>%1 级</translation>
    </message>
    <message>
        <source>Stored answers</source>
        <translation>答案缓存</translation>
    </message>
    <message>
        <source>Too many waiting</source>
        <translation>等待过多</translation>
    </message>
    <message>
        <source>Batch requests done by their deadline</source>
        <translation>按时完成的批量请求</translation>
    </message>
    <message>
        <source>Prompt tokens of a workload found in the cache</source>
        <translation>负载中命中缓存的提示词元</translation>
    </message>
    <message>
        <source>KV precision</source>
        <translation>KV 精度</translation>
    </message>
    <message>
        <source>Key precision</source>
        <translation>键精度</translation>
    </message>
    <message>
        <source>Value precision</source>
        <translation>值精度</translation>
    </message>
    <message>
        <source>Numbers that keys and values are kept in: fewer bits hold more tokens and are read faster. Running requests keep what they began with.</source>
        <translation>键和值用什么数字保存：位数越少，能放下的词元越多，读取也越快。正在运行的请求保留它们开始时的格式。</translation>
    </message>
    <message>
        <source>Keys apart: INT4 codes them by channel in groups of 32 tokens and keeps the last 128 in full.</source>
        <translation>单独设置键：INT4 按通道、以 32 个词元为一组编码，并完整保留最近 128 个。</translation>
    </message>
    <message>
        <source>Values apart: INT4 codes them a token at a time in groups of 16.</source>
        <translation>单独设置值：INT4 逐个词元编码，每 16 个元素一组。</translation>
    </message>
    <message>
        <source>FP32 for a file of F32 weights, else FP16</source>
        <translation>权重为 F32 的文件用 FP32，否则用 FP16</translation>
    </message>
    <message>
        <source>as KV precision</source>
        <translation>同 KV 精度</translation>
    </message>
    <message>
        <source>fp32</source>
        <translation>FP32</translation>
    </message>
    <message>
        <source>fp16</source>
        <translation>FP16</translation>
    </message>
    <message>
        <source>Bookmark: %1</source>
        <translation>书签：%1</translation>
    </message>
    <message>
        <source>Bookmark removed: %1</source>
        <translation>书签已移除：%1</translation>
    </message>
    <message>
        <source>Precision</source>
        <translation>精度</translation>
    </message>
    <message>
        <source>Numbers that weights are kept in. They are converted while requests go on, and changed for all between two steps.</source>
        <translation>权重用什么数字保存。转换时请求照常进行，并在两步之间一次性全部更换。</translation>
    </message>
    <message>
        <source>bf16</source>
        <translation>BF16</translation>
    </message>
    <message>
        <source>fp8</source>
        <translation>FP8</translation>
    </message>
    <message>
        <source>Attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Full: a token sees all before it. Sparse: the first ones, a window before it, and of what lies between the blocks whose keys may matter most to it. Running requests keep theirs.</source>
        <translation>完整：词元能看到它之前的全部内容。稀疏：只看开头部分、它前面的一个窗口，以及两者之间键可能对它最重要的块。正在运行的请求保留各自的方式。</translation>
    </message>
    <message>
        <source>First tokens</source>
        <translation>开头词元</translation>
    </message>
    <message>
        <source>Tokens from the beginning that sparse attention sees in full.</source>
        <translation>稀疏注意力完整看到的开头词元数。</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Tokens before its own block that a token sees in full under sparse attention.</source>
        <translation>稀疏注意力下，词元在自身所在块之前完整看到的词元数。</translation>
    </message>
    <message>
        <source>Sampled share</source>
        <translation>抽样比例</translation>
    </message>
    <message>
        <source>Share of the blocks between first tokens and window that sparse attention sees.</source>
        <translation>在开头与窗口之间，稀疏注意力看到的块所占比例。</translation>
    </message>
    <message>
        <source>Used by sparse attention only</source>
        <translation>仅用于稀疏注意力</translation>
    </message>
    <message>
        <source>full</source>
        <translation>完整</translation>
    </message>
    <message>
        <source>sparse</source>
        <translation>稀疏</translation>
    </message>
    <message>
        <source>Quality check</source>
        <translation>质量检查</translation>
    </message>
    <message>
        <source>After a change of precision, compare what the model predicts over a sample text with the file&apos;s own precision, at low priority and within five minutes.</source>
        <translation>更改精度后，以低优先级将模型对样本文本的预测与文件自身精度下的预测作比较，五分钟内结束。</translation>
    </message>
    <message>
        <source>Sample length</source>
        <translation>样本长度</translation>
    </message>
    <message>
        <source>Tokens of the sample that a quality check computes: more of them narrow its intervals.</source>
        <translation>质量检查所计算的样本词元数：越多，区间越窄。</translation>
    </message>
    <message>
        <source>Quality checks are off</source>
        <translation>质量检查已关闭</translation>
    </message>
    <message>
        <source>They are converted when the level begins.</source>
        <translation>在该级别开始时转换。</translation>
    </message>
    <message>
        <source>They are being converted in advance.</source>
        <translation>正在提前转换。</translation>
    </message>
    <message>
        <source>They are ready.</source>
        <translation>已准备就绪。</translation>
    </message>
    <message>
        <source>Weights %1 → %2: memory %3 → %4, made in %5 ms</source>
        <translation>权重 %1 → %2：内存 %3 → %4，转换用时 %5 毫秒</translation>
    </message>
    <message>
        <source>Quality check: answers are garbled (%1)</source>
        <translation>质量检查：回答已错乱（%1）</translation>
    </message>
    <message>
        <source> (%1 to %2)</source>
        <translation>（%1 至 %2）</translation>
    </message>
    <message>
        <source>Quality over %1 tokens: perplexity %2, mean KL %3, same likeliest token %4 %</source>
        <translation>在 %1 个词元上的质量：困惑度 %2，平均 KL %3，首选词元一致 %4 %</translation>
    </message>
    <message>
        <source>Quality was not checked: %1</source>
        <translation>未检查质量：%1</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Perplexity lost to the precision</source>
        <translation>精度造成的困惑度损失</translation>
    </message>
    <message>
        <source>Light model ready: %1</source>
        <translation>轻量模型已就绪：%1</translation>
    </message>
    <message>
        <source>Light model %1 not loaded: %2</source>
        <translation>轻量模型 %1 未加载：%2</translation>
    </message>
    <message>
        <source>Stored answers were not read: %1</source>
        <translation>未能读取缓存答案：%1</translation>
    </message>
    <message>
        <source>Stored answers are not on disk: %1</source>
        <translation>缓存答案未写入磁盘：%1</translation>
    </message>
    <message>
        <source>Answers on disk</source>
        <translation>答案存盘</translation>
    </message>
    <message>
        <source>Keep stored answers, with the prompts they belong to, in a file beside the run log: they are there again after a restart.</source>
        <translation>将缓存答案连同其提示词保存在运行日志旁的文件中，重启后仍然可用。</translation>
    </message>
    <message>
        <source>An attached server keeps its own settings.</source>
        <translation>已连接的服务器保留其自身的设置。</translation>
    </message>
    <message>
        <source>Layers of this model have a longer window, and see all of it.</source>
        <translation>此模型部分层的窗口更长，这些层可见其全部。</translation>
    </message>
    <message>
        <source>attention</source>
        <translation>注意力</translation>
    </message>
    <message>
        <source>feed-forward</source>
        <translation>前馈</translation>
    </message>
    <message>
        <source>experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>router</source>
        <translation>路由</translation>
    </message>
    <message>
        <source>embedding</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>The choice of experts stays as the file has it.</source>
        <translation>专家的选择保持文件原样。</translation>
    </message>
    <message>
        <source>They are held in INT8: an error there is one in every token.</source>
        <translation>以 INT8 保存：此处的误差会影响每个词元。</translation>
    </message>
    <message>
        <source>Pack cold blocks</source>
        <translation>打包冷块</translation>
    </message>
    <message>
        <source>Pack kept blocks that nobody has used for a while, without loss and in the background; they leave the pool and are unpacked when a prompt begins alike.</source>
        <translation>在后台无损打包一段时间没有使用的保留块；它们离开块池，有提示以相同内容开头时再解包。</translation>
    </message>
    <message>
        <source>Cold after</source>
        <translation>变冷时间</translation>
    </message>
    <message>
        <source>How long a block lies unused, or an open prompt gets no new piece, before it is packed.</source>
        <translation>块闲置多久，或未完成的提示多久没有新内容之后才打包。</translation>
    </message>
    <message>
        <source>Packed limit</source>
        <translation>打包上限</translation>
    </message>
    <message>
        <source>Most memory that packed blocks take beside the pool; the oldest go first.</source>
        <translation>打包的块在块池之外最多占用的内存；最旧的先丢弃。</translation>
    </message>
    <message>
        <source>as much as the pool</source>
        <translation>与块池一样多</translation>
    </message>
    <message>
        <source>Cold blocks are not packed</source>
        <translation>未启用冷块打包</translation>
    </message>
    <message>
        <source>Blocks are packed where the processor computes: those of a GPU stay there.</source>
        <translation>只有由处理器计算时才打包块：GPU 上的块留在原处。</translation>
    </message>
    <message>
        <source>KV blocks packed</source>
        <translation>已打包的 KV 块</translation>
    </message>
    <message>
        <source>Packed KV memory</source>
        <translation>打包的 KV 内存</translation>
    </message>
    <message>
        <source>Packed KV before packing</source>
        <translation>打包前的 KV 内存</translation>
    </message>
    <message>
        <source>KV blocks unpacked</source>
        <translation>解包的 KV 块</translation>
    </message>
    <message>
        <source>Weights made in advance</source>
        <translation>提前准备的权重</translation>
    </message>
    <message>
        <source>Rows of %1 numbers are no whole groups of %2: they are held in FP16.</source>
        <translation>每行 %1 个数不是 %2 的整数组：以 FP16 保存。</translation>
    </message>
    <message>
        <source>The file has them in %1 bits already: they stay %2.</source>
        <translation>文件中已是 %1 位：保持 %2。</translation>
    </message>
    <message>
        <source>It needs %1 GiB beside the weights in force, and %2 GiB can be had.</source>
        <translation>除生效的权重外还需要 %1 GiB，可用 %2 GiB。</translation>
    </message>
    <message>
        <source>Keys in INT4 are coded %1 tokens at a time, and KV blocks hold %2 until the model is loaded again.</source>
        <translation>INT4 的键每 %1 个词元编码一次，而在重新加载模型之前 KV 块只容纳 %2 个。</translation>
    </message>
    <message>
        <source>The weights are being converted, %1 % done.</source>
        <translation>正在转换权重，已完成 %1 %。</translation>
    </message>
    <message>
        <source>The weights are being converted, %1 % done, about %2 s left.</source>
        <translation>正在转换权重，已完成 %1 %，约剩 %2 秒。</translation>
    </message>
    <message>
        <source>There is no room for it in the %1 GiB of the keys and values.</source>
        <translation>键和值的 %1 GiB 中放不下。</translation>
    </message>
    <message>
        <source>%1 KV blocks of %2 tokens need %3 GiB; %4 GiB can be had. Set KV blocks to %5 or less.</source>
        <translation>%1 个各含 %2 个词元的 KV 块需要 %3 GiB；可用 %4 GiB。请将 KV 块设为 %5 或更少。</translation>
    </message>
    <message>
        <source>The system does not give it: %1.</source>
        <translation>系统不提供：%1。</translation>
    </message>
    <message>
        <source>The processor was busy: in %1 s %2 tokens of %3 were compared.</source>
        <translation>处理器繁忙：%1 秒内比较了 %3 个词元中的 %2 个。</translation>
    </message>
    <message>
        <source>Waiting for %1 sequences to end.</source>
        <translation>等待 %1 个序列结束。</translation>
    </message>
    <message>
        <source>Held by level %1.</source>
        <translation>由第 %1 级保持。</translation>
    </message>
    <message>
        <source>Alarm ended: too few samples to judge %1 (n %2)</source>
        <translation>告警结束：样本太少，无法判断%1（n %2）</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>词元/秒</translation>
    </message>
    <message>
        <source>req/s</source>
        <translation>请求/秒</translation>
    </message>
    <message>
        <source>ms per 1k tok</source>
        <translation>ms / 千词元</translation>
    </message>
    <message>
        <source>English</source>
        <translation>英文</translation>
    </message>
    <message>
        <source>Chinese</source>
        <translation>中文</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Preemptions: %1 within %2 s, the KV cache was full</source>
        <translation>抢占：%2 秒内 %1 次，KV 缓存已满</translation>
    </message>
    <message>
        <source>Cold start: the first requests after loading are no warm samples</source>
        <translation>冷启动：加载后的首批请求不是预热后的样本</translation>
    </message>
    <message>
        <source>preemptions %1</source>
        <translation>抢占 %1</translation>
    </message>
    <message>
        <source>cold start</source>
        <translation>冷启动</translation>
    </message>
    <message>
        <source>Adapters</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>Adapters memory</source>
        <translation>适配器内存</translation>
    </message>
    <message>
        <source>Adapter %1 loaded: %2 MiB</source>
        <translation>适配器 %1 已加载：%2 MiB</translation>
    </message>
    <message>
        <source>Adapter %1 unloaded</source>
        <translation>适配器 %1 已卸载</translation>
    </message>
    <message>
        <source>The prompt is empty: this model needs at least one token to begin with.</source>
        <translation>提示词为空：此模型至少需要一个词元才能开始。</translation>
    </message>
    <message>
        <source>The request was cancelled.</source>
        <translation>请求已取消。</translation>
    </message>
    <message>
        <source>The engine was closed.</source>
        <translation>引擎已关闭。</translation>
    </message>
    <message>
        <source>The prompt has %1 tokens and leaves no room for an answer in the context of %2 tokens. Shorten it.</source>
        <translation>提示词有 %1 个词元，%2 个词元的上下文中没有回答的余地。请缩短它。</translation>
    </message>
    <message>
        <source>The prompt has %1 tokens and leaves no room for an answer in the KV pool of %2 tokens (setting kv.blocks). Shorten it.</source>
        <translation>提示词有 %1 个词元，%2 个词元的 KV 池（设置 kv.blocks）中没有回答的余地。请缩短它。</translation>
    </message>
    <message>
        <source>The prompt of %1 bytes has at least %2 tokens and does not fit the context of %3 tokens. Shorten it.</source>
        <translation>%1 字节的提示词至少有 %2 个词元，放不进 %3 个词元的上下文。请缩短它。</translation>
    </message>
    <message>
        <source>The prompt of %1 bytes has at least %2 tokens and does not fit the KV pool of %3 tokens (setting kv.blocks). Shorten it.</source>
        <translation>%1 字节的提示词至少有 %2 个词元，放不进 %3 个词元的 KV 池（设置 kv.blocks）。请缩短它。</translation>
    </message>
    <message>
        <source>The answer was cut at %1 of %2 tokens: with its prompt it fills the context of %3 tokens.</source>
        <translation>回答在 %2 个词元中的第 %1 个处截断：它与提示词已占满 %3 个词元的上下文。</translation>
    </message>
    <message>
        <source>The answer was cut at %1 of %2 tokens: with its prompt it fills the KV pool of %3 tokens (setting kv.blocks).</source>
        <translation>回答在 %2 个词元中的第 %1 个处截断：它与提示词已占满 %3 个词元的 KV 池（设置 kv.blocks）。</translation>
    </message>
    <message>
        <source>The prompt holds the token %1; the model has %2 tokens.</source>
        <translation>提示词含有词元 %1；模型只有 %2 个词元。</translation>
    </message>
    <message>
        <source>The answer may have %1 tokens; ask for at least 1.</source>
        <translation>回答最多 %1 个词元；请至少要求 1 个。</translation>
    </message>
    <message>
        <source>%1 requests wait already; the setting batching.max_waiting allows %2.</source>
        <translation>已有 %1 个请求在等待；设置 batching.max_waiting 允许 %2 个。</translation>
    </message>
    <message>
        <source>The prompt could not be encoded: %1.</source>
        <translation>无法对提示词编码：%1。</translation>
    </message>
    <message>
        <source>Nothing was added to the prompt for %1 s (setting streams.ttl).</source>
        <translation>提示词已有 %1 秒没有新增内容（设置 streams.ttl）。</translation>
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
    <message>
        <source>queue %1 s</source>
        <translation>队列 %1 秒</translation>
    </message>
    <message>
        <source>queue %1 ms</source>
        <translation>队列 %1 ms</translation>
    </message>
</context>
<context>
    <name>measures</name>
    <message>
        <source>Achieved rate</source>
        <translation>实际速率</translation>
    </message>
    <message>
        <source>Lag p50</source>
        <translation>滞后 p50</translation>
    </message>
    <message>
        <source>Lag p99</source>
        <translation>滞后 p99</translation>
    </message>
    <message>
        <source>TTFT p50</source>
        <translation>TTFT p50</translation>
    </message>
    <message>
        <source>TTFT p90</source>
        <translation>TTFT p90</translation>
    </message>
    <message>
        <source>TTFT p99</source>
        <translation>TTFT p99</translation>
    </message>
    <message>
        <source>TPOT p50</source>
        <translation>TPOT p50</translation>
    </message>
    <message>
        <source>TPOT p99</source>
        <translation>TPOT p99</translation>
    </message>
    <message>
        <source>E2EL p50</source>
        <translation>E2EL p50</translation>
    </message>
    <message>
        <source>E2EL p99</source>
        <translation>E2EL p99</translation>
    </message>
    <message>
        <source>ITL p99</source>
        <translation>ITL p99</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>有效吞吐</translation>
    </message>
    <message>
        <source>KV peak</source>
        <translation>KV 峰值</translation>
    </message>
    <message>
        <source>Device busy</source>
        <translation>设备繁忙率</translation>
    </message>
    <message>
        <source>Memory peak</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>TTFT mean</source>
        <translation>TTFT 均值</translation>
    </message>
    <message>
        <source>Queue p99</source>
        <translation>排队 p99</translation>
    </message>
    <message>
        <source>Prefill p99</source>
        <translation>预填充 p99</translation>
    </message>
    <message>
        <source>Queue p99 over prefill p99</source>
        <translation>排队 p99 与预填充 p99 之比</translation>
    </message>
    <message>
        <source>First token: KV</source>
        <translation>首词元：KV</translation>
    </message>
    <message>
        <source>First token: reading weights</source>
        <translation>首词元：读权重</translation>
    </message>
    <message>
        <source>First token: arithmetic</source>
        <translation>首词元：运算</translation>
    </message>
    <message>
        <source>Waiting for a closed batch</source>
        <translation>等待封闭批次</translation>
    </message>
    <message>
        <source>Prompt length</source>
        <translation>提示词长度</translation>
    </message>
    <message>
        <source>Load time</source>
        <translation>加载时间</translation>
    </message>
    <message>
        <source>First request&apos;s TTFT</source>
        <translation>首个请求的 TTFT</translation>
    </message>
    <message>
        <source>Tokenizing</source>
        <translation>分词</translation>
    </message>
    <message>
        <source>Tokenizing, memory</source>
        <translation>分词，内存</translation>
    </message>
    <message>
        <source>Two tenants, memory</source>
        <translation>两个租户的内存</translation>
    </message>
    <message>
        <source>Prefix hits</source>
        <translation>前缀命中</translation>
    </message>
    <message>
        <source>Kept KV, of its unpacked size</source>
        <translation>保留的 KV 占未压缩大小</translation>
    </message>
</context>
<context>
    <name>model</name>
    <message>
        <source>%1 layers, %2 wide, %3 heads over %4 KV heads of %5</source>
        <translation>%1 层，宽 %2，%3 个头，%4 个 KV 头，每头 %5</translation>
    </message>
    <message>
        <source>Architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Vocabulary</source>
        <translation>词表</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 词元</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Tokenizer</source>
        <translation>分词器</translation>
    </message>
    <message>
        <source>Chat format</source>
        <translation>对话模板</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Memory at %1 tokens</source>
        <translation>%1 词元时的内存</translation>
    </message>
    <message>
        <source>%1 weights + %2 KV</source>
        <translation>权重 %1 + KV %2</translation>
    </message>
    <message>
        <source>Licence</source>
        <translation>许可</translation>
    </message>
    <message>
        <source>It needs at least %1, and %2 of memory are free here.</source>
        <translation>至少需要 %1，此处空闲内存 %2。</translation>
    </message>
    <message>
        <source>%1 in %2 files</source>
        <translation>%1，共 %2 个文件</translation>
    </message>
    <message>
        <source>Experts</source>
        <translation>专家</translation>
    </message>
    <message>
        <source>%1, of which %2 work on a token</source>
        <translation>%1 个，每个词元使用 %2 个</translation>
    </message>
    <message>
        <source>Weights in memory</source>
        <translation>内存中的权重</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
</context>
<context>
    <name>report</name>
    <message>
        <source>no difference in %1 is resolved</source>
        <translation>%1 的差值未能分辨</translation>
    </message>
    <message>
        <source>%1 fell from %2 to %3 %4 %5</source>
        <translation>%1 从 %2 降至 %3 %4 %5</translation>
    </message>
    <message>
        <source>%1 rose from %2 to %3 %4 %5</source>
        <translation>%1 从 %2 升至 %3 %4 %5</translation>
    </message>
    <message>
        <source>Of %1 measures %2 are better, %3 worse, %4 the same within 1 %, %5 not resolved.</source>
        <translation>%1 项指标中，%2 项改善，%3 项变差，%4 项相差不到 1 %，%5 项未能分辨。</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>95 % interval</source>
        <translation>95 % 置信区间</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source> (about %1 more)</source>
        <translation>（约还需 %1 个）</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>差值</translation>
    </message>
    <message>
        <source>latencies by bootstrap over requests, rates over blocks of seconds</source>
        <translation>延迟按请求自助法，速率按若干秒的区组</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>%1 equal settings are not listed.</source>
        <translation>另有 %1 项相同的设置未列出。</translation>
    </message>
    <message>
        <source>Settings that differ</source>
        <translation>不同的设置</translation>
    </message>
    <message>
        <source>Run %1</source>
        <translation>运行 %1</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>开始时间</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Request list</source>
        <translation>请求列表</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source> %1 more needed</source>
        <translation>，还需 %1 个</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Prompt tok</source>
        <translation>输入词元</translation>
    </message>
    <message>
        <source>Output tok</source>
        <translation>输出词元</translation>
    </message>
    <message>
        <source>TTFT p50 ms</source>
        <translation>TTFT p50 ms</translation>
    </message>
    <message>
        <source>E2EL p50 ms</source>
        <translation>E2EL p50 ms</translation>
    </message>
    <message>
        <source>%1 more rows</source>
        <translation>另有 %1 行</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>键</translation>
    </message>
    <message>
        <source>Requested</source>
        <translation>请求值</translation>
    </message>
    <message>
        <source>Effective</source>
        <translation>实际值</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>All settings</source>
        <translation>全部设置</translation>
    </message>
    <message>
        <source>at the end of the run</source>
        <translation>运行结束时</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>%1 more changes in settings.csv</source>
        <translation>settings.csv 中另有 %1 次更改</translation>
    </message>
    <message>
        <source>Settings over the run</source>
        <translation>运行中的设置更改</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Mean ms</source>
        <translation>平均 ms</translation>
    </message>
    <message>
        <source>modelled</source>
        <translation>模型估算</translation>
    </message>
    <message>
        <source>Time to first token</source>
        <translation>首词元延迟</translation>
    </message>
    <message>
        <source>First token’s time by stage</source>
        <translation>首词元时间的构成</translation>
    </message>
    <message>
        <source>warm requests, n %1; adds up</source>
        <translation>预热后请求，n %1；各项相加等于总和</translation>
    </message>
    <message>
        <source>Requests by outcome</source>
        <translation>按结果统计的请求</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Lane and label</source>
        <translation>通道与标签</translation>
    </message>
    <message>
        <source>ms</source>
        <translation>ms</translation>
    </message>
    <message>
        <source>least</source>
        <translation>最小</translation>
    </message>
    <message>
        <source>greatest</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>TTFT from scheduled</source>
        <translation>TTFT，自计划时刻</translation>
    </message>
    <message>
        <source>TTFT from received</source>
        <translation>TTFT，自接收</translation>
    </message>
    <message>
        <source>TTFT from admitted</source>
        <translation>TTFT，自准入</translation>
    </message>
    <message>
        <source>TPOT</source>
        <translation>TPOT</translation>
    </message>
    <message>
        <source>ITL</source>
        <translation>ITL</translation>
    </message>
    <message>
        <source>E2EL</source>
        <translation>E2EL</translation>
    </message>
    <message>
        <source>Distributions</source>
        <translation>分布</translation>
    </message>
    <message>
        <source>warm, completed requests; 95 % interval in brackets</source>
        <translation>预热后且完成的请求；方括号内为 95 % 置信区间</translation>
    </message>
    <message>
        <source>Further charts</source>
        <translation>更多图表</translation>
    </message>
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
    <message>
        <source>n %1</source>
        <translation>n %1</translation>
    </message>
    <message>
        <source>n %1, %2 more needed</source>
        <translation>n %1，还需 %2 个</translation>
    </message>
    <message>
        <source>After %1 at %2 the median TTFT fell from %3 to %4 ms %5.</source>
        <translation>%1（%2）之后，TTFT 中位数从 %3 降至 %4 ms %5。</translation>
    </message>
    <message>
        <source>After %1 at %2 the median TTFT rose from %3 to %4 ms %5.</source>
        <translation>%1（%2）之后，TTFT 中位数从 %3 升至 %4 ms %5。</translation>
    </message>
    <message>
        <source>No warm request had a first token.</source>
        <translation>没有预热后的请求产生首词元。</translation>
    </message>
    <message>
        <source>Half of %1 warm requests had their first text within %2 ms%3, 99 % of them within %4 ms%5.</source>
        <translation>%1 个预热后请求中，一半在 %2 ms%3 内得到首段文本，99 % 在 %4 ms%5 内。</translation>
    </message>
    <message>
        <source>%1 of %2 requests completed</source>
        <translation>%2 个请求中完成 %1 个</translation>
    </message>
    <message>
        <source>; they arrived at %1 of %2 wanted a second</source>
        <translation>；每秒到达 %1 个，目标 %2 个</translation>
    </message>
    <message>
        <source>; they arrived at %1 a second</source>
        <translation>；每秒到达 %1 个</translation>
    </message>
    <message>
        <source>, and %1 a second were within the limits.</source>
        <translation>，每秒 %1 个在限值以内。</translation>
    </message>
    <message>
        <source>; the run has no length, so that it has no rates.</source>
        <translation>；该运行没有时长，因此没有速率。</translation>
    </message>
    <message>
        <source>prompt %1</source>
        <translation>输入 %1</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>共 %1</translation>
    </message>
    <message>
        <source>Some events were lost: the log could not be written for too long.</source>
        <translation>部分事件丢失：日志有较长时间无法写入。</translation>
    </message>
    <message>
        <source>This run is still being recorded.</source>
        <translation>此运行仍在记录。</translation>
    </message>
    <message>
        <source>This run was interrupted: it ends where the recording broke off.</source>
        <translation>此运行被中断：在记录断开处结束。</translation>
    </message>
    <message>
        <source>This run failed before its end.</source>
        <translation>此运行在结束前失败。</translation>
    </message>
    <message>
        <source>ms, scheduled → first visible text, rolling 30 s</source>
        <translation>ms，计划时刻 → 首段可见文本，滚动 30 秒</translation>
    </message>
    <message>
        <source>TTFT: first visible text minus the time the workload wanted the request (scheduled), so that a late generator can&apos;t hide waiting. From received it is the server&apos;s view, from admitted the engine&apos;s.</source>
        <translation>TTFT：首段可见文本的时刻减去负载计划发出请求的时刻（计划时刻），因此发生器迟到不能掩盖等待。自接收算起是服务端视角，自准入算起是引擎视角。</translation>
    </message>
    <message>
        <source>TPOT: last token minus first visible text, divided by the tokens after the first; absent for answers of one token. ITL: gaps between steps that made visible tokens. E2EL: last token minus scheduled.</source>
        <translation>TPOT：末词元减去首段可见文本，再除以首词元之后的词元数；只有一个词元的回答没有此值。ITL：产生可见词元的相邻步之间的间隔。E2EL：末词元减去计划时刻。</translation>
    </message>
    <message>
        <source>Throughput: output tokens, prompt tokens and completed requests whose time lies in the run, each divided by its length; three numbers, never added. Goodput: completed requests within both limits.</source>
        <translation>吞吐：落在运行时段内的输出词元、输入词元和完成的请求，各自除以时长；三个数，从不相加。有效吞吐：同时满足两项限值的完成请求。</translation>
    </message>
    <message>
        <source>Latencies are of warm, completed requests: cold and idle starts and warm-up requests are counted apart, never dropped.</source>
        <translation>延迟只统计预热后且完成的请求：冷启动、空闲后启动和预热请求另行统计，从不丢弃。</translation>
    </message>
    <message>
        <source>Quantiles are exact over all requests. Their 95 % intervals come from order statistics and suppose no distribution; they need 6 values for p50, 29 for p90, 59 for p95, 299 for p99.</source>
        <translation>分位数由全部请求精确得出。其 95 % 置信区间来自次序统计量，不假设分布；p50 需要 6 个值，p90 需要 29 个，p95 需要 59 个，p99 需要 299 个。</translation>
    </message>
    <message>
        <source>The first token’s time is a sum of consecutive stages; what no stage explains is the remainder. The split of prefill into weight traffic and arithmetic is modelled from measured bandwidth and takes part in no verdict.</source>
        <translation>首词元时间是连续各阶段之和；任何阶段都不能解释的部分记为未归因。预填充中读权重与运算的划分由实测带宽估算，不参与任何结论。</translation>
    </message>
    <message>
        <source>The effect of a change compares up to a minute before and after it by a bootstrap over requests; other things may have changed in that time. An interleaved experiment settles it.</source>
        <translation>更改的效果由其前后各至多一分钟的请求经自助法比较得出；其间其他因素也可能变化。交错实验可以定论。</translation>
    </message>
    <message>
        <source>Methods and definitions</source>
        <translation>方法与定义</translation>
    </message>
    <message>
        <source>run report</source>
        <translation>运行报告</translation>
    </message>
    <message>
        <source>Raw data %1 · Headway %2 · opens in the console by its run id</source>
        <translation>原始数据 %1 · Headway %2 · 可在控制台按运行编号打开</translation>
    </message>
    <message>
        <source>comparison</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Run %1 against run %2</source>
        <translation>运行 %1 对比运行 %2</translation>
    </message>
    <message>
        <source>%1 against %2</source>
        <translation>%1 对比 %2</translation>
    </message>
    <message>
        <source>Raw data %1 and %2 · Headway %3</source>
        <translation>原始数据 %1 和 %2 · Headway %3</translation>
    </message>
    <message>
        <source>TTFT p50 %1 → %2 ms, n %3 / %4: </source>
        <translation>TTFT p50 %1 → %2 ms，n %3 / %4：</translation>
    </message>
    <message>
        <source>wanted %1, achieved %2 req/s</source>
        <translation>目标 %1，实际 %2 请求/秒</translation>
    </message>
    <message>
        <source>%1 req/s</source>
        <translation>%1 请求/秒</translation>
    </message>
    <message>
        <source>lag p50 %1, p99 %2 ms</source>
        <translation>滞后 p50 %1，p99 %2 ms</translation>
    </message>
    <message>
        <source>cold %1, idle start %2, warm-up %3, preempted %4, settings changed %5</source>
        <translation>冷启动 %1，空闲后 %2，预热 %3，被抢占 %4，设置变更 %5</translation>
    </message>
    <message>
        <source>%1 completed, %2 cancelled, %3 failed, %4 rejected</source>
        <translation>完成 %1，取消 %2，失败 %3，被拒 %4</translation>
    </message>
    <message>
        <source> from %1</source>
        <translation>，自 %1</translation>
    </message>
    <message>
        <source>%1 threads</source>
        <translation>%1 线程</translation>
    </message>
    <message>
        <source>In effect</source>
        <translation>生效的设置</translation>
    </message>
    <message>
        <source>From – to</source>
        <translation>起 – 止</translation>
    </message>
    <message>
        <source>p99 ms</source>
        <translation>p99 ms</translation>
    </message>
    <message>
        <source>Output tok/s</source>
        <translation>输出词元/秒</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>有效吞吐</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>%1 more phases</source>
        <translation>另有 %1 个阶段</translation>
    </message>
    <message>
        <source>By phase</source>
        <translation>按阶段</translation>
    </message>
    <message>
        <source>warm samples; 95 % interval of p99 in brackets</source>
        <translation>预热后样本；方括号内为 p99 的 95 % 置信区间</translation>
    </message>
    <message>
        <source>%1 more events</source>
        <translation>另有 %1 个事件</translation>
    </message>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>What ran</source>
        <translation>运行内容</translation>
    </message>
    <message>
        <source>none: recorded by hand</source>
        <translation>无：手动记录</translation>
    </message>
    <message>
        <source>seed %1</source>
        <translation>种子 %1</translation>
    </message>
    <message>
        <source>request list %1</source>
        <translation>请求列表 %1</translation>
    </message>
    <message>
        <source>Arrivals</source>
        <translation>到达</translation>
    </message>
    <message>
        <source>Requested and effective</source>
        <translation>请求值与实际值</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>every one as requested, none changed</source>
        <translation>全部与请求一致，未更改</translation>
    </message>
    <message>
        <source>Outcomes</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Claimed</source>
        <translation>声称值</translation>
    </message>
    <message>
        <source>Rounds</source>
        <translation>轮次</translation>
    </message>
    <message>
        <source>p, Holm</source>
        <translation>p（Holm）</translation>
    </message>
    <message>
        <source>about %1 blocks more</source>
        <translation>约再需 %1 个区组</translation>
    </message>
    <message>
        <source>Measures</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>paired t over rounds, Holm over the measures</source>
        <translation>按轮次配对 t 检验，各指标 Holm 校正</translation>
    </message>
    <message>
        <source>Levels</source>
        <translation>水平</translation>
    </message>
    <message>
        <source>Without the marked rounds: %1</source>
        <translation>去掉已标记的轮次：%1</translation>
    </message>
    <message>
        <source>Nothing was marked: no edits, preemptions, cold samples, prefix hits, late sends or other load.</source>
        <translation>没有标记：无更改、抢占、冷样本、前缀命中、发送滞后或其他负载。</translation>
    </message>
    <message>
        <source>Drift over side A&apos;s blocks: %1 %</source>
        <translation>A 侧各区组的漂移：%1 %</translation>
    </message>
    <message>
        <source>What could spoil it</source>
        <translation>可能的干扰</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Varies</source>
        <translation>变量</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>区组</translation>
    </message>
    <message>
        <source>%1 of %2 s, taking turns</source>
        <translation>%1 个，每个 %2 s，轮流进行</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>不计入</translation>
    </message>
    <message>
        <source>%1 s warm-up, drain up to %2 s</source>
        <translation>预热 %1 s，排空至多 %2 s</translation>
    </message>
    <message>
        <source>experiment</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>claims</source>
        <translation>声称值</translation>
    </message>
    <message>
        <source>Claims, measured on this machine</source>
        <translation>声称值，在本机实测</translation>
    </message>
    <message>
        <source>Claim</source>
        <translation>声称</translation>
    </message>
    <message>
        <source>Another model or machine has its own table. Intervals by paired t over rounds. A claim holds where the whole interval meets it.</source>
        <translation>其他模型或机器各有自己的表。区间按轮次配对 t 检验。整个区间都满足时声称值成立。</translation>
    </message>
    <message>
        <source>Run %1 against run %2: %3; %4.</source>
        <translation>运行 %1 对比运行 %2：%3；%4。</translation>
    </message>
    <message>
        <source>Differences to run %1</source>
        <translation>与运行 %1 的差异</translation>
    </message>
    <message>
        <source>TTFT over the runs</source>
        <translation>各次运行的 TTFT</translation>
    </message>
    <message>
        <source>on one scale</source>
        <translation>同一刻度</translation>
    </message>
    <message>
        <source>No setting differs.</source>
        <translation>没有不同的设置。</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>Runs %1</source>
        <translation>运行 %1</translation>
    </message>
    <message>
        <source>Raw data %1 · Headway %2</source>
        <translation>原始数据 %1 · Headway %2</translation>
    </message>
    <message>
        <source>Before is %1 to %2, after %3 to %4. The first %5 s after the cut are left out, and %6 requests that it parts. Other changes inside the sides: %7.</source>
        <translation>之前为 %1 至 %2，之后为 %3 至 %4。切点后的前 %5 秒及被其切开的 %6 个请求未计入。两侧内部的其他变更：%7。</translation>
    </message>
    <message>
        <source>Run %1, before and after %2</source>
        <translation>运行 %1，%2 前后对比</translation>
    </message>
    <message>
        <source>Of their prompts, %1 % of the tokens were found in the prefix cache.</source>
        <translation>其提示中有 %1 % 的词元命中前缀缓存。</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1, shortened</source>
        <translation>%1，已缩短</translation>
    </message>
</context>
<context>
    <name>runs</name>
    <message>
        <source>Two runs in sequence: drift between them is not excluded.</source>
        <translation>两次运行先后进行：不排除其间的漂移。</translation>
    </message>
    <message>
        <source>The runs did not send the same request list.</source>
        <translation>两次运行发送的请求列表不同。</translation>
    </message>
    <message>
        <source>The machines differ.</source>
        <translation>机器不同。</translation>
    </message>
    <message>
        <source>The models differ.</source>
        <translation>模型不同。</translation>
    </message>
    <message>
        <source>The runs differ in length.</source>
        <translation>两次运行时长不同。</translation>
    </message>
    <message>
        <source>A run did not end as planned.</source>
        <translation>有一次运行未按计划结束。</translation>
    </message>
    <message>
        <source>Events of a run were lost.</source>
        <translation>有一次运行丢失了事件。</translation>
    </message>
    <message>
        <source>recording</source>
        <translation>记录中</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>interrupted</source>
        <translation>已中断</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>today %1</source>
        <translation>今天 %1</translation>
    </message>
    <message>
        <source>yesterday %1</source>
        <translation>昨天 %1</translation>
    </message>
    <message>
        <source>d MMM</source>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <translation>yyyy年M月d日</translation>
    </message>
    <message>
        <source>before</source>
        <translation>之前</translation>
    </message>
    <message>
        <source>after</source>
        <translation>之后</translation>
    </message>
    <message>
        <source>Run %1</source>
        <translation>运行 %1</translation>
    </message>
    <message>
        <source>Two parts of one run, one after the other: drift between them is not excluded, and their arrivals differ.</source>
        <translation>同一次运行的前后两部分：不能排除漂移，且到达的请求不同。</translation>
    </message>
    <message>
        <source>Requests that the cut parts are in neither side’s latencies.</source>
        <translation>跨越切点的请求不计入任何一侧的延迟。</translation>
    </message>
    <message>
        <source>Other changes lie inside a side: select a span of the charts before splitting to leave them out.</source>
        <translation>某一侧内还有其他变更：切分前在图表上选定时段即可将其排除。</translation>
    </message>
    <message>
        <source>Their service targets differ: the goodput of both is counted within that of the first.</source>
        <translation>服务目标不同：两者的有效吞吐均以第一个的目标计。</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>无上限</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>Prompts were found in the prefix cache, which makes first tokens look fast.</source>
        <translation>有提示命中前缀缓存，首个词元因此显得更快。</translation>
    </message>
</context>
<context>
    <name>ui::AdaptersCard</name>
    <message>
        <source>Adapters</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>Low-rank adapters (LoRA) over the loaded model: a GGUF file of the type adapter, or a folder as PEFT saves it. They come and go while requests run, and one batch serves several. A request names its own; the playground’s sampling chooses one.</source>
        <translation>已加载模型之上的低秩适配器（LoRA）：类型为 adapter 的 GGUF 文件，或 PEFT 保存的文件夹。请求运行时即可加载和卸载，一个批次可混合多个适配器。请求写明自己的适配器；试用台的“采样”可选一个。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>as the file</source>
        <translation>同文件名</translation>
    </message>
    <message>
        <source>Load a file…</source>
        <translation>加载文件…</translation>
    </message>
    <message>
        <source>Load a folder…</source>
        <translation>加载文件夹…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message numerus="yes">
        <source>rank %1, %n weight(s), %2</source>
        <translation>
            <numerusform>秩 %1，%n 个权重，%2</numerusform>
        </translation>
    </message>
    <message>
        <source>Unload</source>
        <translation>卸载</translation>
    </message>
    <message>
        <source>Unload %1</source>
        <translation>卸载 %1</translation>
    </message>
    <message>
        <source>No adapter is loaded.</source>
        <translation>未加载适配器。</translation>
    </message>
    <message>
        <source>The loaded model takes no adapters.</source>
        <translation>已加载的模型不支持适配器。</translation>
    </message>
    <message>
        <source>No model is loaded.</source>
        <translation>未加载模型。</translation>
    </message>
    <message>
        <source>Model and adapters together take %1; a model for each adapter would take %2: %3 % less.</source>
        <translation>模型与适配器共占 %1；若每个适配器各带一份模型则需 %2：少 %3 %。</translation>
    </message>
    <message numerus="yes">
        <source>%n unloaded one(s) still finish their requests.</source>
        <translation>
            <numerusform>%n 个已卸载的适配器仍在完成其请求。</numerusform>
        </translation>
    </message>
    <message>
        <source>Load an adapter’s folder</source>
        <translation>加载适配器文件夹</translation>
    </message>
    <message>
        <source>Load an adapter</source>
        <translation>加载适配器</translation>
    </message>
    <message>
        <source>Adapters (*.gguf *.safetensors);;All files (*)</source>
        <translation>适配器 (*.gguf *.safetensors);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>ui::AdvisorView</name>
    <message>
        <source>The rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>Best recorded run, %1</source>
        <translation>最佳运行记录 %1</translation>
    </message>
    <message>
        <source>Optimum of the last search</source>
        <translation>上次搜索的最优</translation>
    </message>
    <message>
        <source>In force now</source>
        <translation>当前生效</translation>
    </message>
    <message>
        <source>Advice</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>Output tok/s</source>
        <translation>输出词元/秒</translation>
    </message>
    <message>
        <source>Requests/s</source>
        <translation>请求/秒</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>限值</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>within</source>
        <translation>满足</translation>
    </message>
    <message>
        <source>beyond</source>
        <translation>超出</translation>
    </message>
    <message>
        <source>Target</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>TTFT p99, at most (0: no limit)</source>
        <translation>TTFT p99 上限（0：不限）</translation>
    </message>
    <message>
        <source>TPOT p99, at most (0: no limit)</source>
        <translation>TPOT p99，至多（0：不限）</translation>
    </message>
    <message>
        <source>The rule looks at the target alone. What stands beside it was measured on this machine.</source>
        <translation>规则只看目标。旁边所列均在本机测得。</translation>
    </message>
    <message>
        <source>Search in the tuner…</source>
        <translation>在调优器中搜索…</translation>
    </message>
    <message>
        <source>The rule, and what the measurements say</source>
        <translation>规则与实测</translation>
    </message>
    <message>
        <source>TTFT target below 300 ms: the rule says realtime first, one request at a time, INT8, warmed.</source>
        <translation>TTFT 目标低于 300 ms：规则为实时优先，单请求、INT8、已预热。</translation>
    </message>
    <message>
        <source>No TTFT target below 300 ms: the rule says throughput first, FP16, dynamic batches.</source>
        <translation>没有低于 300 ms 的 TTFT 目标：规则为吞吐优先，FP16、动态批处理。</translation>
    </message>
    <message>
        <source>The measurements</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Of the recorded runs within the target, run %1 served most: %2 requests/s at TTFT p99 %3 ms, n %4.</source>
        <translation>在满足目标的运行记录中，运行 %1 处理最多：%2 请求/秒，TTFT p99 %3 ms，n %4。</translation>
    </message>
    <message>
        <source>No recorded run of %1 requests or more was within the target. A search in the tuner measures what is.</source>
        <translation>没有 %1 个以上请求的运行记录满足目标。可在调优器中搜索实测。</translation>
    </message>
    <message>
        <source>Apply live</source>
        <translation>实时应用</translation>
    </message>
    <message>
        <source>Open the run</source>
        <translation>打开运行</translation>
    </message>
    <message>
        <source>Rule and measurements</source>
        <translation>规则与实测</translation>
    </message>
</context>
<context>
    <name>ui::AlarmCard</name>
    <message>
        <source>Alarms</source>
        <translation>告警</translation>
    </message>
    <message>
        <source>Limits…</source>
        <translation>阈值…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>clears below %1</source>
        <translation>低于 %1 时解除</translation>
    </message>
    <message>
        <source>clears above %1</source>
        <translation>高于 %1 时解除</translation>
    </message>
    <message>
        <source>limit %1</source>
        <translation>上限 %1</translation>
    </message>
    <message>
        <source>at least %1</source>
        <translation>至少 %1</translation>
    </message>
    <message>
        <source>acknowledged</source>
        <translation>已确认</translation>
    </message>
    <message>
        <source>raised</source>
        <translation>已触发</translation>
    </message>
    <message>
        <source>over, being held</source>
        <translation>超限，等待保持时间</translation>
    </message>
    <message>
        <source>nothing to judge</source>
        <translation>暂无可判断的数据</translation>
    </message>
    <message>
        <source>n %1 of %2</source>
        <translation>n %1 / %2</translation>
    </message>
    <message>
        <source>quiet</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>Acknowledge</source>
        <translation>确认</translation>
    </message>
    <message>
        <source>Acknowledge: %1</source>
        <translation>确认：%1</translation>
    </message>
    <message>
        <source>Muted</source>
        <translation>已静音</translation>
    </message>
    <message>
        <source>Mute</source>
        <translation>静音</translation>
    </message>
    <message>
        <source>Mute: %1</source>
        <translation>静音：%1</translation>
    </message>
</context>
<context>
    <name>ui::AttachCard</name>
    <message>
        <source>Attach to a server</source>
        <translation>连接到服务器</translation>
    </message>
    <message>
        <source>vLLM, SGLang, llama.cpp or any server with the OpenAI API. Traffic, charts and runs are as for a model of this machine; times are measured on this side. The server’s settings can’t be changed from here.</source>
        <translation>vLLM、SGLang、llama.cpp 或任何提供 OpenAI API 的服务器。流量、图表和运行记录与本机模型相同；时间在本侧测量。无法从这里更改服务器的设置。</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Token file</source>
        <translation>令牌文件</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>A file with the server’s API key in its first line; the key itself is never kept</source>
        <translation>首行为服务器 API 密钥的文件；密钥本身从不保存</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Attach</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Choose the token file</source>
        <translation>选择令牌文件</translation>
    </message>
</context>
<context>
    <name>ui::Banner</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
</context>
<context>
    <name>ui::BannerStack</name>
    <message numerus="yes">
        <source>%n more message(s); Log has them all</source>
        <translation>
            <numerusform>还有 %n 条消息；日志中可查看全部</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::BookmarkField</name>
    <message>
        <source>Name the bookmark at %1</source>
        <translation>为 %1 处的书签命名</translation>
    </message>
    <message>
        <source>Enter keeps it, Esc does not</source>
        <translation>Enter 保存，Esc 放弃</translation>
    </message>
    <message>
        <source>Bookmark</source>
        <translation>书签</translation>
    </message>
</context>
<context>
    <name>ui::ChartView</name>
    <message>
        <source>Chart</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Copy values</source>
        <translation>复制数值</translation>
    </message>
    <message>
        <source>Copy picture</source>
        <translation>复制图片</translation>
    </message>
    <message>
        <source>Show as table</source>
        <translation>以表格显示</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>适合全程</translation>
    </message>
    <message>
        <source>Show all series</source>
        <translation>显示全部曲线</translation>
    </message>
    <message>
        <source>Clear the selection</source>
        <translation>清除选区</translation>
    </message>
    <message>
        <source>Click hides, Ctrl+click shows alone</source>
        <translation>单击隐藏，Ctrl+单击单独显示</translation>
    </message>
    <message>
        <source>Show in a window of its own</source>
        <translation>在独立窗口中显示</translation>
    </message>
    <message>
        <source>Bookmark at %1…</source>
        <translation>在 %1 处加书签…</translation>
    </message>
    <message>
        <source>Last hour</source>
        <translation>最近 1 小时</translation>
    </message>
    <message>
        <source>Last 24 hours</source>
        <translation>最近 24 小时</translation>
    </message>
    <message>
        <source>Zoom to the selection</source>
        <translation>缩放到所选时段</translation>
    </message>
    <message>
        <source>Logarithmic axis (L)</source>
        <translation>对数坐标轴（L）</translation>
    </message>
    <message>
        <source>Series</source>
        <translation>序列</translation>
    </message>
    <message>
        <source>Show alone</source>
        <translation>单独显示</translation>
    </message>
</context>
<context>
    <name>ui::ClaimsView</name>
    <message>
        <source>Claims, measured on this machine</source>
        <translation>声称值，在本机实测</translation>
    </message>
    <message>
        <source>Filter claims</source>
        <translation>筛选声称值</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>报告…</translation>
    </message>
    <message>
        <source>Claims</source>
        <translation>声称值</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Run all, about %1</source>
        <translation>全部运行，约 %1</translation>
    </message>
    <message>
        <source>another model or machine has its own table</source>
        <translation>其他模型或机器各有自己的表</translation>
    </message>
</context>
<context>
    <name>ui::CommandPalette</name>
    <message>
        <source>Search or run a command</source>
        <translation>搜索或执行命令</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令列表</translation>
    </message>
</context>
<context>
    <name>ui::ComparisonView</name>
    <message>
        <source>Swap sides</source>
        <translation>交换两侧</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>报告…</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>环境</translation>
    </message>
    <message>
        <source>Differences between the runs</source>
        <translation>两次运行的差值</translation>
    </message>
    <message>
        <source>Run %1 against run %2</source>
        <translation>运行 %1 对比运行 %2</translation>
    </message>
    <message>
        <source>n %1 / %2</source>
        <translation>n %1 / %2</translation>
    </message>
    <message>
        <source>different request lists</source>
        <translation>请求列表不同</translation>
    </message>
    <message>
        <source>same request list %1</source>
        <translation>相同请求列表 %1</translation>
    </message>
    <message>
        <source>Intervals by bootstrap over requests.</source>
        <translation>区间由对请求的自助法得出。</translation>
    </message>
    <message>
        <source>The machines differ.</source>
        <translation>机器不同。</translation>
    </message>
    <message>
        <source>Same machine.</source>
        <translation>同一机器。</translation>
    </message>
    <message>
        <source>The models differ: %1 and %2.</source>
        <translation>模型不同：%1 与 %2。</translation>
    </message>
    <message>
        <source>Same model, %1.</source>
        <translation>同一模型，%1。</translation>
    </message>
    <message>
        <source>Note on %1</source>
        <translation>%1 的备注</translation>
    </message>
    <message>
        <source>No note</source>
        <translation>无备注</translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation>写备注</translation>
    </message>
    <message>
        <source>%1 – %2 against %3 – %4 · the first %5 s after the cut and %6 requests left out</source>
        <translation>%1 – %2 对比 %3 – %4 · 切点后 %5 秒及 %6 个请求未计入</translation>
    </message>
    <message>
        <source>Back to the run</source>
        <translation>返回该运行</translation>
    </message>
    <message>
        <source>Run %1, before and after %2</source>
        <translation>运行 %1，%2 前后对比</translation>
    </message>
    <message>
        <source>Other changes inside: %1.</source>
        <translation>其中的其他变更：%1 处。</translation>
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
    <message>
        <source>Empty the prefix cache</source>
        <translation>清空前缀缓存</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Sets of settings, applied live; Ctrl+Z goes back</source>
        <translation>成组的设置，即时应用；Ctrl+Z 撤销</translation>
    </message>
</context>
<context>
    <name>ui::DialectView</name>
    <message>
        <source>Figure</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>Unit</source>
        <translation>单位</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>In our words</source>
        <translation>对应本工具</translation>
    </message>
    <message>
        <source>Figures as %1 names them</source>
        <translation>按 %1 命名的数值</translation>
    </message>
    <message>
        <source>Names, units and definitions of %1, of the whole run by its own stamps: every completed request counts, cold ones too, from its arrival; rates are of the time between the first arrival and the last token. These figures are no part of verdicts.</source>
        <translation>采用 %1 的名称、单位与定义，按整次运行自身的时间戳得出：所有已完成的请求都计入（含冷启动），从到达算起；速率按首个到达至最后词元之间的时间计。这些数值不参与结论。</translation>
    </message>
</context>
<context>
    <name>ui::EventStrip</name>
    <message>
        <source>Events</source>
        <translation>事件</translation>
    </message>
    <message>
        <source>None yet: settings, stages and alarms show here</source>
        <translation>暂无：设置更改、负载阶段与告警会显示在这里</translation>
    </message>
    <message numerus="yes">
        <source>All %n event(s)</source>
        <translation>
            <numerusform>全部 %n 个事件</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n event(s)</source>
        <translation>
            <numerusform>%n 个事件</numerusform>
        </translation>
    </message>
    <message>
        <source>Go there</source>
        <translation>转到该处</translation>
    </message>
    <message>
        <source>Copy the row</source>
        <translation>复制该行</translation>
    </message>
    <message>
        <source>Undo this change</source>
        <translation>撤销此更改</translation>
    </message>
    <message>
        <source>Remove the bookmark</source>
        <translation>移除书签</translation>
    </message>
    <message>
        <source>Compare before and after</source>
        <translation>对比前后</translation>
    </message>
</context>
<context>
    <name>ui::ExperimentEditor</name>
    <message>
        <source>%1, copy</source>
        <translation>%1，副本</translation>
    </message>
    <message>
        <source>Own experiment</source>
        <translation>自定实验</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Metric</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Claim</source>
        <translation>声称</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>区组</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>Drain, at most</source>
        <translation>排空，至多</translation>
    </message>
    <message>
        <source>&quot;&gt;= 1.52&quot;, &quot;&lt;= -40 %&quot;, &quot;about 42&quot;, &quot;8..16&quot; or &quot;none&quot;</source>
        <translation>“&gt;= 1.52”、“&lt;= -40 %”、“about 42”、“8..16” 或 “none”</translation>
    </message>
    <message>
        <source>Experiment as TOML</source>
        <translation>实验的 TOML</translation>
    </message>
    <message>
        <source>Requests are sent</source>
        <translation>发送请求</translation>
    </message>
    <message>
        <source>Another copy is loaded</source>
        <translation>加载另一份副本</translation>
    </message>
    <message>
        <source>A prompt is typed</source>
        <translation>输入提示</translation>
    </message>
    <message>
        <source>Texts are encoded</source>
        <translation>编码文本</translation>
    </message>
    <message>
        <source>Change of B against A, %</source>
        <translation>B 相对 A 的变化，%</translation>
    </message>
    <message>
        <source>Ratio of B to A</source>
        <translation>B 与 A 之比</translation>
    </message>
    <message>
        <source>Difference B − A</source>
        <translation>差值 B − A</translation>
    </message>
    <message>
        <source>The value itself</source>
        <translation>数值本身</translation>
    </message>
    <message>
        <source>Slope over the sweep</source>
        <translation>扫描的斜率</translation>
    </message>
    <message>
        <source>Best value of the sweep</source>
        <translation>扫描中的最佳值</translation>
    </message>
    <message>
        <source>Where it passes 1</source>
        <translation>越过 1 之处</translation>
    </message>
    <message>
        <source>Both lanes</source>
        <translation>两个通道</translation>
    </message>
    <message>
        <source>its own</source>
        <translation>自带</translation>
    </message>
    <message>
        <source>Experiment</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>What varies</source>
        <translation>变化项</translation>
    </message>
    <message>
        <source>What is measured</source>
        <translation>测量项</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>A block is made by</source>
        <translation>区组方式</translation>
    </message>
    <message>
        <source>Statistic</source>
        <translation>统计量</translation>
    </message>
    <message>
        <source>Requests of</source>
        <translation>请求来自</translation>
    </message>
    <message>
        <source>Stop at an interval of</source>
        <translation>区间达到即停</translation>
    </message>
    <message>
        <source>Built in</source>
        <translation>内置</translation>
    </message>
    <message>
        <source>Rate, of saturation</source>
        <translation>速率（饱和的倍数）</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>never: all blocks</source>
        <translation>不提前：全部区组</translation>
    </message>
    <message>
        <source>Ends early once half of the 95 % interval is this share of the value</source>
        <translation>当 95 % 区间的一半降到数值的这一比例时提前结束</translation>
    </message>
    <message>
        <source>off: requests a second</source>
        <translation>关闭：按请求/秒</translation>
    </message>
    <message>
        <source>Rates are in units of this share of what the engine can do, which is measured first</source>
        <translation>速率以引擎能力的这一倍数为单位，能力先行测量</translation>
    </message>
</context>
<context>
    <name>ui::ExperimentList</name>
    <message>
        <source>Finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>实验库</translation>
    </message>
    <message>
        <source>Own</source>
        <translation>自定</translation>
    </message>
</context>
<context>
    <name>ui::ExperimentView</name>
    <message>
        <source>Varies</source>
        <translation>变量</translation>
    </message>
    <message numerus="yes">
        <source>%n level(s)</source>
        <translation>
            <numerusform>%n 个水平</numerusform>
        </translation>
    </message>
    <message>
        <source>another copy is loaded</source>
        <translation>另行加载一份模型</translation>
    </message>
    <message>
        <source>one user who types</source>
        <translation>一个正在输入的用户</translation>
    </message>
    <message>
        <source>texts are encoded</source>
        <translation>对文本编码</translation>
    </message>
    <message numerus="yes">
        <source>closed loop, %n user(s)</source>
        <translation>
            <numerusform>闭环，%n 个用户</numerusform>
        </translation>
    </message>
    <message>
        <source>open loop, %1 × what it can do</source>
        <translation>开环，能力的 %1 倍</translation>
    </message>
    <message>
        <source>open loop, %1 req/s</source>
        <translation>开环，%1 请求/秒</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>%1 · seed %2</source>
        <translation>%1 · 种子 %2</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>区组</translation>
    </message>
    <message>
        <source>%1 × %2 s measured</source>
        <translation>%1 × %2 s 测量</translation>
    </message>
    <message>
        <source>%1 loads</source>
        <translation>加载 %1 次</translation>
    </message>
    <message>
        <source>levels take turns</source>
        <translation>各水平轮流</translation>
    </message>
    <message>
        <source>Left out</source>
        <translation>不计入</translation>
    </message>
    <message>
        <source>%1 s warm-up, drain</source>
        <translation>预热 %1 s，排空</translation>
    </message>
    <message>
        <source>shaded below</source>
        <translation>下图阴影部分</translation>
    </message>
    <message>
        <source>Stop rule</source>
        <translation>停止规则</translation>
    </message>
    <message>
        <source>interval ≤ %1 %, or all blocks</source>
        <translation>区间 ≤ %1 %，或全部区组</translation>
    </message>
    <message>
        <source>all blocks</source>
        <translation>全部区组</translation>
    </message>
    <message>
        <source>%1 of %2 blocks</source>
        <translation>%1 / %2 个区组</translation>
    </message>
    <message>
        <source>same request list on both sides, %1</source>
        <translation>两侧请求列表相同，%1</translation>
    </message>
    <message>
        <source>Copy and edit</source>
        <translation>复制并编辑</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>报告…</translation>
    </message>
    <message>
        <source>Apply %1</source>
        <translation>应用 %1</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>再次运行</translation>
    </message>
    <message>
        <source>Paired t over rounds; p adjusted by Holm over the measures. Marked samples are included.</source>
        <translation>按轮次配对 t 检验；p 经各指标 Holm 校正。已标记的样本计入。</translation>
    </message>
    <message>
        <source>Measures of both sides</source>
        <translation>两侧的指标</translation>
    </message>
</context>
<context>
    <name>ui::ExperimentsPage</name>
    <message>
        <source>needs %1</source>
        <translation>需要 %1</translation>
    </message>
    <message>
        <source>claim %1</source>
        <translation>声称 %1</translation>
    </message>
    <message>
        <source>open a model first</source>
        <translation>请先打开模型</translation>
    </message>
    <message>
        <source>not run, about %1</source>
        <translation>未运行，约 %1</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>measuring what the engine can do</source>
        <translation>测量引擎能力</translation>
    </message>
    <message>
        <source>switching</source>
        <translation>切换中</translation>
    </message>
    <message>
        <source>warming up</source>
        <translation>预热中</translation>
    </message>
    <message>
        <source>measuring</source>
        <translation>测量中</translation>
    </message>
    <message>
        <source>last answers</source>
        <translation>收尾中</translation>
    </message>
    <message>
        <source>block %1 of %2, %3: %4, about %5 left</source>
        <translation>第 %1 / %2 区组，%3：%4，约剩 %5</translation>
    </message>
    <message>
        <source>The experiment did not start</source>
        <translation>实验未能开始</translation>
    </message>
    <message>
        <source>Not applied</source>
        <translation>未应用</translation>
    </message>
    <message>
        <source>Applied</source>
        <translation>已应用</translation>
    </message>
    <message>
        <source>Write a report</source>
        <translation>写报告</translation>
    </message>
    <message>
        <source>Report written</source>
        <translation>报告已写出</translation>
    </message>
    <message>
        <source>The report was not written</source>
        <translation>报告未写出</translation>
    </message>
    <message>
        <source>Experiments</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>Stop experiment</source>
        <translation>停止实验</translation>
    </message>
    <message>
        <source>Start experiment</source>
        <translation>开始实验</translation>
    </message>
    <message>
        <source>Show claims</source>
        <translation>显示声称值</translation>
    </message>
    <message>
        <source>Copy and edit experiment</source>
        <translation>复制并编辑实验</translation>
    </message>
    <message>
        <source>Start or stop the experiment</source>
        <translation>开始或停止实验</translation>
    </message>
    <message>
        <source>Walk the list</source>
        <translation>在列表中移动</translation>
    </message>
    <message>
        <source>Walk the views, in their row</source>
        <translation>在视图栏中切换</translation>
    </message>
    <message>
        <source>Claims</source>
        <translation>声称值</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search experiments</source>
        <translation>搜索实验</translation>
    </message>
    <message>
        <source>Write an experiment of your own, from the one shown</source>
        <translation>以当前实验为底，写一个自定实验</translation>
    </message>
    <message>
        <source>Own experiment</source>
        <translation>自定实验</translation>
    </message>
    <message>
        <source>The search did not start</source>
        <translation>搜索未能开始</translation>
    </message>
    <message numerus="yes">
        <source>Round %1, %2 · %n configuration(s) measured</source>
        <translation>
            <numerusform>第 %1 轮，%2 · 已测量 %n 个配置</numerusform>
        </translation>
    </message>
    <message>
        <source>What the tuner chose against what is in force</source>
        <translation>调优器的选择对比当前设置</translation>
    </message>
    <message>
        <source>Tuner</source>
        <translation>调优器</translation>
    </message>
    <message>
        <source>The experiment was not continued</source>
        <translation>实验未继续</translation>
    </message>
    <message>
        <source>Its blocks were measured with another model. Open that model, or start the experiment anew.</source>
        <translation>其区组是用另一个模型测得的。请打开该模型，或重新开始实验。</translation>
    </message>
    <message>
        <source>Its rate is a share of what the engine could do then, which the log does not keep. Start the experiment anew.</source>
        <translation>其速率是当时引擎能力的一定比例，日志中未保存。请重新开始实验。</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Report, HTML…</source>
        <translation>报告，HTML…</translation>
    </message>
    <message>
        <source>Report, PDF…</source>
        <translation>报告，PDF…</translation>
    </message>
    <message>
        <source>Report, Markdown…</source>
        <translation>报告，Markdown…</translation>
    </message>
    <message>
        <source>Data, JSON…</source>
        <translation>数据，JSON…</translation>
    </message>
    <message>
        <source>It is of another run log. Start it anew here.</source>
        <translation>它属于另一个运行日志。请在此重新开始。</translation>
    </message>
    <message>
        <source>goodput within %1</source>
        <translation>有效吞吐以 %1 计</translation>
    </message>
    <message>
        <source>Advisor</source>
        <translation>建议</translation>
    </message>
    <message>
        <source>Replay and what-if</source>
        <translation>重放与推演</translation>
    </message>
    <message>
        <source>The search was not continued</source>
        <translation>搜索未能继续</translation>
    </message>
    <message>
        <source>It was made with another model. Open that model, or search anew.</source>
        <translation>它是用另一个模型做的。请打开该模型，或重新搜索。</translation>
    </message>
    <message>
        <source>Data, CSV…</source>
        <translation>数据，CSV…</translation>
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
    <name>ui::FirstStartPage</name>
    <message>
        <source>copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>打开模型</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Make</source>
        <translation>生成</translation>
    </message>
    <message>
        <source>any layer count and weight format</source>
        <translation>任意层数与权重格式</translation>
    </message>
    <message>
        <source>writing %1 of %2</source>
        <translation>正在写入 %1 / %2</translation>
    </message>
    <message>
        <source>A synthetic model with random weights. Tells how fast a shape would run on this machine before you download it.</source>
        <translation>随机权重的合成模型。下载之前就能知道这种形状在本机上有多快。</translation>
    </message>
    <message>
        <source>Default model</source>
        <translation>默认模型</translation>
    </message>
    <message>
        <source>98 MB · Q4_1 · 135 M parameters</source>
        <translation>98 MB · Q4_1 · 1.35 亿参数</translation>
    </message>
    <message>
        <source>%1, Apache-2.0. Small enough for two cores, real enough to measure.</source>
        <translation>%1，Apache-2.0。小到两个核心就够，真实到足以测量。</translation>
    </message>
    <message>
        <source>Already in your data folder, checksum right.</source>
        <translation>已在您的数据文件夹中，校验和正确。</translation>
    </message>
    <message>
        <source>Already in your data folder.</source>
        <translation>已在您的数据文件夹中。</translation>
    </message>
    <message>
        <source>Not in your data folder yet: run %1 in the source folder to fetch it, or open a file.</source>
        <translation>数据文件夹中还没有：在源码文件夹运行 %1 获取，或打开一个文件。</translation>
    </message>
    <message>
        <source>The file in your data folder is not whole: run %1 in the source folder to fetch it again.</source>
        <translation>数据文件夹中的文件不完整：在源码文件夹运行 %1 重新获取。</translation>
    </message>
    <message>
        <source>ready in about 1 s</source>
        <translation>约 1 秒就绪</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Start with the default model</source>
        <translation>用默认模型开始</translation>
    </message>
    <message>
        <source>Make a synthetic model</source>
        <translation>生成合成模型</translation>
    </message>
    <message>
        <source>Open a model file</source>
        <translation>打开模型文件</translation>
    </message>
    <message>
        <source>Open a model to start</source>
        <translation>打开一个模型以开始</translation>
    </message>
    <message>
        <source>Headway runs it here, in this window, and measures what every switch really costs.</source>
        <translation>Headway 就在这个窗口里运行它，并测量每个开关的真实代价。</translation>
    </message>
    <message>
        <source>Start with it</source>
        <translation>用它开始</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>复制命令</translation>
    </message>
    <message>
        <source>Open a file</source>
        <translation>打开文件</translation>
    </message>
    <message>
        <source>%1 of memory free</source>
        <translation>空闲内存 %1</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>or drop it anywhere</source>
        <translation>或拖放到任意位置</translation>
    </message>
    <message>
        <source>Try a shape</source>
        <translation>试用一种形状</translation>
    </message>
    <message>
        <source>Shape of the synthetic model</source>
        <translation>合成模型的形状</translation>
    </message>
    <message>
        <source>Models (*.gguf *.safetensors *.safetensors.index.json)</source>
        <translation>模型 (*.gguf *.safetensors *.safetensors.index.json)</translation>
    </message>
    <message>
        <source>GGUF or safetensors, also split: DeepSeek, Qwen, Llama, Gemma. The header is checked first and tells memory needs before anything loads.</source>
        <translation>GGUF 或 safetensors，分片亦可：DeepSeek、Qwen、Llama、Gemma。先检查文件头，加载之前就告知所需内存。</translation>
    </message>
    <message>
        <source>Drop a model file, a workload, a trace, a run export or a run log here</source>
        <translation>把模型文件、负载、轨迹、运行导出或运行日志拖放到这里</translation>
    </message>
</context>
<context>
    <name>ui::HelpPage</name>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Search the definitions</source>
        <translation>搜索定义</translation>
    </message>
    <message>
        <source>What is: %1</source>
        <translation>何谓：%1</translation>
    </message>
    <message>
        <source>Help: what every figure means</source>
        <translation>帮助：各项数值的含义</translation>
    </message>
    <message>
        <source>F1 leads from a tile, chart or table to its definition. The names of stamps (scheduled, received, firstVisible …) are those of exports.</source>
        <translation>按 F1 可从指标块、图表或表格跳到其定义。时间戳名称（scheduled、received、firstVisible 等）与导出文件一致。</translation>
    </message>
    <message>
        <source>Search figures, formulas, other tools</source>
        <translation>搜索数值、公式、其他工具</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>The keys of every page (?)</source>
        <translation>各页的按键（?）</translation>
    </message>
    <message>
        <source>No definition has this text.</source>
        <translation>没有包含此文字的定义。</translation>
    </message>
    <message>
        <source>Elsewhere: %1</source>
        <translation>其他工具：%1</translation>
    </message>
    <message>
        <source>Definitions</source>
        <translation>定义</translation>
    </message>
</context>
<context>
    <name>ui::KeyList</name>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
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
    <name>ui::LevelCard</name>
    <message>
        <source>level %1</source>
        <translation>%1 级</translation>
    </message>
    <message>
        <source>Degradation</source>
        <translation>降级</translation>
    </message>
    <message>
        <source>Levels</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>Limits…</source>
        <translation>限值…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>trying level %1</source>
        <translation>正在试用 %1 级</translation>
    </message>
    <message>
        <source>level %1 in force</source>
        <translation>%1 级生效</translation>
    </message>
    <message>
        <source>TTFT p90 from received %1 ms, n %2</source>
        <translation>自收到起 TTFT p90 %1 ms，n %2</translation>
    </message>
    <message>
        <source>surely above %1 ms</source>
        <translation>确定高于 %1 ms</translation>
    </message>
    <message>
        <source>level %1 is tried in %2</source>
        <translation>%2 后试用 %1 级</translation>
    </message>
    <message>
        <source>Level %1</source>
        <translation>%1 级</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Its effect is being measured.</source>
        <translation>正在测量其效果。</translation>
    </message>
    <message>
        <source>Level %1 → %2: median TTFT %3 ms (n %4) → %5 ms (n %6)</source>
        <translation>%1 级 → %2 级：TTFT 中位数 %3 ms（n %4）→ %5 ms（n %6）</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>变差</translation>
    </message>
    <message>
        <source>better</source>
        <translation>改善</translation>
    </message>
    <message>
        <source>not resolved</source>
        <translation>未能分辨</translation>
    </message>
    <message>
        <source>Back to level %1</source>
        <translation>回到 %1 级</translation>
    </message>
    <message>
        <source>Light model…</source>
        <translation>轻量模型…</translation>
    </message>
    <message>
        <source>Choose the file that answers at level 2</source>
        <translation>选择 2 级使用的模型文件</translation>
    </message>
</context>
<context>
    <name>ui::LivePage</name>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>No workload</source>
        <translation>没有负载</translation>
    </message>
    <message>
        <source>the Load page sends traffic</source>
        <translation>可在“负载”页发送流量</translation>
    </message>
    <message>
        <source>in %1</source>
        <translation>（%1 内）</translation>
    </message>
    <message>
        <source>The change was not undone</source>
        <translation>更改未能撤销</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
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
        <source>Space</source>
        <translation>空格</translation>
    </message>
    <message>
        <source>Show the last minute</source>
        <translation>显示最近 1 分钟</translation>
    </message>
    <message>
        <source>Show the last 5 minutes</source>
        <translation>显示最近 5 分钟</translation>
    </message>
    <message>
        <source>Show the last 15 minutes</source>
        <translation>显示最近 15 分钟</translation>
    </message>
    <message>
        <source>Show the whole run</source>
        <translation>显示整次运行</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>warm</source>
        <translation>预热后</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Next event</source>
        <translation>下一个事件</translation>
    </message>
    <message>
        <source>Previous event</source>
        <translation>上一个事件</translation>
    </message>
    <message>
        <source>Chart: %1</source>
        <translation>图表：%1</translation>
    </message>
    <message>
        <source>shown</source>
        <translation>已显示</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>已隐藏</translation>
    </message>
    <message>
        <source>zoom in, out</source>
        <translation>放大、缩小</translation>
    </message>
    <message>
        <source>earlier, later</source>
        <translation>向前、向后</translation>
    </message>
    <message>
        <source>the whole run</source>
        <translation>整次运行</translation>
    </message>
    <message>
        <source>pause or follow</source>
        <translation>暂停或跟随</translation>
    </message>
    <message>
        <source>event before, event after</source>
        <translation>上一个、下一个事件</translation>
    </message>
    <message>
        <source>show the chart in focus as a table</source>
        <translation>以表格显示焦点图表</translation>
    </message>
    <message>
        <source>copy the chart&apos;s values</source>
        <translation>复制图表数值</translation>
    </message>
    <message>
        <source>Drag</source>
        <translation>拖动</translation>
    </message>
    <message>
        <source>Wheel</source>
        <translation>滚轮</translation>
    </message>
    <message>
        <source>zoom; with Shift move</source>
        <translation>缩放；按住 Shift 平移</translation>
    </message>
    <message>
        <source>clear selection and crosshair</source>
        <translation>清除选区与十字线</translation>
    </message>
    <message>
        <source>1 min</source>
        <translation>1 分钟</translation>
    </message>
    <message>
        <source>5 min</source>
        <translation>5 分钟</translation>
    </message>
    <message>
        <source>15 min</source>
        <translation>15 分钟</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>整次运行</translation>
    </message>
    <message>
        <source>Span shown</source>
        <translation>显示时段</translation>
    </message>
    <message>
        <source>Keep the newest data in view (Space)</source>
        <translation>始终显示最新数据（空格）</translation>
    </message>
    <message>
        <source>TTFT: scheduled → first visible text</source>
        <translation>TTFT：计划时刻 → 首段可见文本</translation>
    </message>
    <message>
        <source>TTFT: received → first visible text</source>
        <translation>TTFT：接收时刻 → 首段可见文本</translation>
    </message>
    <message>
        <source>TTFT: admitted → first visible text</source>
        <translation>TTFT：准入时刻 → 首段可见文本</translation>
    </message>
    <message>
        <source>Where time to first token begins</source>
        <translation>首词元延迟的起点</translation>
    </message>
    <message>
        <source>Warm samples</source>
        <translation>仅预热后样本</translation>
    </message>
    <message>
        <source>All samples</source>
        <translation>全部样本</translation>
    </message>
    <message>
        <source>Warm leaves out cold and idle starts, warm-up and requests that did not complete</source>
        <translation>仅预热后样本不含冷启动、空闲后启动、预热请求和未完成的请求</translation>
    </message>
    <message>
        <source>Which samples count</source>
        <translation>计入哪些样本</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Choose the charts of this page</source>
        <translation>选择本页的图表</translation>
    </message>
    <message>
        <source>Clear the selected span (Esc)</source>
        <translation>清除选中的时段（Esc）</translation>
    </message>
    <message>
        <source>Selected span</source>
        <translation>选中的时段</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>%1 – Headway</source>
        <translation>%1 – Headway</translation>
    </message>
    <message>
        <source>Show the last hour</source>
        <translation>显示最近 1 小时</translation>
    </message>
    <message>
        <source>Show the last 24 hours</source>
        <translation>显示最近 24 小时</translation>
    </message>
    <message>
        <source>Bookmark here…</source>
        <translation>在此处加书签…</translation>
    </message>
    <message>
        <source>Zoom to the selection</source>
        <translation>缩放到所选时段</translation>
    </message>
    <message>
        <source>Clear the selection</source>
        <translation>清除所选时段</translation>
    </message>
    <message>
        <source>Chart in a window of its own: %1</source>
        <translation>独立窗口中的图表：%1</translation>
    </message>
    <message>
        <source>move the crosshair; with Shift in longer steps</source>
        <translation>移动十字线；按住 Shift 步长更大</translation>
    </message>
    <message>
        <source>select from the crosshair, up to the crosshair</source>
        <translation>从十字线处开始选择，选择到十字线处</translation>
    </message>
    <message>
        <source>zoom to the selection</source>
        <translation>缩放到所选时段</translation>
    </message>
    <message>
        <source>bookmark at the crosshair; Del in the events removes it</source>
        <translation>在十字线处加书签；在事件列表中按 Del 移除</translation>
    </message>
    <message>
        <source>show the chart in focus in a window of its own</source>
        <translation>在独立窗口中显示当前图表</translation>
    </message>
    <message>
        <source>select a span; it filters tiles, events and requests</source>
        <translation>选择时段；指标、事件和请求随之筛选</translation>
    </message>
    <message>
        <source>%1 · n %2</source>
        <translation>%1 · n %2</translation>
    </message>
    <message>
        <source>in the events: compare the run before and after</source>
        <translation>在事件列表中：对比该运行的前后</translation>
    </message>
    <message>
        <source>logarithmic axis of the chart in focus, where it has latencies</source>
        <translation>焦点所在图表的对数坐标轴（延迟类图表）</translation>
    </message>
</context>
<context>
    <name>ui::LoadPage</name>
    <message>
        <source>none ended yet</source>
        <translation>尚无结束</translation>
    </message>
    <message>
        <source>Line %1: %2</source>
        <translation>第 %1 行：%2</translation>
    </message>
    <message>
        <source>%1 requests</source>
        <translation>%1 个请求</translation>
    </message>
    <message>
        <source>closed loop: as many as the answers allow</source>
        <translation>闭环：数量取决于回答的快慢</translation>
    </message>
    <message>
        <source>about %1 prompt and %2 output tokens each</source>
        <translation>每个约 %1 个输入词元、%2 个输出词元</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Start or stop the load (Ctrl+Enter)</source>
        <translation>开始或停止负载（Ctrl+Enter）</translation>
    </message>
    <message>
        <source>Open a model first</source>
        <translation>请先打开模型</translation>
    </message>
    <message>
        <source>of %1, %2 left</source>
        <translation>共 %1，剩余 %2</translation>
    </message>
    <message>
        <source>of %1, ended</source>
        <translation>共 %1，已结束</translation>
    </message>
    <message>
        <source>not started</source>
        <translation>未开始</translation>
    </message>
    <message>
        <source>req/s</source>
        <translation>请求/秒</translation>
    </message>
    <message>
        <source>wanted %1</source>
        <translation>目标 %1</translation>
    </message>
    <message>
        <source>no rate wanted</source>
        <translation>无目标速率</translation>
    </message>
    <message>
        <source>ms p99</source>
        <translation>ms p99</translation>
    </message>
    <message>
        <source>median %1 ms</source>
        <translation>中位数 %1 ms</translation>
    </message>
    <message>
        <source>sent − due</source>
        <translation>发送 − 应发</translation>
    </message>
    <message>
        <source>sent</source>
        <translation>已发送</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Form</source>
        <translation>表单</translation>
    </message>
    <message>
        <source>Edit the workload as</source>
        <translation>负载编辑方式</translation>
    </message>
    <message>
        <source>own</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>Built-in workloads</source>
        <translation>内置负载</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Workload as TOML</source>
        <translation>TOML 形式的负载</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Achieved, last 10 s</source>
        <translation>实际，最近 10 秒</translation>
    </message>
    <message>
        <source>Lag</source>
        <translation>滞后</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>The generator is the bottleneck</source>
        <translation>发生器成为瓶颈</translation>
    </message>
    <message>
        <source>Requests leave late: the median lag is above %1 ms, so waiting times measure this machine&apos;s sender too. Lower the rate, or leave it a core.</source>
        <translation>请求发送过晚：滞后中位数超过 %1 ms，等待时间也包含了本机的发送端。请降低速率，或为它留出一个核心。</translation>
    </message>
    <message>
        <source>%1 is larger than a workload file may be (1 MiB).</source>
        <translation>%1 超过负载文件的大小上限（1 MiB）。</translation>
    </message>
    <message>
        <source>Workload files (*.toml)</source>
        <translation>负载文件 (*.toml)</translation>
    </message>
    <message>
        <source>Save the workload</source>
        <translation>保存负载</translation>
    </message>
    <message>
        <source>Stop the load</source>
        <translation>停止负载</translation>
    </message>
    <message>
        <source>Start the load</source>
        <translation>开始负载</translation>
    </message>
    <message>
        <source>Save the workload…</source>
        <translation>保存负载…</translation>
    </message>
    <message>
        <source>Start or stop the load</source>
        <translation>开始或停止负载</translation>
    </message>
    <message numerus="yes">
        <source>sending ended · %n to finish</source>
        <translation>
            <numerusform>发送已结束 · 还有 %n 个未完成</numerusform>
        </translation>
    </message>
    <message>
        <source>Achieved, all of it</source>
        <translation>实际，全程</translation>
    </message>
    <message>
        <source>%1 sent</source>
        <translation>已发送 %1</translation>
    </message>
    <message>
        <source>%1 trace, sent as it was recorded: %2 requests. An edit of the workload replaces it.</source>
        <translation>%1 轨迹，按记录原样发送：%2 个请求。编辑负载会取代它。</translation>
    </message>
    <message numerus="yes">
        <source>%n without an answer left out.</source>
        <translation>
            <numerusform>略去 %n 个没有回答的请求。</numerusform>
        </translation>
    </message>
    <message>
        <source>Open a workload or a trace</source>
        <translation>打开负载或轨迹</translation>
    </message>
    <message>
        <source>Workloads and traces (*.toml *.csv *.jsonl)</source>
        <translation>负载与轨迹 (*.toml *.csv *.jsonl)</translation>
    </message>
    <message>
        <source>Traces of Azure, BurstGPT, Mooncake (*.csv *.jsonl)</source>
        <translation>Azure、BurstGPT、Mooncake 轨迹 (*.csv *.jsonl)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Open a workload or a trace…</source>
        <translation>打开负载或轨迹…</translation>
    </message>
</context>
<context>
    <name>ui::LogPage</name>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>%1 after the start, step %2</source>
        <translation>开始后 %1，第 %2 步</translation>
    </message>
    <message>
        <source>Who</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>What</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>%1 entries</source>
        <translation>%1 条</translation>
    </message>
    <message>
        <source>Nothing has happened yet.</source>
        <translation>尚未发生任何事件。</translation>
    </message>
    <message>
        <source>No entry matches the filter.</source>
        <translation>没有符合筛选的条目。</translation>
    </message>
    <message>
        <source>Log copied</source>
        <translation>日志已复制</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Copy the log</source>
        <translation>复制日志</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Copy the rows selected</source>
        <translation>复制所选行</translation>
    </message>
    <message>
        <source>Filter the log</source>
        <translation>筛选日志</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Problems</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Severity</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>From warnings</source>
        <translation>警告及以上</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>All kinds</source>
        <translation>全部类别</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Alarms and levels</source>
        <translation>告警与降级</translation>
    </message>
    <message>
        <source>Engine and model</source>
        <translation>引擎与模型</translation>
    </message>
    <message>
        <source>Load and runs</source>
        <translation>负载与运行记录</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Notes and bookmarks</source>
        <translation>备注与书签</translation>
    </message>
    <message>
        <source>Everyone</source>
        <translation>全部来源</translation>
    </message>
</context>
<context>
    <name>ui::MachineFacts</name>
    <message>
        <source>This machine</source>
        <translation>本机</translation>
    </message>
    <message numerus="yes">
        <source>%n threads</source>
        <translation>
            <numerusform>%n 线程</numerusform>
        </translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>%1, %2 free</source>
        <translation>%1，空闲 %2</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>none found; none is needed</source>
        <translation>未找到；也不需要</translation>
    </message>
    <message>
        <source>Run log</source>
        <translation>运行日志</translation>
    </message>
</context>
<context>
    <name>ui::MainWindow</name>
    <message>
        <source>The workload was not started</source>
        <translation>负载未能启动</translation>
    </message>
    <message numerus="yes">
        <source>%n thread(s)</source>
        <translation>
            <numerusform>%n 线程</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n left</source>
        <translation>
            <numerusform>剩余 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Nothing is recorded</source>
        <translation>没有在记录</translation>
    </message>
    <message>
        <source>Show %1</source>
        <translation>显示%1</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>记录</translation>
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
        <source>Open a model…</source>
        <translation>打开模型…</translation>
    </message>
    <message>
        <source>Reload the model</source>
        <translation>重新加载模型</translation>
    </message>
    <message>
        <source>What the model file holds…</source>
        <translation>模型文件内容…</translation>
    </message>
    <message>
        <source>Cancel loading</source>
        <translation>取消加载</translation>
    </message>
    <message>
        <source>Configuration panel</source>
        <translation>配置面板</translation>
    </message>
    <message>
        <source>shown</source>
        <translation>已显示</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>已隐藏</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Keys of this page</source>
        <translation>本页按键</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Everywhere</source>
        <translation>全局</translation>
    </message>
    <message>
        <source>pages</source>
        <translation>各页面</translation>
    </message>
    <message>
        <source>page before, page after</source>
        <translation>上一页、下一页</translation>
    </message>
    <message>
        <source>command palette</source>
        <translation>命令面板</translation>
    </message>
    <message>
        <source>open a model</source>
        <translation>打开模型</translation>
    </message>
    <message>
        <source>start or stop recording</source>
        <translation>开始或停止记录</translation>
    </message>
    <message>
        <source>configuration panel</source>
        <translation>配置面板</translation>
    </message>
    <message>
        <source>next part of the window</source>
        <translation>窗口的下一区域</translation>
    </message>
    <message>
        <source>next, previous control</source>
        <translation>下一个、上一个控件</translation>
    </message>
    <message>
        <source>this list</source>
        <translation>本列表</translation>
    </message>
    <message>
        <source>Alarms</source>
        <translation>告警</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Empty the prefix cache</source>
        <translation>清空前缀缓存</translation>
    </message>
    <message>
        <source>The setting was refused</source>
        <translation>设置被拒绝</translation>
    </message>
    <message>
        <source>definition of the figure in focus</source>
        <translation>当前数值的定义</translation>
    </message>
    <message>
        <source>Attach to a server…</source>
        <translation>连接到服务器…</translation>
    </message>
    <message>
        <source>Light model</source>
        <translation>轻量模型</translation>
    </message>
    <message>
        <source>Models (*.gguf *.safetensors)</source>
        <translation>模型 (*.gguf *.safetensors)</translation>
    </message>
    <message>
        <source>Forget stored answers</source>
        <translation>清除答案缓存</translation>
    </message>
    <message>
        <source>Adapters…</source>
        <translation>适配器…</translation>
    </message>
</context>
<context>
    <name>ui::ModelDialog</name>
    <message>
        <source>Open a model</source>
        <translation>打开模型</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Load</source>
        <translation>加载</translation>
    </message>
    <message>
        <source>not readable</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>reading</source>
        <translation>读取中</translation>
    </message>
    <message>
        <source>Reading the header…</source>
        <translation>正在读取文件头…</translation>
    </message>
    <message>
        <source>not supported</source>
        <translation>不支持</translation>
    </message>
    <message>
        <source>supported</source>
        <translation>支持</translation>
    </message>
</context>
<context>
    <name>ui::ModelMenu</name>
    <message>
        <source>Open a model…</source>
        <translation>打开模型…</translation>
    </message>
    <message>
        <source>What the file holds…</source>
        <translation>文件内容…</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>重新加载</translation>
    </message>
    <message>
        <source>Open a model</source>
        <translation>打开模型</translation>
    </message>
    <message>
        <source>Open a model&apos;s folder…</source>
        <translation>打开模型文件夹…</translation>
    </message>
    <message>
        <source>Models (*.gguf *.safetensors *.safetensors.index.json);;All files (*)</source>
        <translation>模型 (*.gguf *.safetensors *.safetensors.index.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Open a model&apos;s folder</source>
        <translation>打开模型文件夹</translation>
    </message>
    <message>
        <source>Attach to a server…</source>
        <translation>连接到服务器…</translation>
    </message>
    <message>
        <source>Adapters…</source>
        <translation>适配器…</translation>
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
    <message>
        <source>Feed while typing</source>
        <translation>边输入边计算</translation>
    </message>
    <message>
        <source>Let the engine compute the prompt while you type it, and compare the time to the first token with and without</source>
        <translation>让引擎在输入时就计算提示词，并比较有无此功能时的首词元时间</translation>
    </message>
    <message>
        <source>hits</source>
        <translation>命中</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>tok</source>
        <translation>词元</translation>
    </message>
    <message>
        <source>fed</source>
        <translation>预先计算</translation>
    </message>
    <message>
        <source>TTFT without feeding</source>
        <translation>不预先计算时的 TTFT</translation>
    </message>
    <message numerus="yes">
        <source>%n character(s) handed over while you type · kept for %1 s</source>
        <translation>
            <numerusform>输入时已交出 %n 个字符 · 保留 %1 秒</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::PromptEdit</name>
    <message>
        <source>The text of %1 characters was not pasted: the playground takes %2. headway-probe generate --prompt-file reads longer ones.</source>
        <translation>未粘贴长度为 %1 个字符的文本：试用台最多接受 %2 个字符。更长的文本可用 headway-probe generate --prompt-file 读取。</translation>
    </message>
</context>
<context>
    <name>ui::Rail</name>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
</context>
<context>
    <name>ui::ReplayView</name>
    <message>
        <source>Open a trace</source>
        <translation>打开轨迹</translation>
    </message>
    <message>
        <source>Traces of Azure, BurstGPT, Mooncake (*.csv *.jsonl)</source>
        <translation>Azure、BurstGPT、Mooncake 轨迹 (*.csv *.jsonl)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Choose a recorded run…</source>
        <translation>选择一次运行记录…</translation>
    </message>
    <message>
        <source>%1 requests in %2</source>
        <translation>%2 内 %1 个请求</translation>
    </message>
    <message>
        <source>the list of its workload and seed</source>
        <translation>由其负载与种子生成的列表</translation>
    </message>
    <message>
        <source>as it was recorded, with texts of about its lengths</source>
        <translation>按记录原样，文本长度大致相同</translation>
    </message>
    <message numerus="yes">
        <source>%n without an answer left out</source>
        <translation>
            <numerusform>略去 %n 个没有回答的</numerusform>
        </translation>
    </message>
    <message>
        <source>Not simulated: %1</source>
        <translation>未模拟：%1</translation>
    </message>
    <message>
        <source>Nothing was recorded: %1</source>
        <translation>未记录：%1</translation>
    </message>
    <message>
        <source>Replay of %1</source>
        <translation>%1 的重放</translation>
    </message>
    <message>
        <source>Replay and what-if</source>
        <translation>重放与推演</translation>
    </message>
    <message>
        <source>reading</source>
        <translation>读取中</translation>
    </message>
    <message>
        <source>simulating</source>
        <translation>模拟中</translation>
    </message>
    <message>
        <source>running, %1 left</source>
        <translation>运行中，剩余 %1</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Run it really</source>
        <translation>真实运行</translation>
    </message>
    <message>
        <source>Open a model first</source>
        <translation>请先打开模型</translation>
    </message>
    <message>
        <source>Choose a recorded run or a trace, change settings, simulate it in a moment, then send the same requests really: both stand side by side, with the simulation&apos;s error.</source>
        <translation>选择一次运行记录或轨迹，更改设置，片刻即可模拟，再真实发送同样的请求：两者并列，并给出模拟误差。</translation>
    </message>
    <message>
        <source>The simulation runs the scheduler&apos;s own code with step costs that a run measured; a precision or kernel that it did not have is not in these costs.</source>
        <translation>模拟运行调度器自身的代码，采用某次运行测得的步耗时；该次运行没有的精度或内核不在其中。</translation>
    </message>
    <message>
        <source>Settings that take a reload are not switched for the real run.</source>
        <translation>需要重新加载的设置不会在真实运行中切换。</translation>
    </message>
    <message>
        <source>recorded</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>real</source>
        <translation>真实</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>Recorded run</source>
        <translation>运行记录</translation>
    </message>
    <message>
        <source>Trace…</source>
        <translation>轨迹…</translation>
    </message>
    <message>
        <source>Arrivals of Azure, BurstGPT or Mooncake</source>
        <translation>Azure、BurstGPT 或 Mooncake 的到达记录</translation>
    </message>
    <message>
        <source>Step costs of run</source>
        <translation>步耗时取自运行</translation>
    </message>
    <message>
        <source>Only the first seconds</source>
        <translation>只取前若干秒</translation>
    </message>
    <message>
        <source>all of it</source>
        <translation>全部</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假设</translation>
    </message>
    <message>
        <source>Simulate</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>Recorded, simulated, real</source>
        <translation>记录、模拟、真实</translation>
    </message>
    <message>
        <source>Change a setting…</source>
        <translation>更改设置…</translation>
    </message>
    <message>
        <source>Change a setting</source>
        <translation>更改设置</translation>
    </message>
    <message>
        <source>run %1</source>
        <translation>运行 %1</translation>
    </message>
    <message>
        <source>%1 trace</source>
        <translation>%1 轨迹</translation>
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
        <source>TTFT ms from scheduled %1, from received %2, from admitted %3</source>
        <translation>TTFT ms：自计划时刻 %1，自接收 %2，自准入 %3</translation>
    </message>
    <message>
        <source>%1 prompt tokens, %2 of them hits · %3 output tokens · %4</source>
        <translation>%1 个提示词元，其中命中 %2 个 · %3 个输出词元 · %4</translation>
    </message>
    <message>
        <source>%1 ms behind request %2 while places were free</source>
        <translation>有空位时等待请求 %2 达 %1 毫秒</translation>
    </message>
    <message>
        <source>at %1 ms for %2 ms</source>
        <translation>于 %1 ms 起 %2 ms</translation>
    </message>
    <message>
        <source>at %1 ms, to its end</source>
        <translation>于 %1 ms 起直到结束</translation>
    </message>
    <message>
        <source>&lt;b&gt;Second ledger: %1 ms without a place&lt;/b&gt; %2</source>
        <translation>&lt;b&gt;第二账目：%1 ms 无槽位&lt;/b&gt; %2</translation>
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
    <message>
        <source>Selected on the charts; click to clear</source>
        <translation>在图表上选定；点击清除</translation>
    </message>
    <message>
        <source>Selected span</source>
        <translation>所选时段</translation>
    </message>
</context>
<context>
    <name>ui::RunCharts</name>
    <message>
        <source>in %1 – %2</source>
        <translation>%1 – %2 内</translation>
    </message>
    <message>
        <source>%1 – Headway</source>
        <translation>%1 – Headway</translation>
    </message>
</context>
<context>
    <name>ui::RunSetView</name>
    <message>
        <source>95 % interval of the difference [%1, %2]</source>
        <translation>差值的 95 % 置信区间 [%1, %2]</translation>
    </message>
    <message>
        <source>n %1 against %2</source>
        <translation>n %1 对 %2</translation>
    </message>
    <message>
        <source>n %1</source>
        <translation>n %1</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>Run %1</source>
        <translation>运行 %1</translation>
    </message>
    <message>
        <source>Measures of the runs</source>
        <translation>各次运行的指标</translation>
    </message>
    <message numerus="yes">
        <source>%n runs side by side</source>
        <translation>
            <numerusform>%n 次运行并列</numerusform>
        </translation>
    </message>
    <message>
        <source>differences to run %1</source>
        <translation>与运行 %1 的差值</translation>
    </message>
    <message>
        <source>Intervals by bootstrap over requests, each for itself. Tick two runs for the whole comparison.</source>
        <translation>置信区间由按请求的自助法得出，各自独立。只勾选两次运行可查看完整对比。</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>报告…</translation>
    </message>
</context>
<context>
    <name>ui::RunView</name>
    <message>
        <source>n %1</source>
        <translation>n %1</translation>
    </message>
    <message>
        <source>%1 · %2 more to be sure</source>
        <translation>%1 · 还需 %2 个</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>词元/秒</translation>
    </message>
    <message>
        <source>prompt %1</source>
        <translation>输入 %1</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>有效吞吐</translation>
    </message>
    <message>
        <source>req/s</source>
        <translation>请求/秒</translation>
    </message>
    <message>
        <source>Completed</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>of %1</source>
        <translation>共 %1</translation>
    </message>
    <message>
        <source>Report…</source>
        <translation>报告…</translation>
    </message>
    <message>
        <source>Requested and effective</source>
        <translation>请求值与实际值</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>No note</source>
        <translation>无备注</translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation>写备注</translation>
    </message>
    <message>
        <source>Run %1: %2</source>
        <translation>运行 %1：%2</translation>
    </message>
    <message>
        <source>lag p99 %1 ms</source>
        <translation>滞后 p99 %1 ms</translation>
    </message>
    <message>
        <source>%1 · n %2</source>
        <translation>%1 · n %2</translation>
    </message>
    <message>
        <source>Figures of the selected span: requests that arrived and ended in it. Click to clear (Esc)</source>
        <translation>所选时段的数值：到达与结束均在其中的请求。点击清除（Esc）</translation>
    </message>
    <message>
        <source>Selected span</source>
        <translation>所选时段</translation>
    </message>
    <message>
        <source>Read as Headway</source>
        <translation>按 Headway 读取</translation>
    </message>
    <message>
        <source>Read as %1</source>
        <translation>按 %1 读取</translation>
    </message>
    <message>
        <source>The figures by the names and definitions of another tool</source>
        <translation>按其他工具的名称与定义显示数值</translation>
    </message>
    <message>
        <source>Charts</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>Choose the charts of the run</source>
        <translation>选择该运行显示的图表</translation>
    </message>
    <message>
        <source>Open the experiment</source>
        <translation>打开实验</translation>
    </message>
    <message>
        <source>Its blocks and its verdict</source>
        <translation>它的区组与结论</translation>
    </message>
    <message>
        <source> · hits %1 %</source>
        <translation> · 命中 %1 %</translation>
    </message>
</context>
<context>
    <name>ui::RunsPage</name>
    <message>
        <source>The run log was not changed</source>
        <translation>运行日志未更改</translation>
    </message>
    <message>
        <source>No run yet: start a load, or record what happens.</source>
        <translation>还没有运行记录：请开始负载，或记录当前情况。</translation>
    </message>
    <message>
        <source>No run matches the filter.</source>
        <translation>没有符合筛选的运行记录。</translation>
    </message>
    <message numerus="yes">
        <source>%n runs</source>
        <translation>
            <numerusform>%n 次运行</numerusform>
        </translation>
    </message>
    <message>
        <source>read-only: %1</source>
        <translation>只读：%1</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行记录</translation>
    </message>
    <message>
        <source>Filter runs</source>
        <translation>筛选运行记录</translation>
    </message>
    <message>
        <source>Recorded runs</source>
        <translation>已记录的运行</translation>
    </message>
    <message>
        <source>Own run log</source>
        <translation>自己的运行日志</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>Open another run log, read-only</source>
        <translation>以只读方式打开另一个运行日志</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Undo delete</source>
        <translation>撤销删除</translation>
    </message>
    <message>
        <source>Name of run %1</source>
        <translation>运行 %1 的名称</translation>
    </message>
    <message>
        <source>Run %1 is being recorded</source>
        <translation>运行 %1 正在记录</translation>
    </message>
    <message>
        <source>End the recording before deleting it.</source>
        <translation>请先结束记录再删除。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Leave out of the comparison</source>
        <translation>移出比较</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Rename (F2)</source>
        <translation>重命名（F2）</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Report, HTML…</source>
        <translation>报告，HTML…</translation>
    </message>
    <message>
        <source>Data, JSON…</source>
        <translation>数据，JSON…</translation>
    </message>
    <message>
        <source>Tables, CSV…</source>
        <translation>表格，CSV…</translation>
    </message>
    <message>
        <source>Report written</source>
        <translation>报告已写入</translation>
    </message>
    <message>
        <source>The report was not written</source>
        <translation>报告未能写入</translation>
    </message>
    <message>
        <source>Open a run log</source>
        <translation>打开运行日志</translation>
    </message>
    <message>
        <source>Run logs (*.db)</source>
        <translation>运行日志 (*.db)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>Open another run log…</source>
        <translation>打开另一个运行日志…</translation>
    </message>
    <message>
        <source>Export the report…</source>
        <translation>导出报告…</translation>
    </message>
    <message>
        <source>Filter: chat model:smol p99&lt;300 state:interrupted</source>
        <translation>筛选：chat model:smol p99&lt;300 state:interrupted</translation>
    </message>
    <message>
        <source>Walk through the runs</source>
        <translation>逐个浏览运行记录</translation>
    </message>
    <message>
        <source>Tick for comparison</source>
        <translation>勾选以比较</translation>
    </message>
    <message>
        <source>Open the run</source>
        <translation>打开运行</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Delete, with undo</source>
        <translation>删除（可撤销）</translation>
    </message>
    <message>
        <source>Report, PDF…</source>
        <translation>报告，PDF…</translation>
    </message>
    <message>
        <source>Tags of run %1</source>
        <translation>运行 %1 的标签</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>标签…</translation>
    </message>
    <message>
        <source>Let go as baseline (B)</source>
        <translation>取消基线（B）</translation>
    </message>
    <message>
        <source>Pin as baseline (B)</source>
        <translation>固定为基线（B）</translation>
    </message>
    <message>
        <source>Pin as baseline, or let it go</source>
        <translation>固定为基线，或取消</translation>
    </message>
    <message>
        <source>Open the example run</source>
        <translation>打开示例运行</translation>
    </message>
    <message>
        <source>The example run can&apos;t be opened</source>
        <translation>无法打开示例运行</translation>
    </message>
    <message>
        <source>%1, %2 compared</source>
        <translation>%1，对比 %2 次</translation>
    </message>
    <message>
        <source>Compare before and after %1</source>
        <translation>对比 %1 前后</translation>
    </message>
    <message>
        <source>Zoom and move the charts, the whole run</source>
        <translation>缩放、移动图表，显示整次运行</translation>
    </message>
    <message>
        <source>Move the crosshair of the charts</source>
        <translation>移动图表的十字线</translation>
    </message>
    <message>
        <source>Select from the crosshair, up to the crosshair</source>
        <translation>从十字线处开始选择，选择到十字线处</translation>
    </message>
    <message>
        <source>Bookmark at the crosshair</source>
        <translation>在十字线处加书签</translation>
    </message>
    <message>
        <source>Compare before and after the crosshair or the event</source>
        <translation>对比十字线或事件前后</translation>
    </message>
    <message>
        <source>The run was not split</source>
        <translation>未能切分该运行</translation>
    </message>
    <message>
        <source>Choose a run to open it. Tick two or more to compare them.</source>
        <translation>选择一次运行即可打开；勾选两次或更多可进行对比。</translation>
    </message>
    <message>
        <source>Logarithmic axis of the chart with the focus</source>
        <translation>焦点所在图表的对数坐标轴</translation>
    </message>
    <message>
        <source>Report, Markdown…</source>
        <translation>报告，Markdown…</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Runs of an archive, of another run log, or one as JSON</source>
        <translation>归档、另一运行日志中的运行，或 JSON 格式的一次运行</translation>
    </message>
    <message>
        <source>Save what can be read…</source>
        <translation>保存可读的部分…</translation>
    </message>
    <message>
        <source>Replay and what-if</source>
        <translation>重放与推演</translation>
    </message>
    <message>
        <source>Archive, a run log of its own…</source>
        <translation>归档为单独的运行日志…</translation>
    </message>
    <message>
        <source>Import runs…</source>
        <translation>导入运行…</translation>
    </message>
    <message>
        <source>Salvage a damaged run log…</source>
        <translation>抢救损坏的运行日志…</translation>
    </message>
    <message>
        <source>Nothing was imported</source>
        <translation>未导入任何内容</translation>
    </message>
    <message>
        <source>Every run of the file is in the log already.</source>
        <translation>文件中的每次运行都已在日志中。</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) imported</source>
        <translation>
            <numerusform>已导入 %n 次运行</numerusform>
        </translation>
    </message>
    <message>
        <source>from run %1 on</source>
        <translation>自运行 %1 起</translation>
    </message>
    <message>
        <source>Run archived</source>
        <translation>运行已归档</translation>
    </message>
    <message>
        <source>The run was not archived</source>
        <translation>运行未能归档</translation>
    </message>
    <message>
        <source>Nothing was saved</source>
        <translation>未保存任何内容</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) saved</source>
        <translation>
            <numerusform>已保存 %n 次运行</numerusform>
        </translation>
    </message>
    <message>
        <source>Import runs</source>
        <translation>导入运行</translation>
    </message>
    <message>
        <source>Archives, run logs, runs as JSON (*.db *.json)</source>
        <translation>归档、运行日志、JSON 运行 (*.db *.json)</translation>
    </message>
    <message>
        <source>Archive the run</source>
        <translation>归档运行</translation>
    </message>
    <message>
        <source>Save what can be read as</source>
        <translation>将可读的部分另存为</translation>
    </message>
    <message>
        <source>Salvage a damaged run log</source>
        <translation>抢救损坏的运行日志</translation>
    </message>
    <message>
        <source>Show the chart in focus in a window of its own</source>
        <translation>将焦点所在图表置于独立窗口</translation>
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
    <message>
        <source>Adapter</source>
        <translation>适配器</translation>
    </message>
    <message>
        <source>none: the model itself</source>
        <translation>无：模型本身</translation>
    </message>
</context>
<context>
    <name>ui::SessionBanners</name>
    <message>
        <source>%1, %2 of %3</source>
        <translation>%1，%2 / %3</translation>
    </message>
    <message>
        <source>%1 %2 ms</source>
        <translation>%1 %2 ms</translation>
    </message>
    <message>
        <source>%1 %2 of %3</source>
        <translation>%1 %2 / %3</translation>
    </message>
    <message>
        <source>the present model serves until then</source>
        <translation>此前由当前模型继续服务</translation>
    </message>
    <message>
        <source>Loading %1</source>
        <translation>正在加载 %1</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>%1 was not loaded</source>
        <translation>%1 未能加载</translation>
    </message>
    <message>
        <source>Open another…</source>
        <translation>打开其他文件…</translation>
    </message>
    <message>
        <source>The engine stopped: %1</source>
        <translation>引擎已停止：%1</translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) failed. Everything recorded is safe.</source>
        <translation>
            <numerusform>%n 个请求失败。已记录的数据完好。</numerusform>
        </translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>重新加载</translation>
    </message>
    <message>
        <source>Nothing is recorded</source>
        <translation>没有在记录</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) ended without a stop</source>
        <translation>
            <numerusform>%n 次运行未正常结束</numerusform>
        </translation>
    </message>
    <message>
        <source>The console was closed or killed while it recorded. What was measured up to then is in the run log, marked as interrupted.</source>
        <translation>控制台在记录期间被关闭或终止。此前测得的数据保存在运行记录中，标记为“已中断”。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>The quality check compared the sample text and short prompts with the file&apos;s own precision.</source>
        <translation>质量检查将样本文本和几条短提示与文件自身精度下的结果作了比较。</translation>
    </message>
    <message>
        <source>%1 is %2</source>
        <translation>%1 改为 %2</translation>
    </message>
    <message>
        <source>Answers are garbled</source>
        <translation>回答已错乱</translation>
    </message>
    <message>
        <source>Answers are garbled since %1</source>
        <translation>%1后回答已错乱</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message numerus="yes">
        <source>%n run(s) were recorded beside the run log</source>
        <translation>
            <numerusform>有 %n 次运行记录在运行日志之外</numerusform>
        </translation>
    </message>
    <message>
        <source>Another program held the log then, so they are in %1. Imported, they stand among the others; the file stays.</source>
        <translation>当时日志被另一程序占用，因此它们在 %1 中。导入后与其他运行并列；原文件保留。</translation>
    </message>
    <message>
        <source>Import</source>
        <translation>导入</translation>
    </message>
</context>
<context>
    <name>ui::SettingsDifference</name>
    <message>
        <source>Settings that differ</source>
        <translation>不同的设置</translation>
    </message>
    <message>
        <source>Only settings that differ</source>
        <translation>只显示不同的设置</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message numerus="yes">
        <source>%n equal settings hidden</source>
        <translation>
            <numerusform>已隐藏 %n 项相同的设置</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::SettingsPage</name>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Switched at once, without a restart.</source>
        <translation>立即切换，无需重启。</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Reports are always light on white.</source>
        <translation>报告始终为白底浅色。</translation>
    </message>
    <message>
        <source>Service target</source>
        <translation>服务目标</translation>
    </message>
    <message>
        <source>Time to first token at most</source>
        <translation>首词元延迟上限</translation>
    </message>
    <message>
        <source>From scheduled to the first visible text. Goodput counts requests that meet it.</source>
        <translation>从计划时刻到首段可见文本。有效吞吐只计达到此目标的请求。</translation>
    </message>
    <message>
        <source>Time per output token at most</source>
        <translation>每词元耗时上限</translation>
    </message>
    <message>
        <source>One-token answers have none and are not held against it.</source>
        <translation>只有一个词元的回答没有此指标，不受其限制。</translation>
    </message>
    <message>
        <source>Places</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Run log</source>
        <translation>运行记录</translation>
    </message>
    <message>
        <source>Every recorded run. Copy it to another machine to open it there.</source>
        <translation>保存每次记录的运行。可复制到其他机器上打开。</translation>
    </message>
    <message>
        <source>Settings file</source>
        <translation>设置文件</translation>
    </message>
    <message>
        <source>What this page and the window&apos;s layout keep.</source>
        <translation>保存本页的选择与窗口布局。</translation>
    </message>
    <message>
        <source>Alarms</source>
        <translation>告警</translation>
    </message>
    <message>
        <source>Raised above it for %1 s.</source>
        <translation>高于此值持续 %1 秒时触发。</translation>
    </message>
    <message>
        <source>Raised below it for %1 s.</source>
        <translation>低于此值持续 %1 秒时触发。</translation>
    </message>
    <message>
        <source>Needs %1 samples.</source>
        <translation>至少需要 %1 个样本。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Start</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Serving at %1</source>
        <translation>服务地址 %1</translation>
    </message>
    <message>
        <source>OpenAI API on this machine</source>
        <translation>本机 OpenAI API</translation>
    </message>
    <message>
        <source>Programs on this machine ask the loaded model. Off whenever Headway starts.</source>
        <translation>本机程序可向已加载的模型提问。每次启动 Headway 时均为关闭。</translation>
    </message>
    <message>
        <source>Stop the local API</source>
        <translation>停止本地 API</translation>
    </message>
    <message>
        <source>Start the local API</source>
        <translation>启动本地 API</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>令牌</translation>
    </message>
    <message>
        <source>A new one each time; without it nobody is answered.</source>
        <translation>每次都是新的；没有它不予回答。</translation>
    </message>
    <message>
        <source>Copy the token</source>
        <translation>复制令牌</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开</translation>
    </message>
    <message>
        <source>Desktop notifications</source>
        <translation>桌面通知</translation>
    </message>
    <message>
        <source>A message of the desktop when an alarm is raised and this window is not in front.</source>
        <translation>告警触发且本窗口不在前台时，由桌面显示消息。</translation>
    </message>
    <message>
        <source>Local API</source>
        <translation>本地 API</translation>
    </message>
</context>
<context>
    <name>ui::SidesForm</name>
    <message>
        <source>A against B</source>
        <translation>A 对 B</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>What varies</source>
        <translation>变化项</translation>
    </message>
    <message>
        <source>Add a setting</source>
        <translation>添加设置</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Setting that is swept</source>
        <translation>被扫描的设置</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>取值</translation>
    </message>
    <message>
        <source>Values of the sweep</source>
        <translation>扫描取值</translation>
    </message>
    <message>
        <source>This experiment has several named sides; edit them as TOML.</source>
        <translation>此实验有多个命名的对照侧；请以 TOML 编辑。</translation>
    </message>
    <message>
        <source>Setting %1</source>
        <translation>设置 %1</translation>
    </message>
    <message>
        <source>Setting %1 of side A</source>
        <translation>A 侧的设置 %1</translation>
    </message>
    <message>
        <source>Setting %1 of side B</source>
        <translation>B 侧的设置 %1</translation>
    </message>
    <message>
        <source>Remove setting %1</source>
        <translation>移除设置 %1</translation>
    </message>
    <message>
        <source>Remove this setting</source>
        <translation>移除此设置</translation>
    </message>
</context>
<context>
    <name>ui::StageList</name>
    <message>
        <source>Add a stage</source>
        <translation>添加阶段</translation>
    </message>
    <message>
        <source>Poisson</source>
        <translation>泊松</translation>
    </message>
    <message>
        <source>Gamma bursts</source>
        <translation>伽马突发</translation>
    </message>
    <message>
        <source>Closed loop</source>
        <translation>闭环</translation>
    </message>
    <message>
        <source>burstiness </source>
        <translation>突发度 </translation>
    </message>
    <message>
        <source> users</source>
        <translation> 用户</translation>
    </message>
    <message>
        <source> s</source>
        <translation> 秒</translation>
    </message>
    <message>
        <source>Kind of stage %1</source>
        <translation>阶段 %1 的类型</translation>
    </message>
    <message>
        <source>Rate at the start of stage %1</source>
        <translation>阶段 %1 起始速率</translation>
    </message>
    <message>
        <source>Rate at the end of stage %1</source>
        <translation>阶段 %1 结束速率</translation>
    </message>
    <message>
        <source>Burstiness of stage %1</source>
        <translation>阶段 %1 的突发度</translation>
    </message>
    <message>
        <source>Squared coefficient of variation of the gaps: 1 is Poisson, above it bursts</source>
        <translation>间隔变异系数的平方：1 为泊松，大于 1 为突发</translation>
    </message>
    <message>
        <source>Users of stage %1</source>
        <translation>阶段 %1 的用户数</translation>
    </message>
    <message>
        <source>Seconds of stage %1</source>
        <translation>阶段 %1 的秒数</translation>
    </message>
    <message>
        <source>Remove stage %1</source>
        <translation>移除阶段 %1</translation>
    </message>
    <message>
        <source>Remove this stage</source>
        <translation>移除此阶段</translation>
    </message>
    <message>
        <source>req/s</source>
        <translation>请求/秒</translation>
    </message>
</context>
<context>
    <name>ui::StartExample</name>
    <message>
        <source>Look around first</source>
        <translation>先随便看看</translation>
    </message>
    <message>
        <source>A recorded example run opens without a model: charts, events, an experiment and its report.</source>
        <translation>一次录制的示例运行，无需模型即可打开：图表、事件、实验及其报告。</translation>
    </message>
    <message>
        <source>Open the example run</source>
        <translation>打开示例运行</translation>
    </message>
</context>
<context>
    <name>ui::StartSteps</name>
    <message>
        <source>From here to the first verdict</source>
        <translation>从这里到第一个结论</translation>
    </message>
    <message>
        <source>about 5 minutes</source>
        <translation>约 5 分钟</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>1 s</source>
        <translation>1 秒</translation>
    </message>
    <message>
        <source>A model, above. Phases are timed apart: open, map, convert, warm-up.</source>
        <translation>上面的模型。各阶段分别计时：打开、映射、转换、预热。</translation>
    </message>
    <message>
        <source>Send traffic</source>
        <translation>发送流量</translation>
    </message>
    <message>
        <source>1 min</source>
        <translation>1 分钟</translation>
    </message>
    <message>
        <source>The demo workload: requests at random times, chat prompts.</source>
        <translation>demo 负载：随机时刻到达的对话请求。</translation>
    </message>
    <message>
        <source>Flip a switch</source>
        <translation>拨动开关</translation>
    </message>
    <message>
        <source>1 click</source>
        <translation>点击一次</translation>
    </message>
    <message>
        <source>Read the verdict</source>
        <translation>查看结论</translation>
    </message>
    <message>
        <source>For example batching or precision. The marker shows on every chart.</source>
        <translation>例如批处理或精度。标记会出现在每张图上。</translation>
    </message>
    <message>
        <source>3 min</source>
        <translation>3 分钟</translation>
    </message>
    <message>
        <source>An experiment takes turns, A-B-A-B, warm-up left out: better, worse or not resolved, with n.</source>
        <translation>实验按 A-B-A-B 交替进行，排除预热：改善、变差或未能分辨，并给出 n。</translation>
    </message>
</context>
<context>
    <name>ui::StatTile</name>
    <message>
        <source>Show chart</source>
        <translation>显示图表</translation>
    </message>
    <message>
        <source>Copy values</source>
        <translation>复制数值</translation>
    </message>
</context>
<context>
    <name>ui::TableView</name>
    <message>
        <source>Sort by</source>
        <translation>排序依据</translation>
    </message>
</context>
<context>
    <name>ui::TileStrip</name>
    <message>
        <source>TTFT, %1 – %2</source>
        <translation>首词元延迟 TTFT，%1 – %2</translation>
    </message>
    <message>
        <source>TTFT, last %1 s</source>
        <translation>首词元延迟 TTFT，最近 %1 秒</translation>
    </message>
    <message>
        <source>no finished request in this span</source>
        <translation>该时段内没有完成的请求</translation>
    </message>
    <message>
        <source>too few for p99 · %1 more</source>
        <translation>p99 样本不足 · 还需 %1 个</translation>
    </message>
    <message>
        <source>gap p99 − p50 %1 ms</source>
        <translation>p99 − p50 差 %1 ms</translation>
    </message>
    <message>
        <source> · limit %1</source>
        <translation> · 上限 %1</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出吞吐</translation>
    </message>
    <message>
        <source>tok/s</source>
        <translation>词元/秒</translation>
    </message>
    <message>
        <source>Prompt </source>
        <translation>输入 </translation>
    </message>
    <message>
        <source> tok/s</source>
        <translation> 词元/秒</translation>
    </message>
    <message>
        <source>no traffic</source>
        <translation>没有流量</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>有效吞吐</translation>
    </message>
    <message>
        <source>req/s</source>
        <translation>请求/秒</translation>
    </message>
    <message>
        <source>TTFT ≤ %1, TPOT ≤ %2</source>
        <translation>TTFT ≤ %1，TPOT ≤ %2</translation>
    </message>
    <message>
        <source>Running / waiting</source>
        <translation>运行 / 等待</translation>
    </message>
    <message numerus="yes">
        <source>of %n slot(s)</source>
        <translation>
            <numerusform>共 %n 个槽位</numerusform>
        </translation>
    </message>
    <message>
        <source>KV blocks</source>
        <translation>KV 块</translation>
    </message>
    <message>
        <source>%1 of %2 used</source>
        <translation>已用 %1 / %2</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>machine %1 %</source>
        <translation>整机 %1 %</translation>
    </message>
    <message>
        <source>Device busy</source>
        <translation>设备繁忙率</translation>
    </message>
    <message>
        <source>closed loop</source>
        <translation>闭环</translation>
    </message>
    <message>
        <source>Poisson, open loop</source>
        <translation>泊松到达，开环</translation>
    </message>
    <message>
        <source>gamma bursts, open loop</source>
        <translation>伽马突发，开环</translation>
    </message>
    <message numerus="yes">
        <source>ended · %n request(s) sent</source>
        <translation>
            <numerusform>已结束 · 共发送 %n 个请求</numerusform>
        </translation>
    </message>
    <message>
        <source>wanted %1 · achieved %2 req/s · lag p99 %3 ms</source>
        <translation>目标 %1 · 实际 %2 请求/秒 · 滞后 p99 %3 ms</translation>
    </message>
    <message>
        <source>achieved %1 req/s · lag p99 %2 ms</source>
        <translation>实际 %1 请求/秒 · 滞后 p99 %2 ms</translation>
    </message>
    <message>
        <source>healthy %1–%2 %</source>
        <translation>健康区间 %1–%2 %</translation>
    </message>
    <message>
        <source> · hits %1 %</source>
        <translation> · 命中 %1 %</translation>
    </message>
    <message>
        <source>The curve is the last minute.</source>
        <translation>曲线为最近一分钟。</translation>
    </message>
    <message>
        <source>The bar is their share of all completed ones: %1 req/s.</source>
        <translation>横条为其占全部已完成请求的比例：%1 请求/秒。</translation>
    </message>
    <message>
        <source>The bar is memory in use of the whole machine, with the limit of %1 %.</source>
        <translation>横条为整机已用内存，附 %1 % 的上限。</translation>
    </message>
    <message>
        <source>The bracket is the healthy range.</source>
        <translation>括号为健康区间。</translation>
    </message>
    <message>
        <source>%1 cold blocks are packed beside the pool: %2 instead of %3, %4 % less (claimed on top of 4 bits: 30 %).</source>
        <translation>块池之外有 %1 个冷块已打包：%2，原为 %3，少 %4 %（声称在 4 位之上：30 %）。</translation>
    </message>
    <message>
        <source>alarm</source>
        <translation>告警</translation>
    </message>
</context>
<context>
    <name>ui::TopStrip</name>
    <message>
        <source>Model, engine and recording</source>
        <translation>模型、引擎与记录</translation>
    </message>
    <message>
        <source>Search or run a command</source>
        <translation>搜索或执行命令</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>命令面板</translation>
    </message>
    <message>
        <source>中文</source>
        <translation>English</translation>
    </message>
    <message>
        <source>Switch the language</source>
        <translation>切换语言</translation>
    </message>
    <message>
        <source>Switch between the light and the dark theme</source>
        <translation>在浅色与深色主题之间切换</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>file %1</source>
        <translation>文件 %1</translation>
    </message>
    <message>
        <source>file %1 · computing %2</source>
        <translation>文件 %1 · 以 %2 计算</translation>
    </message>
    <message>
        <source>No model</source>
        <translation>没有模型</translation>
    </message>
    <message>
        <source>Open, inspect or reload a model</source>
        <translation>打开、查看或重新加载模型</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Record a run (Ctrl+R)</source>
        <translation>记录一次运行（Ctrl+R）</translation>
    </message>
    <message>
        <source>Recording</source>
        <translation>记录中</translation>
    </message>
    <message>
        <source>Stop recording; what was measured is kept (Ctrl+R)</source>
        <translation>停止记录；已测得的数据会保留（Ctrl+R）</translation>
    </message>
    <message>
        <source>Not recording</source>
        <translation>未记录</translation>
    </message>
    <message>
        <source>No alarm. A click shows the limits.</source>
        <translation>没有告警。点击查看阈值。</translation>
    </message>
    <message numerus="yes">
        <source>%n alarm(s); a click shows them</source>
        <translation>
            <numerusform>%n 个告警；点击查看</numerusform>
        </translation>
    </message>
    <message>
        <source>Alarms</source>
        <translation>告警</translation>
    </message>
    <message>
        <source>Trying level %1</source>
        <translation>试用 %1 级</translation>
    </message>
    <message>
        <source>Level %1</source>
        <translation>%1 级</translation>
    </message>
    <message>
        <source>Level 0</source>
        <translation>0 级</translation>
    </message>
    <message>
        <source>Degradation is off; a click shows the levels</source>
        <translation>降级已关闭；点击查看各级</translation>
    </message>
    <message>
        <source>Degradation by the measured latency; a click shows the levels</source>
        <translation>按实测延迟降级；点击查看各级</translation>
    </message>
    <message>
        <source>Degradation held by the operator; a click shows the levels</source>
        <translation>降级由操作员固定；点击查看各级</translation>
    </message>
    <message>
        <source>Degradation</source>
        <translation>降级</translation>
    </message>
    <message numerus="yes">
        <source>%n alarm(s)</source>
        <translation>
            <numerusform>%n 个告警</numerusform>
        </translation>
    </message>
    <message>
        <source>No active alarm</source>
        <translation>无告警</translation>
    </message>
    <message>
        <source>%1 · off</source>
        <translation>%1 · 关闭</translation>
    </message>
    <message>
        <source>%1 · auto</source>
        <translation>%1 · 自动</translation>
    </message>
    <message>
        <source>%1 · forced</source>
        <translation>%1 · 强制</translation>
    </message>
</context>
<context>
    <name>ui::TunerScatter</name>
    <message numerus="yes">
        <source>%n measured configuration(s)</source>
        <translation>
            <numerusform>已测量 %n 个配置</numerusform>
        </translation>
    </message>
    <message>
        <source>limit, TTFT p99 ≤ %1 ms</source>
        <translation>限值，TTFT p99 ≤ %1 ms</translation>
    </message>
    <message>
        <source>TTFT p99, ms, scheduled → first visible text (better ←) · up: output tokens/s</source>
        <translation>TTFT p99，ms，计划 → 首个可见文本（← 更好）· 纵轴：输出词元/秒</translation>
    </message>
    <message numerus="yes">
        <source>%n configuration(s) beyond %1 ms →</source>
        <translation>
            <numerusform>%n 个配置超过 %1 ms →</numerusform>
        </translation>
    </message>
    <message>
        <source>the rule&apos;s choice</source>
        <translation>规则的选择</translation>
    </message>
    <message>
        <source>No configuration has been measured yet</source>
        <translation>尚未测量任何配置</translation>
    </message>
    <message>
        <source>%1
TTFT p99 %2 ms, output %3 tok/s, goodput %4 req/s, n %5</source>
        <translation>%1
TTFT p99 %2 ms，输出 %3 词元/秒，有效吞吐 %4 请求/秒，n %5</translation>
    </message>
    <message>
        <source>Goodput optimum %1 req/s</source>
        <translation>有效吞吐最优 %1 请求/秒</translation>
    </message>
    <message>
        <source>p99 %1 ms, output %2 tok/s, n %3</source>
        <translation>p99 %1 ms，输出 %2 词元/秒，n %3</translation>
    </message>
    <message>
        <source>Search measures %1 configurations live, in about %2 min; each becomes a point.</source>
        <translation>搜索将在约 %2 分钟内实测 %1 种配置；每种成为一个点。</translation>
    </message>
</context>
<context>
    <name>ui::TunerView</name>
    <message>
        <source>Selected: %1</source>
        <translation>已选：%1</translation>
    </message>
    <message>
        <source>TTFT p99 %1 ms, output %2 tok/s, goodput %3 req/s, n %4</source>
        <translation>TTFT p99 %1 ms，输出 %2 词元/秒，有效吞吐 %3 请求/秒，n %4</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>TTFT p99, at most</source>
        <translation>TTFT p99，至多</translation>
    </message>
    <message>
        <source>TPOT p99, at most (0: no limit)</source>
        <translation>TPOT p99，至多（0：不限）</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Changed live: policy, slots, token budget, and precision where the build has it. Clients follow the slots. What changes answers further is left out on purpose.</source>
        <translation>实时更改：策略、槽位、词元预算，以及构建支持时的精度。客户数随槽位。会进一步改变回答的设置有意不含。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Pareto front of TTFT p99 and throughput</source>
        <translation>TTFT p99 与吞吐的帕累托前沿</translation>
    </message>
    <message>
        <source>Apply live</source>
        <translation>实时应用</translation>
    </message>
    <message>
        <source>Prove it, A-B-A-B</source>
        <translation>用 A-B-A-B 验证</translation>
    </message>
    <message>
        <source>Measured front</source>
        <translation>实测前沿</translation>
    </message>
    <message>
        <source>Configuration</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>Goodput</source>
        <translation>有效吞吐</translation>
    </message>
    <message>
        <source>TTFT target below 300 ms: the rule says realtime first, one request at a time, INT8, warmed.</source>
        <translation>TTFT 目标低于 300 ms：规则为实时优先，单请求、INT8、已预热。</translation>
    </message>
    <message>
        <source>No TTFT target below 300 ms: the rule says throughput first, FP16, dynamic batches.</source>
        <translation>没有低于 300 ms 的 TTFT 目标：规则为吞吐优先，FP16、动态批处理。</translation>
    </message>
    <message>
        <source>It serves %1 req/s within the limits.</source>
        <translation>在限值内服务 %1 请求/秒。</translation>
    </message>
    <message>
        <source>The measured optimum serves %1 req/s.</source>
        <translation>实测最优服务 %1 请求/秒。</translation>
    </message>
    <message>
        <source>Rule against measurement</source>
        <translation>规则与实测</translation>
    </message>
    <message>
        <source>Which setting moved what</source>
        <translation>哪个设置影响了什么</translation>
    </message>
    <message>
        <source>median change when only this setting differs</source>
        <translation>仅此设置不同时的中位变化</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message numerus="yes">
        <source>%n pair(s)</source>
        <translation>
            <numerusform>%n 对</numerusform>
        </translation>
    </message>
    <message>
        <source>Round %1</source>
        <translation>第 %1 轮</translation>
    </message>
    <message numerus="yes">
        <source>%n measured</source>
        <translation>
            <numerusform>已测 %n 种</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 × %2 s</source>
        <translation>%1 × %2 秒</translation>
    </message>
    <message>
        <source>Successive halving</source>
        <translation>逐轮减半</translation>
    </message>
    <message>
        <source>Search %1 min more</source>
        <translation>再搜索 %1 分钟</translation>
    </message>
    <message>
        <source>%1, unchanged</source>
        <translation>%1，不变</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>chat, clients = slots</source>
        <translation>chat，客户端数 = 槽位数</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>无上限</translation>
    </message>
    <message>
        <source>min</source>
        <translation>分钟</translation>
    </message>
</context>
<context>
    <name>ui::UnwrittenBox</name>
    <message>
        <source>The end of run %1 is not in the run log yet</source>
        <translation>运行 %1 的末尾尚未写入运行日志</translation>
    </message>
    <message>
        <source>It is tried again every second, and this closes by itself once it is written.</source>
        <translation>每秒会重试一次；写入完成后此窗口会自动关闭。</translation>
    </message>
    <message>
        <source>Close without it</source>
        <translation>放弃并关闭</translation>
    </message>
    <message numerus="yes">
        <source>%n request(s) would be lost.</source>
        <translation>
            <numerusform>%n 个请求将会丢失。</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ui::VerdictColumn</name>
    <message>
        <source>so far: %1</source>
        <translation>目前：%1</translation>
    </message>
    <message>
        <source>n %1</source>
        <translation>n %1</translation>
    </message>
    <message>
        <source>95 % interval %1, by round</source>
        <translation>95 % 置信区间 %1，按轮次</translation>
    </message>
    <message>
        <source>An interval takes four rounds.</source>
        <translation>至少四轮才有区间。</translation>
    </message>
    <message>
        <source>Claim: %1</source>
        <translation>声称：%1</translation>
    </message>
    <message>
        <source>So far: %1</source>
        <translation>目前：%1</translation>
    </message>
    <message>
        <source>%1 differs by %2: the interval includes zero.</source>
        <translation>%1 相差 %2：区间包含零。</translation>
    </message>
    <message>
        <source>%1: too few rounds.</source>
        <translation>%1：轮次太少。</translation>
    </message>
    <message numerus="yes">
        <source>About %n more block(s).</source>
        <translation>
            <numerusform>约再需 %n 个区组。</numerusform>
        </translation>
    </message>
    <message>
        <source>Not resolved</source>
        <translation>未能分辨</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>另有 %n 项</numerusform>
        </translation>
    </message>
    <message>
        <source>Leaving marked rounds out: %1 instead of %2.</source>
        <translation>去掉已标记的轮次：%1，而不是 %2。</translation>
    </message>
    <message>
        <source>No edits, preemptions, cold samples, prefix hits or other load.</source>
        <translation>无更改、抢占、冷样本、前缀命中或其他负载。</translation>
    </message>
    <message>
        <source>Drift over the first side&apos;s blocks: %1 %</source>
        <translation>第一侧各区组的漂移：%1 %</translation>
    </message>
    <message>
        <source>What could spoil it</source>
        <translation>可能的干扰</translation>
    </message>
    <message>
        <source>%1 differs by %2: among so many measures that may be chance.</source>
        <translation>%1 相差 %2：指标众多，可能出于偶然。</translation>
    </message>
    <message numerus="yes">
        <source>Run %n more block(s), about %1</source>
        <translation>
            <numerusform>再测 %n 个区组，约 %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Goes on after the blocks measured so far, with the same model</source>
        <translation>在已测区组之后继续，使用同一模型</translation>
    </message>
    <message numerus="yes">
        <source>%n block(s) were measured before and looked at. Going on because the answer was open makes intervals a little too narrow.</source>
        <translation>
            <numerusform>%n 个区组此前已测得并已查看。因结论未定而继续测量会使置信区间略窄。</numerusform>
        </translation>
    </message>
    <message>
        <source>⚠ %1: %2</source>
        <translation>⚠ %1：%2</translation>
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
    <name>ui::WorkloadForm</name>
    <message>
        <source>Sets before the start: %1</source>
        <translation>开始前设置：%1</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Arrivals, one stage after the other</source>
        <translation>到达，各阶段依次进行</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
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
        <source>Answers go on to their drawn length</source>
        <translation>回答一直生成到抽取的长度</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>In the batch lane</source>
        <translation>批量通道占比</translation>
    </message>
    <message>
        <source>Temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>Fewest prompt tokens</source>
        <translation>最少输入词元</translation>
    </message>
    <message>
        <source>Most prompt tokens</source>
        <translation>最多输入词元</translation>
    </message>
    <message>
        <source>Fewest output tokens</source>
        <translation>最少输出词元</translation>
    </message>
    <message>
        <source>Most output tokens</source>
        <translation>最多输出词元</translation>
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
