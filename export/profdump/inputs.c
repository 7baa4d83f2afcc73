/* inputs.c - see inputs.h. */
#include "inputs.h"

#include "dataset.h"
#include "foreign.h"
#include "merge_chrome.h"
#include "profdump.h"
#include "progress.h"
#include "source.h"
#include "spool.h"
#include "timeline_restrict.h"
#include "window_options.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct path_list {
    char **at;
    size_t count, capacity;
};

static bool path_list_add(struct path_list *list, const char *directory, const char *name)
{
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 16;
        char **at = realloc(list->at, capacity * sizeof *at);
        if (!at)
            return false;
        list->at = at;
        list->capacity = capacity;
    }
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path)
        return false;
    snprintf(path, size, "%s%s%s", directory, *directory ? "/" : "", name);
    list->at[list->count++] = path;
    return true;
}

static void path_list_fini(struct path_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->at[i]);
    free(list->at);
}

static int compare_paths(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static bool is_trace_name(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".prof") == 0;
}

/* Adds the traces of a directory, sorted: the merge order must not depend on the file system. */
static bool add_directory(struct path_list *list, const char *directory)
{
    DIR *entries = opendir(directory);
    size_t first = list->count;
    bool added = true;
    if (!entries) {
        complain("%s: %s", directory, strerror(errno));
        return false;
    }
    for (struct dirent *entry = readdir(entries); entry && added; entry = readdir(entries))
        if (is_trace_name(entry->d_name))
            added = path_list_add(list, directory, entry->d_name);
    closedir(entries);
    if (!added)
        complain("%s: %s", directory, strerror(ENOMEM));
    else if (list->count == first)
        complain("%s: no trace (*.prof) in this directory", directory);
    if (list->count > first + 1)
        qsort(list->at + first, list->count - first, sizeof *list->at, compare_paths);
    return added && list->count > first;
}

static bool add_input(struct path_list *list, const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode) && !dataset_is(path))
        return add_directory(list, path);
    if (path_list_add(list, "", path))
        return true;
    complain("%s: %s", path, strerror(ENOMEM));
    return false;
}

static bool is_newer(const struct stat *a, const struct stat *b)
{
    if (a->st_mtim.tv_sec != b->st_mtim.tv_sec)
        return a->st_mtim.tv_sec > b->st_mtim.tv_sec;
    return a->st_mtim.tv_nsec > b->st_mtim.tv_nsec;
}

/* Adds the newest trace of the current directory, after having reported which. */
static bool add_newest(struct path_list *list)
{
    struct path_list here = {0};
    struct stat status, newest;
    const char *best = NULL;
    DIR *entries = opendir(".");
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries))
        if (is_trace_name(entry->d_name))
            path_list_add(&here, "", entry->d_name);
    if (entries)
        closedir(entries);
    if (here.count > 1)
        qsort(here.at, here.count, sizeof *here.at, compare_paths);
    for (size_t i = 0; i < here.count; i++)
        if (stat(here.at[i], &status) == 0 && S_ISREG(status.st_mode) &&
            (!best || is_newer(&status, &newest))) {
            best = here.at[i];
            newest = status;
        }
    if (best)
        complain("reading %s", best);
    else
        complain("no input: there is no *.prof file in this directory (see profdump --help)");
    bool added = best && path_list_add(list, "", best);
    path_list_fini(&here);
    return added;
}

/* Reports errors in the files, and data that could not be kept. */
static void say_warnings(const struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->warnings.count; i++) {
        const struct tl_warning *warning = &timeline->warnings.at[i];
        complain("%s: %llu %s", timeline->processes.at[warning->process].path,
                 (unsigned long long)warning->count, timeline->names.at[warning->what].bytes);
    }
}

static bool find_inputs(const struct profdump_options *options, struct path_list *paths)
{
    bool found = options->input_count > 0 || add_newest(paths);
    for (int i = 0; i < options->input_count && found; i++)
        found = add_input(paths, options->inputs[i]);
    return found;
}

