// Where the file system has no shared mappings, chunks are anonymous memory that is copied to the file.
#include "faulty_calls.h"
#include "recorder_support.h"
#include "test_point.h"

extern "C" {
#include "chunks.h"
#include "config.h"
#include "recorder.h"
#include "session.h"
#include "thread.h"
}
#define PROF_LINKED 1
#include "prof/prof.h"

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <thread>
#include <vector>

namespace
{

class Copies : public testing::Test
{
protected:
    // As at load on such a file system, in a process of its own.
    void init(uint64_t max_mib, bool ring)
    {
        faulty_calls.no_shared_mappings = true;
        ASSERT_TRUE(config_override((directory / "trace.prof").c_str(), max_mib, ring));
        session_init(nullptr, true);
        ASSERT_TRUE(session_ready());
        ASSERT_FALSE(maps_file(directory.path));
    }
    // Names are stated along the way, events cross chunks.
    static void record(int events)
    {
        for (int i = 0; i < events; i++)
            prof_mark(i % 100 ? "often" : std::to_string(i).c_str());
    }
    // That each chunk in use, or of logs, is in the file as it is in memory.
    void expect_file_equals_memory(const char *when, bool logs_only = false)
    {
        std::string path = directory / "trace.prof";
        std::ifstream file(path, std::ios::binary);
        std::string bytes(file_size(path), '\0');
        file.read(bytes.data(), (std::streamsize)bytes.size());
        const auto *memory = (const char *)chunks_first();
        ASSERT_GE(bytes.size(), chunks_first()->chunk_count * PROF_CHUNK_BYTES) << when;
        for (uint64_t chunk = 0; chunk < chunks_first()->chunk_count; chunk++) {
            const auto *header = (const prof_chunk_header *)(memory + chunk * PROF_CHUNK_BYTES);
            if (logs_only && (!chunk || header->kind != PROF_CHUNK_LOG))
                continue;
            ASSERT_EQ(memcmp(bytes.data() + chunk * PROF_CHUNK_BYTES,
                             memory + chunk * PROF_CHUNK_BYTES, PROF_CHUNK_BYTES),
                      0)
                << when << ", chunk " << chunk;
        }
    }
    TemporaryDirectory directory;
};

TEST_F(Copies, HoldWhatTheMemoryHolds)
{
    for (bool ring : {false, true})
        IN_A_PROCESS_OF_ITS_OWN({
            init(ring ? 2 : 64, ring);
            for (int round = 0; round < 40; round++) {
                record(1000 * round); // a part of a chunk, or several
                session_flush(1000);
                expect_file_equals_memory("while recording goes on", true);
            }
            record(10);
            session_finish();
            EXPECT_GE(chunks_first()->chunk_count, 30u);
            expect_file_equals_memory("at the end");
            unlink((directory / "trace.prof").c_str());
        });
}

// Ten times a second, for hours.
TEST_F(Copies, AreMadeOfWhatChangedOnly)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init(64, false);
        record(100 * 8192);
        session_flush(1000);
        uint64_t whole = chunks_first()->chunk_count * PROF_CHUNK_BYTES;
        ASSERT_GE(whole, 100u * PROF_CHUNK_BYTES);
        uint64_t before = faulty_calls.bytes_written;
        for (int i = 0; i < 100; i++) {
            record(10);
            session_flush(1000);
        }
        EXPECT_LT(faulty_calls.bytes_written - before, whole) << "in a hundred copies";
        session_finish();
        EXPECT_LT(faulty_calls.bytes_written - before, whole);
    });
}

// Of the chunks in use, in memory of the process's own: what is mapped from a file is the system's to take back. The
// mapping goes on: of the chunks to come, the writer populates as many as it likes.
uint64_t own_bytes()
{
    const auto page = (uint64_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)chunks_first() / page,
               count = chunks_first()->chunk_count * PROF_CHUNK_BYTES / page;
    std::vector<uint64_t> pages(count);
    int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    size_t bytes = count * sizeof(uint64_t);
    EXPECT_EQ(pread(map, pages.data(), bytes, (off_t)(first * sizeof(uint64_t))), (ssize_t)bytes);
    close(map);
    return page * (uint64_t)std::count_if(pages.begin(), pages.end(), [](uint64_t entry) {
               bool is_there = entry >> 62, is_of_a_file = entry >> 61 & 1;
               return is_there && !is_of_a_file;
           });
}

