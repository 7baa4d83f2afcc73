/* cmd_top.c - profdump top: what a program does now, from its trace alone.
 *
 * The screen is drawn with the few escape sequences that every terminal has had for decades: there
 * is one table and a few lines above it, and a library for screens would be one more thing to
 * install on the machine where the job runs.
 */
#define _GNU_SOURCE
#include "commands.h"
#include "device_time.h"
#include "live.h"
#include "memory_use.h"
#include "options.h"
#include "process_name.h"
#include "report_cells.h"
#include "run_facts.h"
#include "slice_sums.h"
#include "text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL_NS INT64_C(2000000000)
#define SPAN_NS INT64_C(5000000000)
#define SPAN_LEAST_NS INT64_C(500000000)
#define SPAN_MOST_NS INT64_C(600000000000)
#define ROWS_PLAIN 20
#define LINE_BYTES 512
#define NAME_COLUMNS 80u
#define PATH_COLUMNS 200u

enum view { VIEW_TABLE, VIEW_THREADS };

struct top {
    const struct profdump_options *options;
    struct live live;
    int64_t span_ns; /* length of the part shown */
    enum view view;
    enum key_column sort;
    uint64_t thread; /* tid of the only thread that is shown, 0 all */
    uint32_t chosen; /* place in the list of threads */
    uint32_t listed; /* how long the list was that is shown, and the tid at that place */
    uint64_t chosen_tid;
    int64_t shown_ns; /* span_ns, or all of a recording that is shorter */
    bool frozen, ended;
    int rows; /* of the table */
    unsigned width;
};

/* ---- the lines above the table ---- */

static const char *shown(struct text text, char to[SHOW_TEXT_BYTES(NAME_COLUMNS)])
{
    show_text_cut(text, NAME_COLUMNS, to);
    return to;
}

