// What the trace file is called.
#include "recorder_support.h"

extern "C" {
#include "output.h"
}

namespace
{

const output_facts facts = {"trainer", "node7", 4711, 3, 2};

std::string expanded(const char *pattern, const output_facts &f = facts)
{
    char path[4096];
    return output_expand(pattern, &f, path, sizeof path) ? path : "(refused)";
}

TEST(OutputPattern, ExpandsEveryEscape)
{
    setenv("RECORDER_TEST", "job", 1);
    EXPECT_EQ(expanded("%e-%h-%p-%r-%n-%q{RECORDER_TEST}-%%.prof"),
              "trainer-node7-4711-3-2-job-%.prof");
}

TEST(OutputPattern, TakesRankZeroOutsideOfAJob)
{
    output_facts alone = facts;
    alone.rank = -1;
    EXPECT_EQ(expanded("r%r", alone), "r0");
}

TEST(OutputPattern, KeepsTextWithoutEscapes)
{
    EXPECT_EQ(expanded("/data/run.prof"), "/data/run.prof");
}

TEST(OutputPattern, NeutralisesSlashesInWhatEscapesStandFor)
{
    setenv("RECORDER_TEST", "../../etc/passwd", 1);
    output_facts hostile = {"../e", "h/h", 1, 0, 1};
    EXPECT_EQ(expanded("/out/%q{RECORDER_TEST}", hostile), "/out/.._.._etc_passwd");
    EXPECT_EQ(expanded("/out/%e%h", hostile), "/out/.._eh_h");
}

TEST(OutputPattern, KeepsAnUnknownEscapeAsItStands)
{
    EXPECT_EQ(expanded("a%zb"), "a%zb");
    EXPECT_EQ(expanded("a%"), "a%");
    EXPECT_EQ(expanded("%q"), "%q");
    EXPECT_EQ(expanded("%q{RECORDER_TEST"), "%q{RECORDER_TEST");
}

TEST(OutputPattern, TakesAnUnsetVariableAsEmpty)
{
    unsetenv("RECORDER_TEST");
    EXPECT_EQ(expanded("a%q{RECORDER_TEST}b"), "ab");
}

TEST(OutputPattern, RefusesWhatDoesNotFit)
{
    char path[8];
    EXPECT_TRUE(output_expand("1234567", &facts, path, sizeof path));
    EXPECT_FALSE(output_expand("12345678", &facts, path, sizeof path));
    EXPECT_FALSE(output_expand("%e%e", &facts, path, sizeof path));
    EXPECT_LT(strlen(path), sizeof path) << "cut, yet terminated";
}

TEST(OutputPattern, RefusesAnEmptyName)
{
    unsetenv("RECORDER_TEST");
    EXPECT_EQ(expanded(""), "(refused)");
    EXPECT_EQ(expanded("%q{RECORDER_TEST}"), "(refused)");
}

TEST(OutputPattern, ShowsTheRankOnlyInAParallelJob)
{
    output_facts alone = facts, job = facts;
    alone.rank = -1;
    job.rank = 12;
    EXPECT_EQ(expanded("run%R-%p.prof", alone), "run-4711.prof");
    EXPECT_EQ(expanded("run%R-%p.prof", job), "run-rank12-4711.prof");
}

TEST(OutputPattern, KnowsWhetherItDependsOnTheNumber)
{
    EXPECT_TRUE(output_has_number("run%n"));
    EXPECT_FALSE(output_has_number("run%%n"));
    EXPECT_FALSE(output_has_number("run%"));
}

std::string beside(const char *path, unsigned attempt)
{
    char other[256];
    return output_beside(path, 77, attempt, other, sizeof other) ? other : "(refused)";
}

TEST(OutputBeside, PutsTheProcessBeforeTheExtension)
{
    EXPECT_EQ(beside("/d/run.prof", 1), "/d/run-77.prof");
    EXPECT_EQ(beside("/d/run.prof", 2), "/d/run-77-2.prof");
}

TEST(OutputBeside, TakesOnlyTheLastNamesDotsForAnExtension)
{
    EXPECT_EQ(beside("/d.x/run", 1), "/d.x/run-77");
    EXPECT_EQ(beside("/d/.hidden", 1), "/d/.hidden-77");
    EXPECT_EQ(beside("run.a.b", 3), "run.a-77-3.b");
}

TEST(OutputBeside, RefusesWhatDoesNotFit)
{
    char other[12];
    EXPECT_FALSE(output_beside("/d/run.prof", 77, 1, other, sizeof other));
}

} // namespace
