-- The run log, version 1. Times are integer nanoseconds from the start of the run (before it: negative).
-- An absent time or figure is NULL, never 0. The program adds, when it opens the log for writing:
--   request.ledger_<stage>_ns    one column a stage of the engine's ledger
--   sample_1s.metric_<key>       one column a metric of the engine's table
-- so that a new stage or metric needs no migration; older rows hold NULL there.

CREATE TABLE run (
    id             INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again after a delete
    uuid           TEXT    NOT NULL UNIQUE,
    name           TEXT    NOT NULL,
    note           TEXT    NOT NULL DEFAULT '',
    state          TEXT    NOT NULL CHECK (state IN ('recording', 'finished', 'interrupted', 'failed')),
    started_utc    TEXT    NOT NULL,                  -- ISO 8601
    length_ns      INTEGER,                           -- NULL while recording
    headway        TEXT    NOT NULL,                  -- version of the program that recorded
    model_name     TEXT    NOT NULL DEFAULT '',
    model_digest   TEXT    NOT NULL DEFAULT '',
    workload_name  TEXT    NOT NULL DEFAULT '',
    workload_toml  TEXT    NOT NULL DEFAULT '',
    request_digest TEXT    NOT NULL DEFAULT '',
    seed           INTEGER,                           -- 64 bits, read as unsigned
    machine_json   TEXT    NOT NULL DEFAULT '{}',
    slo_ttft_ns    INTEGER NOT NULL,                  -- limits of goodput in force
    slo_tpot_ns    INTEGER NOT NULL,
    is_incomplete  INTEGER NOT NULL DEFAULT 0         -- 1: events were lost
) STRICT;

CREATE TABLE tag (
    run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    tag    TEXT    NOT NULL,
    PRIMARY KEY (run_id, tag)
) STRICT, WITHOUT ROWID;

CREATE TABLE setting (
    run_id    INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    t_ns      INTEGER NOT NULL,
    field     TEXT    NOT NULL,
    requested TEXT    NOT NULL,
    effective TEXT    NOT NULL,
    state     TEXT    NOT NULL,
    reason    TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX setting_run ON setting(run_id, t_ns);

CREATE TABLE request (
    run_id          INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    n               INTEGER NOT NULL,                 -- in order of finishing, from 1
    request_id      INTEGER NOT NULL,                 -- the engine's number
    lane            TEXT    NOT NULL,
    label           TEXT    NOT NULL DEFAULT '',
    outcome         TEXT    NOT NULL,
    reason          TEXT    NOT NULL,
    message         TEXT    NOT NULL DEFAULT '',
    tags            INTEGER NOT NULL,                 -- bits: 1 cold, 2 idle start, 4 warm-up, 8 preempted, 16 settings changed
    prompt_tokens   INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    hit_tokens      INTEGER NOT NULL,
    max_tokens      INTEGER NOT NULL,
    scheduled_ns    INTEGER,
    received_ns     INTEGER,
    tokenized_ns    INTEGER,
    admitted_ns     INTEGER,
    planned_ns      INTEGER,
    kv_ready_ns     INTEGER,
    prefill_done_ns INTEGER,
    first_sampled_ns INTEGER,
    first_visible_ns INTEGER,
    last_token_ns   INTEGER,
    finished_ns     INTEGER,
    token_steps     BLOB,                             -- time and tokens of each step, see token_steps.h
    preemptions     TEXT,                             -- JSON: [[begin_ns, end_ns or null], ...]
    PRIMARY KEY (run_id, n)
) STRICT;

CREATE TABLE sample_1s (
    run_id              INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    t_ns                INTEGER NOT NULL,             -- end of the second
    running             REAL,
    waiting             REAL,
    slots               REAL,
    output_per_second   REAL,
    prompt_per_second   REAL,
    requests_per_second REAL,
    kv_share            REAL,                         -- 0..1
    busy_share          REAL,                         -- 0..1 of the pool's threads
    process_bytes       REAL,
    machine_share       REAL,                         -- 0..1 of the machine's memory
    kv_share_peak       REAL,                         -- highest seen within the second
    process_bytes_peak  REAL,
    PRIMARY KEY (run_id, t_ns)
) STRICT, WITHOUT ROWID;

CREATE TABLE event (
    run_id       INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    seq          INTEGER NOT NULL,                    -- in order, from 1
    t_ns         INTEGER NOT NULL,
    step         INTEGER NOT NULL,
    source       TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    payload_json TEXT    NOT NULL,
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

-- One row: whether the last writer closed the log in order (then the check at opening is skipped).
CREATE TABLE log_state (
    id       INTEGER PRIMARY KEY CHECK (id = 1),
    is_clean INTEGER NOT NULL
) STRICT;
INSERT INTO log_state(id, is_clean) VALUES (1, 0);