TEST_F(Copies, GiveMemoryBackWhileRecordingGoesOn)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init(64, false);
        record(10 * 8192);
        session_flush(1000);
        uint64_t before = own_bytes();
        ASSERT_GT(before, 0u);
        for (int i = 0; i < 50; i++) {
            record(10 * 8192);
            session_flush(1000);
        }
        EXPECT_GE(chunks_first()->chunk_count, 500u);
        EXPECT_LT(own_bytes(), before + 100 * PROF_CHUNK_BYTES);
        expect_file_equals_memory("that is mapped from it", true);
        session_finish();
        expect_file_equals_memory("at the end");
    });
}

TEST_F(Copies, AreMadeOnceThereIsRoomAgain)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init(64, false);
        record(8192);
        faulty_calls.no_space = true;
        record(3 * 8192);
        session_flush(1000);
        faulty_calls.no_space = false;
        session_finish();
        expect_file_equals_memory("at the end");
        EXPECT_EQ(chunks_first()->loss[PROF_LOSS_IO], 0u);
    });
}

// As lost, and as missing no more if an exec fails and the disk has room at the end.
TEST_F(Copies, CountWhatIsNotInTheFileAtTheEnd)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init(64, false);
        record(8192);
        session_flush(1000);
        faulty_calls.no_space = true;
        record(3 * 8192);
        session_flush(1000);
        chunks_suspend();
        EXPECT_EQ(chunks_first()->loss[PROF_LOSS_IO], 3u * 8192);
        faulty_calls.no_space = false;
        chunks_resume();
        session_finish();
        EXPECT_EQ(chunks_first()->loss[PROF_LOSS_IO], 0u);
        expect_file_equals_memory("at the end");
    });
}

// Threads beyond the first eight share chunks.
TEST_F(Copies, CountWhatIsNotInTheFileOfThreadsThatShareChunks)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init(64, false);
        const int count = 20;
        std::atomic<int> done{0}, turn{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < count; i++)
            threads.emplace_back([&] {
                for (int round = 1; round <= 2; round++) {
                    while (turn < round)
                        std::this_thread::yield();
                    record(50 * round);
                    done++;
                }
                while (turn < 3)
                    std::this_thread::yield();
            });
        turn = 1;
        while (done < count)
            std::this_thread::yield();
        session_flush(1000);
        faulty_calls.no_space = true;
        turn = 2;
        while (done < 2 * count)
            std::this_thread::yield();
        session_flush(1000);
        chunks_suspend();
        EXPECT_EQ(chunks_first()->loss[PROF_LOSS_IO], 100u * count);
        faulty_calls.no_space = false;
        chunks_resume();
        turn = 3;
        for (std::thread &thread : threads)
            thread.join();
        session_finish();
        EXPECT_EQ(chunks_first()->loss[PROF_LOSS_IO], 0u);
        expect_file_equals_memory("at the end");
    });
}

TEST_F(Copies, StopGrowingWhileTheyCannotBeMade)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init(64, false);
        record(8192);
        faulty_calls.no_space = true;
        session_flush(1000);
        record(500 * 8192);
        EXPECT_LT(chunks_first()->chunk_count, 200u);
        EXPECT_GT(loss_get(PROF_LOSS_IO), 300u * 8192);
    });
}

// The file may be all that is left: an event in it has a name in it.
TEST_F(Copies, AreMadeOfEventsBeforeTheirNames)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init(64, false);
        record(10);
        AtTestPoint between("copies_write: logs are copied",
                            [] { std::thread([] { prof_mark("later"); }).join(); });
        session_flush(1000);
        std::ifstream file(directory / "trace.prof", std::ios::binary);
        std::string first(PROF_CHUNK_BYTES, '\0');
        file.read(first.data(), PROF_CHUNK_BYTES);
        EXPECT_NE(first.find("later"), std::string::npos);
    });
}

// A signal handler interrupts a record that is half made, fills chunks, and returns late.
TEST_F(Copies, HoldARecordThatIsFinishedLongAfterItsChunkWasLeft)
{
    IN_A_PROCESS_OF_ITS_OWN({
        init(64, false);
        record(10);
        uint64_t *interrupted = thread_reserve(PROF_REC_STEP, 2);
        record(3 * 8192);
        for (int i = 0; i < 30; i++)
            session_flush(1000);
        interrupted[1] = 7;
        thread_commit(interrupted, PROF_REC_STEP, 2, thread_ticks(interrupted));
        session_finish();
        expect_file_equals_memory("at the end");
    });
}

} // namespace
