-- Tiers, version 3: what long runs are opened from. Every row here follows from requests and seconds, and is written as
-- they are, or completed later; a reader takes what is there and makes the rest from the rows themselves.

-- A minute: means over its seconds, and the highest of what may run out.
CREATE TABLE sample_60s (
    run_id              INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    t_ns                INTEGER NOT NULL,             -- of its last second
    seconds             INTEGER NOT NULL,             -- rows of sample_1s that it stands for
    running             REAL,
    waiting             REAL,
    slots               REAL,                         -- highest
    output_per_second   REAL,
    prompt_per_second   REAL,
    requests_per_second REAL,
    kv_share            REAL,
    busy_share          REAL,
    process_bytes       REAL,
    machine_share       REAL,
    kv_share_peak       REAL,
    process_bytes_peak  REAL,
    machine_share_peak  REAL,
    PRIMARY KEY (run_id, t_ns)
) STRICT, WITHOUT ROWID;

-- Some hundred requests as charts need them; the form is told by request_points.h.
CREATE TABLE request_page (
    run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    last_n INTEGER NOT NULL,                          -- requests after the page before, up to this one
    points BLOB    NOT NULL,
    PRIMARY KEY (run_id, last_n)
) STRICT;

-- The figures of a run that has ended: quantiles over all its requests are not computed twice.
CREATE TABLE run_figures (
    run_id       INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,
    version      INTEGER NOT NULL,                    -- of their definitions
    last_n       INTEGER NOT NULL,                    -- newest request that they know of
    figures_json TEXT    NOT NULL
) STRICT;

-- Runs that were deleted while their rows go, some thousand at a time.
CREATE TABLE removal (
    run_id INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE
) STRICT;