static void print_program(const struct top *top, const struct timeline *timeline, FILE *out)
{
    const struct tl_process_info *info = &timeline->processes.at[0].info;
    char program[SHOW_TEXT_BYTES(NAME_COLUMNS)], span[TIME_TEXT_BYTES], all[TIME_TEXT_BYTES];
    time_text((double)top->shown_ns, span);
    time_text((double)(top->live.now_ns > 0 ? top->live.now_ns : 0), all);
    fprintf(out, "%s, %s, %s: last %s of %s%s\n", shown(info->program, program),
            process_full_name(timeline, 0).text, top->live.running ? "recording" : "ended", span,
            all, top->frozen ? " (frozen)" : "");
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static bool is_whole_step(const struct tl_slice *slice)
{
    return slice->kind == TL_STEP && !(slice->flags & (TL_UNCLOSED | TL_CONTINUED));
}

/* The number of steps, their rate, median and longest; nothing of a program without steps. */
static void print_steps(const struct timeline *timeline, FILE *out)
{
    int64_t *times = malloc((timeline->slices.count + (size_t)1) * sizeof *times);
    int64_t *ends = slice_ends_create(timeline);
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    uint32_t count = 0, last = TL_NONE;
    for (uint32_t i = 0; i < timeline->slices.count && times && ends; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (!is_whole_step(slice))
            continue;
        times[count++] = ends[i] - slice->start_ns;
        first_ns = slice->start_ns < first_ns ? slice->start_ns : first_ns;
        last = ends[i] > last_ns ? slice->name : last;
        last_ns = ends[i] > last_ns ? ends[i] : last_ns;
    }
    if (count && last_ns > first_ns) {
        char name[SHOW_TEXT_BYTES(NAME_COLUMNS)], median[TIME_TEXT_BYTES], longest[TIME_TEXT_BYTES];
        qsort(times, count, sizeof *times, compare_times);
        uint32_t middle = count / 2;
        time_text((double)times[middle], median);
        time_text((double)times[count - 1], longest);
        double rate = count / ((double)(last_ns - first_ns) / 1e9);
        fprintf(out, rate < 999 ? "Steps:   %.3g/s" : "Steps:   %.0f/s", rate);
        fprintf(out, ", median %s, longest %s, last %s\n", median, longest,
                shown(timeline->names.at[last], name));
    }
    free(ends);
    free(times);
}

static int64_t last_device_ns(const struct timeline *timeline)
{
    int64_t last_ns = INT64_MIN;
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        if (tl_is_work(&timeline->gpus.at[i]) && timeline->gpus.at[i].end_ns > last_ns)
            last_ns = timeline->gpus.at[i].end_ns;
    return last_ns;
}

/* Device records come late: while some are outstanding, what is known ends with the last that
 * came. */
static int64_t known_until_ns(const struct top *top, const struct timeline *timeline)
{
    int64_t last_ns = last_device_ns(timeline);
    bool waits = timeline->ledger.undelivered > 0 && last_ns < top->live.now_ns;
    return waits ? last_ns : top->live.now_ns;
}

static struct text device_of(const struct timeline *timeline, uint32_t ordinal)
{
    for (uint32_t i = 0; i < timeline->devices.count; i++)
        if (timeline->devices.at[i].info.device == ordinal)
            return device_name(timeline, &timeline->devices.at[i]);
    return (struct text){"", 0};
}

static bool print_devices(const struct top *top, const struct timeline *timeline, FILE *out)
{
    struct device_times times;
    int64_t until_ns = known_until_ns(top, timeline);
    int64_t span_ns = until_ns - (top->live.now_ns - top->shown_ns);
    if (!device_times_init(&times, timeline))
        return false;
    for (uint32_t i = 0; i < times.count; i++) {
        char name[SHOW_TEXT_BYTES(NAME_COLUMNS)], share[TIME_TEXT_BYTES], ago[TIME_TEXT_BYTES];
        int64_t busy_ns = times.at[i].busy_ns < span_ns ? times.at[i].busy_ns : span_ns;
        time_text_share(busy_ns, span_ns, share);
        fprintf(out, "GPU %-4u %s busy", times.at[i].device, share);
        time_text((double)(top->live.now_ns - until_ns), ago);
        if (until_ns < top->live.now_ns)
            fprintf(out, " until %s ago, where its records end", ago);
        fprintf(out, ", %llu operations: %s\n", (unsigned long long)times.at[i].operations,
                shown(device_of(timeline, times.at[i].device), name));
    }
    device_times_fini(&times);
    return true;
}

/* Earlier allocations are not read, so only changes are known, not the amount in use. */
static bool print_memory(const struct timeline *timeline, FILE *out)
{
    struct memory_use use;
    if (timeline->memories.count == 0)
        return true;
    if (!memory_use_init(&use, timeline))
        return false;
    for (uint32_t i = 0; i < timeline->heaps.count; i++) {
        char label[MEMORY_LABEL_BYTES], name[SHOW_TEXT_BYTES(NAME_COLUMNS)];
        char more[BYTES_TEXT_BYTES], less[BYTES_TEXT_BYTES];
        const struct memory_heap_use *heap = &use.heaps[i];
        memory_label(timeline, i, label);
        bytes_text((int64_t)heap->allocated_bytes, more);
        bytes_text((int64_t)heap->freed_bytes, less);
        if (heap->allocations || heap->frees)
            fprintf(out, "Memory:  %s: %s allocated, %s of it freed\n",
                    shown((struct text){label, strlen(label)}, name), more, less);
    }
    memory_use_fini(&use);
    return true;
}

static void print_recording(const struct top *top, const struct timeline *timeline, FILE *out)
{
    struct run_facts facts;
    struct run_cost cost;
    char size[BYTES_TEXT_BYTES], name[SHOW_TEXT_BYTES(NAME_COLUMNS)];
    const char *path = top->live.path;
    uint64_t lost = 0;
    run_facts_init(&facts, timeline);
    run_cost_init(&cost, timeline);
    for (int i = 0; i < PROF_LOSS_COUNT; i++)
        lost += facts.loss[i];
    bytes_text((int64_t)timeline->processes.at[0].health.file_bytes, size);
    fprintf(out, "Trace:   %s, %s", shown((struct text){path, strlen(path)}, name), size);
    if (lost)
        fprintf(out, ", %llu records lost", (unsigned long long)lost);
    if (cost.stated)
        fprintf(out, ", recording costs %.2g %%", run_cost_percent(&cost));
    if (facts.simulated)
        fputs(", simulated CUDA", out);
    fputc('\n', out);
}

static bool print_head(const struct top *top, const struct timeline *timeline, FILE *out)
{
    print_program(top, timeline, out);
    print_steps(timeline, out);
    bool printed = print_devices(top, timeline, out) && print_memory(timeline, out);
    print_recording(top, timeline, out);
    fputc('\n', out);
    return printed;
}

/* ---- threads ---- */

static bool is_listed(const struct tl_thread *thread)
{
    return !thread->internal && thread->slice_count > 0;
}

/* "train > forward > cudaLaunchKernel": what is open now, of ranges that began in what was read. */
static void open_path(const struct timeline *timeline, const struct tl_thread *thread, char *to,
                      size_t to_bytes)
{
    size_t size = 0;
    *to = '\0';
    for (uint32_t i = 0; i < thread->slice_count && size + 1 < to_bytes; i++) {
        const struct tl_slice *slice = &timeline->slices.at[thread->first_slice + i];
        if (!(slice->flags & TL_UNCLOSED) || slice->flags & TL_INTERNAL)
            continue;
        struct text name = timeline->names.at[slice->name];
        int added = snprintf(to + size, to_bytes - size, "%s%.*s", size ? " > " : "",
                             (int)name.size, name.bytes);
        size += added > 0 ? (size_t)added : 0;
    }
}

struct thread_sums {
    int64_t covered_ns; /* of the time shown, with a range or call open */
    uint64_t calls;
};

static struct thread_sums sums_of(const struct top *top, const struct timeline *timeline,
                                  const struct tl_thread *thread)
{
    struct thread_sums sums = {0};
    int64_t from_ns = top->live.now_ns - top->shown_ns;
    for (uint32_t i = 0; i < thread->slice_count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[thread->first_slice + i];
        int64_t start_ns = slice->start_ns > from_ns ? slice->start_ns : from_ns;
        if (slice->end_ns <= from_ns || slice->flags & TL_INTERNAL)
            continue;
        sums.covered_ns += slice->parent == TL_NONE ? slice->end_ns - start_ns : 0;
        sums.calls += slice->kind == TL_API && slice->start_ns >= from_ns;
    }
    return sums;
}

#define THREAD_COLUMNS(X)                                                                \
    X(table_string(table, chosen ? ">" : ""), "chosen", "")                              \
    X(table_count(table, thread->tid), "tid", "Thread")                                  \
    X(table_text(table, name), "name", "Name")                                           \
    X(table_share(table, sums->covered_ns, top->shown_ns), "ranges", "In ranges")        \
    X(table_number(table, (double)sums->calls / ((double)top->shown_ns / 1e9)), "calls", \
      "CUDA calls/s")                                                                    \
    X(table_string(table, path), "open", "Open now")
TABLE_ROW(thread, THREAD_COLUMNS, const struct top *top, const struct tl_thread *thread,
          struct text name, bool chosen, const struct thread_sums *sums, const char *path)

static bool add_threads(struct table *table, void *user)
{
    struct top *top = ((void **)user)[0];
    const struct timeline *timeline = ((void **)user)[1];
    table_begin(table, "threads", NULL, thread_columns);
    top->listed = 0;
    top->chosen_tid = 0;
    for (uint32_t i = 0; i < timeline->threads.count; i++) {
        const struct tl_thread *thread = &timeline->threads.at[i];
        bool chosen = top->listed == top->chosen;
        if (!is_listed(thread))
            continue;
        char path[PATH_COLUMNS];
        struct thread_sums sums = sums_of(top, timeline, thread);
        open_path(timeline, thread, path, sizeof path);
        thread_row(table, top, thread,
                   thread->name == TL_NONE ? (struct text){"", 0}
                                           : timeline->names.at[thread->name],
                   chosen, &sums, path);
        top->chosen_tid = chosen ? thread->tid : top->chosen_tid;
        top->listed++;
    }
    table_end(table);
    return true;
}

static bool print_threads(struct top *top, const struct timeline *timeline, FILE *out)
{
    struct table table = {.format = WRITE_TEXT,
                          .frame = TABLE_BARE,
                          .stream = out,
                          .most = top->rows,
                          .table_width = top->width};
    const void *both[] = {top, timeline};
    return table_write(&table, add_threads, both);
}

/* Hides what other threads did and launched. */
static void keep_thread(struct timeline *timeline, uint64_t tid)
{
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        struct tl_slice *slice = &timeline->slices.at[i];
        if (timeline->threads.at[slice->thread].tid != tid)
            slice->flags |= TL_INTERNAL;
    }
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (gpu->slice == TL_NONE || timeline->slices.at[gpu->slice].flags & TL_INTERNAL)
            gpu->flags |= TL_GPU_INTERNAL;
    }
}

