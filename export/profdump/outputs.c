/* outputs.c - see outputs.h.
 *
 * Files are compared by device and inode, so links and files in input directories are recognised. Without this check,
 * `profdump --html run.prof`, which names no input, would read the newest file here and overwrite the recording.
 */
#include "outputs.h"

#include "source.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Whether the file is one that an option reads. */
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

/* What would be overwritten: an input or a recording; NULL: neither. */
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

/* Checks --FORMAT PATH; the message suggests the command that was probably meant. */
static bool export_agrees(const struct profdump_options *options, const struct command *command,
                          const struct export_format *format, const char *path)
{
    if (is_standard_output(path))
        return standard_output_agrees(options);
    const char *there = what_is_there(options, path);
    if (there)
        complain("--%s %s: would overwrite %s; name another file, as in 'profdump %s%s--%s %s %s'",
                 format->option, path, there, command->word, *command->word ? " " : "",
                 format->option, format->example, command->html ? "A B" : path);
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
    if (there)
        complain("%s: the output %s would overwrite %s; name another file, as in 'profdump %s'",
                 command->word, path, there, command->usage);
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
