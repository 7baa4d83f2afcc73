#include "nvtx_calls.h"

#include "annotate.h"
#include "nvtx_record.h"
#include "thread.h"

/* What is not hot is a call in tail position, so that the hot path saves no registers. */
#define NVTX_SLOW __attribute__((noinline))

/* ---- depth ---- */

static inline int nvtx_depth_push(uint32_t domain)
{
    struct label_thread *thread = label_thread_get();
    return thread ? thread->depth[domain]++ : NVTX_ERROR;
}

static inline int nvtx_depth_pop(struct label_thread *thread, uint32_t domain)
{
    if (__builtin_expect(thread->depth[domain] == 0, 0))
        return NVTX_ERROR;
    return --thread->depth[domain];
}

/* ---- push ---- */

static NVTX_SLOW int nvtx_push_slow(uint32_t domain, const struct nvtx_attributes *attributes)
{
    struct nvtx_attributes full;
    if (thread_ready(&thread_self)) {
        nvtx_record_read(attributes, &full);
        uint64_t token = timing_push(&thread_self, RANGE_STACK_NVTX(domain));
        nvtx_record(LABELLED_PUSH, domain, &full);
        timing_pushed(token);
    }
    return nvtx_depth_push(domain);
}

static inline struct nvtx_attributes nvtx_ascii(const char *message)
{
    return (struct nvtx_attributes){.size = sizeof(struct nvtx_attributes),
                                    .message_type = NVTX_MESSAGE_ASCII,
                                    .message.ascii = message};
}

static inline struct nvtx_attributes nvtx_unicode(const wchar_t *message)
{
    return (struct nvtx_attributes){.size = sizeof(struct nvtx_attributes),
                                    .message_type = NVTX_MESSAGE_UNICODE,
                                    .message.unicode = message};
}

static NVTX_SLOW int nvtx_push_a_slow(const char *message)
{
    struct nvtx_attributes attributes = nvtx_ascii(message);
    return nvtx_push_slow(0, &attributes);
}

int nvtx_range_push_a(const char *message)
{
    const struct thread_log *self = &thread_self;
    struct label_thread *thread = label_thread_self;
    uint32_t name = __builtin_expect(message && thread && self->slot, 1)
                        ? names_lookup(&self->slot->names, message)
                        : 0;
    if (__builtin_expect(name - 1 < PROF_NAME_ID_MAX, 1) &&
        __builtin_expect(thread_event_fast(PROF_KIND_NVTX_PUSH, name), 1))
        return thread->depth[0]++;
    return nvtx_push_a_slow(message);
}

int nvtx_range_push_w(const wchar_t *message)
{
    struct nvtx_attributes attributes = nvtx_unicode(message);
    return nvtx_push_slow(0, &attributes);
}

/* Whether the attributes, which come with nothing but a registered string, give this event again.
 * The file's flag for a colour is NVTX's type of one. */
_Static_assert(PROF_EVENT_NAME_COLORED == NVTX_COLOR_ARGB, "one comparison does");
static inline bool nvtx_is_latest(const struct label *event, uint32_t domain,
                                  const struct nvtx_attributes *attributes)
{
    return event->domain == domain && event->category == attributes->category &&
           event->flags == (uint32_t)attributes->color_type &&
           (event->color == attributes->color || !event->flags);
}

/* Whether there is such a message. */
static inline bool nvtx_has_message(const struct nvtx_attributes *attributes, int32_t message_type)
{
    return attributes && attributes->message_type == message_type &&
           attributes->size >= sizeof *attributes && attributes->message.registered;
}

static inline uint64_t nvtx_known_registered(uint32_t domain,
                                             const struct nvtx_attributes *attributes)
{
    const struct interned_text *string = attributes->message.registered;
    const struct label *event = load_acquire(&string->latest);
    return __builtin_expect(event && nvtx_is_latest(event, domain, attributes), 1)
               ? load_relaxed(&event->id)
               : 0;
}

static uint64_t nvtx_known_ascii(const struct label_thread *thread, uint32_t domain,
                                 const struct nvtx_attributes *attributes)
{
    const struct thread_log *self = &thread_self;
    if (!thread || !self->slot || !nvtx_has_message(attributes, NVTX_MESSAGE_ASCII))
        return 0;
    bool colored = attributes->color_type == NVTX_COLOR_ARGB;
    struct label key = {.name = names_lookup(&self->slot->names, attributes->message.ascii),
                        .domain = domain,
                        .category = attributes->category,
                        .color = colored ? attributes->color : 0,
                        .flags = colored ? PROF_EVENT_NAME_COLORED : 0};
    const struct label *event = key.name ? labels_lookup(thread, &key) : NULL;
    return event ? load_relaxed(&event->id) : 0;
}