/* ---- a screen ---- */

static bool print_table(const struct top *top, struct timeline *timeline, FILE *out)
{
    struct write_options with = top->options->write;
    with.sort = top->sort;
    with.rows = top->rows;
    with.table_width = top->width;
    with.bare = true;
    if (top->thread)
        keep_thread(timeline, top->thread);
    return write_table(timeline, &with, WRITE_TEXT, out);
}

/* The list of threads shows ranges that were opened earlier, so nothing is cut there. */
static struct timeline *load(const struct top *top, struct read_error *error)
{
    int64_t from_ns = top->live.now_ns - top->shown_ns;
    return top->view == VIEW_THREADS ? live_load_whole(&top->live, from_ns, error)
                                     : live_load(&top->live, from_ns, INT64_MAX, error);
}

static bool print_screen(struct top *top, FILE *out)
{
    int64_t now_ns = top->live.now_ns > 1 ? top->live.now_ns : 1;
    top->shown_ns = top->span_ns < now_ns ? top->span_ns : now_ns;
    struct read_error error;
    struct timeline *timeline = load(top, &error);
    if (!timeline) {
        complain("%s", error.message);
        return false;
    }
    bool printed = print_head(top, timeline, out);
    printed = printed && (top->view == VIEW_THREADS ? print_threads(top, timeline, out)
                                                    : print_table(top, timeline, out));
    if (!printed)
        complain("top: %s", strerror(ENOMEM));
    timeline_destroy(timeline);
    return printed;
}

