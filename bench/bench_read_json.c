/* bench_read_json.c - Chrome traces read: from the file to the timeline, on one processor and on two.
 *
 *     bench_read_json [EVENTS [DIRECTORY]]
 *
 * The file is like what PyTorch's profiler writes: operators with shapes, calls, kernels, arrows; some
 * 330 bytes each. The floor reads its bytes into one buffer and touches each cache line. Times on one
 * processor are processor time, since other programs run; what memory is used, a process of its own tells. A
 * second thread can only be seen in elapsed time: there, loads on one processor and on two take turns, of the
 * file and of what gzip makes of it. Where python3 is, what its json.load takes stands beside.
 */
#include "bench.h"
#include "foreign.h"
#include "kineto_file.h"
#include "timeline.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS_DEFAULT 800000u
#define ROUNDS 5
#define OPERATORS 16u
#define KERNELS 40u

static const char *const operators[OPERATORS] = {
    "aten::addmm",       "aten::mm",    "aten::add_",
    "aten::convolution", "aten::relu_", "aten::native_batch_norm",
    "aten::empty",       "aten::copy_", "autograd::engine::evaluate_function: AddmmBackward0",
    "AddmmBackward0",    "aten::sum",   "aten::view",
    "aten::t",           "aten::to",    "aten::transpose",
    "aten::linear"};

static void put_operator(FILE *file, uint32_t id, double ts)
{
    fprintf(file,
            "  {\n    \"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"pid\": 597913, "
            "\"tid\": %u,\n    \"ts\": %.3f, \"dur\": 45.500,\n    \"args\": {\n      "
            "\"External id\": %u,\"Record function id\": %u, \"Concrete Inputs\": [\"\", \"\", "
            "\"\", \"1\", \"False\"], \"Input type\": [\"float\", \"float\", \"\", \"Scalar\", "
            "\"Scalar\"], \"Input Dims\": [[%u, 1024], [1024, 4096], [], [], []], \"Ev Idx\": "
            "%u\n    }\n  }",
            operators[id % OPERATORS], 597913 + id / 1000 % 3, ts, id, id, id % 200, id);
}

static void put_call(FILE *file, uint32_t id, uint32_t correlation, double ts)
{
    unsigned tid = 597913 + id / 1000 % 3;
    fprintf(file,
            ",\n  {\n    \"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": "
            "\"cudaLaunchKernel\", \"pid\": 597913, \"tid\": %u,\n    \"ts\": %.3f, \"dur\": "
            "6.021,\n    \"args\": {\n      \"External id\": %u, \"cbid\": 211, \"correlation\": "
            "%u\n    }\n  },\n  {\n    \"ph\": \"s\", \"id\": %u, \"pid\": 597913, \"tid\": %u, "
            "\"ts\": %.3f,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\"\n  }",
            tid, ts, id, correlation, correlation, tid, ts);
}

static void put_kernel(FILE *file, uint32_t id, uint32_t correlation, double ts)
{
    fprintf(file,
            ",\n  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void "
            "at::native::vectorized_elementwise_kernel<4, at::native::(anonymous "
            "namespace)::launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, c10::Scalar, "
            "at::native::detail::ClampLimits)::{lambda()#1}::operator()() "
            "const::{lambda(float)#%u}>\", \"pid\": 0, \"tid\": 7,\n    \"ts\": %.3f, \"dur\": "
            "12.128,\n    \"args\": {\n      \"External id\": %u, \"queued\": 0, \"device\": 0, "
            "\"context\": 1, \"stream\": 7, \"correlation\": %u, \"registers per thread\": 32, "
            "\"shared memory\": 0, \"blocks per SM\": 4.848485, \"warps per SM\": 38.787880, "
            "\"grid\": [%u, 1, 1], \"block\": [256, 1, 1], \"est. achieved occupancy %%\": 61\n"
            "    }\n  },\n  {\n    \"ph\": \"f\", \"id\": %u, \"pid\": 0, \"tid\": 7, \"ts\": "
            "%.3f,\n    \"cat\": \"ac2g\", \"name\": \"ac2g\", \"bp\": \"e\"\n  }",
            correlation % KERNELS, ts, id, correlation, correlation % 300, correlation, ts);
}

static bool write_file(const char *path, uint32_t events)
{
    FILE *file = fopen(path, "w");
    uint32_t id = 0, correlation = 0;
    if (!file)
        return false;
    fputs("{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [\n    {\"id\": 0, \"name\": "
          "\"Device\"}\n  ],\n  \"baseTimeNanoseconds\": 1735632360000000000,\n  "
          "\"traceEvents\": [\n",
          file);
    for (uint32_t i = 0; i < events;) {
        double ts = 4203669604595.407 + id * 51.137;
        if (i)
            fputs(",\n", file);
        put_operator(file, ++id, ts);
        i++;
        if (id % 3)
            continue;
        put_call(file, id, ++correlation, ts + 3);
        put_kernel(file, id, correlation, ts + 20);
        i += 4;
    }
    fputs("\n  ],\n  \"traceName\": \"bench.json\"\n}\n", file);
    return fclose(file) == 0;
}

static double processor_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void read_bytes(const char *path)
{
    static char buffer[1 << 18];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    for (ssize_t got; (got = read(fd, buffer, sizeof buffer)) > 0;)
        for (ssize_t i = 0; i < got; i += 64)
            (void)*(volatile char *)&buffer[i];
    close(fd);
}

