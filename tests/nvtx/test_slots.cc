// The functions in a program's slots, as a program calls them: wrongly too.
#include "../recorder/recorder_support.h"

#include "log_words.h"

#include <map>
#include <thread>
#include <vector>

extern "C" {
#include "config.h"
#include "nvtx_attach.h"
#include "nvtx_calls.h"
#include "registry.h"
#include "session.h"
}

namespace
{

// Runs the statements in a process that records into a file, then gives what is in it.
template <typename Function>
std::map<unsigned, unsigned> recorded(Function &&function, bool start = true)
{
    TemporaryDirectory directory;
    std::string path = directory / "slots.prof";
    IN_A_PROCESS_OF_ITS_OWN({
        static const collector *const collectors[] = {&registry_collector, nullptr};
        setenv("PROF_OUTPUT", path.c_str(), 1);
        config_load();
        registry_init();
        session_init(collectors, start);
        function();
        session_finish();
    });
    return log_words(path);
}

nvtx_attributes ascii(const char *name)
{
    nvtx_attributes attributes = {};
    attributes.size = sizeof attributes;
    attributes.message_type = NVTX_MESSAGE_ASCII;
    attributes.message.ascii = name;
    return attributes;
}

TEST(Slots, CountDepthsPerDomainAndThread)
{
    auto depths = [] {
        const domain *one = nvtx_domain_create_a("one");
        nvtx_attributes attributes = ascii("name");
        EXPECT_EQ(nvtx_range_push_a("a"), 0);
        EXPECT_EQ(nvtx_domain_range_push_ex(one, &attributes), 0);
        EXPECT_EQ(nvtx_range_push_a("b"), 1);
        std::thread([] {
            EXPECT_LT(nvtx_range_pop(), 0);
            EXPECT_EQ(nvtx_range_push_a("c"), 0);
        }).join();
        EXPECT_EQ(nvtx_range_pop(), 1);
        EXPECT_EQ(nvtx_domain_range_pop(one), 0);
        EXPECT_LT(nvtx_domain_range_pop(one), 0);
        EXPECT_EQ(nvtx_range_pop(), 0);
    };
    auto on = recorded(depths);
    EXPECT_EQ(on[PROF_KIND_NVTX_PUSH], 4u);
    EXPECT_EQ(on[PROF_KIND_NVTX_POP], 5u);
    EXPECT_TRUE(recorded(depths, false).empty()); // and are the same while nothing is recorded
}

TEST(Slots, TakeNullForEveryArgument)
{
    auto events = recorded([] {
        nvtx_range_push_a(nullptr);
        nvtx_range_push_w(nullptr);
        nvtx_range_push_ex(nullptr);
        nvtx_domain_range_push_ex(nullptr, nullptr);
        for (int i = 0; i < 4; i++)
            EXPECT_EQ(nvtx_range_pop(), 3 - i);
        nvtx_mark_a(nullptr);
        nvtx_mark_ex(nullptr);
        EXPECT_NE(nvtx_range_start_ex(nullptr), 0u);
        nvtx_domain_range_end(nullptr, 0);
        EXPECT_EQ(nvtx_domain_create_a(nullptr), nullptr);
        EXPECT_EQ(nvtx_domain_string_w(nullptr, nullptr), nullptr);
        nvtx_domain_destroy(nullptr);
        nvtx_category_a(1, nullptr);
        nvtx_thread_w(1, nullptr);
        nvtx_cuda_stream_a(nullptr, nullptr);
        EXPECT_EQ(nvtx_resource_create(nullptr, nullptr), nullptr);
        nvtx_attributes registered = ascii(nullptr), extended = ascii("e");
        registered.message_type = NVTX_MESSAGE_REGISTERED;
        nvtx_mark_ex(&registered);
        extended.payload_type = NVTX_PAYLOAD_EXTENDED;
        extended.payload_count = 100;
        nvtx_mark_ex(&extended);
        nvtx_extension_push(nullptr, nullptr, 5);
        EXPECT_EQ(nvtx_extension_pop(nullptr, nullptr, 5), 0);
        EXPECT_EQ(nvtx_extension_schema(nullptr, nullptr), 0u);
        EXPECT_GE(loss_get(PROF_LOSS_BAD_ARGUMENT), 16u);
    });
    EXPECT_EQ(events[PROF_KIND_NVTX_PUSH], 5u);
    EXPECT_EQ(events[PROF_KIND_NVTX_POP], 5u);
    EXPECT_EQ(events[PROF_KIND_MARK], 3u);
    EXPECT_EQ(events[16 + PROF_REC_RANGE_END], 0u);
}

TEST(Slots, KeepErrnoAndNeverFail)
{
    recorded([] {
        std::string endless(1 << 20, 'n');
        errno = 1234;
        nvtx_range_push_a(endless.c_str());
        nvtx_range_pop();
        nvtx_domain_create_a(endless.c_str());
        nvtx_domain_string_a(nullptr, endless.c_str());
        nvtx_category_a(9, endless.c_str());
        nvtx_attributes strange = ascii("strange");
        strange.message_type = 77;
        strange.payload_type = -3;
        nvtx_mark_ex(&strange);
        EXPECT_EQ(errno, 1234);
    });
}

TEST(Slots, GiveTheSameDomainForTheSameName)
{
    recorded([] {
        const domain *one = nvtx_domain_create_a("one");
        EXPECT_EQ(nvtx_domain_create_w(L"one"), one);
        nvtx_domain_destroy(one);
        EXPECT_EQ(nvtx_domain_create_a("one"), one);
        EXPECT_NE(nvtx_domain_create_a("two"), one);
        for (unsigned i = 0; i < 2 * LABEL_DOMAINS_MAX; i++) {
            nvtx_attributes attributes = ascii("in many");
            const domain *domain = nvtx_domain_create_a(("domain " + std::to_string(i)).c_str());
            EXPECT_EQ(nvtx_domain_range_push_ex(domain, &attributes), 0);
            EXPECT_EQ(nvtx_domain_range_pop(domain), 0);
        }
        EXPECT_GT(loss_get(PROF_LOSS_NAMES), 0u);
    });
}

TEST(Slots, WorkOnManyThreadsAtOnce)
{
    auto events = recorded([] {
        auto work = [] {
            const domain *domain = nvtx_domain_create_a("shared");
            for (unsigned i = 0; i < 2000; i++) {
                std::string name = "name " + std::to_string(i % 50);
                nvtx_attributes attributes = ascii(name.c_str());
                attributes.category = i % 5;
                attributes.color_type = NVTX_COLOR_ARGB;
                attributes.color = i % 3;
                nvtx_domain_range_push_ex(domain, &attributes);
                attributes.message_type = NVTX_MESSAGE_REGISTERED;
                attributes.message.registered = (void *)nvtx_domain_string_a(domain, name.c_str());
                nvtx_domain_range_push_ex(domain, &attributes);
                nvtx_domain_category_a(domain, i % 5, name.c_str());
                nvtx_domain_range_pop(domain);
                nvtx_domain_range_pop(domain);
            }
        };
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++)
            threads.emplace_back(work);
        for (std::thread &thread : threads)
            thread.join();
        EXPECT_EQ(loss_get(PROF_LOSS_NAMES), 0u);
    });
    EXPECT_EQ(events[PROF_KIND_NVTX_PUSH], 16000u);
    EXPECT_EQ(events[PROF_KIND_NVTX_POP], 16000u);
}

