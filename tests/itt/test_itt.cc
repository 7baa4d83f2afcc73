// The functions behind a program's pointers, as a program calls them: wrongly too.
#include "../recorder/recorder_support.h"

#include "log_words.h"

#include <cfenv>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

extern "C" {
#include "config.h"
#include "itt.h"
#include "itt_calls.h"
#include "itt_handles.h"
#include "registry.h"
#include "session.h"
}

namespace
{

const itt_id none = {0, 0, 0};

// Runs the statements in a process that records into a file, then gives how many records of each kind
// are in it, 16 + type for EXT records.
template <typename Function>
std::map<unsigned, unsigned> recorded(Function &&function)
{
    TemporaryDirectory directory;
    std::string path = directory / "itt.prof";
    IN_A_PROCESS_OF_ITS_OWN({
        static const collector *const collectors[] = {&registry_collector, &itt_collector, nullptr};
        setenv("PROF_OUTPUT", path.c_str(), 1);
        config_load();
        registry_init();
        session_init(collectors, true);
        function();
        session_finish();
    });
    return log_words(path);
}

uint64_t bad_arguments()
{
    return loss_get(PROF_LOSS_BAD_ARGUMENT);
}

struct StaticPart {
    void *begin = (void *)1, *acquired = (void *)1, *inc = (void *)1, *unknown = (void *)1;
    itt_api apis[5] = {{"__itt_task_begin", &begin, nullptr, nullptr, ITT_GROUP_STRUCTURE},
                       {"__itt_sync_acquired", &acquired, nullptr, nullptr, ITT_GROUP_SYNC},
                       {"__itt_counter_inc", &inc, nullptr, (void *)2, ITT_GROUP_COUNTER},
                       {"no name of ITT's", &unknown, nullptr, nullptr, ITT_GROUP_STRUCTURE},
                       {}};
    itt_global global = {};