static void count_event(void *user, struct kineto_event *event)
{
    (void)event;
    ++*(uint64_t *)user;
}

static void walk_events(const char *path)
{
    uint64_t events = 0;
    struct kineto_visitor visitor = {.user = &events, .take = count_event};
    struct kineto_walked walked;
    struct read_error error;
    struct source *source = source_open(path, &error);
    if (!source || !kineto_file_walk(source, false, &visitor, &walked, &error))
        exit(1);
    source_close(source);
}

static void make_timeline(const char *path)
{
    struct read_error error;
    struct timeline *timeline = timeline_load_by(foreign_open, &path, 1, false, &error);
    if (!timeline) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    timeline_destroy(timeline);
}

static double file_bytes(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (double)status.st_size : 0;
}

/* Which processors this thread and those that it starts may run on. */
static void use_processors(bool one)
{
    static cpu_set_t all;
    cpu_set_t first;
    if (CPU_COUNT(&all) == 0)
        sched_getaffinity(0, sizeof all, &all);
    CPU_ZERO(&first);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&first) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &first);
    sched_setaffinity(0, sizeof first, one ? &first : &all);
}

static void load_on_one(void *path, uint64_t times)
{
    use_processors(true);
    for (; times; times--)
        make_timeline(path);
}

static void load_on_two(void *path, uint64_t times)
{
    use_processors(false);
    for (; times; times--)
        make_timeline(path);
}

static void compare_processors(const char *name, char *path, double bytes)
{
    struct bench_result result = bench_against(load_on_one, load_on_two, path, 1);
    printf("  %-34s %7.0f MB/s on one processor, %.0f on two: %.2fx as fast (goal: 1.6)\n", name,
           bytes / result.floor_ns * 1e3, bytes / result.candidate_ns * 1e3, 1 / result.ratio);
    fflush(stdout);
}

static void compare_threads(char *path)
{
    char packed[4200], command[8600];
    double bytes = file_bytes(path);
    compare_processors("elapsed: .json", path, bytes);
    snprintf(packed, sizeof packed, "%s.gz", path);
    snprintf(command, sizeof command, "gzip -c '%s' > '%s'", path, packed);
    if (system(command) == 0)
        compare_processors("elapsed: .json.gz, unpacked bytes", packed, bytes);
    unlink(packed);
}

typedef void measured(const char *path);

static double best_ns(measured *what, const char *path)
{
    double best = 1e30;
    for (int i = 0; i < ROUNDS; i++) {
        double start = processor_ns();
        what(path);
        double ns = processor_ns() - start;
        best = ns < best ? ns : best;
    }
    return best;
}

/* Of a child that does it alone. */
static double peak_bytes(measured *what, const char *path)
{
    struct rusage usage = {0};
    int status;
    pid_t child = fork();
    if (child == 0) {
        what(path);
        _exit(0);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        return 0;
    return (double)usage.ru_maxrss * 1024;
}

static void report(const char *name, double ns, double bytes, double floor_ns)
{
    printf("  %-34s %7.0f MB/s %8.1fx the floor's time\n", name, bytes / ns * 1e3, ns / floor_ns);
    fflush(stdout);
}

static void measure(const char *path, uint32_t events)
{
    if (!write_file(path, events)) {
        perror(path);
        exit(1);
    }
    double bytes = file_bytes(path), peak = peak_bytes(make_timeline, path);
    double floor_ns = best_ns(read_bytes, path), walk_ns = best_ns(walk_events, path),
           model_ns = best_ns(make_timeline, path);
    printf("%u events, %.0f MB\n", events, bytes / 1e6);
    report("floor: reading the bytes", floor_ns, bytes, floor_ns);
    report("walking all events", walk_ns, bytes, floor_ns);
    report("into the timeline (goal: 400)", model_ns, bytes, floor_ns);
    printf("  %-34s %7.0f ns/event; peak %.0f MB: %.2fx the file, or 0.5x and %.0f bytes/event\n",
           "", model_ns / events, peak / 1e6, peak / bytes, (peak - bytes / 2) / events);
}

/* On the same file, in the same minute. */
static void compare_python(const char *path)
{
    char command[8192];
    snprintf(command, sizeof command,
             "python3 -c 'import json,sys,time\nt=time.process_time()\n"
             "json.load(open(sys.argv[1]))\nprint(time.process_time()-t)' '%s' 2>/dev/null",
             path);
    FILE *python = popen(command, "r");
    double seconds = 0;
    if (python && fscanf(python, "%lf", &seconds) == 1 && seconds > 0)
        printf("  %-34s %7.0f MB/s\n", "Python's json.load", file_bytes(path) / seconds / 1e6);
    if (python)
        pclose(python);
}

int main(int argc, char **argv)
{
    uint32_t most = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : EVENTS_DEFAULT;
    char path[4096];
    snprintf(path, sizeof path, "%s/bench_read.json", argc > 2 ? argv[2] : ".");
    use_processors(true);
    for (uint32_t events = most / 8; events < most; events *= 2)
        measure(path, events);
    measure(path, most);
    use_processors(false);
    compare_threads(path);
    compare_python(path);
    unlink(path);
    return 0;
}
