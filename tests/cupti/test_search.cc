// Where libcupti is looked for, and in which order.
#include <gtest/gtest.h>

#include <string>
#include <vector>

extern "C" {
#include "loader.h"
}

namespace
{

struct Trail {
    std::vector<std::string> tried;
    std::string take; // the candidate that exists
};

bool note(const char *path, bool loaded, void *user)
{
    auto trail = static_cast<Trail *>(user);
    std::string entry = (loaded ? "loaded:" : "") + std::string(path);
    trail->tried.push_back(entry);
    return entry == trail->take;
}

Trail search(loader_hints hints, const std::string &take = "")
{
    Trail trail{{}, take};
    bool found = loader_search(&hints, note, &trail);
    EXPECT_EQ(found, !take.empty());
    return trail;
}

size_t place(const Trail &trail, const std::string &entry)
{
    for (size_t i = 0; i < trail.tried.size(); i++)
        if (trail.tried[i] == entry)
            return i;
    ADD_FAILURE() << entry << " was not tried";
    return SIZE_MAX;
}

TEST(Search, LooksNowhereElseWhenAFileIsNamed)
{
    EXPECT_EQ(search({"/a/libcupti.so", "/cuda/lib64", 0, false}).tried,
              std::vector<std::string>{"/a/libcupti.so"});
}

TEST(Search, PrefersOneThatIsInTheProcessAlready)
{
    Trail trail = search({nullptr, "/cuda/lib64", 0, false}, "loaded:libcupti.so.12");
    EXPECT_EQ(trail.tried,
              (std::vector<std::string>{"loaded:libcupti.so.13", "loaded:libcupti.so.12"}));
}

TEST(Search, LooksBesideLibcudartThenWhereTheLoaderLooksThenInTheUsualPlace)
{
    Trail trail = search({"", "/cuda/lib64", 0, false});
    size_t last_loaded = place(trail, "loaded:libcupti.so.11.0");
    size_t beside = place(trail, "/cuda/lib64/./libcupti.so.13");
    size_t extras = place(trail, "/cuda/lib64/../extras/CUPTI/lib64/libcupti.so.11.2");
    size_t wheel = place(trail, "/cuda/lib64/../../cuda_cupti/lib/libcupti.so.12");
    size_t loader = place(trail, "libcupti.so.13");
    size_t usual = place(trail, "/usr/local/cuda/extras/CUPTI/lib64/./libcupti.so.13");
    EXPECT_LT(last_loaded, beside);
    EXPECT_LT(beside, extras);
    EXPECT_LT(extras, wheel);
    EXPECT_LT(wheel, loader);
    EXPECT_LT(loader, usual);
#if defined(__aarch64__)
    size_t server = place(trail, "/usr/local/cuda/targets/sbsa-linux/lib/./libcupti.so.13");
    size_t jetson = place(trail, "/usr/local/cuda/targets/aarch64-linux/lib/./libcupti.so.12");
    EXPECT_LT(usual, server);
    EXPECT_LT(server, jetson);
#endif
}

TEST(Search, TriesSonamesFromTheNewestTo11_0)
{
    Trail trail = search({nullptr, nullptr, 0, false});
    const std::vector<std::string> expected = {
        "loaded:libcupti.so.13",   "loaded:libcupti.so.12",   "loaded:libcupti.so.11.8",
        "loaded:libcupti.so.11.7", "loaded:libcupti.so.11.6", "loaded:libcupti.so.11.5",
        "loaded:libcupti.so.11.4", "loaded:libcupti.so.11.3", "loaded:libcupti.so.11.2",
        "loaded:libcupti.so.11.1", "loaded:libcupti.so.11.0"};
    ASSERT_GE(trail.tried.size(), expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), trail.tried.begin()));
}

TEST(Search, AsksTheLoaderForNothingLoadedWhereNothingIs)
{
    Trail trail = search({nullptr, "/cuda/lib64", 0, true});
    ASSERT_FALSE(trail.tried.empty());
    EXPECT_EQ(trail.tried[0], "/cuda/lib64/./libcupti.so.13");
}

TEST(Search, LeavesOutWhatIsNewerThanTheDriver)
{
    for (const std::string &entry : search({nullptr, "/cuda/lib64", 12, false}).tried)
        EXPECT_EQ(entry.find("libcupti.so.13"), std::string::npos) << entry;
}

TEST(Search, FindsNoLibcudartInAProcessWithoutOne)
{
    char directory[LOADER_PATH_BYTES];
    EXPECT_FALSE(loader_cudart_dir(directory));
}

} // namespace