    StaticPart()
    {
        static const uint8_t magic[] = ITT_MAGIC;
        memcpy(global.magic, magic, sizeof magic);
        global.version_major = 3;
        global.apis = apis;
    }
};

TEST(Attaching, SetsWhatIsRecordedAndClearsTheRest)
{
    StaticPart part;
    EXPECT_TRUE(itt_attach(&part.global, ITT_GROUP_ALL, true));
    EXPECT_EQ(part.begin, (void *)itt_task_begin);
    EXPECT_EQ(part.acquired, nullptr);
    EXPECT_EQ(part.inc, (void *)itt_counter_inc);
    EXPECT_EQ(part.unknown, nullptr);
}

TEST(Attaching, LeavesOutGroupsThatAreNotAskedFor)
{
    StaticPart part;
    EXPECT_TRUE(itt_attach(&part.global, ITT_GROUP_STRUCTURE, true));
    EXPECT_EQ(part.begin, (void *)itt_task_begin);
    EXPECT_EQ(part.inc, (void *)2);
}

TEST(Attaching, ClearsEverythingWhereItIsNotWanted)
{
    StaticPart part;
    EXPECT_TRUE(itt_attach(&part.global, ITT_GROUP_ALL, false));
    EXPECT_EQ(part.begin, nullptr);
    EXPECT_EQ(part.inc, (void *)2);
}

TEST(Attaching, LeavesAloneWhatIsNoStaticPartOrAnotherVersion)
{
    StaticPart part;
    part.global.version_major = 4;
    EXPECT_FALSE(itt_attach(&part.global, ITT_GROUP_ALL, true));
    part.global.version_major = 3;
    part.global.magic[7] = 0;
    EXPECT_FALSE(itt_attach(&part.global, ITT_GROUP_ALL, true));
    EXPECT_FALSE(itt_attach(nullptr, ITT_GROUP_ALL, true));
    EXPECT_EQ(part.begin, (void *)1);
}

TEST(Handles, OfTheSameNameAreTheSame)
{
    recorded([] {
        itt_domain *domain = itt_domain_create("a");
        EXPECT_EQ(domain, itt_domain_create("a"));
        EXPECT_NE(domain, itt_domain_create("b"));
        EXPECT_STREQ(domain->name, "a");
        EXPECT_EQ(domain->flags, 1);
        EXPECT_EQ(itt_string_create("a"), itt_string_create("a"));
        EXPECT_NE((void *)itt_string_create("a"), (void *)domain);
        EXPECT_EQ(itt_counter_create("a", "b"), itt_counter_create("a", "b"));
        EXPECT_NE(itt_counter_create("a", "b"), itt_counter_create("a", nullptr));
        EXPECT_EQ(itt_event_create("a", 1), itt_event_create("abc", 1));
    });
}

TEST(Handles, OfTheStaticPartAreMetByTheirNames)
{
    recorded([] {
        itt_domain early = {};
        early.name = "a";
        EXPECT_EQ(itt_domain_number(&early), itt_domain_number(itt_domain_create("a")));
        itt_domain unnamed = {};
        EXPECT_EQ(itt_domain_number(&unnamed), 0u);
        early.extra1 = 0x7fffffff; // no number of ours
        EXPECT_EQ(itt_domain_number(&early), itt_domain_number(itt_domain_create("a")));
    });
}

TEST(Handles, WithoutANameAreNull)
{
    recorded([] {
        EXPECT_EQ(itt_domain_create(nullptr), nullptr);
        EXPECT_EQ(itt_string_create(nullptr), nullptr);
        EXPECT_EQ(itt_counter_create(nullptr, "a"), nullptr);
        EXPECT_EQ(itt_heap_function_create(nullptr, nullptr), nullptr);
        EXPECT_EQ(itt_event_create(nullptr, 3), 0);
        EXPECT_EQ(bad_arguments(), 5u);
    });
}

TEST(Tasks, ArePushesAndPops)
{
    auto count = recorded([] {
        itt_domain *domain = itt_domain_create("a");
        itt_string *name = itt_string_create("name");
        for (int i = 0; i < 10; i++) {
            itt_task_begin(domain, none, none, name);
            itt_task_begin(domain, none, none, nullptr);
            itt_task_end(domain);
            itt_task_end(domain);
        }
        itt_task_begin(nullptr, none, none, name);
        itt_task_end(nullptr);
    });
    EXPECT_EQ(count[PROF_KIND_NVTX_PUSH], 21u);
    EXPECT_EQ(count[PROF_KIND_NVTX_POP], 21u);
}

TEST(Tasks, KeepErrno)
{
    recorded([] {
        errno = 77;
        itt_domain *domain = itt_domain_create("a");
        itt_task_begin_fn(domain, none, none, (void *)&errno);
        itt_task_begin_fn(domain, none, none, nullptr);
        itt_formatted_metadata_add(domain, itt_string_create("%s"), "x");
        itt_task_end(domain);
        EXPECT_EQ(errno, 77);
    });
}

TEST(Ids, FindTheInnermostTask)
{
    recorded([] {
        itt_domain *domain = itt_domain_create("a"), *other = itt_domain_create("b");
        const itt_id one = {1, 0, 0}, two = {2, 0, 0};
        itt_task_begin(domain, one, none, nullptr);
        EXPECT_EQ(itt_target(one), ATTRS_OF_RANGE);
        itt_task_begin(other, two, none, nullptr);
        EXPECT_EQ(itt_target(two), ATTRS_OF_RANGE);
        EXPECT_EQ(itt_target(one), UINT64_MAX) << "attributes reach the innermost task only";
        EXPECT_EQ(bad_arguments(), 1u);
        itt_task_end(domain); // they cross
        EXPECT_EQ(itt_target(two), ATTRS_OF_RANGE);
        itt_task_end(other);
        EXPECT_EQ(itt_target(two), UINT64_MAX);
        EXPECT_EQ(bad_arguments(), 1u);
        EXPECT_EQ(itt_target(none), ATTRS_OF_RANGE);
        itt_task_end(other); // none is open
        itt_marker(domain, two, itt_string_create("m"), 1);
        EXPECT_EQ(itt_target(two), PROF_ATTR_OF_MARK);
    });
}

TEST(Ids, AreNotKnownOfTasksThatLieTooDeep)
{
    recorded([] {
        itt_domain *domain = itt_domain_create("a");
        const unsigned depth = LABEL_THREAD_TASKS + 3;
        for (uint64_t i = 1; i <= depth; i++)
            itt_task_begin(domain, {i, 0, 0}, none, nullptr);
        EXPECT_EQ(itt_target({depth, 0, 0}), UINT64_MAX);
        for (unsigned i = 0; i < 3; i++)
            itt_task_end(domain);
        EXPECT_EQ(itt_target({LABEL_THREAD_TASKS, 0, 0}), ATTRS_OF_RANGE);
    });
}

TEST(Spans, MayBeEndedByAnyThreadTheLatestFirst)
{
    auto count = recorded([] {
        itt_domain *domain = itt_domain_create("a");
        const itt_id id = {5, 6, 7};
        itt_task_begin_overlapped(domain, id, none, itt_string_create("x"));
        uint64_t first = itt_span_find(id);
        itt_region_begin(domain, id, none, nullptr);
        EXPECT_NE(itt_span_find(id), first);
        std::thread([&] { itt_task_end_overlapped(domain, id); }).join();
        EXPECT_EQ(itt_span_find(id), first);
        itt_region_end(domain, id);
        EXPECT_EQ(itt_span_find(id), 0u);
        itt_region_end(domain, id);
    });
    EXPECT_EQ(count[16 + PROF_REC_RANGE_BEGIN], 2u);
    EXPECT_EQ(count[16 + PROF_REC_RANGE_END], 2u);
}

TEST(Spans, BeyondWhatHasRoomAreCounted)
{
    auto count = recorded([] {
        for (int i = 0; i < 100; i++) // one id goes to one stretch of the table
            itt_task_begin_overlapped(nullptr, {5, 6, 7}, none, nullptr);
        EXPECT_EQ(loss_get(PROF_LOSS_LATE), 68u);
        for (int i = 0; i < 100; i++)
            itt_task_end_overlapped(nullptr, {5, 6, 7});
        itt_task_begin_overlapped(nullptr, {5, 6, 7}, none, nullptr);
        EXPECT_NE(itt_span_find({5, 6, 7}), 0u);
    });
    EXPECT_EQ(count[16 + PROF_REC_RANGE_BEGIN], 33u);
    EXPECT_EQ(count[16 + PROF_REC_RANGE_END], 32u);
}

TEST(Frames, ThatEndBeforeTheyBeginAreCounted)
{
    auto count = recorded([] {
        itt_domain *domain = itt_domain_create("a");
        uint64_t now = itt_get_timestamp();
        itt_frame_submit_v3(domain, nullptr, now, now);
        itt_frame_submit_v3(domain, nullptr, now, now - 1);
        EXPECT_EQ(bad_arguments(), 1u);
    });
    EXPECT_EQ(count[16 + PROF_REC_RANGE], 1u);
}

TEST(Metadata, ThatCannotBeReadIsCounted)
{
    auto count = recorded([] {
        itt_domain *domain = itt_domain_create("a");
        itt_string *key = itt_string_create("key");
        const uint64_t value = 1;
        itt_task_begin(domain, none, none, key);
        itt_metadata_add(domain, none, nullptr, ITT_TYPE_U64, 1, &value);
        itt_metadata_add(domain, none, key, 0, 1, &value);
        itt_metadata_add(domain, none, key, 99, 1, &value);
        itt_metadata_add(domain, none, key, ITT_TYPE_U64, 0, &value);
        itt_metadata_add(domain, none, key, ITT_TYPE_U64, 1, nullptr);
        itt_metadata_str_add(domain, none, key, nullptr, 3);
        itt_formatted_metadata_add(domain, nullptr);
        itt_formatted_metadata_add(domain, itt_string_create("%s%-5hn"), "x", nullptr);
        EXPECT_EQ(bad_arguments(), 8u);
        itt_metadata_add_with_scope(domain, ITT_SCOPE_TASK, key, ITT_TYPE_U64, 1, &value);
        itt_formatted_metadata_add(domain, itt_string_create("100 %% of %d"), 5);
        itt_task_end(domain);
    });
    EXPECT_EQ(count[16 + PROF_REC_ATTR], 2u);
}

TEST(Numbers, OfEveryTypeAreRead)
{
    const struct {
        int type;
        std::vector<uint8_t> bytes;
        double value;
    } cases[] = {{ITT_TYPE_U64, {255, 255, 255, 255, 0, 0, 0, 0}, 4294967295.0},
                 {ITT_TYPE_S64, {255, 255, 255, 255, 255, 255, 255, 255}, -1},
                 {ITT_TYPE_U32, {255, 255, 255, 255}, 4294967295.0},
                 {ITT_TYPE_S32, {254, 255, 255, 255}, -2},
                 {ITT_TYPE_U16, {255, 255}, 65535},
                 {ITT_TYPE_S16, {253, 255}, -3},
                 {ITT_TYPE_FLOAT, {0, 0, 0x20, 0xc0}, -2.5},
                 {ITT_TYPE_DOUBLE, {0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, 1.5}};
    for (const auto &each : cases) {
        attr_value value;
        EXPECT_TRUE(itt_number_read(each.type, each.bytes.data(), &value)) << each.type;
        EXPECT_EQ(itt_number_double(&value), each.value) << each.type;
    }
}

TEST(Numbers, AreListedAsFarAsThereIsRoom)
{
    std::vector<uint64_t> many(1000, UINT64_MAX);
    char text[128];
    size_t bytes = itt_number_list(ITT_TYPE_U64, many.size(), many.data(), text, sizeof text);
    EXPECT_EQ(bytes, strlen(text));
    EXPECT_EQ(std::string(text, 23), "[18446744073709551615, ");
    EXPECT_EQ(text[bytes - 1], ']');
}

TEST(Counters, CountAlsoWhatIsNotRecorded)
{
    auto count = recorded([] {
        itt_counter *counter = itt_counter_create("a", "b");
        itt_pause();
        itt_counter_inc_delta(counter, 5);
        itt_resume();
        itt_counter_dec(counter);
        itt_counter_inc(nullptr);
        itt_counter_set_value(counter, nullptr);
        EXPECT_EQ(bad_arguments(), 1u);
    });
    EXPECT_EQ(count[16 + PROF_REC_COUNTER], 1u);
}

// A program may have inexact results raise SIGFPE, or look whether there were any.
TEST(Counters, LeaveTheProgramsFloatingPointAlone)
{
    auto count = recorded([] {
        itt_counter *counter = itt_counter_create("a", "b");
        uint64_t large = UINT64_MAX - 1;
        feclearexcept(FE_ALL_EXCEPT);
        feraiseexcept(FE_OVERFLOW);
        int before = fetestexcept(FE_ALL_EXCEPT);
        const int traps = feenableexcept(FE_INEXACT) == -1 ? 0 : FE_INEXACT; // aarch64 has none
        for (int i = 0; i < 3; i++) {
            itt_counter_set_value(counter, &large);
            itt_counter_inc_delta(counter, large);
            itt_counter_dec_delta(counter, 1);
        }
        EXPECT_EQ(fetestexcept(FE_ALL_EXCEPT), before);
        EXPECT_EQ(fegetexcept(), traps);
        fedisableexcept(FE_ALL_EXCEPT);
    });
    EXPECT_EQ(count[16 + PROF_REC_COUNTER], 9u);
}

TEST(Pausing, LeavesStartsAndStopsCounted)
{
    recorded([] {
        EXPECT_TRUE(recorder_on());
        itt_pause();
        itt_pause();
        EXPECT_FALSE(recorder_on());
        session_start();
        EXPECT_FALSE(recorder_on());
        itt_resume();
        EXPECT_TRUE(recorder_on());
        session_stop();
        EXPECT_TRUE(recorder_on());
        itt_pause();
        session_stop();
        itt_resume();
        EXPECT_FALSE(recorder_on());
        itt_resume_scoped(ITT_COLLECTION_HOST);
        session_start();
        itt_pause_scoped(2);
        EXPECT_TRUE(recorder_on());
        itt_detach();
        itt_resume();
        EXPECT_FALSE(recorder_on());
    });
}

TEST(Numbered, NumbersOfNobodyAreRefused)
{
    recorded([] {
        EXPECT_EQ(itt_event_start(0), -1);
        EXPECT_EQ(itt_event_end(-1), -1);
        EXPECT_EQ(itt_mark(1 << 30, "x"), -1);
        EXPECT_EQ(bad_arguments(), 3u);
        EXPECT_EQ(itt_mark(itt_mark_create("m"), nullptr), 0);
        EXPECT_EQ(itt_thr_name_set(nullptr, 5), -1);
    });
}

TEST(Heap, OfOneDomainIsOneAllocator)
{
    auto count = recorded([] {
        void *take = itt_heap_function_create("take", "d"),
             *give = itt_heap_function_create("give", "d");
        void *address = &take, *nothing = nullptr;
        EXPECT_EQ(take, give);
        itt_heap_allocate_end(take, &address, 8, 0);
        itt_heap_allocate_end(take, &nothing, 8, 0);
        itt_heap_allocate_end(take, nullptr, 8, 0);
        itt_heap_reallocate_begin(give, address, 16, 0);
        itt_heap_reallocate_end(give, address, &address, 16, 0);
        itt_heap_free_begin(give, address);
        itt_heap_free_begin(give, nullptr);
    });
    EXPECT_EQ(count[16 + PROF_REC_ALLOC], 2u);
    EXPECT_EQ(count[16 + PROF_REC_FREE], 2u);
}

} // namespace
