/* test_tables.cc - the sort and the hash tables under the timeline. */
#include "array.h"
#include "maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <vector>

TEST(Radix, SortsAsAStableSortDoes)
{
    std::mt19937_64 random(5);
    for (uint64_t mask :
         {UINT64_MAX, UINT64_C(0xff00), UINT64_C(0xff000000000000ff), UINT64_C(3)}) {
        std::vector<radix_item> items(5000);
        for (uint32_t i = 0; i < items.size(); i++)
            items[i] = {random() & mask, i};
        std::vector<radix_item> expected = items;
        std::stable_sort(expected.begin(), expected.end(),
                         [](const radix_item &a, const radix_item &b) { return a.key < b.key; });
        ASSERT_TRUE(radix_sort(items.data(), items.size()));
        for (uint32_t i = 0; i < items.size(); i++) {
            ASSERT_EQ(items[i].key, expected[i].key);
            ASSERT_EQ(items[i].value, expected[i].value);
        }
    }
}

TEST(Radix, AByteThatOnlyTwoOfManyKeysDifferInIsSorted)
{
    std::vector<radix_item> items = {{0x100, 0}, {0x001, 1}, {0x000, 2}, {0x000, 3}};
    ASSERT_TRUE(radix_sort(items.data(), items.size()));
    EXPECT_EQ(items[0].value, 2u);
    EXPECT_EQ(items[3].value, 0u);
}

TEST(Radix, KeysOfSignedTimesKeepTheirOrder)
{
    EXPECT_LT(radix_key(INT64_MIN), radix_key(-1));
    EXPECT_LT(radix_key(-1), radix_key(0));
    EXPECT_LT(radix_key(0), radix_key(INT64_MAX));
}

TEST(Radix, SortsNothing)
{
    EXPECT_TRUE(radix_sort(nullptr, 0));
}

TEST(Keymap, FindsWhatWasSetLast)
{
    keymap map = {};
    std::map<uint64_t, uint32_t> expected;
    std::mt19937_64 random(6);
    EXPECT_EQ(keymap_find(&map, 1), KEYMAP_NONE);
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t key = random() % 3000 << (i % 2 ? 40 : 0);
        ASSERT_TRUE(keymap_set(&map, key, i));
        expected[key] = i;
    }
    for (auto &pair : expected)
        ASSERT_EQ(keymap_find(&map, pair.first), pair.second);
    EXPECT_EQ(keymap_find(&map, UINT64_MAX), KEYMAP_NONE);
    keymap_fini(&map);
}

TEST(Idmap, FindsSmallAndLargeIds)
{
    idmap map = {};
    std::map<uint32_t, uint32_t> expected;
    std::mt19937 random(7);
    EXPECT_EQ(idmap_find(&map, 0), IDMAP_NONE);
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t id =
            i % 2 ? static_cast<uint32_t>(random()) : static_cast<uint32_t>(random() % 5000);
        ASSERT_TRUE(idmap_set(&map, id, i));
        expected[id] = i;
    }
    for (auto &pair : expected)
        ASSERT_EQ(idmap_find(&map, pair.first), pair.second);
    EXPECT_LE(map.direct_count, IDMAP_DIRECT_MAX) << "large ids cost no large table";
    idmap_fini(&map);
}

TEST(Idset, HasWhatWasAdded)
{
    idset set = {};
    std::set<uint64_t> expected;
    std::mt19937_64 random(8);
    EXPECT_FALSE(idset_has(&set, 0));
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t id = i % 2 ? i : random();
        ASSERT_TRUE(idset_add(&set, id));
        expected.insert(id);
    }
    for (uint64_t id = 0; id < 20000; id++)
        ASSERT_EQ(idset_has(&set, id), expected.count(id) == 1) << id;
    for (uint64_t id : expected)
        ASSERT_TRUE(idset_has(&set, id)) << id;
    idset_fini(&set);
}
