// Which subscriber API of CUPTI is used, and what happens if one of its functions fails. The
// libraries are tables of the test's own.
#include "fake_recorder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

extern "C" {
#include "activity.h"
#include "loader.h"
#include "subscription.h"
}

namespace
{

char a_subscriber;
std::set<std::string> failing;
int subscribers, kinds_enabled[2];
size_t stated_kernel_bytes;

int answer(const char *name, int otherwise = ABI_OK)
{
    return failing.count(name) ? 27 : otherwise;
}

size_t size_of(uint32_t kind)
{
    return kind == ABI_KIND_MEMCPY ? 96 : kind == ABI_KIND_MEMSET ? 88 : kind == 10 ? 232 : 0;
}

int step(uint8_t *buffer, size_t valid, void **record)
{
    uint8_t *at = *record ? static_cast<uint8_t *>(*record) : buffer;
    uint32_t kind;
    memcpy(&kind, at, sizeof kind);
    if (!size_of(kind))
        return ABI_INVALID_KIND;
    at += *record ? size_of(kind) : 0;
    if (at + size_of(kind) > buffer + valid)
        return ABI_MAX_LIMIT_REACHED;
    *record = at;
    return ABI_OK;
}

int enable()
{
    return subscription_enable(ABI_KIND_CONCURRENT_KERNEL);
}

class Attach : public testing::Test
{
protected:
    cupti_library cupti = {};
    driver_library driver = {};
    char why[320] = "";

    void fill_first()
    {
        cupti.cuptiSubscribe = [](void **subscriber, abi_callback, void *) {
            *subscriber = &a_subscriber;
            subscribers += answer("subscribe") == ABI_OK;
            return answer("subscribe");
        };
        cupti.cuptiUnsubscribe = [](void *) { return subscribers--, 0; };
        cupti.cuptiEnableCallback = [](uint32_t, void *, uint32_t, uint32_t) {
            return answer("callbacks");
        };
        cupti.cuptiActivityEnable = [](uint32_t) { return kinds_enabled[0]++, answer("enable"); };
        cupti.cuptiActivityDisable = [](uint32_t) { return 0; };
        cupti.cuptiActivityRegisterCallbacks = [](abi_buffer_requested, abi_buffer_completed) {
            return answer("register");
        };
        cupti.cuptiActivityGetNextRecord = step;
        cupti.cuptiActivityFlushAll = [](uint32_t) { return 0; };
    }

    void fill_second()
    {
        cupti.cuptiSubscribe_v2 = [](void **subscriber, abi_callback, void *,
                                     abi_subscriber_params *params) {
            const int result = answer("subscribe_v2");
            if (result == ABI_OK && (params->struct_bytes != 40 || params->allow_others != 1))
                return 1;
            *subscriber = &a_subscriber;
            subscribers += result == ABI_OK;
            return result;
        };
        cupti.cuptiActivityEnable_v2 = [](void *subscriber, uint32_t, const void *config) {
            kinds_enabled[1]++;
            return subscriber == &a_subscriber && !config ? answer("enable_v2") : 1;
        };
        cupti.cuptiActivityDisable_v2 = [](void *, uint32_t, const void *) { return 0; };
        cupti.cuptiActivityRegisterCallbacks_v2 = [](void *, abi_buffer_requested_v2,
                                                     abi_buffer_completed_v2) {
            return answer("register_v2");
        };
        cupti.cuptiActivityGetNextRecord_v2 = [](void *, uint8_t *buffer, size_t valid,
                                                 void **record) {
            return answer("next_v2") ? answer("next_v2") : step(buffer, valid, record);
        };
        cupti.cuptiActivityGetNumDroppedRecords_v2 = [](void *, void *, uint32_t, size_t *dropped) {
            *dropped = 7;
            return 0;
        };
        cupti.cuptiActivitySetAttribute_v2 = [](void *, uint32_t, size_t *, void *) {
            return answer("attribute_v2");
        };
        cupti.cuptiGetTimestamp_v2 = [](void *, uint64_t *time_ns) {
            *time_ns = failing.count("no time") ? 0 : 1;
            return answer("timestamp_v2");
        };
        cupti.cuptiActivityGetStructSize = [](uint32_t kind, uint32_t, size_t *bytes) {
            *bytes = kind == 10 ? stated_kernel_bytes : size_of(kind);
            return 0;
        };
    }

    void SetUp() override
    {
        fake_reset();
        failing.clear();
        subscribers = kinds_enabled[0] = kinds_enabled[1] = 0;
        stated_kernel_bytes = 232;
        fill_first();
        fill_second();
        cupti.version = ABI_VERSION_13_3;
        driver.version = ABI_DRIVER_MULTIPLE_SUBSCRIBERS;
        loader_use_cupti(&cupti);
        loader_use_driver(&driver);
    }

