/* cmd_fleet.c - profdump pack, fleet: many ranks. Both are in the Python package, which brings DuckDB; see dataset.h. */
#include "commands.h"
#include "options.h"

static const struct option_entry *const options_of_fleet[] = {help_options, NULL};

const struct command command_pack = {
    .word = "pack",
    .summary = "put recordings of many ranks into one dataset",
    .usage = "FILE|DIRECTORY... -o DATASET [--summaries]\n"
             "FILE|DIRECTORY... -o DATASET [--node NAME] [--workers N]",
    .about =
        "Adds recordings to a dataset of Parquet files, and creates the dataset if it is missing. "
        "Packing again adds only new recordings. --summaries reads only the summaries that "
        "PROF_SUMMARY adds to recordings; reports that need single events then stay empty. --node "
        "names the files of the dataset after NAME instead of the host. --workers sets the number "
        "of processes. Needs Python and DuckDB: pip install 'libprof[fleet]'.",
    .examples = "pack run-rank*.prof -o job.dataset",
    .question = QUESTION_OTHER,
    .options = options_of_fleet,
    .run_python = true,
};

const struct command command_fleet = {
    .word = "fleet",
    .summary = "find what delays a job of many ranks",
    .usage = "DATASET [-o OUT.html [--pages RANKS]]\n"
             "REPORT DATASET [--rows N] [--format F] [--engine E]\n"
             "diff BEFORE AFTER [--fail-if-slower LIMIT] [--rows N]\n"
             "--sql STATEMENT DATASET\nschema",
    .about =
        "Answers questions about all ranks of a job from the dataset that 'profdump pack' wrote. "
        "Without REPORT, it prints what is wrong. -o writes a page for a browser; --pages also "
        "writes one for each of these ranks: suspects, all, or a list such as 3,5-8. REPORT is "
        "stragglers, "
        "collectives, waits, mismatches, breakdown, averages, outliers, memory, ledger, clocks or "
        "groups. F is text, tsv or json. E is duckdb, spark://HOST:PORT or local[N]. 'diff' "
        "compares two runs of a job; with LIMIT, such as 5%, it exits with status 4 if steps are "
        "slower by more. 'schema' prints the tables of a dataset. Needs Python and DuckDB: pip "
        "install 'libprof[fleet]'.",
    .examples = "fleet job.dataset\nfleet stragglers job.dataset --rows 10",
    .question = QUESTION_OTHER,
    .options = options_of_fleet,
    .run_python = true,
};
