/* cmd_fleet.c - profdump pack, fleet, snapshot, origins, mcp: commands of the Python package; see
 * dataset.h. Many ranks need DuckDB. */
#include "commands.h"
#include "options.h"

static const struct option_entry *const options_of_python[] = {help_options, NULL};

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
        "of threads. Needs Python and DuckDB: pip install 'duckdb>=1.3'.",
    .examples = "pack run-rank*.prof -o job.dataset",
    .question = QUESTION_OTHER,
    .options = options_of_python,
    .run_python = true,
};

const struct command command_fleet = {
    .word = "fleet",
    .summary = "find what delays a job of many ranks",
    .usage = "DATASET [-o OUT.html [--pages RANKS]] [--limits FILE]\n"
             "DATASET [--fail-on KIND] [--format F]\n"
             "REPORT DATASET [--rows N] [--format F] [--engine E]\n"
             "[REPORT | --sql STATEMENT] --attempt N DATASET\n"
             "diff A B [--fail-if-slower LIMIT] [--fail-on VERDICT]\n"
             "--sql STATEMENT DATASET\nschema",
    .about =
        "Answers questions about all ranks of a job from the dataset that 'profdump pack' wrote. "
        "Without REPORT, it prints what is wrong. -o writes a page for a browser; --pages also "
        "writes one for each of these ranks: suspects, all, or a list such as 3,5-8. --limits "
        "reads thresholds of the diagnosis from FILE. --attempt chooses an attempt of a restarted "
        "job, or all; by default, reports and --sql leave out all but the last one. REPORT is "
        "stragglers, collectives, waits, mismatches, breakdown, averages, outliers, memory, "
        "ledger, clocks or "
        "groups. F is text, tsv or json. E is duckdb, spark://HOST:PORT or local[N]. --fail-on "
        "exits with status 4 if there is a finding of this KIND, of a list (a,b) or of any, 5 if "
        "that cannot be judged. KIND is missing, double, mismatch, stopped, link, clock, stage, "
        "host, pauses, straggler or empty. 'diff' "
        "compares two runs of a job; with LIMIT, such as 5%, it exits with status 4 if steps are "
        "slower by more, 5 if noise may explain that or is unknown. VERDICT is slower, faster or "
        "any. 'schema' prints the tables of "
        "a dataset. Needs Python and DuckDB: pip install 'duckdb>=1.3'.",
    .examples = "fleet job.dataset\nfleet stragglers job.dataset --rows 10",
    .question = QUESTION_OTHER,
    .options = options_of_python,
    .run_python = true,
};

const struct command command_snapshot = {
    .word = "snapshot",
    .summary = "show a memory snapshot of PyTorch",
    .usage = "FILE [--rows N] [--format text|json]\nFILE -o OUT [--to FORMAT]",
    .about = "Shows what PyTorch's caching allocator held: segments, free blocks, the peak and its "
             "owners, and the live allocations at an out-of-memory error. FILE is what "
             "torch.cuda.memory._dump_snapshot() wrote; nothing in it is executed. -o writes the "
             "history in a format of 'profdump export', such as an HTML report or a Chrome trace. "
             "Needs Python.",
    .examples = "snapshot snapshot.pickle\nsnapshot snapshot.pickle -o memory.html",
    .question = QUESTION_OTHER,
    .options = options_of_python,
    .run_python = true,
};

const struct command command_origins = {
    .word = "origins",
    .summary = "list the origin of Inductor's kernels",
    .usage = "TRACE [FILE|DIRECTORY]... [--rows N] [--format F]",
    .about =
        "Lists the kernels that Inductor generated, and the operators that each fuses. Shows the "
        "source lines if the program ran with INDUCTOR_PROVENANCE=1 and TORCH_TRACE=DIRECTORY, or "
        "for AOTInductor models. FILE is kernel_information.json, "
        "inductor_provenance_tracking_*.json or a TORCH_TRACE log. DIRECTORY contains such files. "
        "By default, it reads those beside TRACE. F is text or json. Needs Python.",
    .examples = "origins run.prof\norigins run.prof torch_trace",
    .question = QUESTION_OTHER,
    .options = options_of_python,
    .run_python = true,
};

const struct command command_mcp = {
    .word = "mcp",
    .summary = "answer assistants by the Model Context Protocol",
    .usage = "[--timeout SECONDS] [--max-bytes N] FOLDER...",
    .about = "Answers a client on standard input and output, about files in FOLDER only, until the "
             "client has gone. Its tools only read: summary, explain, table, query, diff, advise. "
             "--timeout ends a request after SECONDS (60). --max-bytes refuses an answer longer "
             "than N bytes (65536), with advice on how to ask for less. Needs Python and pip "
             "install 'mcp>=2'.",
    .examples = "mcp recordings",
    .question = QUESTION_OTHER,
    .options = options_of_python,
    .run_python = true,
};