static bool look(struct top *top)
{
    struct read_error error;
    if (live_look(&top->live, &error))
        return true;
    complain("%s", error.message);
    return false;
}

/* ---- without a terminal ---- */

static int print_plain(struct top *top)
{
    int64_t interval_ns = top->options->interval_ns ? top->options->interval_ns : INTERVAL_NS;
    bool once = top->options->once;
    for (;;) {
        if (!look(top) || !print_screen(top, stdout))
            return EXIT_FAILURE;
        if (once || !top->live.running)
            return finish_answer(top->options, true);
        fputc('\n', stdout);
        if (fflush(stdout) != 0)
            return finish_answer(top->options, true);
        struct timespec rest = {interval_ns / 1000000000, interval_ns % 1000000000};
        nanosleep(&rest, NULL);
    }
}

/* ---- on a terminal ---- */

/* Another screen, no cursor; lines that are too long are cut instead of wrapped. */
#define ENTER_SCREEN "\033[?1049h\033[?25l\033[?7l"
#define LEAVE_SCREEN "\033[?7h\033[?25h\033[?1049l"

static struct termios terminal_before;
static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    interrupted = number;
}

static void put_all(const char *text, size_t size)
{
    while (size > 0) {
        ssize_t put = write(STDOUT_FILENO, text, size);
        if (put <= 0 && errno != EINTR)
            return;
        text += put > 0 ? put : 0;
        size -= put > 0 ? (size_t)put : 0;
    }
}