TEST(Slots, NameThreadsBeforeAndAfterTheirFirstEvent)
{
    recorded([] {
        uint32_t tid = (uint32_t)gettid();
        nvtx_thread_a(tid, "early");
        EXPECT_STREQ(session_path(), "");
        nvtx_range_push_a("event");
        EXPECT_EQ(registry_thread_name(tid), nullptr); // it has been given
        nvtx_thread_a(tid, "late");
        EXPECT_EQ(registry_thread_name(tid), nullptr);
        nvtx_thread_a(999999, "not yet");
        EXPECT_STREQ(registry_thread_name(999999), "not yet");
    });
}

// ---- attaching ----

nvtx_slot slots[32];
nvtx_slot *pointers[33];
unsigned table_count;
bool give_modules, give_pointers;

int get_module(int module, nvtx_slot ***table, unsigned *count)
{
    for (int i = 0; i < 32; i++)
        pointers[i] = give_pointers && i != 3 ? &slots[i] : nullptr;
    *table = pointers;
    *count = table_count;
    return give_modules && module == NVTX_MODULE_CORE;
}

const void *tables(uint32_t table)
{
    static nvtx_callbacks callbacks = {sizeof callbacks, get_module};
    return table == NVTX_TABLE_CALLBACKS ? &callbacks : nullptr;
}

const void *no_tables(uint32_t)
{
    return nullptr;
}

const void *small_tables(uint32_t)
{
    static nvtx_callbacks callbacks = {4, get_module};
    return &callbacks;
}

TEST(Attaching, StaysWithinTheTablesItIsGiven)
{
    for (unsigned count : {0u, 1u, 5u, 16u, 32u}) {
        memset(slots, 0, sizeof slots);
        table_count = count;
        give_modules = give_pointers = true;
        EXPECT_TRUE(nvtx_attach(tables));
        for (unsigned i = 0; i < 32; i++)
            EXPECT_EQ(slots[i] != nullptr, i > 0 && i < count && i < NVTX_CORE_COUNT && i != 3)
                << i << " of " << count;
    }
}

TEST(Attaching, RefusesClientsWithoutTables)
{
    EXPECT_FALSE(nvtx_attach(nullptr));
    EXPECT_FALSE(nvtx_attach(no_tables));
    EXPECT_FALSE(nvtx_attach(small_tables));
    give_modules = false;
    EXPECT_FALSE(nvtx_attach(tables));
    give_modules = true;
    give_pointers = false;
    table_count = 32;
    EXPECT_TRUE(nvtx_attach(tables));
}

TEST(Attaching, FillsTheExtensionsSlotsAsFarAsTheyReach)
{
    intptr_t room[10] = {};
    nvtx_extension_segment segment = {0, 5, room};
    nvtx_extension extension = {};
    EXPECT_FALSE(nvtx_attach_extension(nullptr));
    EXPECT_FALSE(nvtx_attach_extension(&extension));
    extension.size = sizeof extension;
    extension.module = NVTX_EXTENSION_PAYLOAD;
    extension.segment_count = 1;
    EXPECT_FALSE(nvtx_attach_extension(&extension));
    extension.segments = &segment;
    EXPECT_TRUE(nvtx_attach_extension(&extension));
    for (int i = 0; i < 10; i++)
        EXPECT_EQ(room[i] != 0, i < 5) << i;
    extension.module = 3;
    EXPECT_FALSE(nvtx_attach_extension(&extension));
}

} // namespace
