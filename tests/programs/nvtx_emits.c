/* Ranges of prof.h that are to be forwarded; with an argument, as prof_options want it. */
#include <prof/prof.h>

#include <string.h>

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "options") == 0) {
        struct prof_options options;
        prof_options_default(&options);
        options.emit_nvtx = 1;
        if (prof_configure(&options) != PROF_OK)
            return 1;
    }
    prof_range_pop();
    for (int i = 0; i < 2; i++) {
        PROF_RANGE("site");
        prof_range_push("named");
        prof_range_push_n("sized and cut", 5);
        prof_range_pop();
        prof_range_pop();
    }
    prof_range_push_int("aten::mm", "seq", 12);
    prof_range_pop();
    static struct prof_site key = {"seq", 0}, word = {"sizes", 0}, text = {"[[2]]", 0};
    struct prof_attr attrs[] = {{&key, NULL, 13}, {&word, &text, 0}};
    prof_range_push_attrs("aten::add", attrs, 2);
    prof_range_pop();
    prof_range_push_int("MmBackward", "stashed_seq", -1);
    prof_range_pop();
    prof_range_push("written out, seq = 7");
    prof_range_pop();
    prof_mark("mark");
    uint64_t id = prof_range_begin("any thread");
    prof_range_end(id);
    prof_range_end(id);
    prof_range_push("open at the stop");
    prof_stop();
    prof_range_pop();
    prof_start();
    prof_range_pop();
    prof_range_push("after");
    prof_range_pop();
    return 0;
}
