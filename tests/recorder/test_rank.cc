// The process's place in a parallel job.
#include "recorder_support.h"

extern "C" {
#include "environment.h"
}

namespace
{

struct Launcher {
    const char *rank, *local_rank, *world_size;
};

// In the order in which they count.
const Launcher launchers[] = {
    {"RANK", "LOCAL_RANK", "WORLD_SIZE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE"},
    {"PMIX_RANK", nullptr, nullptr},
    {"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},
    {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS"},
    {"FLUX_TASK_RANK", nullptr, nullptr},
};

class Rank : public testing::Test
{
protected:
    void SetUp() override
    {
        for (const Launcher &launcher : launchers)
            for (const char *name : {launcher.rank, launcher.local_rank, launcher.world_size})
                if (name)
                    unsetenv(name);
    }
    rank read()
    {
        rank result;
        rank_read(&result);
        return result;
    }
};

TEST_F(Rank, IsUnknownOutsideOfAJob)
{
    rank r = read();
    EXPECT_EQ(r.rank, -1);
    EXPECT_EQ(r.local_rank, -1);
    EXPECT_EQ(r.world_size, -1);
    EXPECT_STREQ(r.source, "");
}

TEST_F(Rank, IsReadFromEveryLauncher)
{
    for (const Launcher &launcher : launchers) {
        SetUp();
        setenv(launcher.rank, "7", 1);
        if (launcher.local_rank) {
            setenv(launcher.local_rank, "3", 1);
            setenv(launcher.world_size, "16", 1);
        }
        rank r = read();
        EXPECT_EQ(r.rank, 7) << launcher.rank;
        EXPECT_STREQ(r.source, launcher.rank);
        if (launcher.local_rank) {
            EXPECT_EQ(r.local_rank, 3) << launcher.rank;
            EXPECT_EQ(r.world_size, 16) << launcher.rank;
        }
    }
}

TEST_F(Rank, ComesFromTheInnermostLauncher)
{
    size_t count = sizeof launchers / sizeof *launchers;
    for (size_t i = count; i-- > 0;) {
        setenv(launchers[i].rank, std::to_string(i).c_str(), 1);
        EXPECT_EQ(read().rank, (int32_t)i)
            << launchers[i].rank << " comes before what is set so far";
    }
}

TEST_F(Rank, IsNotGuessedFromNonsense)
{
    for (const char *text : {"", "x", "3x", "-2", "99999999999", " ", "0x3", "1 "}) {
        setenv("RANK", text, 1);
        EXPECT_EQ(read().rank, -1) << "RANK='" << text << "'";
        EXPECT_STREQ(read().source, "");
    }
}

TEST_F(Rank, FallsThroughABadVariableToTheNextLauncher)
{
    setenv("RANK", "none", 1);
    setenv("SLURM_PROCID", "5", 1);
    EXPECT_EQ(read().rank, 5);
    EXPECT_STREQ(read().source, "SLURM_PROCID");
}

TEST_F(Rank, BelongsToAJobThatBothLaunchersRestart)
{
    const char *const names[] = {"SLURM_JOB_ID", "SLURM_RESTART_COUNT", "TORCHELASTIC_RUN_ID",
                                 "TORCHELASTIC_RESTART_COUNT"};
    char text[JOB_TEXT_BYTES];
    for (const char *name : names)
        unsetenv(name);
    EXPECT_FALSE(job_read(text, sizeof text));
    setenv("TORCHELASTIC_RUN_ID", "train", 1);
    setenv("TORCHELASTIC_RESTART_COUNT", "0", 1);
    EXPECT_TRUE(job_read(text, sizeof text));
    EXPECT_STREQ(text, "train restart 0");
    setenv("SLURM_JOB_ID", "4242", 1);
    setenv("SLURM_RESTART_COUNT", "1", 1);
    EXPECT_TRUE(job_read(text, sizeof text));
    EXPECT_STREQ(text, "4242 requeue 1 restart 0");
    for (const char *name : names)
        unsetenv(name);
}

} // namespace
