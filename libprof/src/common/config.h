/* config.h - the PROF_* environment variables, one table.
 *
 * Parsing, warnings about unknown names, `profrun --help-env` and the table of
 * docs/variables.md all come from config_options().
 */
#ifndef PROF_CONFIG_H
#define PROF_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One row of the table, for showing. */
struct config_option {
    const char *name;         /* "PROF_OUTPUT" */
    const char *type_name;    /* "text", "number", "0 or 1", "one of" ... */
    const char *default_text; /* "%e%R-%p.prof" */
    const char *range_text;   /* "1..1048576", "now, api", "" */
    const char *help;         /* one sentence */
};

enum config_gpu { CONFIG_GPU_AUTO, CONFIG_GPU_CUPTI, CONFIG_GPU_EVENTS, CONFIG_GPU_NONE };
enum config_event_stream { CONFIG_EVENT_STREAM_LEGACY, CONFIG_EVENT_STREAM_THREAD };
enum config_start {
    CONFIG_START_AUTO,
    CONFIG_START_NOW,
    CONFIG_START_API,
    CONFIG_START_CUDA,
    CONFIG_START_STEP,
    CONFIG_START_TIME,
};
enum config_stop { CONFIG_STOP_NEVER, CONFIG_STOP_STEP, CONFIG_STOP_TIME };

/* PROF_HANG_ACTION. */
#define CONFIG_HANG_DUMP 0u
#define CONFIG_HANG_ABORT 1u
#define CONFIG_HANG_SIGNAL 2u /* and the signal's number */

/* A moment is one of enum config_start or config_stop and, above it, the step's number or the time
 * in ms since the program began. */
#define CONFIG_AMOUNT_SHIFT 8
#define CONFIG_AMOUNT_MAX 1000000000ull
#define CONFIG_MOMENT(value) ((value)&0xffu)
#define CONFIG_AMOUNT(value) ((value) >> CONFIG_AMOUNT_SHIFT)

enum config_daemon { CONFIG_DAEMON_AUTO, CONFIG_DAEMON_ALWAYS, CONFIG_DAEMON_NEVER };
enum config_full { CONFIG_FULL_STOP, CONFIG_FULL_RING };

enum config_nccl { CONFIG_NCCL_OFF, CONFIG_NCCL_ON, CONFIG_NCCL_PROXY, CONFIG_NCCL_STEPS };

#define CONFIG_STACK_DEPTH_MAX 127 /* frames */

/* How much CUPTI records. Each level includes the one before. */
enum config_gpu_detail { CONFIG_DETAIL_MINIMAL, CONFIG_DETAIL_STANDARD, CONFIG_DETAIL_FULL };

enum config_graphs { CONFIG_GRAPHS_NODES, CONFIG_GRAPHS_GRAPH };
enum config_stacks { CONFIG_STACKS_OFF, CONFIG_STACKS_LAUNCH, CONFIG_STACKS_RANGE };
enum config_stack_method {
    CONFIG_STACK_METHOD_AUTO,
    CONFIG_STACK_METHOD_TABLES,
    CONFIG_STACK_METHOD_FRAMES,
};

/* Values in force. Written once by config_load() before any other thread of ours exists, then
 * read-only. */