bool inputs_each(const struct profdump_options *options, bool (*take)(void *user, const char *path),
                 void *user)
{
    struct path_list paths = {0};
    bool good = find_inputs(options, &paths);
    for (size_t i = 0; i < paths.count && good; i++)
        good = take(user, paths.at[i]);
    path_list_fini(&paths);
    return good;
}

static void say_nothing(void *user, const char *sentence)
{
    (void)user, (void)sentence;
}

/* Ignores inputs that cannot be found: reading reports them later. */
static bool inputs_have(const struct profdump_options *options, const struct stat *file)
{
    static const struct listener nobody = {say_nothing, NULL};
    const struct listener *before = complain_to(&nobody);
    struct path_list paths = {0};
    struct stat status;
    bool have = false;
    find_inputs(options, &paths);
    for (size_t i = 0; i < paths.count && !have; i++)
        have = stat(paths.at[i], &status) == 0 && status.st_dev == file->st_dev &&
               status.st_ino == file->st_ino;
    path_list_fini(&paths);
    complain_to(before);
    return have;
}

struct dataset_texts {
    struct dataset_text *at;
    uint32_t count, capacity;
};

/* Files that are open. */
struct opened {
    struct trace_file **at;
    uint32_t count, capacity;
};

/* Inputs on their way to one timeline. */
struct input_load {
    struct path_list paths;
    struct dataset_texts datasets; /* what was read of each; files borrow it */
    struct source_clock clock;     /* for files whose clock ticks in unknown units */
    const struct profdump_options *options;
    struct timeline *timeline; /* NULL: not loaded, see `error` */
    struct read_error error;
};

static struct input_load *load_create(const struct profdump_options *options)
{
    struct input_load *load = calloc(1, sizeof *load);
    if (!load) {
        complain("inputs: %s", strerror(ENOMEM));
        return NULL;
    }
    load->clock = (struct source_clock){.tick_ns = time_scale_ns(options->blocks.blocks.source),
                                        .wrap32 = options->blocks.blocks.wrap32};
    load->options = options;
    return load;
}

/* --rank needs a dataset that it is about. */
static bool rank_agrees(const struct profdump_options *options, const struct path_list *paths)
{
    bool any = options->dataset.count == 0;
    for (size_t i = 0; i < paths->count && !any; i++)
        any = dataset_is(paths->at[i]);
    if (!any)
        complain("--rank: none of the inputs is a dataset ('profdump pack' writes them)");
    return any;
}

struct input_load *input_load_create(const struct profdump_options *options)
{
    struct input_load *load = load_create(options);
    if (load && find_inputs(options, &load->paths) && rank_agrees(options, &load->paths))
        return load;
    input_load_destroy(load);
    return NULL;
}

void input_load_destroy(struct input_load *load)
{
    if (!load)
        return;
    path_list_fini(&load->paths);
    for (uint32_t i = 0; i < load->datasets.count; i++)
        dataset_text_fini(&load->datasets.at[i]);
    free(load->datasets.at);
    timeline_destroy(load->timeline);
    free(load);
}

/* `file` NULL: it could not be opened. */
static bool keep_open(struct input_load *load, struct opened *opened, struct trace_file *file)
{
    struct trace_file **added = file ? ARRAY_ADD(opened) : NULL;
    if (file && !added) {
        snprintf(load->error.message, sizeof load->error.message, "inputs: out of memory");
        trace_file_close(file);
    }
    if (added)
        *added = file;
    return added != NULL;
}

/* Times of a file that is written are on one clock, so that ranks can be compared; durations on a
 * rank's own. */
static bool is_exported(const struct profdump_options *options)
{
    for (size_t i = 0; i < EXPORT_COUNT; i++)
        if (options->export_paths[i])
            return true;
    return false;
}

