#include "sim_counts.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim_config.h"
#include "sim_context.h"
#include "sim_cupti.h"
#include "sim_record.h"
#include "sim_stream.h"

static struct sim_counts_row *rows; /* NULL: nobody wants them */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_rows(void)
{
    const size_t bytes = SIM_COUNT_ROWS * sizeof *rows;
    const char *path = sim_config()->counts;
    const int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
    if (fd < 0)
        return;
    void *place = ftruncate(fd, (off_t)bytes) == 0
                      ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                      : MAP_FAILED;
    if (place != MAP_FAILED)
        rows = place;
    close(fd);
}

static struct sim_counts_row *find(uint32_t context, uint32_t stream)
{
    const uint64_t key = (uint64_t)stream << 32 | context;
    pthread_once(&once, open_rows);
    for (int i = 0; rows && i < SIM_COUNT_ROWS; i++) {
        uint64_t seen = 0;
        _Atomic uint64_t *place = (_Atomic uint64_t *)(void *)&rows[i];
        if (atomic_compare_exchange_strong(place, &seen, key) || seen == key)
            return &rows[i];
    }
    return NULL;
}

static void count(uint32_t context, uint32_t stream, uint32_t graph, enum sim_count what)
{
    struct sim_counts_row *row = find(context, stream);
    if (row)
        __atomic_fetch_add(graph ? &row->of_graphs[what] : &row->direct[what], 1, __ATOMIC_RELAXED);
}

void sim_counts_op(const struct sim_op *op)
{
    if (op->work.kind == SIM_WORK_KERNEL || op->work.kind == SIM_WORK_COPY ||
        op->work.kind == SIM_WORK_SET)
        count(op->stream->context->id, op->stream->id, op->graph_id, SIM_COUNT_LAUNCHED);
}

#define COUNT_RECORD(type)                                        \
    do {                                                          \
        struct type of;                                           \
        memcpy(&of, record, offsetof(struct type, graph_id) + 4); \
        count(of.context, of.stream, of.graph_id, what);          \
    } while (0)

void sim_counts_record(const void *record, enum sim_count what)
{
    uint32_t kind;
    memcpy(&kind, record, sizeof kind);
    switch (kind) {
    case SIM_KIND_KERNEL:
    case SIM_KIND_CONCURRENT_KERNEL:
        COUNT_RECORD(sim_record_kernel);
        break;
    case SIM_KIND_MEMCPY:
        COUNT_RECORD(sim_record_memcpy);
        break;
    case SIM_KIND_MEMCPY2:
        COUNT_RECORD(sim_record_peer);
        break;
    case SIM_KIND_MEMSET:
        COUNT_RECORD(sim_record_memset);
        break;
    default:
        break;
    }
}
