// Builds with checks find what is deliberately damaged, and end the process there.
#include "recorder_support.h"

#include <csignal>
#include <thread>

extern "C" {
#include "config.h"
#include "recorder.h"
#include "session.h"
#include "thread.h"
}
#define PROF_LINKED 1
#include "prof/prof.h"

namespace
{

class Invariants : public testing::Test
{
protected:
    // What the process says in which the damage is done and found.
    template <typename Damage>
    std::string broken_by(Damage &&damage, bool ring = false)
    {
        return stderr_of([&] {
            int status = status_of_a_process([&] {
                signal(SIGABRT, SIG_DFL);
                config_override((directory / "%p.prof").c_str(), 2, ring);
                session_init(nullptr, true);
                record();
                damage();
            });
            EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << "status " << status;
        });
    }
    static void record()
    {
        for (unsigned i = 0; i < 3 * PROF_CHUNK_BYTES / 8; i++)
            prof_mark("mark");
    }
    static prof_chunk_header *current_chunk()
    {
        return (prof_chunk_header *)thread_chunk_of(thread_self.cursor);
    }
    TemporaryDirectory directory;
};

TEST_F(Invariants, OfALogThatHasAnothersChunk)
{
    std::string said = broken_by([] {
        current_chunk()->log++;
        record();
    });
    EXPECT_NE(said.find("broken invariant"), std::string::npos) << said;
    EXPECT_NE(said.find("log"), std::string::npos) << said;
}

TEST_F(Invariants, OfALogWhoseCursorIsInAHeader)
{
    std::string said = broken_by([] {
        thread_self.cursor = (uint64_t *)current_chunk() + 1;
        thread_slow(&thread_self, PROF_RECORD_WORDS_MAX * 2, false);
    });
    EXPECT_NE(said.find("PROF_CHUNK_HEADER_BYTES"), std::string::npos) << said;
}

TEST_F(Invariants, OfAFreeSlotThatSomebodyHas)
{
    std::string said = broken_by([] {
        thread_slot *slot = nullptr;
        std::thread([&] {
            record();
            slot = thread_self.slot;
        }).join();
        slot->tid = 1;
        std::thread(record).join();
    });
    EXPECT_NE(said.find("tid"), std::string::npos) << said;
}

TEST_F(Invariants, OfARingThatHasAChunkOfNames)
{
    std::string said = broken_by(
        [] {
            for (uint64_t chunk = 1; chunk < chunks_count(); chunk++)
                ((prof_chunk_header *)chunks_memory(chunk))->kind = PROF_CHUNK_META;
            for (int i = 0; i < 40; i++)
                std::thread(record).join();
        },
        true);
    EXPECT_NE(said.find("kind"), std::string::npos) << said;
}

TEST_F(Invariants, OfAResumptionWithoutASuspension)
{
    std::string said = broken_by([] { chunks_resume(); });
    EXPECT_NE(said.find("suspensions"), std::string::npos) << said;
}

} // namespace