/* A name that is not registered, or a number that comes along. */
static NVTX_SLOW int nvtx_push_known(uint32_t domain, const struct nvtx_attributes *attributes)
{
    struct label_thread *thread = label_thread_self;
    uint64_t id = nvtx_has_message(attributes, NVTX_MESSAGE_REGISTERED)
                      ? nvtx_known_registered(domain, attributes)
                      : nvtx_known_ascii(thread, domain, attributes);
    if (!thread || !id || attributes->payload_type == NVTX_PAYLOAD_EXTENDED ||
        !labelled_push_fast(id))
        return nvtx_push_slow(domain, attributes);
    if (attributes->payload_type != NVTX_PAYLOAD_NONE)
        nvtx_record_number(ATTRS_OF_RANGE, attributes);
    return thread->depth[domain]++;
}

/* Inline for sure: as a function of its own it costs two jumps and a register more. */
__attribute__((always_inline)) static inline int nvtx_push(uint32_t domain,
                                                           const struct nvtx_attributes *attributes)
{
    struct label_thread *thread = label_thread_self;
    if (__builtin_expect(thread && nvtx_has_message(attributes, NVTX_MESSAGE_REGISTERED) &&
                             attributes->payload_type == NVTX_PAYLOAD_NONE,
                         1) &&
        labelled_push_fast(nvtx_known_registered(domain, attributes)))
        return thread->depth[domain]++;
    return nvtx_push_known(domain, attributes);
}

int nvtx_range_push_ex(const struct nvtx_attributes *attributes)
{
    return nvtx_push(0, attributes);
}

int nvtx_domain_range_push_ex(const struct domain *domain, const struct nvtx_attributes *attributes)
{
    return nvtx_push(registry_number(domain), attributes);
}

/* ---- pop ---- */

static NVTX_SLOW int nvtx_pop_slow(uint32_t domain)
{
    if (thread_ready(&thread_self)) {
        thread_event(&thread_self, PROF_KIND_NVTX_POP, domain);
        timing_pop(&thread_self, RANGE_STACK_NVTX(domain));
    }
    struct label_thread *thread = label_thread_get();
    return thread ? nvtx_depth_pop(thread, domain) : NVTX_ERROR;
}

static inline int nvtx_pop(uint32_t domain)
{
    struct label_thread *thread = label_thread_self;
    if (__builtin_expect(thread && thread_event_fast(PROF_KIND_NVTX_POP, domain), 1))
        return nvtx_depth_pop(thread, domain);
    return nvtx_pop_slow(domain);
}

int nvtx_range_pop(void)
{
    return nvtx_pop(0);
}

int nvtx_domain_range_pop(const struct domain *domain)
{
    return nvtx_pop(registry_number(domain));
}

/* ---- ranges that any thread may end ---- */

static uint64_t nvtx_start(uint32_t domain, const struct nvtx_attributes *attributes)
{
    struct nvtx_attributes full;
    if (!thread_ready(&thread_self))
        return NVTX_RANGE_UNRECORDED;
    nvtx_record_read(attributes, &full);
    uint64_t id = nvtx_record(LABELLED_BEGIN, domain, &full);
    return id ? id : NVTX_RANGE_UNRECORDED;
}

uint64_t nvtx_range_start_a(const char *message)
{
    struct nvtx_attributes attributes = nvtx_ascii(message);
    return nvtx_start(0, &attributes);
}

uint64_t nvtx_range_start_w(const wchar_t *message)
{
    struct nvtx_attributes attributes = nvtx_unicode(message);
    return nvtx_start(0, &attributes);
}

uint64_t nvtx_range_start_ex(const struct nvtx_attributes *attributes)
{
    return nvtx_start(0, attributes);
}

uint64_t nvtx_domain_range_start_ex(const struct domain *domain,
                                    const struct nvtx_attributes *attributes)
{
    return nvtx_start(registry_number(domain), attributes);
}

/* 0 is what a range got that was started before a tool was there. */
void nvtx_range_end(uint64_t id)
{
    if (id == 0 || id == NVTX_RANGE_UNRECORDED)
        return;
    labelled_end(id);
}

void nvtx_domain_range_end(const struct domain *domain, uint64_t id)
{
    (void)domain; /* ids are unique in the process */
    nvtx_range_end(id);
}

/* ---- marks ---- */

static void nvtx_mark(uint32_t domain, const struct nvtx_attributes *attributes)
{
    struct nvtx_attributes full;
    if (!thread_ready(&thread_self))
        return;
    nvtx_record_read(attributes, &full);
    if (attributes)
        nvtx_record(LABELLED_MARK, domain, &full);
}

void nvtx_mark_a(const char *message)
{
    struct nvtx_attributes attributes = nvtx_ascii(message);
    nvtx_mark(0, &attributes);
}

void nvtx_mark_w(const wchar_t *message)
{
    struct nvtx_attributes attributes = nvtx_unicode(message);
    nvtx_mark(0, &attributes);
}

void nvtx_mark_ex(const struct nvtx_attributes *attributes)
{
    nvtx_mark(0, attributes);
}

void nvtx_domain_mark_ex(const struct domain *domain, const struct nvtx_attributes *attributes)
{
    nvtx_mark(registry_number(domain), attributes);
}
