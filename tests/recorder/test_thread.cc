// A thread's log: slots, chunks, and what a fork in a signal handler leaves to do.
#include "recorder_support.h"
#include "test_point.h"

extern "C" {
#include "config.h"
#include "loss.h"
#include "recorder.h"
#include "session.h"
#include "thread.h"
}
#define PROF_LINKED 1
#include "prof/prof.h"

namespace
{

const int chunk_of_marks = PROF_CHUNK_BYTES / 8;

class Thread : public testing::Test
{
protected:
    void init(uint64_t max_mib = 16, bool ring = false)
    {
        ASSERT_TRUE(config_override((directory / "%p.prof").c_str(), max_mib, ring));
        session_init(nullptr, true);
        ASSERT_TRUE(session_ready());
    }
    static void record(int events)
    {
        for (int i = 0; i < events; i++)
            prof_mark("mark");
    }
    // How many marks the process's file holds. Each LOG chunk is where it says and follows another one of its log.
    static uint64_t marks_in_file()
    {
        std::string bytes(file_size(session_path()), '\0');
        std::ifstream(session_path(), std::ios::binary)
            .read(bytes.data(), (std::streamsize)bytes.size());
        uint64_t marks = 0;
        std::map<uint32_t, uint64_t> next;
        for (uint64_t chunk = 1; chunk < bytes.size() / PROF_CHUNK_BYTES; chunk++) {
            const auto *header =
                (const prof_chunk_header *)(bytes.data() + chunk * PROF_CHUNK_BYTES);
            if (header->magic != PROF_CHUNK_MAGIC || header->kind != PROF_CHUNK_LOG)
                continue;
            EXPECT_EQ(header->index, chunk);
            EXPECT_EQ(header->sequence, next[header->log]++);
            marks += marks_in_chunk((const uint64_t *)header);
        }
        return marks;
    }
    TemporaryDirectory directory;

private:
    static uint64_t marks_in_chunk(const uint64_t *chunk)
    {
        uint64_t marks = 0;
        for (size_t i = PROF_CHUNK_HEADER_BYTES / 8, words; i < PROF_CHUNK_BYTES / 8; i += words) {
            bool sized = PROF_WORD_KIND(chunk[i]) == PROF_KIND_EXT ||
                         PROF_WORD_KIND(chunk[i]) == PROF_KIND_HOLE;
            words = sized ? PROF_WORD_SIZE(chunk[i]) : 1;
            marks += PROF_WORD_KIND(chunk[i]) == PROF_KIND_MARK ||
                     (PROF_WORD_KIND(chunk[i]) == PROF_KIND_EXT &&
                      PROF_WORD_TYPE(chunk[i]) == PROF_REC_MARK_WIDE); // a million names are known
        }
        return marks;
    }
};

// The kernel wipes it in children behind libc's back: whole pages only, of up to 64 KiB on aarch64.
TEST_F(Thread, PageIsWholePages)
{
    EXPECT_EQ((uintptr_t)&thread_page % (uintptr_t)sysconf(_SC_PAGESIZE), 0u);
    EXPECT_EQ(sizeof thread_page % (size_t)sysconf(_SC_PAGESIZE), 0u);
}

// What a handler that interrupts an event at the test point does: fork. The child records `in_handler` marks there, then
// the interrupted one goes on in both.
struct Fork {
    const char *point;
    int in_handler;
};

class ThreadForkedAt : public Thread, public testing::WithParamInterface<Fork>
{
};

TEST_P(ThreadForkedAt, RecordsOnInBothProcesses)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        record(10);
        pid_t child = -1;
        AtTestPoint handler(GetParam().point, [&] {
            child = fork();
            if (child == 0) {
                alarm(60);
                session_fork_child();
                record(GetParam().in_handler);
            }
        });
        record(3 * chunk_of_marks);
        ASSERT_NE(child, -1) << "the point was passed";
        uint64_t recorded = 10 + 3 * chunk_of_marks;
        uint64_t lost = loss_get(PROF_LOSS_FULL) + loss_get(PROF_LOSS_IO) +
                        loss_get(PROF_LOSS_LATE) + loss_get(PROF_LOSS_NAMES);
        session_finish();
        if (child == 0) {
            EXPECT_EQ(lost, 0u);
            EXPECT_GT(marks_in_file(), chunk_of_marks + (uint64_t)GetParam().in_handler);
            fflush(nullptr);
            _exit(testing::Test::HasFailure());
        }
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0) << "of the child";
        EXPECT_EQ(lost, 0u);
        EXPECT_EQ(marks_in_file(), recorded);
    });
}

INSTANTIATE_TEST_SUITE_P(Handler, ThreadForkedAt,
                         testing::Values(Fork{"thread_slow: done", 0},
                                         Fork{"thread_slow: done", 2 * chunk_of_marks},
                                         Fork{"thread_next_chunk: begun", 0},
                                         Fork{"thread_next_chunk: begun", 2 * chunk_of_marks},
                                         Fork{"chunks_claim: undecided", 0},
                                         Fork{"chunks_claim: undecided", 2 * chunk_of_marks},
                                         Fork{"chunks_memory: looks", 0},
                                         Fork{"chunks_memory: looks", 2 * chunk_of_marks},
                                         Fork{"thread_next_chunk: claimed", 0},
                                         Fork{"thread_next_chunk: claimed", 2 * chunk_of_marks},
                                         Fork{"thread_next_chunk: filled", 0},
                                         Fork{"thread_next_chunk: filled", 2 * chunk_of_marks}));

} // namespace
