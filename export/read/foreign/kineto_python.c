/* kineto_python.c - see kineto_python.h.
 *
 * Frames and slices of a thread are walked by their begin. Frames that are open form a path in a tree
 * of all the paths there were; each path is made into a text once, when a slice first wants it.
 */
#include "kineto_python.h"

#include "radix.h"

#include <stdlib.h>
#include <string.h>

/* Of a text: what is farther out is left away. */
#define FRAMES_MAX 128u
#define TEXT_MAX 8192u

struct node {
    uint32_t parent; /* 0 none: nodes[0] is the outside */
    uint32_t name;
    uint32_t text; /* number of the text, 0 not made yet */
};

struct open_frame {
    int64_t end_ns;
    uint32_t node;
};

struct walk {
    struct event_store *store;
    struct kineto_python *python;
    struct {
        struct node *at;
        uint32_t count, capacity;
    } nodes;
    uint32_t *slots; /* of nodes by parent and name: index, 0 empty */
    uint32_t slot_count;
    struct {
        struct open_frame *at;
        uint32_t count, capacity;
    } open;
    uint32_t key; /* number of "Call stack" */
    bool failed;
};

void kineto_python_fini(struct kineto_python *python)
{
    free(python->frames.at);
    free(python->wishes.at);
}

bool kineto_python_frame(struct kineto_python *python, const struct kineto_frame *frame)
{
    struct kineto_frame *added = ARRAY_ADD(&python->frames);
    if (added)
        *added = *frame;
    return added != NULL;
}

bool kineto_python_wish(struct kineto_python *python, const struct kineto_wish *wish)
{
    struct kineto_wish *added = ARRAY_ADD(&python->wishes);
    if (added)
        *added = *wish;
    return added != NULL;
}

static uint32_t *node_slot(const struct walk *walk, uint32_t parent, uint32_t name)
{
    uint64_t hash = ((uint64_t)parent << 32 | name) * UINT64_C(0x9fb21c651e98df25);
    uint32_t at = (uint32_t)(hash >> 32) & (walk->slot_count - 1);
    for (; walk->slots[at]; at = (at + 1) & (walk->slot_count - 1)) {
        const struct node *node = &walk->nodes.at[walk->slots[at]];
        if (node->parent == parent && node->name == name)
            break;
    }
    return &walk->slots[at];
}

static bool grow_slots(struct walk *walk)
{
    uint32_t count = walk->slot_count ? walk->slot_count * 2 : 256;
    uint32_t *slots = count ? calloc(count, sizeof *slots) : NULL;
    if (!slots)
        return false;
    free(walk->slots);
    walk->slots = slots;
    walk->slot_count = count;
    for (uint32_t i = 1; i < walk->nodes.count; i++)
        *node_slot(walk, walk->nodes.at[i].parent, walk->nodes.at[i].name) = i;
    return true;
}

/* The node of a frame within another; 0: no memory. */
static uint32_t find_node(struct walk *walk, uint32_t parent, uint32_t name)
{
    if (walk->nodes.count >= walk->slot_count / 2 && !grow_slots(walk)) {
        walk->failed = true;
        return 0;
    }
    uint32_t *slot = node_slot(walk, parent, name);
    if (*slot)
        return *slot;
    struct node *node = ARRAY_ADD(&walk->nodes);
    if (!node) {
        walk->failed = true;
        return 0;
    }
    *node = (struct node){parent, name, 0};
    return *slot = walk->nodes.count - 1;
}

static uint32_t text_of(struct walk *walk, uint32_t node)
{
    char text[TEXT_MAX];
    size_t size = 0;
    unsigned frames = 0;
    if (walk->nodes.at[node].text)
        return walk->nodes.at[node].text;
    for (uint32_t i = node; i && frames < FRAMES_MAX; i = walk->nodes.at[i].parent, frames++) {
        struct text name = event_store_text(walk->store, walk->nodes.at[i].name);
        if (name.size + 1 > sizeof text - size)
            break;
        if (size)
            text[size++] = ';';
        memcpy(text + size, name.bytes, name.size);
        size += name.size;
    }
    return walk->nodes.at[node].text = event_store_name(walk->store, (struct text){text, size});
}

static void close_until(struct walk *walk, int64_t time_ns)
{
    while (walk->open.count && walk->open.at[walk->open.count - 1].end_ns <= time_ns)
        walk->open.count--;
}

static void open_frame(struct walk *walk, const struct kineto_frame *frame)
{
    close_until(walk, frame->start_ns);
    uint32_t parent = walk->open.count ? walk->open.at[walk->open.count - 1].node : 0;
    uint32_t node = find_node(walk, parent, frame->name);
    struct open_frame *open = node ? ARRAY_ADD(&walk->open) : NULL;
    walk->failed |= !open;
    if (open)
        *open = (struct open_frame){frame->end_ns, node};
}

static void grant(struct walk *walk, const struct kineto_wish *wish)
{
    close_until(walk, wish->start_ns);
    if (!walk->open.count)
        return;
    uint32_t text = text_of(walk, walk->open.at[walk->open.count - 1].node);
    struct read_attr attr = {.value = text, .key = walk->key, .type = PROF_ATTR_STRING};
    event_store_slice_attr(walk->store, wish->slice, &attr);
}

/* By thread, then begin, then what reaches farther. */
static int outer_first(const void *left, const void *right)
{
    const struct kineto_frame *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->end_ns < b->end_ns) - (a->end_ns > b->end_ns);
}

static int first_first(const void *left, const void *right)
{
    const struct kineto_wish *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static bool comes_first(const struct kineto_frame *frame, const struct kineto_wish *wish)
{
    return frame->thread != wish->thread ? frame->thread < wish->thread
                                         : frame->start_ns <= wish->start_ns;
}

static void walk_all(struct walk *walk)
{
    const struct kineto_python *python = walk->python;
    uint32_t frame = 0, thread = 0;
    for (uint32_t i = 0; i < python->wishes.count && !walk->failed; i++) {
        const struct kineto_wish *wish = &python->wishes.at[i];
        for (; frame < python->frames.count && !walk->failed &&
               comes_first(&python->frames.at[frame], wish);
             frame++) {
            if (python->frames.at[frame].thread != thread)
                walk->open.count = 0;
            thread = python->frames.at[frame].thread;
            open_frame(walk, &python->frames.at[frame]);
        }
        if (thread == wish->thread)
            grant(walk, wish);
    }
}

bool kineto_python_finish(struct kineto_python *python, struct event_store *store)
{
    struct walk walk = {.store = store, .python = python};
    if (!python->frames.count || !python->wishes.count)
        return true;
    qsort(python->frames.at, python->frames.count, sizeof *python->frames.at, outer_first);
    qsort(python->wishes.at, python->wishes.count, sizeof *python->wishes.at, first_first);
    walk.key = event_store_name(store, (struct text){"Call stack", 10});
    struct node *outside = ARRAY_ADD(&walk.nodes);
    walk.failed = !outside || !grow_slots(&walk);
    if (!walk.failed) {
        *outside = (struct node){0};
        walk_all(&walk);
    }
    free(walk.nodes.at);
    free(walk.slots);
    free(walk.open.at);
    return !walk.failed && !event_store_failed(store);
}
