// Which rows of two runs are the same thing.
#include "diff_fixture.h"

namespace
{

const std::vector<int64_t> ten = around(10000, 10);

// Kernels of these names, each in a range called like the second.
using Names = std::vector<std::pair<std::string, std::string>>;

std::string renamed(const Names &before, const Names &after, bool match = true)
{
    MadeRun left, right;
    for (auto &[name, range] : before)
        left.within(range, name, ten);
    for (auto &[name, range] : after)
        right.within(range, name, ten);
    diff_options options = Diff::defaults();
    options.match = match;
    return Diff(left, right, options).renamed();
}

} // namespace

TEST(DiffMatch, KernelsOfOneNameAreOneRow)
{
    EXPECT_EQ(renamed({{"a_128", "r"}, {"a_64", "r"}}, {{"a_64", "r"}, {"a_128", "s"}}), "");
}

TEST(DiffMatch, AnotherTileSizeIsTheSameKernel)
{
    EXPECT_EQ(renamed({{"sgemm_128x64_nn", "r"}}, {{"sgemm_64x32_nn", "r"}}),
              "sgemm_128x64_nn->sgemm_64x32_nn");
    EXPECT_EQ(renamed({{"sgemm_128x64_nn", "r"}}, {{"sgemm_64x32_nn", "elsewhere"}}),
              "sgemm_128x64_nn->sgemm_64x32_nn");
    EXPECT_EQ(renamed({{"sgemm_128x64_nn", "r"}}, {{"sgemm_64x32_nt", "r"}}), "");
}

TEST(DiffMatch, OtherTemplateArgumentsInTheSameRangeAreTheSameKernel)
{
    EXPECT_EQ(renamed({{"void f<A>(int)", "r"}}, {{"void f<B, C>(int, int)", "r"}}),
              "void f<A>(int)->void f<B, C>(int, int)");
    EXPECT_EQ(renamed({{"void f<Add>(int)", "add"}}, {{"void f<Mul>(int)", "mul"}}), "");
}

TEST(DiffMatch, WhatBothRunsHaveIsNeverPairedWithAnother)
{
    EXPECT_EQ(renamed({{"k_1", "r"}, {"k_2", "r"}}, {{"k_2", "r"}}), "");
    EXPECT_EQ(renamed({{"k_1", "r"}, {"k_2", "r"}}, {{"k_2", "r"}, {"k_3", "r"}}), "k_1->k_3");
}

TEST(DiffMatch, TheRangeDecidesBetweenKernelsThatLookAlike)
{
    EXPECT_EQ(renamed({{"k_1", "a"}, {"k_2", "b"}}, {{"k_3", "b"}, {"k_4", "a"}}),
              "k_1->k_4?, k_2->k_3?");
}

TEST(DiffMatch, TotalsDecideWhereRangesDoNot)
{
    MadeRun left, right;
    left.within("r", "k_1", around(1000, 10));
    left.within("r", "k_2", around(9000, 10));
    right.within("r", "k_3", around(9500, 10));
    right.within("r", "k_4", around(1100, 10));
    EXPECT_EQ(Diff(left, right).renamed(), "k_1->k_4?, k_2->k_3?");
}

TEST(DiffMatch, MoreOnOneSideLeavesTheRestAlone)
{
    MadeRun left, right;
    left.within("r", "k_1", around(1000, 10));
    left.within("r", "k_2", around(9000, 10));
    right.within("r", "k_3", around(9500, 10));
    Diff diff(left, right);
    EXPECT_EQ(diff.renamed(), "k_2->k_3?");
    EXPECT_EQ(diff.kernel("k_1").time.verdict, DIFF_GONE);
}

TEST(DiffMatch, TheCloserLookComesFirst)
{
    // f<1>(half) differs from f<2>(half) in a number, from f<1>(float) in a type.
    EXPECT_EQ(renamed({{"f<1>(half)", "r"}}, {{"f<1>(float)", "r"}, {"f<2>(half)", "r"}}),
              "f<1>(half)->f<2>(half)");
}

TEST(DiffMatch, CanBeSwitchedOff)
{
    EXPECT_EQ(renamed({{"k_1", "r"}}, {{"k_2", "r"}}, false), "");
}

TEST(DiffMatch, ManyKernelsThatLookAlikeArePairedInGoodTime)
{
    MadeRun left, right;
    for (int i = 0; i < 3000; i++) {
        left.within("r", "k_" + std::to_string(2 * i), {1000 + i});
        right.within("r", "k_" + std::to_string(2 * i + 1), {1000 + i});
    }
    Diff diff(left, right);
    EXPECT_EQ(diff.made.tables[DIFF_BY_KERNEL].renamed, 3000u);
    EXPECT_EQ(diff.made.tables[DIFF_BY_KERNEL].ambiguous, 3000u);
    EXPECT_EQ(diff.name(diff.kernel("k_20"), 1), "k_21");
}

TEST(DiffMatch, PathsAreMatchedByAllTheirNames)
{
    MadeRun left, right;
    for (MadeRun *run : {&left, &right}) {
        bool is_right = run == &right;
        run->push("outer", 0);
        run->range("inner", 10, 20);
        run->pop(100);
        run->push(is_right ? "other" : "outer", 200);
        run->range(is_right ? "inner" : "more", 210, 220);
        run->pop(300);
    }
    Diff diff(left, right);
    const diff_table &paths = diff.made.tables[DIFF_BY_PATH];
    std::string all;
    for (uint32_t i = 0; i < paths.rows.count; i++) {
        const diff_row &row = paths.rows.at[i];
        all += diff.name(row, 0) + "/" + diff.name(row, 1) + " ";
    }
    // outer -100, other +100, outer > more -10, other > inner +10, outer > inner 0
    EXPECT_EQ(all, "outer/outer /other more/ /inner inner/inner ");
}

TEST(DiffMatch, ARangeAndAKernelOfOneNameAreTwo)
{
    MadeRun left, right;
    left.ranges("both", ten);
    right.within("r", "both", ten);
    Diff diff(left, right);
    EXPECT_TRUE(diff.made.nothing_in_common);
}