    void TearDown() override
    {
        subscription_close();
        loader_use_cupti(nullptr);
        loader_use_driver(nullptr);
    }

    bool attach() { return cupti_attach_begin(enable, why, sizeof why); }
};

TEST_F(Attach, TakesTheFormThatLetsOthersIn)
{
    size_t dropped = 0;
    EXPECT_TRUE(attach());
    EXPECT_EQ(subscription_api(), SUBSCRIPTION_V2);
    EXPECT_EQ(subscribers, 1);
    EXPECT_EQ(kinds_enabled[1], 1);
    EXPECT_EQ(kinds_enabled[0], 0);
    EXPECT_EQ(fake_gpu_reason(), "CUPTI activity records, beside other tools");
    EXPECT_EQ(subscription_dropped(&dropped), ABI_OK);
    EXPECT_EQ(dropped, 7u);
}

TEST_F(Attach, TakesTheOtherWhereAnythingIsMissing)
{
    const cupti_library whole = cupti;
    for (int what = 0; what < 5; what++) {
        cupti = whole;
        driver.version = ABI_DRIVER_MULTIPLE_SUBSCRIBERS;
        switch (what) {
        case 0:
            cupti.version = ABI_VERSION_13_2;
            break;
        case 1:
            driver.version = 13020;
            break;
        case 2:
            cupti.cuptiGetTimestamp_v2 = nullptr;
            break;
        case 3:
            cupti.cuptiActivityGetNextRecord_v2 = nullptr;
            break;
        default:
            loader_use_driver(nullptr);
        }
        EXPECT_TRUE(attach());
        EXPECT_EQ(subscription_api(), SUBSCRIPTION_V1) << what;
        EXPECT_EQ(fake_gpu_reason(), "CUPTI activity records");
        subscription_close();
    }
    EXPECT_EQ(kinds_enabled[1], 0);
}

TEST_F(Attach, GoesBackToTheOtherWhenAnythingIsRefused)
{
    for (const char *refused :
         {"subscribe_v2", "timestamp_v2", "no time", "next_v2", "register_v2", "enable_v2"}) {
        failing = {refused};
        EXPECT_TRUE(attach()) << refused;
        EXPECT_EQ(subscription_api(), SUBSCRIPTION_V1) << refused;
        EXPECT_EQ(subscribers, 1) << refused;
        EXPECT_EQ(fake_gpu_reason().find("CUPTI activity records through the v1 subscriber API, "
                                         "which excludes other tools: "),
                  0u)
            << fake_gpu_reason();
        subscription_close();
    }
}

TEST_F(Attach, DoesNotBelieveSizesThatContradict)
{
    stated_kernel_bytes = 216;
    EXPECT_FALSE(attach()); // the v1 API has the same records
    EXPECT_EQ(subscribers, 0);
    cupti.cuptiActivityGetStructSize = [](uint32_t, uint32_t, size_t *) { return 27; };
    EXPECT_TRUE(attach()); // it may not tell
}

TEST_F(Attach, LeavesNothingBehindWhenBothAreRefused)
{
    failing = {"enable_v2", "enable"};
    EXPECT_FALSE(attach());
    EXPECT_EQ(subscribers, 0);
    EXPECT_EQ(subscription_handle(), nullptr);
    EXPECT_NE(strstr(why, "refused to record kernels: error 27"), nullptr) << why;
}

TEST_F(Attach, GoesBackWhenKindsAreRefusedLater)
{
    EXPECT_TRUE(cupti_attach_begin(nullptr, why, sizeof why));
    EXPECT_EQ(subscription_api(), SUBSCRIPTION_V2);
    EXPECT_EQ(kinds_enabled[1], 0);
    EXPECT_TRUE(cupti_attach_again(27, enable, why, sizeof why));
    EXPECT_EQ(subscription_api(), SUBSCRIPTION_V1);
    EXPECT_EQ(subscribers, 1);
    EXPECT_FALSE(cupti_attach_again(27, enable, why, sizeof why));
    EXPECT_NE(strstr(why, "error 27"), nullptr);
}

// CUPTI before 13.4 corrupts memory if flushed under the hardware trace beside a busy program.
TEST_F(Attach, FlushesNotUnderTheHardwareTraceBeforeItIsSafe)
{
    EXPECT_EXIT(
        {
            fake_config().hardware_trace = 1;
            bool before = activity_may_flush();
            bool attached = attach();
            bool under = activity_may_flush();
            cupti.version = ABI_VERSION_13_4;
            _exit(before && attached && !under && activity_may_flush() ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
    fake_config().hardware_trace = 1;
    failing = {"attribute_v2"};
    EXPECT_TRUE(attach());
    EXPECT_TRUE(activity_may_flush());
    fake_config().hardware_trace = 0;
}

} // namespace