static bool open_dataset(struct input_load *load, const char *path, struct builder *builder,
                         struct opened *opened)
{
    struct dataset_choice choice = load->options->dataset;
    struct dataset_text text;
    const char *name;
    struct text trace;
    choice.one_clock = is_exported(load->options);
    if (!dataset_read(path, &choice, &text, &load->error))
        return false;
    struct dataset_text *kept = ARRAY_ADD(&load->datasets);
    if (!kept) {
        snprintf(load->error.message, sizeof load->error.message, "inputs: out of memory");
        dataset_text_fini(&text);
        return false;
    }
    *kept = text;
    bool kept_open = true;
    for (size_t at = 0; kept_open && dataset_next(kept, &at, &name, &trace);)
        kept_open = keep_open(load, opened,
                              foreign_open_memory(trace.bytes, trace.size, name,
                                                  load->options->partial, builder, &load->error));
    return kept_open;
}

static bool open_files(struct input_load *load, struct builder *builder, struct opened *opened)
{
    bool open = true;
    for (size_t i = 0; i < load->paths.count && open; i++) {
        const char *path = load->paths.at[i];
        if (dataset_is(path))
            open = open_dataset(load, path, builder, opened);
        else
            open = keep_open(load, opened,
                             foreign_open_clock(path, load->clock, load->options->partial, builder,
                                                &load->error));
    }
    return open;
}

static uint64_t size_of_inputs(const struct path_list *paths)
{
    struct stat status;
    uint64_t bytes = 0;
    for (size_t i = 0; i < paths->count; i++)
        if (stat(paths->at[i], &status) == 0)
            bytes += (uint64_t)status.st_size;
    return bytes;
}

/* Shows progress over all files until progress_end(). */
static void begin_progress(const struct path_list *paths)
{
    progress_begin("reading", paths->count == 1 ? paths->at[0] : "all files",
                   size_of_inputs(paths));
}

/* A window of recordings: the first time they are read, for where it lies. */
static bool find_window(struct input_load *load, const struct opened *opened, int64_t *from_ns,
                        int64_t *to_ns)
{
    struct builder *builder = builder_begin();
    if (builder)
        builder_set_window(builder, INT64_MAX, INT64_MAX);
    progress_extend(size_of_inputs(&load->paths));
    struct timeline *steps = timeline_from_files(builder, opened->at, opened->count, &load->error);
    bool found = steps && window_options_find(load->options, steps, from_ns, to_ns, &load->error);
    timeline_destroy(steps);
    return found;
}

/* Whether only what belongs to a window is read: from other formats, all is. */
static bool is_read_by_window(const struct input_load *load, const struct opened *opened)
{
    bool all = load->options->no_events || load->options->export_paths[EXPORT_SVG] ||
               !window_options_given(load->options);
    for (uint32_t i = 0; i < opened->count && !all; i++)
        all = !trace_file_is_recording(opened->at[i]);
    return !all;
}

/* To the same times that were found: of a file that grows, a step may have ended meanwhile. */
static bool cut_to_window(struct input_load *load, int64_t from_ns, int64_t to_ns)
{
    if (timeline_restrict(load->timeline, from_ns, to_ns))
        return true;
    snprintf(load->error.message, sizeof load->error.message, "inputs: out of memory");
    return false;
}

/* Takes over the builder. */
static void load_opened(struct input_load *load, const struct opened *opened,
                        struct builder *builder)
{
    int64_t from_ns = 0, to_ns = 0;
    bool by_window = is_read_by_window(load, opened);
    if (by_window && !find_window(load, opened, &from_ns, &to_ns)) {
        builder_abandon(builder);
        return;
    }
    if (by_window)
        builder_set_window(builder, from_ns, to_ns);
    load->timeline = timeline_from_files(builder, opened->at, opened->count, &load->error);
    if (!load->timeline || load->options->export_paths[EXPORT_SVG])
        return;
    if (by_window ? cut_to_window(load, from_ns, to_ns)
                  : window_options_apply(load->options, load->timeline, &load->error))
        return;
    timeline_destroy(load->timeline);
    load->timeline = NULL;
}

static void load_files(struct input_load *load)
{
    struct opened opened = {0};
    struct builder *builder = builder_begin();
    if (builder && load->options->no_events)
        builder_leave_out_events(builder);
    if (!builder)
        snprintf(load->error.message, sizeof load->error.message, "inputs: out of memory");
    else if (open_files(load, builder, &opened))
        load_opened(load, &opened, builder);
    else
        builder_abandon(builder);
    for (uint32_t i = 0; i < opened.count; i++)
        trace_file_close(opened.at[i]);
    free(opened.at);
}

