// Two timelines are loaded and added up at the same time, whatever the formats.
#include "diff_fixture.h"
#include "foreign.h"
#include "kineto_sample.h"
#include "sqlite_sample.h"
#include "trace_builder.h"

#include <cstring>
#include <thread>

namespace
{

using Bytes = std::vector<uint8_t>;

Bytes native()
{
    trace_builder *trace = trace_builder_sample();
    prof_rec_kernel kernel{};
    kernel.name = trace_builder_name(trace, "_Z6kernelILi3EEvPf");
    trace_builder_kernel(trace, 100, 200, 77, kernel, false);
    size_t size = 0;
    const uint8_t *bytes = trace_builder_bytes(trace, &size);
    Bytes copy(bytes, bytes + size);
    trace_builder_destroy(trace);
    return copy;
}

Bytes kineto(int number)
{
    const char *text = kineto_samples[number];
    return {text, text + std::strlen(text)};
}

#ifdef PROF_HAVE_SQLITE
Bytes database(bool nsys)
{
    sqlite3 *made = sqlite_sample_open();
    if (nsys)
        sqlite_sample_nsys(made, true);
    else
        sqlite_sample_nvprof(made, 14);
    size_t size = 0;
    uint8_t *bytes = sqlite_sample_bytes(made, &size);
    Bytes copy(bytes, bytes + size);
    free(bytes);
    sqlite3_close(made);
    return copy;
}
#endif

// A timeline and its side, of the bytes; how many entries it has.
uint32_t measure(const Bytes &bytes)
{
    read_error error{};
    diff_side side;
    builder *builder = builder_begin();
    trace_file *file =
        foreign_open_memory(bytes.data(), bytes.size(), "memory", false, builder, &error);
    if (!file) {
        builder_abandon(builder);
        return UINT32_MAX;
    }
    timeline *made = timeline_from_files(builder, &file, 1, &error);
    trace_file_close(file);
    uint32_t entries = UINT32_MAX;
    if (made && diff_side_init(&side, made, Diff::defaults().tables)) {
        entries = side.entries.count;
        diff_side_fini(&side);
    }
    timeline_destroy(made);
    return entries;
}

std::vector<Bytes> inputs()
{
    std::vector<Bytes> all = {native(), kineto(0), kineto(1), kineto(2), kineto(3)};
#ifdef PROF_HAVE_SQLITE
    all.push_back(database(true));
    all.push_back(database(false));
#endif
    return all;
}

} // namespace

// What ThreadSanitizer watches. The demangler must not have been looked for before.
TEST(TwoAtOnce, GiveWhatOneAfterTheOtherGives)
{
    auto all = inputs();
    for (auto &left : all)
        for (auto &right : all) {
            uint32_t got[2] = {0, 0};
            std::thread other([&] { got[1] = measure(right); });
            got[0] = measure(left);
            other.join();
            EXPECT_EQ(got[0], measure(left));
            EXPECT_EQ(got[1], measure(right));
            EXPECT_NE(got[0], UINT32_MAX);
        }
}
