// Summaries of what is recorded: what the walk through the logs makes of them.
#include "recorder_support.h"

#include <prof/prof.h>

extern "C" {
#include "config.h"
#include "labels.h"
#include "recorder.h"
#include "session.h"
#include "summary.h"
#include "thread.h"
}

#include <atomic>
#include <thread>
#include <vector>

namespace
{

struct Totals {
    uint64_t rows = 0, ranges = 0, rounds = 0;
    std::vector<prof_rec_summary_step> steps;
};

// The SUMMARY records of the file's META chunks.
Totals read_summaries()
{
    Totals totals;
    static uint64_t words[PROF_CHUNK_BYTES / 8];
    for (uint64_t chunk = 0; chunk < chunks_count(); chunk++) {
        prof_chunk_header header;
        EXPECT_TRUE(chunks_read(chunk, words, PROF_CHUNK_BYTES / 8));
        memcpy(&header, words, sizeof header);
        if (chunk && header.kind != PROF_CHUNK_META)
            continue;
        size_t at = (chunk ? PROF_CHUNK_HEADER_BYTES : PROF_FILE_HEADER_BYTES) / 8;
        for (size_t size; at < PROF_CHUNK_BYTES / 8 && words[at]; at += size) {
            size = PROF_WORD_SIZE(words[at]);
            if (PROF_WORD_TYPE(words[at]) == PROF_REC_SUMMARY_STEP)
                memcpy(&totals.steps.emplace_back(), words + at, sizeof totals.steps.back());
            if (PROF_WORD_TYPE(words[at]) != PROF_REC_SUMMARY)
                continue;
            prof_rec_summary summary;
            memcpy(&summary, words + at, sizeof summary);
            totals.rounds += summary.kind == PROF_SUMMARY_ROUND;
            if (summary.kind != PROF_SUMMARY_RANGE)
                continue;
            totals.rows++;
            totals.ranges += summary.count;
        }
    }
    return totals;
}

class Summary : public testing::Test
{
protected:
    void begin(const char *seconds)
    {
        static const collector *const none[] = {nullptr};
        setenv("PROF_SUMMARY", seconds, 1);
        config_load();
        EXPECT_TRUE(config_override((directory / "summary.prof").c_str(), 64, false));
        session_init(none, true);
        EXPECT_TRUE(session_ready());
    }
    // What comes before it is committed: nobody records meanwhile.
    Totals flush()
    {
        meta_clock_sample(false);
        summary_flush();
        return read_summaries();
    }
    TemporaryDirectory directory;
};

void range(const char *name)
{
    prof_range_push(name);
    prof_range_pop();
}

TEST_F(Summary, OffLeavesNothingInTheFile)
{
    IN_A_PROCESS_OF_ITS_OWN({
        begin("0");
        range("work");
        EXPECT_EQ(flush().rounds, 0u);
    });
}

TEST_F(Summary, CountsRangesOfAllThreadsAndGoesOnAfterAFlush)
{
    IN_A_PROCESS_OF_ITS_OWN({
        begin("86400");
        range("work");
        std::thread([] { range("work"); }).join();
        EXPECT_EQ(flush().ranges, 2u);
        range("work");
        Totals totals = flush();
        EXPECT_EQ(totals.ranges, 3u);
        EXPECT_EQ(totals.rounds, 2u);
    });
}

// A range of NVTX that one of prof.h's cuts goes on after it.
TEST_F(Summary, CountsARangeThatAnotherOneCutsOnce)
{
    IN_A_PROCESS_OF_ITS_OWN({
        begin("86400");
        prof_range_push("outer");
        labelled_name named;
        uint64_t begun;
        labelled_read(&named, "cut");
        labelled_record(LABELLED_PUSH, named.name, &begun);
        prof_range_pop();
        EXPECT_EQ(flush().ranges, 1u);
        EXPECT_TRUE(thread_event_fast(PROF_KIND_NVTX_POP, 0));
        EXPECT_EQ(flush().ranges, 2u);
    });
}

TEST_F(Summary, StepsLastUntilTheNextOneWhateverIsOpen)
{
    IN_A_PROCESS_OF_ITS_OWN({
        begin("86400");
        prof_range_push("around the first");
        prof_step();
        prof_range_push("across");
        prof_step();
        prof_range_pop();
        prof_range_pop();
        prof_step();
        Totals totals = flush();
        EXPECT_EQ(totals.ranges, 2u);
        ASSERT_EQ(totals.steps.size(), 2u);
        EXPECT_EQ(totals.steps[0].start_ns + totals.steps[0].duration_ns, totals.steps[1].start_ns);
        EXPECT_GT(totals.steps[0].duration_ns, 0u);
        EXPECT_GT(totals.steps[1].duration_ns, 0u);
    });
}

// The writer walks the logs while they are written.
TEST_F(Summary, MissesNothingThatIsRecordedMeanwhile)
{
    IN_A_PROCESS_OF_ITS_OWN({
        begin("86400");
        const unsigned ranges = 100000;
        std::atomic<bool> done{false};
        std::thread recording([&] {
            for (unsigned i = 0; i < ranges; i++)
                range("work");
            done = true;
        });
        while (!done) {
            meta_clock_sample(false);
            summary_tick();
        }
        recording.join();
        EXPECT_EQ(flush().ranges, ranges);
    });
}

// More names than the table has room for: it is written out more than once in a round.
TEST_F(Summary, KeepsEachNameOfMoreThanFit)
{
    IN_A_PROCESS_OF_ITS_OWN({
        begin("86400");
        const unsigned names = 9000;
        for (unsigned i = 0; i < names; i++)
            range(("name " + std::to_string(i)).c_str());
        Totals totals = flush();
        EXPECT_EQ(totals.ranges, names);
        EXPECT_EQ(totals.rows, names);
        EXPECT_EQ(totals.rounds, 1u);
    });
}

// A handler that jumps away out of a record leaves it reserved for ever.
TEST_F(Summary, PassesRecordsThatAreNeverStored)
{
    IN_A_PROCESS_OF_ITS_OWN({
        begin("86400");
        range("before");
        EXPECT_NE(thread_reserve(PROF_REC_COUNTER, 3), nullptr);
        range("after");
        EXPECT_EQ(flush().ranges, 2u);
    });
}

TEST_F(Summary, OfAForkedChildHasOnlyItsOwn)
{
    IN_A_PROCESS_OF_ITS_OWN({
        begin("86400");
        range("parent");
        range("parent");
        EXPECT_EQ(flush().ranges, 2u);
        IN_A_PROCESS_OF_ITS_OWN({
            session_fork_child();
            config_override((directory / "child.prof").c_str(), 64, false);
            range("child");
            EXPECT_EQ(flush().ranges, 1u);
        });
    });
}

} // namespace