const struct timeline *input_load_run(struct input_load *load)
{
    begin_progress(&load->paths);
    load_files(load);
    progress_end();
    return load->timeline;
}

/* Each sentence has profdump's name before it already. */
static void say_of_dataset(const struct dataset_text *text)
{
    for (const char *at = text->said; at && *at;) {
        const char *begin = strncmp(at, "profdump: ", 10) == 0 ? at + 10 : at;
        size_t size = strcspn(begin, "\n");
        complain("%.*s", (int)size, begin);
        at = begin + size + (begin[size] == '\n');
    }
}

bool input_load_tell(const struct input_load *load)
{
    for (uint32_t i = 0; i < load->datasets.count; i++)
        say_of_dataset(&load->datasets.at[i]);
    if (load->timeline)
        say_warnings(load->timeline);
    else
        complain("%s", load->error.message);
    return load->timeline != NULL;
}

/* Takes over the paths. */
static struct timeline *load_paths(const struct profdump_options *options, struct path_list *paths)
{
    struct input_load *load = load_create(options);
    struct timeline *timeline = NULL;
    if (load) {
        load->paths = *paths;
        *paths = (struct path_list){0};
        input_load_run(load);
        input_load_tell(load);
        timeline = load->timeline;
        load->timeline = NULL;
    }
    input_load_destroy(load);
    return timeline;
}

struct timeline *inputs_load(const struct profdump_options *options)
{
    struct path_list paths = {0};
    struct timeline *timeline = NULL;
    if (find_inputs(options, &paths) && rank_agrees(options, &paths))
        timeline = load_paths(options, &paths);
    path_list_fini(&paths);
    return timeline;
}

bool inputs_find_one(const struct profdump_options *options, char path[PATH_MAX])
{
    struct path_list paths = {0};
    bool found = find_inputs(options, &paths);
    if (found && paths.count != 1)
        complain("name one recording, not %zu", paths.count);
    found = found && paths.count == 1;
    if (found)
        snprintf(path, PATH_MAX, "%s", paths.at[0]);
    path_list_fini(&paths);
    return found;
}

bool inputs_split(const struct profdump_options *options, struct inputs *inputs)
{
    struct path_list paths = {0}, others = {0};
    *inputs = (struct inputs){0};
    bool split = find_inputs(options, &paths);
    inputs->chrome_paths = calloc(paths.count + 1, sizeof *inputs->chrome_paths);
    split = split && inputs->chrome_paths;
    for (size_t i = 0; i < paths.count && split; i++) {
        if (merge_chrome_is(paths.at[i])) {
            inputs->chrome_paths[inputs->chrome_count++] = paths.at[i];
            paths.at[i] = NULL;
        } else {
            split = path_list_add(&others, "", paths.at[i]);
        }
    }
    bool has_others = others.count > 0 && inputs->chrome_count > 0;
    if (split && has_others)
        inputs->timeline = load_paths(options, &others);
    split = split && (!has_others || inputs->timeline);
    path_list_fini(&others);
    path_list_fini(&paths);
    if (!split)
        inputs_fini(inputs);
    return split;
}

void inputs_fini(struct inputs *inputs)
{
    for (size_t i = 0; inputs->chrome_paths && i < inputs->chrome_count; i++)
        free(inputs->chrome_paths[i]);
    free(inputs->chrome_paths);
    timeline_destroy(inputs->timeline);
    *inputs = (struct inputs){0};
}

/* ---- pipes ---- */

