/* Every function of prof.h once, with known counts:
 *     outer 1, inner 10, attributed 4 (with 2 attributes) and 1 (with 9), sized 5, mark "tick" 3, counter 4 samples, 2 steps, one begin/end range */
#include <prof/prof.h>

static void inner(int i)
{
    PROF_RANGE("inner");
    prof_attr_int("i", i);
    prof_attr_double("half", i / 2.0);
    prof_attr_string("shape", "[2, 3]");
}

/* More attributes than one reservation holds, and texts that change. */
static void attributed(void)
{
    static struct prof_site seq = {"seq", 0}, shape = {"shape", 0};
    static struct prof_site texts[2] = {{"[4]", 0}, {"[5, 6]", 0}};
    struct prof_attr many[9];
    for (int i = 0; i < 4; i++) {
        struct prof_attr attrs[] = {{&seq, NULL, 100 + i}, {&shape, &texts[i % 2], 0}};
        prof_range_push_attrs("attributed", attrs, 2);
        prof_range_pop();
    }
    for (int i = 0; i < 9; i++)
        many[i] = (struct prof_attr){&seq, NULL, 200 + i};
    prof_range_push_attrs("attributed", many, 9);
    prof_range_pop();
}

int main(void)
{
    prof_thread_name("main thread");
    prof_step();
    prof_range_push("outer");
    for (int i = 0; i < 10; i++)
        inner(i);
    for (int i = 0; i < 5; i++) {
        prof_range_push_n("sized-and-cut", 5);
        prof_range_pop();
    }
    prof_range_pop();
    attributed();
    prof_step();
    uint64_t request = prof_range_begin("request");
    for (int i = 0; i < 3; i++)
        prof_mark("tick");
    for (int i = 0; i < 4; i++)
        prof_counter("depth", i);
    prof_range_end(request);
    return 0;
}