static void enter_terminal(void)
{
    struct termios raw = terminal_before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    put_all(ENTER_SCREEN, sizeof ENTER_SCREEN - 1);
}

static void leave_terminal(void)
{
    tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal_before);
    put_all(LEAVE_SCREEN, sizeof LEAVE_SCREEN - 1);
}

/* Ctrl-Z: the shell gets its terminal as it was. */
static void suspend(void)
{
    leave_terminal();
    raise(SIGSTOP);
    enter_terminal();
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH};
    struct sigaction action = {.sa_handler = interrupt};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
}

/* At most `height` lines, each over what was there. */
static void draw(const char *text, unsigned height)
{
    char *screen = NULL;
    size_t size;
    FILE *out = open_memstream(&screen, &size);
    if (!out)
        return;
    fputs("\033[H", out);
    for (unsigned line = 0; line < height && *text; line++) {
        size_t length = strcspn(text, "\n");
        fprintf(out, "%s%.*s\033[K", line ? "\r\n" : "", (int)length, text);
        text += length + (text[length] == '\n');
    }
    fputs("\033[J", out);
    if (fclose(out) == 0)
        put_all(screen, size);
    free(screen);
}

static const char *keys_of(const struct top *top)
{
    if (top->view == VIEW_THREADS)
        return "up/down choose a thread, Enter look into it, t back, space freeze, q quit\n";
    return top->thread
               ? "t threads, a all threads, s sort, +/- longer/shorter, space freeze, q quit\n"
               : "t threads, s sort, +/- longer/shorter, space freeze, q quit\n";
}

/* Rows of the table so that all fits: the lines above it, its own three rules and header, the
 * keys. */
#define LINES_AROUND 14u

static bool redraw(struct top *top)
{
    struct winsize window = {0};
    char *text = NULL;
    size_t size;
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
    unsigned height = window.ws_row ? window.ws_row : 24;
    top->width = window.ws_col ? window.ws_col : 80;
    top->rows = height > LINES_AROUND + 3 ? (int)(height - LINES_AROUND) : 3;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return false;
    fputs(keys_of(top), out);
    bool drawn = print_screen(top, out);
    if (fclose(out) == 0 && drawn)
        draw(text, height);
    free(text);
    return drawn;
}

static enum key_column next_sort(enum key_column sort)
{
    static const enum key_column order[] = {KEY_BY_DEFAULT,  KEY_BY_SELF_CUDA, KEY_BY_CPU_TOTAL,
                                            KEY_BY_SELF_CPU, KEY_BY_COUNT,     KEY_BY_NAME};
    size_t count = sizeof order / sizeof order[0];
    for (size_t i = 0; i < count; i++)
        if (order[i] == sort)
            return order[(i + 1) % count];
    return KEY_BY_DEFAULT;
}

static void choose(struct top *top, int by)
{
    if (by > 0 && top->chosen + 1 < top->listed)
        top->chosen++;
    else if (by < 0 && top->chosen > 0)
        top->chosen--;
}

static void stretch(struct top *top, bool longer)
{
    int64_t ns = longer ? top->span_ns * 2 : top->span_ns / 2;
    if (ns >= SPAN_LEAST_NS && ns <= SPAN_MOST_NS)
        top->span_ns = ns;
}

