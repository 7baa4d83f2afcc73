/* ask_at_once.c - ask_at_once DIRECTORY INPUT...: threads that open all inputs and write them in every format and
 * report, each into a directory of its own, DIRECTORY/N. They must all write the same, which the caller compares; for
 * what cannot be written there is FORMAT.failed. */
#include <prof/trace.h>

#include <pthread.h>
#include <stdlib.h>

#define THREADS 6

struct job {
    const char *directory;
    char **inputs;
    size_t input_count;
    int number;
    int failures;
};

static void write_one(struct job *job, struct prof_trace *trace, const char *format,
                      const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d/%s%s", job->directory, job->number, format, ending);
    if (prof_trace_export(trace, format, path) == PROF_OK)
        return;
    /* what this build cannot write shows as such a file: the caller knows whether that is right */
    snprintf(path, sizeof path, "%s/%d/%s.failed", job->directory, job->number, format);
    FILE *failed = fopen(path, "w");
    if (!failed || fclose(failed) != 0)
        job->failures++;
}

static void *run(void *user)
{
    struct job *job = user;
    struct prof_trace *trace;
    const char *name;
    if (prof_trace_open((const char *const *)job->inputs, job->input_count, NULL, &trace) !=
        PROF_OK) {
        fprintf(stderr, "%s\n", prof_trace_error(NULL));
        job->failures++;
        return NULL;
    }
    for (size_t i = 0; (name = prof_trace_format(i)); i++)
        write_one(job, trace, name, i % 2 ? ".gz" : "");
    for (size_t i = 0; (name = prof_trace_report_name(i)); i++)
        write_one(job, trace, name, ".txt");
    prof_trace_close(trace);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    struct job jobs[THREADS];
    int failures = 0;
    if (argc < 3)
        return 2;
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (struct job){argv[1], argv + 2, (size_t)argc - 2, i, 0};
        if (pthread_create(&threads[i], NULL, run, &jobs[i]) != 0)
            return 1;
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        failures += jobs[i].failures;
    }
    return failures != 0;
}
