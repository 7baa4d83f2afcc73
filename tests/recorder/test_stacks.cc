// Who called: followed only where memory can be read, stored once, known by number.
#include "recorder_support.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <vector>

extern "C" {
#include "config.h"
#include "session.h"
#include "stacks.h"
#include "thread.h"
}

namespace
{

struct Frame {
    uintptr_t next, address;
};

const stackwalk_bounds NOWHERE = {0, 0};

// Walks a chain that begins at `frames[0]`, called from address 0x10000.
std::vector<uint64_t> walk(const stackwalk_bounds &own, const Frame *frames, unsigned limit = 64)
{
    std::vector<uint64_t> addresses(limit);
    uintptr_t first = reinterpret_cast<uintptr_t>(frames);
    addresses.resize(stackwalk_frames(&own, first - 16, {first, 0x10000}, addresses.data(), limit));
    return addresses;
}

uintptr_t at(const void *pointer)
{
    return reinterpret_cast<uintptr_t>(pointer);
}

// Two pages that can be read and a wall behind them.
class Wall
{
public:
    Wall()
    {
        memory = static_cast<char *>(
            mmap(nullptr, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(memory + 2 * 4096, 4096, PROT_NONE);
    }
    ~Wall() { munmap(memory, 3 * 4096); }
    Frame *frame(size_t offset) { return reinterpret_cast<Frame *>(memory + offset); }
    char *memory;
};

stackwalk_bounds bounds_of(const Wall &wall)
{
    return {at(wall.memory), at(wall.memory) + 2 * 4096};
}

class Walk : public testing::TestWithParam<bool>
{
protected:
    void SetUp() override { own = GetParam() ? bounds_of(wall) : NOWHERE; }
    Wall wall;
    stackwalk_bounds own;
};

INSTANTIATE_TEST_SUITE_P(OwnAndUnknownStack, Walk, testing::Bool());

TEST_P(Walk, FollowsFramesOutwardsToTheLast)
{
    *wall.frame(64) = {at(wall.frame(128)), 0x20000};
    *wall.frame(128) = {at(wall.frame(5000)), 0x30000};
    *wall.frame(5000) = {0, 0x40000};
    EXPECT_EQ(walk(own, wall.frame(64)),
              (std::vector<uint64_t>{0x10000, 0x20000, 0x30000, 0x40000}));
    EXPECT_EQ(walk(own, wall.frame(64), 2), (std::vector<uint64_t>{0x10000, 0x20000}));
}

TEST_P(Walk, StopsWhereAFrameCannotBe)
{
    const uintptr_t wrong[] = {0,
                               1,
                               at(wall.frame(64)),           // itself
                               at(wall.frame(16)),           // inwards
                               at(wall.frame(128)) + 1,      // not aligned
                               at(wall.frame(2 * 4096)),     // the wall
                               at(wall.frame(2 * 4096)) - 8, // half behind the wall
                               at(wall.frame(1 << 20)),
                               UINTPTR_MAX,
                               UINTPTR_MAX - 7,
                               uintptr_t(1) << 63};
    for (uintptr_t next : wrong) {
        *wall.frame(64) = {next, 0x20000};
        EXPECT_EQ(walk(own, wall.frame(64)), (std::vector<uint64_t>{0x10000, 0x20000})) << next;
    }
}

TEST_P(Walk, AnAddressThatIsNoCodeIsTheEnd)
{
    *wall.frame(64) = {at(wall.frame(128)), 0};
    *wall.frame(128) = {0, 0x30000};
    EXPECT_EQ(walk(own, wall.frame(64)), (std::vector<uint64_t>{0x10000}));
}

TEST(WalkBetweenStacks, AHandlersOwnStackLeadsBackToTheThreads)
{
    Wall alternate, thread;
    *alternate.frame(64) = {at(thread.frame(256)), 0x20000};
    *thread.frame(256) = {at(thread.frame(4096)), 0x30000};
    *thread.frame(4096) = {0, 0x40000};
    EXPECT_EQ(walk(bounds_of(thread), alternate.frame(64)),
              (std::vector<uint64_t>{0x10000, 0x20000, 0x30000, 0x40000}));
}

TEST(WalkBetweenStacks, NeverLeavesTheThreadsOwn)
{
    Wall thread;
    stackwalk_bounds first_page = {at(thread.memory), at(thread.memory) + 4096};
    *thread.frame(64) = {at(thread.frame(5000)), 0x20000};
    *thread.frame(5000) = {0, 0x30000};
    EXPECT_EQ(walk(first_page, thread.frame(64)), (std::vector<uint64_t>{0x10000, 0x20000}));
}

TEST(OwnBounds, HoldTheCallersFrame)
{
    stackwalk_bounds here = stackwalk_own_bounds(), there = {0, 0};
    EXPECT_TRUE(stackwalk_is_own(&here, at(__builtin_frame_address(0))));
    bool inside = false;
    std::thread([&] {
        there = stackwalk_own_bounds();
        inside = stackwalk_is_own(&there, at(__builtin_frame_address(0)));
    }).join();
    EXPECT_TRUE(inside);
    EXPECT_FALSE(stackwalk_is_own(&there, at(&here)));
}

// ---- taking ----

// Recording with stacks, in this process and for good.
void begin_recording(const std::string &path, const char *where, const char *method)
{
    setenv("PROF_OUTPUT", path.c_str(), 1);
    setenv("PROF_STACKS", where, 1);
    setenv("PROF_STACK_METHOD", method, 1);
    config_load();
    stacks_init();
    static const collector *const collectors[] = {&stacks_collector, nullptr};
    session_init(collectors, true);
    ASSERT_TRUE(thread_ready(&thread_self));
}

// The id of a stack that was made by hand on this thread's own.
uint32_t take_made(std::vector<uintptr_t> addresses)
{
    Frame frames[64];
    for (size_t i = 0; i + 1 < addresses.size(); i++)
        frames[i] = {i + 2 < addresses.size() ? at(&frames[i + 1]) : 0, addresses[i + 1]};
    return stacks_capture({addresses.size() > 1 ? at(frames) : 0, addresses[0]});
}

// What the file says of stacks and modules.
struct Stated {
    std::map<uint32_t, std::vector<uint64_t>> stacks;
    std::map<uint32_t, uint32_t> flags;
    std::map<uint32_t, std::string> modules;
    std::set<uint32_t> gone;
};

// Up to where nothing was begun yet: the writer thread may be appending.
void read_meta(Stated *stated, const uint8_t *base, size_t offset)
{
    while (offset < PROF_CHUNK_BYTES) {
        const uint64_t *words = reinterpret_cast<const uint64_t *>(base + offset);
        uint64_t header = __atomic_load_n(words, __ATOMIC_ACQUIRE);
        if (header == 0)
            return;
        offset += PROF_WORD_SIZE(header) * 8;
        if (PROF_WORD_KIND(header) != PROF_KIND_EXT)
            continue;
        if (PROF_WORD_TYPE(header) == PROF_REC_STACK_FRAMES) {
            const auto *head = reinterpret_cast<const prof_rec_stack_frames *>(words);
            const auto *first = reinterpret_cast<const uint64_t *>(head + 1);
            stated->stacks[head->id] = {first, first + head->frames};
            stated->flags[head->id] = head->flags;
        } else if (PROF_WORD_TYPE(header) == PROF_REC_MODULE) {
            const auto *head = reinterpret_cast<const prof_rec_module *>(words);
            stated->modules[head->id] = {reinterpret_cast<const char *>(head + 1), head->bytes};
        } else if (PROF_WORD_TYPE(header) == PROF_REC_MODULE_GONE) {
            stated->gone.insert(reinterpret_cast<const prof_rec_module_gone *>(words)->id);
        }
    }
}

Stated stated()
{
    Stated found;
    const uint8_t *file = reinterpret_cast<const uint8_t *>(chunks_header());
    for (uint64_t chunk = 0; chunk < chunks_header()->chunk_count; chunk++) {
        const uint8_t *base = file + chunk * PROF_CHUNK_BYTES;
        bool meta = chunk == 0 ||
                    reinterpret_cast<const prof_chunk_header *>(base)->kind == PROF_CHUNK_META;
        if (meta)
            read_meta(&found, base, chunk ? PROF_CHUNK_HEADER_BYTES : PROF_FILE_HEADER_BYTES);
    }
    return found;
}

TEST(Stacks, TheSameFramesHaveOneNumberAndAreWrittenOnce)
{
    TemporaryDirectory directory;
    IN_A_PROCESS_OF_ITS_OWN({
        begin_recording(directory / "a.prof", "launch", "frames");
        uint32_t first = take_made({0x10000, 0x20000, 0x30000});
        uint32_t second = take_made({0x10000, 0x20000, 0x30008});
        EXPECT_NE(first, 0u);
        EXPECT_NE(second, first);
        EXPECT_EQ(take_made({0x10000, 0x20000, 0x30000}), first);
        EXPECT_NE(take_made({0x10000, 0x20000}), first);
        Stated found = stated();
        EXPECT_EQ(found.stacks.size(), 3u);
        EXPECT_EQ(found.stacks[first], (std::vector<uint64_t>{0x10000, 0x20000, 0x30000}));
        EXPECT_EQ(found.flags[first], 0u);
    });
}

TEST(Stacks, DeeperThanTheLimitAreCutAndSaySo)
{
    TemporaryDirectory directory;
    IN_A_PROCESS_OF_ITS_OWN({
        setenv("PROF_STACK_DEPTH", "2", 1);
        begin_recording(directory / "a.prof", "launch", "frames");
        uint32_t cut = take_made({0x10000, 0x20000, 0x30000});
        uint32_t whole = take_made({0x10000, 0x20000});
        Stated found = stated();
        EXPECT_EQ(found.stacks[cut], (std::vector<uint64_t>{0x10000, 0x20000}));
        EXPECT_EQ(found.flags[cut], PROF_STACK_CUT);
        EXPECT_EQ(found.flags[whole], 0u);
    });
}

TEST(Stacks, ThreadsThatTakeTheSameStacksGetTheSameNumbers)
{
    TemporaryDirectory directory;
    IN_A_PROCESS_OF_ITS_OWN({
        begin_recording(directory / "a.prof", "launch", "frames");
        constexpr unsigned threads = 4, kinds = 500;
        std::vector<std::vector<uint32_t>> ids(threads, std::vector<uint32_t>(kinds));
        std::atomic<unsigned> wrong{0};
        std::vector<std::thread> workers;
        for (unsigned t = 0; t < threads; t++)
            workers.emplace_back([&, t] {
                thread_ready(&thread_self);
                for (unsigned round = 0; round < 20; round++)
                    for (unsigned kind = 0; kind < kinds; kind++) {
                        uint32_t id = take_made({0x10000, 0x20000 + kind * 8u, 0x50000});
                        if (round && id != ids[t][kind])
                            wrong++;
                        ids[t][kind] = id;
                    }
            });
        for (std::thread &worker : workers)
            worker.join();
        EXPECT_EQ(wrong, 0u);
        for (unsigned t = 1; t < threads; t++)
            EXPECT_EQ(ids[t], ids[0]);
        Stated found = stated();
        for (unsigned kind = 0; kind < kinds; kind++)
            EXPECT_EQ(found.stacks[ids[0][kind]],
                      (std::vector<uint64_t>{0x10000, 0x20000 + kind * 8u, 0x50000}));
    });
}

TEST(Stacks, AFullTableIsCounted)
{
    TemporaryDirectory directory;
    IN_A_PROCESS_OF_ITS_OWN({
        begin_recording(directory / "a.prof", "launch", "frames");
        unsigned refused = 0;
        for (uintptr_t i = 0; i < (1u << 18) + 100; i++)
            refused += take_made({0x10000 + i * 16}) == 0;
        EXPECT_GT(refused, 0u);
        EXPECT_EQ(loss_get(PROF_LOSS_NAMES), refused);
        EXPECT_NE(take_made({0x10000}), 0u) << "those that are known still are";
    });
}

TEST(Stacks, UnwindTablesBeginWithTheCaller)
{
    if (!stackwalk_open_tables())
        GTEST_SKIP() << "libunwind.so.8 is not installed, or not used on this processor";
    uint64_t addresses[64];
    stacks_origin origin = stacks_origin_here();
    unsigned count = stackwalk_tables(origin, addresses, 64);
    ASSERT_GT(count, 1u);
    EXPECT_EQ(addresses[0], origin.address);
    EXPECT_EQ(stackwalk_tables({origin.frame, 0x1234}, addresses, 64), 0u) << "nobody of that name";
}

TEST(Stacks, AChildStatesThemAnew)
{
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "ThreadSanitizer allows no threads in a child of a program with threads";
#endif
    TemporaryDirectory directory;
    IN_A_PROCESS_OF_ITS_OWN({
        begin_recording(directory / "%p.prof", "launch", "frames");
        EXPECT_EQ(take_made({0x10000, 0x20000}), 1u);
        EXPECT_EQ(take_made({0x10000, 0x30000}), 2u);
        IN_A_PROCESS_OF_ITS_OWN({
            session_fork_child();
            ASSERT_TRUE(thread_ready(&thread_self));
            EXPECT_EQ(take_made({0x10000, 0x30000}), 1u);
            EXPECT_EQ(stated().stacks[1], (std::vector<uint64_t>{0x10000, 0x30000}));
        });
    });
}

// ---- modules ----

TEST(Modules, AreStatedWhenAStackPointsIntoThem)
{
    TemporaryDirectory directory;
    IN_A_PROCESS_OF_ITS_OWN({
        begin_recording(directory / "a.prof", "launch", "frames");
        EXPECT_TRUE(stated().modules.empty());
        take_made({at(reinterpret_cast<void *>(&take_made)), 0x10000});
        take_made({at(reinterpret_cast<void *>(&take_made)) + 1, 0x10000});
        Stated found = stated();
        ASSERT_EQ(found.modules.size(), 1u);
        EXPECT_NE(found.modules.begin()->second.find("test_recorder"), std::string::npos);
    });
}

TEST(Modules, AStackIntoALibraryThatWasClosedIsForgotten)
{
    TemporaryDirectory directory;
    IN_A_PROCESS_OF_ITS_OWN({
        begin_recording(directory / "a.prof", "launch", "frames");
        void *library = dlopen("libBrokenLocale.so.1", RTLD_NOW | RTLD_LOCAL);
        void *function = library ? dlsym(library, "__ctype_get_mb_cur_max") : nullptr;
        if (!function)
            return; // glibc without that small library
        uint32_t open = take_made({at(function), 0x10000});
        uint32_t other = take_made({at(reinterpret_cast<void *>(&take_made)), 0x10000});
        EXPECT_EQ(take_made({at(function), 0x10000}), open);
        dlclose(library);
        stacks_collector.tick();
        Stated found = stated();
        EXPECT_EQ(found.gone.size(), 1u);
        EXPECT_NE(found.modules[*found.gone.begin()].find("libBrokenLocale"), std::string::npos);
        EXPECT_NE(take_made({at(function), 0x10000}), open) << "it would mean something else now";
        EXPECT_EQ(take_made({at(reinterpret_cast<void *>(&take_made)), 0x10000}), other);
    });
}

} // namespace