bool inputs_spool(struct profdump_options *options, const struct command *command)
{
    static char standard_input[] = "/dev/stdin";
    struct read_error error;
    int count = options->input_count - (command->writes_last && options->input_count > 0);
    for (int i = 0; i < count; i++) {
        if (strcmp(options->inputs[i], "-") == 0)
            options->inputs[i] = standard_input;
        if (strcmp(options->inputs[i], standard_input) == 0 && isatty(STDIN_FILENO)) {
            complain("standard input is a terminal; name a file, or pipe one to profdump");
            return false;
        }
        if (!spool_input(options->inputs[i], &error)) {
            complain("%s", error.message);
            return false;
        }
    }
    return true;
}

/* ---- outputs ----
 *
 * Files are compared by device and inode, so links and files in input directories are recognised.
 * Without this check, `profdump -o run.prof`, which names no input, would read the newest file
 * here and overwrite the recording.
 */

/* Compressed or not. */
static bool is_recording(const char *path)
{
    struct read_error ignored;
    char head[PROF_FILE_MAGIC_BYTES];
    struct source *source = source_open(path, &ignored);
    ptrdiff_t size = source ? source_read(source, head, sizeof head, &ignored) : 0;
    source_close(source);
    return size > 0 && read_is_recording((struct text){head, (size_t)size});
}

/* True if the file is read by an option. */
static bool options_read_from(const struct profdump_options *options, const struct stat *file)
{
    const char *const paths[] = {options->etrecord, options->debug_buffer, options->perf_map,
                                 options->analyze.device_rates, options->explain_limits};
    struct stat status;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (paths[i] && stat(paths[i], &status) == 0 && status.st_dev == file->st_dev &&
            status.st_ino == file->st_ino)
            return true;
    return false;
}

static bool is_standard_output(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* What writing to the path would overwrite: an input, a recording, or NULL. */
static const char *what_is_there(const struct profdump_options *options, const char *path)
{
    const char *file = is_standard_output(path) ? "/dev/stdout" : path;
    struct stat status;
    if (stat(file, &status) != 0 || !S_ISREG(status.st_mode))
        return NULL;
    if (is_recording(file))
        return "a recording";
    return inputs_have(options, &status) || options_read_from(options, &status) ? "an input" : NULL;
}

/* False after having complained. */
static bool standard_output_agrees(const struct profdump_options *options)
{
    const char *there = what_is_there(options, "-");
    if (there)
        complain("standard output would overwrite %s; redirect it to another file", there);
    return !there;
}

bool output_agrees(const struct profdump_options *options, const char *what, const char *path)
{
    if (is_standard_output(path))
        return standard_output_agrees(options);
    const char *there = what_is_there(options, path);
    if (there)
        complain("%s %s: would overwrite %s; name another file", what, path, there);
    return !there;
}

/* Checks -o PATH; the message suggests the command that was probably meant. */
static bool export_agrees(const struct profdump_options *options, const struct command *command,
                          const struct export_format *format, const char *path)
{
    if (is_standard_output(path))
        return standard_output_agrees(options);
    const char *there = what_is_there(options, path);
    if (there)
        complain("-o %s: would overwrite %s; name another file, as in 'profdump %s%s-o %s %s'",
                 path, there, command->word, *command->word ? " " : "", format->example,
                 command->html ? "A B" : path);
    return !there;
}

/* For commands whose last argument is the output. */
static bool last_agrees(const struct profdump_options *options, const struct command *command)
{
    struct profdump_options inputs = *options;
    if (options->input_count < 2)
        return true;
    const char *path = options->inputs[--inputs.input_count];
    if (is_standard_output(path))
        return standard_output_agrees(&inputs);
    const char *there = what_is_there(&inputs, path);
    char name[COMMAND_NAME_BYTES];
    if (there)
        complain("%s: the output %s would overwrite %s; name another file, as in 'profdump %s %s'",
                 command->word, path, there, command_name(command, name), command->usage);
    return !there;
}

bool outputs_agree(const struct profdump_options *options, const struct command *command)
{
    bool agrees = !command->writes_last || last_agrees(options, command);
    for (size_t i = 0; i < EXPORT_COUNT && agrees; i++)
        if (options->export_paths[i])
            agrees = export_agrees(options, command, &export_formats[i], options->export_paths[i]);
    return agrees && (options->out != stdout || standard_output_agrees(options));
}
