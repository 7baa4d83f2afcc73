// What of a timeline is drawn where, and how its boxes are run together.
#include "../stats/timeline_maker.h"

extern "C" {
#include "picture.h"
}

#include <gtest/gtest.h>

namespace
{

class Picture
{
public:
    Picture(const timeline *of, int64_t from_ns, int64_t to_ns, double width_px)
    {
        EXPECT_TRUE(picture_init(&all, of, from_ns, to_ns, width_px));
        EXPECT_TRUE(picture_boxes(&all, add, this));
    }
    ~Picture() { picture_fini(&all); }
    static void add(void *user, const picture_box *box)
    {
        static_cast<Picture *>(user)->boxes.push_back(*box);
    }
    uint64_t events() const
    {
        uint64_t count = 0;
        for (const picture_box &box : boxes)
            count += box.count;
        return count;
    }
    picture all{};
    std::vector<picture_box> boxes;
};

} // namespace

TEST(Picture, PutsBoxesWhereTimeAndDepthSay)
{
    TimelineMaker m;
    m.push("outer", 0);
    auto call = m.launch("cudaLaunchKernel", 100, 200);
    m.pop(1000);
    m.kernel("k", call, 500, 900);
    Picture p(m.done(), 0, 1000, 100);
    ASSERT_EQ(p.all.rows.count, 2u);
    EXPECT_EQ(p.all.rows.at[0].levels, 2u);
    EXPECT_EQ(p.all.rows.at[1].first_level, 2u);
    ASSERT_EQ(p.boxes.size(), 3u);
    EXPECT_EQ(p.boxes[0].kind, PICTURE_RANGE);
    EXPECT_DOUBLE_EQ(p.boxes[0].x1, 100);
    EXPECT_EQ(p.boxes[1].kind, PICTURE_CALL);
    EXPECT_EQ(p.boxes[1].level, 1u);
    EXPECT_DOUBLE_EQ(p.boxes[1].x0, 10);
    EXPECT_EQ(p.boxes[2].kind, PICTURE_KERNEL);
    EXPECT_DOUBLE_EQ(p.boxes[2].x0, 50);
    EXPECT_DOUBLE_EQ(p.boxes[2].x1, 90);
    ASSERT_EQ(p.all.arrows.count, 1u);
    EXPECT_EQ(p.all.arrows.at[0].slice, call);
}

TEST(Picture, RunsNarrowBoxesTogetherAndLosesNone)
{
    TimelineMaker m;
    for (int i = 0; i < 10000; i++)
        m.range("tiny", i * 10, i * 10 + 5);
    m.range("wide", 200000, 300000);
    Picture p(m.done(), 0, 300000, 300);
    EXPECT_EQ(p.events(), 10001u);
    EXPECT_LE(p.boxes.size(), 2u * 300u);
    EXPECT_EQ(p.boxes.back().kind, PICTURE_RANGE);
    for (const picture_box &box : p.boxes) {
        EXPECT_GE(box.x1 - box.x0, PICTURE_LEAST_PX - 1e-9);
        EXPECT_EQ(box.kind == PICTURE_MANY, box.count > 1);
    }
}

TEST(Picture, ShowsOfManyTheLongest)
{
    TimelineMaker m;
    for (int i = 0; i < 100; i++)
        m.range(i == 40 ? "longest" : "short", i * 10, i * 10 + (i == 40 ? 9 : 5));
    Picture p(m.done(), 0, 100000, 1000);
    ASSERT_EQ(p.boxes.size(), 1u);
    EXPECT_EQ(p.boxes[0].count, 100u);
    EXPECT_EQ(p.boxes[0].holds, PICTURE_RANGE);
    EXPECT_EQ(p.boxes[0].span_ns, 9);
    EXPECT_EQ(p.all.timeline->slices.at[p.boxes[0].index].start_ns, 400);
}

TEST(Picture, HasPhasesApartThatBoxesOfManyWouldHide)
{
    TimelineMaker m;
    for (int i = 0; i < 10000; i++)
        m.range(i < 5000 ? "a" : "b", i * 10, i * 10 + 9);
    Picture p(m.done(), 0, 100000, 1000);
    EXPECT_GE(p.boxes.size(), 1000 / PICTURE_MANY_PX);
    for (const picture_box &box : p.boxes)
        EXPECT_LE(box.x1 - box.x0, PICTURE_MANY_PX + PICTURE_LEAST_PX);
    EXPECT_EQ(p.events(), 10000u);
}

TEST(Picture, KeepsNarrowBoxesApartThatAreFarApart)
{
    TimelineMaker m;
    m.range("a", 0, 1);
    m.range("b", 500, 501);
    Picture p(m.done(), 0, 1000, 100);
    ASSERT_EQ(p.boxes.size(), 2u);
    EXPECT_EQ(p.boxes[0].kind, PICTURE_RANGE);
}

TEST(Picture, ShowsOnlyTheWindow)
{
    TimelineMaker m;
    m.range("before", 0, 99);
    m.range("across", 100, 250);
    m.range("inside", 260, 270);
    m.range("after", 400, 500);
    Picture p(m.done(), 200, 300, 100);
    ASSERT_EQ(p.boxes.size(), 2u);
    EXPECT_DOUBLE_EQ(p.boxes[0].x0, 0);
    EXPECT_DOUBLE_EQ(p.boxes[0].x1, 50);
}

TEST(Picture, CountsWhatLiesTooDeepAndRowsWithoutRoom)
{
    TimelineMaker m;
    for (unsigned i = 0; i < PICTURE_LEVELS_MAX + 3; i++)
        m.push("deep", i);
    for (unsigned i = 0; i < PICTURE_LEVELS_MAX + 3; i++)
        m.pop(1000);
    for (unsigned i = 0; i < PICTURE_ROWS_MAX + 1; i++) {
        m.thread(200 + i);
        m.range("short", 0, 10);
    }
    Picture p(m.done(), 0, 1000, 100);
    EXPECT_EQ(p.all.rows.at[0].levels, PICTURE_LEVELS_MAX);
    EXPECT_EQ(p.all.deep, 3u);
    EXPECT_EQ(p.all.rows.count, PICTURE_ROWS_MAX);
    EXPECT_EQ(p.all.threads_left, 2u);
}

TEST(Picture, DrawsTheArrowsOfTheLongestOperations)
{
    TimelineMaker m;
    for (int i = 0; i < 1000; i++)
        m.kernel("k", m.launch("cudaLaunchKernel", i * 1000, i * 1000 + 10), i * 1000 + 20,
                 i * 1000 + 30 + i * 7 % 1000 % 900);
    Picture p(m.done(), 0, 1000000, 1000);
    ASSERT_EQ(p.all.arrows.count, PICTURE_ARROWS_MAX);
    int64_t least = p.all.arrows.at[PICTURE_ARROWS_MAX - 1].weight_ns;
    uint32_t longer = 0;
    for (uint32_t i = 0; i < p.all.timeline->gpus.count; i++)
        longer += p.all.timeline->gpus.at[i].end_ns - p.all.timeline->gpus.at[i].start_ns > least;
    EXPECT_LT(longer, PICTURE_ARROWS_MAX);
}

TEST(Picture, OfNothingIsEmpty)
{
    TimelineMaker m;
    Picture p(m.done(), 0, 1, 100);
    EXPECT_EQ(p.all.rows.count, 0u);
    EXPECT_TRUE(p.boxes.empty());
}