struct config {
    const char *output;       /* PROF_OUTPUT: pattern of the file's name */
    uint64_t max_mib;         /* PROF_MAX_MB: size limit of the file */
    uint64_t full;            /* PROF_FULL: enum config_full */
    uint64_t start;           /* PROF_START: a moment, enum config_start */
    uint64_t stop;            /* PROF_STOP: a moment, enum config_stop */
    const char *schedule;     /* PROF_SCHEDULE: schedule_parse() reads it; "" none */
    uint64_t signal;          /* PROF_SIGNAL: its number, 0 none */
    uint64_t control;         /* PROF_CONTROL: be reachable by profdump ctl */
    uint64_t ring_seconds;    /* PROF_RING_SECONDS: age of what a dump keeps, 0 all */
    uint64_t cuda;            /* PROF_CUDA: 0 leaves CUDA alone */
    uint64_t nvtx;            /* PROF_NVTX: 0 leaves NVTX alone */
    uint64_t itt;             /* PROF_ITT: 0 leaves ITT alone */
    uint64_t nccl;            /* PROF_NCCL: enum config_nccl */
    uint64_t cublas;          /* PROF_CUBLAS: 0 records no ranges of cuBLAS's functions */
    uint64_t emit_nvtx;       /* PROF_EMIT_NVTX: 1 forwards prof.h's ranges */
    uint64_t gpu;             /* PROF_GPU: enum config_gpu */
    uint64_t gpu_detail;      /* PROF_GPU_DETAIL: enum config_gpu_detail */
    uint64_t event_stream;    /* PROF_EVENT_STREAM: enum config_event_stream */
    uint64_t flush_ms;        /* PROF_FLUSH_MS */
    uint64_t exit_ms;         /* PROF_EXIT_MS: longest delay of the program's exit */
    uint64_t gpu_buffer_kib;  /* PROF_GPU_BUFFER_KB: one CUPTI activity buffer */
    uint64_t start_events;    /* PROF_START_EVENTS: bracket one operation per device */
    uint64_t memory;          /* PROF_MEMORY: allocations and pools of CUDA */
    uint64_t graphs;          /* PROF_GRAPHS: enum config_graphs */
    uint64_t kernel_latency;  /* PROF_KERNEL_LATENCY: when kernels were queued and submitted */
    uint64_t hardware_trace;  /* PROF_HARDWARE_TRACE: kernels are timed by the hardware */
    uint64_t unified_memory;  /* PROF_UNIFIED_MEMORY: migrations of managed memory */
    uint64_t daemon;          /* PROF_DAEMON: enum config_daemon */
    uint64_t stacks;          /* PROF_STACKS: enum config_stacks */
    uint64_t stack_depth;     /* PROF_STACK_DEPTH: frames */
    uint64_t stack_method;    /* PROF_STACK_METHOD: enum config_stack_method */
    uint64_t budget_ppm;      /* PROF_BUDGET: of wall time, 0 none */
    uint64_t summary_s;       /* PROF_SUMMARY: seconds between summaries, 0 none */
    const char *prometheus;   /* PROF_PROMETHEUS: directory for metrics, "" none */
    uint64_t sample_hz;       /* PROF_SAMPLE: samples per second of CPU time, 0 none */
    uint64_t hang_ms;         /* PROF_HANG: a time without progress, 0 none is a hang */
    uint64_t hang_action;     /* PROF_HANG_ACTION: CONFIG_HANG_* */
    uint64_t table;           /* PROF_TABLE: print the key averages at exit */
    uint64_t table_rows;      /* PROF_TABLE_ROWS */
    uint64_t log_level;       /* PROF_LOG */
    const char *session_file; /* PROF_SESSION_FILE: each file made is named there, a line each */
    const char *cupti_path;   /* PROF_CUPTI: libcupti to load instead of searching */
};

/* Reads the environment (secure_getenv). A bad value leaves the default in force. */
void config_load(void);

/* From here on, config_load() reads these instead of the environment: NAME=VALUE, each terminated
 * by a zero byte, `bytes` in all. They must remain. */
void config_use(const char *options, size_t bytes);

/* Logs a line for each bad value, naming the variable, the value and what is allowed, and for each
 * PROF_ name that is unknown. Called when a file is made: a process that records nothing prints
 * nothing. */
void config_warn(void);

/* Replaces the file's name (copied; NULL keeps it), its size limit (0 keeps it) and what happens at
 * the limit. Before the file is made. False: the name is too long or the limit out of range. */
bool config_override(const char *output, uint64_t max_mib, bool ring);

/* Forwards ranges from here on, whatever PROF_EMIT_NVTX says. Before recording begins. */
void config_emit_nvtx(void);

/* The values; defaults before config_load(). */
const struct config *config_get(void);

const struct config_option *config_options(size_t *count);

/* Reads "minimal", "standard" or "full", as PROF_GPU_DETAIL has it; and the other way. */
bool config_parse_gpu_detail(const char *text, uint64_t *detail);
void config_gpu_detail_text(uint64_t detail, char *text, size_t text_bytes);

#endif
