/* Every function of prof.h once, with known counts:
 *     outer 1, inner 10, sized 5, mark "tick" 3, counter 4 samples, 2 steps, one begin/end range */
#include <prof/prof.h>

static void inner(int i)
{
    PROF_RANGE("inner");
    prof_attr_int("i", i);
    prof_attr_double("half", i / 2.0);
    prof_attr_string("shape", "[2, 3]");
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
    prof_step();
    uint64_t request = prof_range_begin("request");
    for (int i = 0; i < 3; i++)
        prof_mark("tick");
    for (int i = 0; i < 4; i++)
        prof_counter("depth", i);
    prof_range_end(request);
    return 0;
}
