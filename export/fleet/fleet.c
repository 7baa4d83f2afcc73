/* fleet.c - recordings, and streams over their rows. */
#include "fleet_rows.h"
#include "tables.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

struct fleet {
    _Atomic(uint32_t) holders;
    TL_ARRAY(struct recording) recordings;
};

struct fleet *fleet_create(void)
{
    struct fleet *fleet = calloc(1, sizeof *fleet);
    if (fleet)
        fleet->holders = 1;
    return fleet;
}

void fleet_release(struct fleet *fleet)
{
    if (!fleet || atomic_fetch_sub_explicit(&fleet->holders, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < fleet->recordings.count; i++)
        recording_fini(&fleet->recordings.at[i]);
    free(fleet->recordings.at);
    free(fleet);
}

/* The lowest rank; that of nothing is the last. */
static int32_t first_rank(const struct recording *recording)
{
    int32_t rank = INT32_MAX;
    for (uint32_t i = 0; i < recording->units.count; i++)
        if (recording->units.at[i].rank < rank)
            rank = recording->units.at[i].rank;
    return rank;
}

/* Recordings before `place` are sorted by rank; those of one rank stay in the order they came. */
static void move_to_place(struct fleet *fleet, uint32_t place)
{
    struct recording *at = fleet->recordings.at;
    struct recording added = at[place];
    for (; place > 0 && first_rank(&at[place - 1]) > first_rank(&added); place--)
        at[place] = at[place - 1];
    at[place] = added;
}

/* Ranks in the names of files that turn out to be something else become unknown, and move. */
static void check_name_rank(struct fleet *fleet)
{
    struct recording *at = fleet->recordings.at;
    uint32_t last = fleet->recordings.count - 1;
    bool moves = false;
    for (uint32_t i = 0; i < last; i++)
        moves |= recordings_share_name_rank(&at[i], &at[last]);
    for (uint32_t i = 1; i < last && moves; i++)
        move_to_place(fleet, i);
}

bool fleet_add(struct fleet *fleet, const struct fleet_source *source)
{
    struct recording *added = ARRAY_ADD(&fleet->recordings);
    if (!added)
        return false;
    if (!recording_init(added, source)) {
        added->source.done = NULL;
        recording_fini(added);
        fleet->recordings.count--;
        return false;
    }
    check_name_rank(fleet);
    move_to_place(fleet, fleet->recordings.count - 1);
    return true;
}

/* ---- streams ---- */

struct stream {
    struct fleet *fleet;
    const struct fleet_table *table;
    struct rows rows;
    uint32_t next; /* recording */
    struct walk walk;
};

static int get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out)
{
    const struct stream *stream = self->private_data;
    return rows_schema(&stream->table->rows, out) ? 0 : ENOMEM;
}

static void walk_end(struct walk *walk)
{
    free(walk->sums);
    *walk = (struct walk){0};
}

/* Tables of one row a recording fill a batch from many of them. */
static void fill(struct stream *stream)
{
    struct fleet *fleet = stream->fleet;
    while (stream->rows.count < FLEET_BATCH_ROWS && !stream->rows.failed) {
        if (!stream->walk.recording && stream->next == fleet->recordings.count)
            return;
        if (!stream->walk.recording)
            stream->walk.recording = &fleet->recordings.at[stream->next++];
        if (stream->table->add(&stream->walk, &stream->rows))
            walk_end(&stream->walk);
    }
}

static int get_next(struct ArrowArrayStream *self, struct ArrowArray *out)
{
    struct stream *stream = self->private_data;
    fill(stream);
    if (stream->rows.failed)
        return ENOMEM;
    if (stream->rows.count)
        return rows_take(&stream->rows, out) ? 0 : ENOMEM;
    out->release = NULL; /* the end */
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *self)
{
    (void)self;
    return "out of memory";
}

static void stream_release(struct ArrowArrayStream *self)
{
    struct stream *stream = self->private_data;
    walk_end(&stream->walk);
    rows_fini(&stream->rows);
    fleet_release(stream->fleet);
    free(stream);
    self->release = NULL;
}

unsigned fleet_table_find(const char *name)
{
    unsigned number = 0;
    while (number < FLEET_TABLES && strcmp(fleet_tables[number].name, name) != 0)
        number++;
    return number;
}

bool fleet_stream_init(struct ArrowArrayStream *stream, struct fleet *fleet, unsigned table)
{
    struct stream *made = calloc(1, sizeof *made);
    if (!made)
        return false;
    atomic_fetch_add_explicit(&fleet->holders, 1, memory_order_relaxed);
    made->fleet = fleet;
    made->table = &fleet_tables[table];
    made->rows.table = &made->table->rows;
    *stream = (struct ArrowArrayStream){.get_schema = get_schema,
                                        .get_next = get_next,
                                        .get_last_error = get_last_error,
                                        .release = stream_release,
                                        .private_data = made};
    return true;
}
