// A thread's log: slots, chunks, and what a fork in a signal handler leaves to do.
#include "log_pieces.h"
#include "recorder_support.h"
#include "test_point.h"

extern "C" {
#include "config.h"
#include "meta.h"
#include "recorder.h"
#include "session.h"
#include "thread.h"
}
#define PROF_LINKED 1
#include "prof/prof.h"

#include <atomic>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

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
    // How many marks the process's file holds. Each piece of a log follows another one of it.
    static uint64_t marks_in_file()
    {
        uint64_t marks = 0;
        std::map<uint32_t, std::set<uint64_t>> sequences;
        for (const log_piece &piece : log_pieces(session_path())) {
            EXPECT_TRUE(sequences[piece.log].insert(piece.sequence).second);
            each_record(piece.words, [&](const uint64_t *record, size_t) {
                marks +=
                    PROF_WORD_KIND(*record) == PROF_KIND_MARK ||
                    (PROF_WORD_KIND(*record) == PROF_KIND_EXT &&
                     PROF_WORD_TYPE(*record) == PROF_REC_MARK_WIDE); // a million names are known
            });
        }
        for (const auto &[log, found] : sequences)
            EXPECT_EQ(*found.rbegin() - *found.begin(), found.size() - 1) << "of log " << log;
        return marks;
    }
    // The ids of the names that the process's file states.
    static std::set<uint32_t> names_in_file()
    {
        std::set<uint32_t> names;
        std::vector<uint64_t> words(PROF_CHUNK_BYTES / 8);
        std::ifstream file(session_path(), std::ios::binary);
        for (bool first = true; file.read((char *)words.data(), PROF_CHUNK_BYTES); first = false) {
            prof_chunk_header header;
            memcpy(&header, words.data(), sizeof header);
            size_t skip = first ? PROF_FILE_HEADER_BYTES : sizeof header;
            if (first || (header.magic == PROF_CHUNK_MAGIC && header.kind == PROF_CHUNK_META))
                each_record({words.begin() + (long)skip / 8, words.end()},
                            [&](const uint64_t *record, size_t) {
                                if (PROF_WORD_TYPE(*record) == PROF_REC_NAME)
                                    names.insert(((const prof_rec_name *)record)->id);
                            });
        }
        return names;
    }
    static uint64_t marks_without_a_name()
    {
        uint64_t marks = 0;
        const std::set<uint32_t> names = names_in_file();
        for (const log_piece &piece : log_pieces(session_path()))
            each_record(piece.words, [&](const uint64_t *record, size_t) {
                if (PROF_WORD_KIND(*record) == PROF_KIND_MARK)
                    marks += !names.count(PROF_WORD_NAME(*record));
            });
        return marks;
    }
    TemporaryDirectory directory;
};

// A million short threads share a few chunks.
TEST_F(Thread, InheritsTheSlotAndTheChunkOfOneThatEnded)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        std::set<std::pair<uint32_t, uint64_t>> chunks;
        std::set<uint32_t> indices;
        for (int i = 0; i < 50; i++)
            std::thread([&] {
                record(1);
                chunks.insert({thread_self.slot->log, thread_chunk_of(thread_self.cursor)->index});
                indices.insert(thread_self.slot->thread);
            }).join();
        EXPECT_EQ(chunks.size(), 1u);
        EXPECT_EQ(indices.size(), 50u) << "each is told from the others";
        session_finish();
        EXPECT_EQ(marks_in_file(), 50u);
    });
}

TEST_F(Thread, HasALogOfItsOwnWhileItLives)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        const int count = 16;
        std::atomic<int> there{0};
        std::mutex mutex;
        std::set<uint32_t> logs;
        std::vector<std::thread> threads;
        for (int i = 0; i < count; i++)
            threads.emplace_back([&] {
                record(1);
                {
                    std::lock_guard<std::mutex> lock(mutex);
                    logs.insert(thread_self.slot->log);
                }
                for (there++; there < count;)
                    std::this_thread::yield();
                record(10);
            });
        for (std::thread &thread : threads)
            thread.join();
        EXPECT_EQ(logs.size(), (size_t)count);
        session_finish();
        EXPECT_EQ(marks_in_file(), 11u * count);
    });
}

// What threads without a slot do is counted; the slot of one that ends serves the next.
TEST_F(Thread, WithoutASlotIsCountedUntilOneIsFree)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_TRUE(thread_init(2 * sizeof(thread_slot)));
        init();
        record(1);
        for (int i = 0; i < 3; i++)
            std::thread([] {
                record(1);
                EXPECT_TRUE(thread_self.attached);
                std::thread([] {
                    record(3);
                    EXPECT_FALSE(thread_self.attached);
                }).join();
            }).join();
        EXPECT_EQ(loss_get(PROF_LOSS_THREADS), 9u);
        session_finish();
        EXPECT_EQ(marks_in_file(), 4u);
    });
}

TEST_F(Thread, StatesEachEpochItRecordsIn)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init();
        record(1);
        const prof_chunk_header *chunk = thread_chunk_of(thread_self.cursor);
        EXPECT_EQ(chunk->epoch, 1u);
        for (int i = 0; i < 2; i++) {
            session_stop();
            record(1); // not recorded
            session_start();
        }
        const uint64_t *before = thread_self.cursor;
        record(2);
        EXPECT_EQ(PROF_WORD_TYPE(before[0]), (unsigned)PROF_REC_EPOCH);
        EXPECT_EQ(before[1], 3u) << "nothing was recorded in the second";
        EXPECT_EQ(thread_self.cursor, before + 4);
        session_finish();
        EXPECT_EQ(marks_in_file(), 3u);
    });
}

TEST_F(Thread, CountsExactlyWhatDoesNotFitTheFile)
{
    for (bool ring : {false, true})
        IN_A_PROCESS_OF_ITS_OWN({
            init(2, ring);
            const uint64_t each = 60 * chunk_of_marks;
            std::thread(record, (int)each).join();
            record((int)each);
            uint64_t lost = loss_get(PROF_LOSS_FULL);
            session_finish();
            if (ring)
                EXPECT_EQ(lost, 0u);
            else
                EXPECT_EQ(marks_in_file() + lost, 2 * each);
        });
}

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

// A name is stated in a child's file when the child uses it, but this one was looked up before the fork.
TEST_F(Thread, StatesTheNameOfAnEventThatWasInterruptedByAFork)
{
    for (int in_handler : {0, 1})
        IN_A_PROCESS_OF_ITS_OWN({
            init();
            pid_t child = -1;
            AtTestPoint handler("thread_event: begun", [&] {
                child = fork();
                if (child == 0) {
                    session_fork_child();
                    if (in_handler)
                        prof_range_push("in the handler");
                }
            });
            prof_mark("interrupted");
            ASSERT_NE(child, -1) << "the point was passed";
            session_finish();
            if (child == 0) {
                EXPECT_EQ(marks_in_file(), 1u);
                EXPECT_EQ(marks_without_a_name(), 0u);
                fflush(nullptr);
                _exit(testing::Test::HasFailure());
            }
            int status = -1;
            waitpid(child, &status, 0);
            EXPECT_EQ(status, 0) << "of the child";
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