/* An arrow key sends three bytes: ESC [ A. */
static void press(struct top *top, const char *keys, size_t count)
{
    bool arrow = count == 3 && memcmp(keys, "\033[", 2) == 0;
    switch (arrow ? keys[2] == 'A' ? 'k' : 'j' : keys[0]) {
    case 'q':
        top->ended = true;
        break;
    case ' ':
        top->frozen = !top->frozen;
        break;
    case 's':
        top->sort = next_sort(top->sort);
        break;
    case 't':
        top->view = top->view == VIEW_THREADS ? VIEW_TABLE : VIEW_THREADS;
        break;
    case 'a':
        top->thread = 0;
        break;
    case 'j':
    case 'k':
        choose(top, arrow ? (keys[2] == 'A' ? -1 : 1) : keys[0] == 'k' ? -1 : 1);
        break;
    case '\r':
    case '\n':
        if (top->view == VIEW_THREADS) {
            top->thread = top->chosen_tid;
            top->view = VIEW_TABLE;
        }
        break;
    case '+':
    case '-':
        stretch(top, keys[0] == '+');
        break;
    default:
        break;
    }
}

/* Waits for a key or for the time of the next look. */
static void wait_for_key(struct top *top, int64_t ns)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char keys[8];
    if (poll(&input, 1, (int)(ns / 1000000)) <= 0)
        return;
    ssize_t count = read(STDIN_FILENO, keys, sizeof keys);
    if (count > 0)
        press(top, keys, (size_t)count);
    else
        top->ended = true; /* the terminal is gone */
}

static bool handle_signal(struct top *top)
{
    int number = interrupted;
    interrupted = 0;
    if (number == SIGTSTP)
        suspend();
    else if (number && number != SIGWINCH)
        top->ended = true;
    return top->ended;
}

static int run_terminal(struct top *top)
{
    int64_t interval_ns = top->options->interval_ns ? top->options->interval_ns : INTERVAL_NS;
    bool drawn = look(top);
    if (!drawn)
        return EXIT_FAILURE;
    tcgetattr(STDIN_FILENO, &terminal_before);
    catch_signals();
    enter_terminal();
    while (drawn && !top->ended) {
        drawn = (top->frozen || look(top)) && redraw(top);
        wait_for_key(top, interval_ns);
        handle_signal(top);
    }
    leave_terminal();
    return drawn ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run(const struct profdump_options *options)
{
    struct top top = {
        .options = options,
        .span_ns = SPAN_NS,
        .sort = options->write.sort,
        .rows = options->rows_given ? (int)options->write.rows : ROWS_PLAIN,
        .width = options->write.table_width,
    };
    if (!live_find(&top.live, options))
        return EXIT_FAILURE;
    bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && !options->once;
    return terminal ? run_terminal(&top) : print_plain(&top);
}

static const struct option_entry top_options[] = {
    {FLAG("once", once, "print one screen and exit")},
    {TEXT("sort", "COLUMN", sort, "sort rows by COLUMN, descending"),
     .values = "name self_cpu cpu_total cpu_avg self_cuda cuda_total cuda_avg count"},
    {0},
};

static const struct option_entry *const options_of_top[] = {
    top_options, interval_options, rows_options, unit_options, width_options, help_options, NULL};

const struct command command_top = {
    .word = "top",
    .summary = "show what a running program is doing now",
    .usage = "[OPTION]... [PID|FILE]",
    .about =
        "Shows the last five seconds of a recording and refreshes: steps, devices, memory, and the "
        "largest ranges and kernels. It only reads the trace, so the program is not disturbed. "
        "Keys: s selects the sort column, t lists the threads, Enter shows one of them, + and - "
        "change the length of time, space pauses, q quits. Without a terminal, it prints plain "
        "lines.",
    .examples = "top 4711\ntop --once run.prof",
    .question = QUESTION_TIME,
    .options = options_of_top,
    .run_inputs = run,
    .agree = table_sort_agrees,
};
