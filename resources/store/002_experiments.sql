-- Experiments, version 2. An experiment is a run; its blocks are spans of that run.
CREATE TABLE experiment (
    run_id INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,
    name   TEXT    NOT NULL,                          -- of the library, or of the operator's file
    toml   TEXT    NOT NULL                           -- what was asked, as its file has it
) STRICT;
CREATE INDEX experiment_name ON experiment(name, run_id);

CREATE TABLE experiment_block (
    run_id     INTEGER NOT NULL REFERENCES experiment(run_id) ON DELETE CASCADE,
    number     INTEGER NOT NULL,                      -- in order, from 1
    from_ns    INTEGER NOT NULL,                      -- of what was measured
    to_ns      INTEGER NOT NULL,
    block_json TEXT    NOT NULL,                      -- side, round, figures with n, what spoiled it
    PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;
