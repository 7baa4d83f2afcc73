/* Every call of ITT that is recorded, in one domain and beside it. */
#include "itt_static.h"

#include <unistd.h>

__attribute__((visibility("default"))) void exported_function(void);
void exported_function(void) {}

static void *end_overlapped(void *domain)
{
    ITT_CALL(thread_set_name, "the one that ends");
    ITT_CALL(task_end_overlapped, domain, itt_id_make(1));
    return NULL;
}

static void tasks(itt_domain *domain)
{
    static const int several[] = {1, -2, 3};
    itt_string *outer = ITT_GET(string_handle_create, "outer");
    itt_string *inner = ITT_GET(string_handle_create, "inner");
    itt_string *number = ITT_GET(string_handle_create, "number");
    itt_string *text = ITT_GET(string_handle_create, "text");
    itt_string *format = ITT_GET(string_handle_create, "%s took %d of %.1f %%");
    double half = 0.5;
    for (int i = 0; i < 100; i++) {
        unsigned long long value = (unsigned long long)i;
        ITT_CALL(task_begin, domain, itt_id_make(9), itt_null, outer);
        ITT_CALL(task_begin, domain, itt_null, itt_null, inner);
        ITT_CALL(metadata_add, domain, itt_null, number, 1, 1, &value);
        ITT_CALL(task_end, domain);
        ITT_CALL(metadata_add, domain, itt_id_make(9), number, 8, 1, &half);
        ITT_CALL(metadata_str_add, domain, itt_id_make(9), text, "some text", SIZE_MAX);
        ITT_CALL(task_end, domain);
    }
    ITT_CALL(task_begin, domain, itt_null, itt_null, ITT_GET(string_handle_create, "formatted"));
    ITT_CALL(formatted_metadata_add, domain, format, "it", 7, 12.5);
    ITT_CALL(metadata_add, domain, itt_null, number, 4, 3, several);
    ITT_CALL(metadata_str_add_with_scope, domain, 4, text, "cut here", 3);
    ITT_CALL(task_end, domain);
    ITT_CALL(task_begin_fn, domain, itt_null, itt_null, (void *)(uintptr_t)exported_function);
    ITT_CALL(task_end, domain);
    ITT_CALL(task_begin, domain, itt_null, itt_null,
             ITT_GET(string_handle_create, "aten::mm, seq = 12, sizes = [[2, 3], [3, 4]]"));
    ITT_CALL(task_end, domain);
}

static void what_any_thread_ends(itt_domain *domain)
{
    pthread_t thread;
    itt_id frame = itt_id_make(3);
    itt_string *number = ITT_GET(string_handle_create, "number");
    short minus = -1;
    ITT_CALL(task_begin_overlapped, domain, itt_id_make(1), itt_null,
             ITT_GET(string_handle_create, "overlapped"));
    ITT_CALL(metadata_add, domain, itt_id_make(1), number, 6, 1, &minus);
    pthread_create(&thread, NULL, end_overlapped, domain);
    pthread_join(thread, NULL);
    ITT_CALL(region_begin, domain, itt_id_make(2), itt_null,
             ITT_GET(string_handle_create, "region"));
    ITT_CALL(region_end, domain, itt_id_make(2));
    ITT_CALL(frame_begin_v3, domain, NULL);
    ITT_CALL(frame_begin_v3, domain, &frame);
    ITT_CALL(frame_end_v3, domain, NULL);
    ITT_CALL(frame_end_v3, domain, &frame);
    itt_domain *old = ITT_GET(frame_create, "old frames");
    ITT_CALL(frame_begin, old);
    ITT_CALL(frame_end, old);
    itt_domain *submitted = ITT_GET(domain_create, "submitted");
    unsigned long long begin = ITT_GET(get_timestamp, );
    usleep(3000);
    unsigned long long end = ITT_GET(get_timestamp, );
    usleep(3000);
    ITT_CALL(frame_submit_v3, submitted, NULL, begin, end);
}

static void of_before_version_3(void)
{
    int event = ITT_GET(event_create, "event, but cut", 5);
    ITT_GET(event_start, event);
    ITT_GET(event_end, event);
    ITT_GET(mark, ITT_GET(mark_create, "old mark"), "parameter of it");
}

static void counters(itt_domain *domain, itt_counter *early)
{
    itt_counter *counted = ITT_GET(counter_create, "counted", "calls");
    itt_counter *real = ITT_GET(counter_create_typed, "real", NULL, 8);
    double value = 2.5;
    int level = -4;
    for (int i = 0; i < 5; i++)
        ITT_CALL(counter_inc, counted);
    ITT_CALL(counter_dec_delta, counted, 2);
    ITT_CALL(counter_set_value, real, &value);
    ITT_CALL(counter_set_value, early, &level);
    ITT_CALL(counter_inc_delta_v3, domain, ITT_GET(string_handle_create, "third"), 30);
}

static void heap(void)
{
    void *take = ITT_GET(heap_function_create, "take", "pool"), *address = &take;
    void *give = ITT_GET(heap_function_create, "give", "pool");
    ITT_CALL(heap_allocate_end, take, &address, 4096, 0);
    ITT_CALL(heap_free_begin, give, address);
    ITT_CALL(heap_allocate_end, take, &address, 64, 0);
}

int main(void)
{
    itt_domain *domain = itt_early_domain("calls");
    itt_string *early_string = itt_early_string("early");
    itt_counter *early_counter = itt_early_counter("early count", "calls", 4);
    int set = itt_bind();
    printf("%d functions, sync_acquired %s\n", set, itt_sync_acquired ? "set" : "not");
    ITT_CALL(thread_set_name, "main of ITT");
    if (domain == ITT_GET(domain_create, "calls") ||
        ITT_GET(domain_create, "calls") != ITT_GET(domain_create, "calls") ||
        ITT_GET(string_handle_create, "x") != ITT_GET(string_handle_create, "x"))
        return 1;
    ITT_CALL(task_begin, domain, itt_null, itt_null, early_string);
    ITT_CALL(task_end, ITT_GET(domain_create, "calls"));
    tasks(domain);
    what_any_thread_ends(domain);
    of_before_version_3();
    counters(domain, early_counter);
    heap();
    ITT_CALL(marker, domain, itt_id_make(5), ITT_GET(string_handle_create, "marker"), 1);
    ITT_CALL(metadata_str_add, domain, itt_id_make(5), ITT_GET(string_handle_create, "text"),
             "of it", 5);
    ITT_CALL(pause, );
    ITT_CALL(task_begin, domain, itt_null, itt_null, ITT_GET(string_handle_create, "paused"));
    ITT_CALL(task_end, domain);
    ITT_CALL(resume, );
    ITT_CALL(task_begin, domain, itt_null, itt_null, ITT_GET(string_handle_create, "resumed"));
    ITT_CALL(task_end, domain);
    return 0;
}
