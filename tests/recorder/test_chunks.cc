// The trace file, mapped, and handed out chunk by chunk.
#include "faulty_calls.h"
#include "recorder_support.h"
#include "test_point.h"

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <set>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <vector>

namespace
{

const uint64_t two_mib = 2 << 20;
const uint64_t chunks_in_two_mib = two_mib / PROF_CHUNK_BYTES;

class Chunks : public testing::Test
{
protected:
    TemporaryDirectory directory;
    std::string path = directory / "chunks.prof";
};

TEST_F(Chunks, AreMadeInAFileThatOnlyItsOwnerReads)
{
    IN_A_PROCESS_OF_ITS_OWN({
        umask(0);
        ASSERT_EQ(begin_file(path, two_mib, false), 0);
        struct stat status;
        ASSERT_EQ(stat(path.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 07777, 0600u);
    });
}

// The process may be killed before the file has space and a header that is complete.
TEST_F(Chunks, BeginInAFileThatSaysWhatItIs)
{
    IN_A_PROCESS_OF_ITS_OWN({
        prof_file_header header = {};
        AtTestPoint early("chunks_create: no space yet", [&] {
            int fd = open(path.c_str(), O_RDONLY);
            EXPECT_EQ(read(fd, &header, sizeof header), (ssize_t)sizeof header);
            close(fd);
        });
        ASSERT_EQ(begin_file(path, two_mib, false), 0);
        EXPECT_EQ(memcmp(header.magic, PROF_FILE_MAGIC, sizeof header.magic), 0);
        EXPECT_EQ(header.version, PROF_FORMAT_VERSION);
        EXPECT_EQ(header.byte_order, PROF_BYTE_ORDER_MARK);
        EXPECT_EQ(header.chunk_count, 0u);
    });
}

TEST_F(Chunks, AreNeverMadeInAFileThatExists)
{
    IN_A_PROCESS_OF_ITS_OWN({
        close(creat(path.c_str(), 0600));
        EXPECT_EQ(begin_file(path, two_mib, false), EEXIST);
        EXPECT_EQ(file_size(path), 0u);
        EXPECT_EQ(chunks_header(), nullptr);
    });
}

TEST_F(Chunks, AreNotMadeBehindASymbolicLink)
{
    IN_A_PROCESS_OF_ITS_OWN({
        std::string target = directory / "target";
        ASSERT_EQ(symlink(target.c_str(), path.c_str()), 0);
        EXPECT_EQ(begin_file(path, two_mib, false), EEXIST);
        EXPECT_NE(access(target.c_str(), F_OK), 0);
    });
}

TEST_F(Chunks, LeaveNoFileWhenItsFirstSpaceCannotBeHad)
{
    IN_A_PROCESS_OF_ITS_OWN({
        rlimit limit = {100000, 100000};
        setrlimit(RLIMIT_FSIZE, &limit);
        EXPECT_EQ(begin_file(path, two_mib, false), EFBIG) << "and no SIGXFSZ";
        EXPECT_NE(access(path.c_str(), F_OK), 0);
    });
}

TEST_F(Chunks, AreDistinctZeroFilledAndAligned)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, two_mib, false), 0);
        std::set<uint64_t> seen;
        for (uint64_t i = 1; i < chunks_in_two_mib; i++) {
            uint64_t chunk = chunks_claim(false);
            ASSERT_TRUE(seen.insert(chunk).second);
            ASSERT_LT(chunk, chunks_in_two_mib);
            uint8_t *memory = (uint8_t *)chunks_memory(chunk);
            ASSERT_NE(memory, nullptr);
            EXPECT_EQ((uintptr_t)memory % PROF_CHUNK_BYTES, 0u);
            EXPECT_EQ(std::string((char *)memory, PROF_CHUNK_BYTES),
                      std::string(PROF_CHUNK_BYTES, '\0'));
            memset(memory, 0xff, PROF_CHUNK_BYTES);
        }
    });
}

TEST_F(Chunks, EndAtTheLimitForGoodButNotForNames)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, two_mib, false), 0);
        for (uint64_t i = 1; i < chunks_in_two_mib; i++)
            ASSERT_NE(chunks_claim(false), CHUNKS_NO_CHUNK);
        for (int i = 0; i < 100; i++)
            EXPECT_EQ(chunks_claim(false), CHUNKS_NO_CHUNK);
        uint64_t meta = chunks_claim(true);
        EXPECT_EQ(meta, chunks_in_two_mib) << "what was refused is not counted";
        EXPECT_NE(chunks_memory(meta), nullptr);
    });
}

TEST_F(Chunks, AreClaimedOnceEachByManyThreads)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, 64 << 20, false), 0);
        std::vector<std::atomic<int>> owners(1024);
        std::atomic<int> missing{0};
        std::vector<std::thread> workers;
        for (int worker = 0; worker < 8; worker++)
            workers.emplace_back([&] {
                for (uint64_t chunk; (chunk = chunks_claim(false)) != CHUNKS_NO_CHUNK;
                     owners[chunk]++) {
                    void *memory = chunks_memory(chunk);
                    if (memory)
                        memset(memory, 1, PROF_CHUNK_BYTES);
                    else
                        missing++;
                }
            });
        for (std::thread &worker : workers)
            worker.join();
        for (uint64_t chunk = 1; chunk < 1024; chunk++)
            ASSERT_EQ(owners[chunk], 1) << chunk;
        EXPECT_EQ(missing, 0) << "without a writer thread, threads extend the file themselves";
    });
}

TEST_F(Chunks, OfARingAreRecycledOldestFirstAndCleaned)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, two_mib, true), 0);
        std::vector<uint64_t> order;
        for (uint64_t i = 1; i < chunks_in_two_mib; i++) {
            order.push_back(chunks_claim(false));
            auto *header = (prof_chunk_header *)chunks_memory(order.back());
            memset((void *)header, 0xff, PROF_CHUNK_BYTES);
            header->magic = PROF_CHUNK_MAGIC;
            header->kind = PROF_CHUNK_LOG;
            header->index = order.back();
        }
        EXPECT_EQ(chunks_claim(false), CHUNKS_NO_CHUNK) << "none is full yet";
        for (uint64_t chunk : order)
            chunks_retire(chunk, PROF_CHUNK_BYTES / 8);
        for (uint64_t chunk : order) {
            ASSERT_EQ(chunks_claim(false), chunk);
            EXPECT_EQ(std::string((char *)chunks_memory(chunk), PROF_CHUNK_BYTES),
                      std::string(PROF_CHUNK_BYTES, '\0'));
        }
        EXPECT_EQ(chunks_claim(true), chunks_in_two_mib) << "what is recycled is not counted";
    });
}

// What a short program does not use it neither waits for nor gives back.
TEST_F(Chunks, AreReservedAheadOnceTheyAreUsedOrSomeTimeHasPassed)
{
    for (bool used : {false, true})
        IN_A_PROCESS_OF_ITS_OWN({
            ASSERT_EQ(begin_file(path, 64 << 20, false), 0);
            uint64_t first = file_size(path);
            chunks_claim(false);
            chunks_advance();
            EXPECT_EQ(file_size(path), first);
            for (int i = 0; used && i < 4; i++)
                chunks_claim(false);
            for (int i = 0; !used && i < 5; i++)
                chunks_advance();
            chunks_advance();
            EXPECT_GT(file_size(path), first);
            unlink(path.c_str());
        });
}

TEST_F(Chunks, AreCutToWhatWasClaimedWhenTheyAreClosed)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, 64 << 20, false), 0);
        for (int i = 0; i < 4; i++)
            chunks_claim(false);
        chunks_advance();
        EXPECT_GT(file_size(path), 5u * PROF_CHUNK_BYTES) << "space is reserved ahead";
        prof_file_header *header = chunks_header();
        chunks_close();
        EXPECT_EQ(file_size(path), 5u * PROF_CHUNK_BYTES);
        EXPECT_EQ(header->state, (uint32_t)PROF_STATE_CLOSED);
        EXPECT_EQ(header->chunk_count, 5u);
        uint64_t late = chunks_claim(false);
        EXPECT_TRUE(late == CHUNKS_NO_CHUNK || chunks_memory(late) == nullptr);
    });
}

TEST_F(Chunks, GoOnAfterASuspensionAsIfNothingHadBeen)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, 64 << 20, false), 0);
        uint64_t before = chunks_claim(false);
        memset(chunks_memory(before), 7, PROF_CHUNK_BYTES);
        chunks_suspend();
        EXPECT_EQ(chunks_header()->state, (uint32_t)PROF_STATE_CLOSED);
        chunks_resume();
        EXPECT_EQ(chunks_header()->state, (uint32_t)PROF_STATE_RECORDING);
        EXPECT_EQ(*(uint8_t *)chunks_memory(before), 7);
        uint64_t after = chunks_claim(false);
        EXPECT_EQ(after, before + 1);
        ASSERT_NE(chunks_memory(after), nullptr);
        memset(chunks_memory(after), 8, PROF_CHUNK_BYTES);
        chunks_advance();
        chunks_close();
        EXPECT_EQ(file_size(path), 3u * PROF_CHUNK_BYTES);
    });
}

// The writer populates pages ahead while the process ends: a page behind the cut must never be
// touched.
TEST_F(Chunks, AreNotTouchedByTheWriterBehindTheCut)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, 1ull << 30, false), 0);
        std::atomic<bool> stop{false};
        std::thread writer([&] {
            while (!stop)
                chunks_advance();
        });
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < 40; i++)
                chunks_claim(false);
            usleep(100);
            chunks_suspend();
            chunks_resume();
        }
        stop = true;
        writer.join();
    });
}

TEST_F(Chunks, AreForgottenByAForkedChild)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, two_mib, false), 0);
        prof_file_header *parents = chunks_header();
        chunks_fork_child();
        EXPECT_EQ(chunks_header(), nullptr);
        parents->chunk_count = 7; // what was interrupted is still stored, in nobody's file
        prof_file_header in_file;
        FILE *file = fopen(path.c_str(), "rb");
        ASSERT_EQ(fread(&in_file, sizeof in_file, 1, file), 1u);
        EXPECT_EQ(in_file.chunk_count, 1u);
        EXPECT_EQ(begin_file(directory / "child.prof", two_mib, false), 0);
        EXPECT_NE(chunks_memory(chunks_claim(false)), nullptr);
    });
}

// exec and _exit suspend while other threads run; one of those may fork, and from a handler that interrupted an
// event.
TEST_F(Chunks, AreForgottenByAChildThatIsForkedWhileTheyAreSuspended)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, two_mib, false), 0);
        auto *interrupted = (uint64_t *)chunks_memory(chunks_claim(false));
        AtTestPoint suspended("chunks_suspend: nothing mapped", [&] {
            IN_A_PROCESS_OF_ITS_OWN({
                chunks_fork_child();
                EXPECT_FALSE(maps_file(path));
                *interrupted = 7; // what was interrupted is still stored, in nobody's file
                EXPECT_EQ(begin_file(directory / "child.prof", two_mib, false), 0);
            });
        });
        chunks_suspend();
        EXPECT_EQ(*interrupted, 0u);
    });
}

bool is_mapped(const void *place)
{
    void *there = mmap((void *)place, 4096, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (there != MAP_FAILED)
        munmap(there, 4096);
    return there != place;
}

// Where the file cannot be mapped for want of memory, or of room in the process's list of mappings, the address space
// stays reserved: what the program maps meanwhile must not lie where the file grows later.
TEST_F(Chunks, KeepTheirAddressSpaceWhenMappingFails)
{
    for (bool shared : {true, false})
        IN_A_PROCESS_OF_ITS_OWN({
            faulty_calls.no_shared_mappings = !shared;
            ASSERT_EQ(begin_file(path, 64 << 20, false), 0);
            for (int i = 0; i < 20; i++)
                chunks_claim(false);
            const uint8_t *next = (const uint8_t *)chunks_first() + 16 * PROF_CHUNK_BYTES;
            faulty_calls.no_mappings = true;
            if (shared)
                stderr_of([] { EXPECT_EQ(chunks_memory(20), nullptr); });
            else
                EXPECT_NE(chunks_memory(20), nullptr) << "needs no new mapping";
            faulty_calls.no_mappings = false;
            EXPECT_TRUE(is_mapped(next));
            EXPECT_TRUE(is_mapped(next + 4 * PROF_CHUNK_BYTES));
            unlink(path.c_str());
        });
}

// 512 chunks of address space: 448 are within the limit, 224 are for LOG alone.
const uint64_t few_bytes = 32 << 20;
const uint64_t few_chunks = few_bytes / PROF_CHUNK_BYTES, few_logs = few_chunks * 7 / 8 / 2;

TEST_F(Chunks, OfTheLogsShareAreNotGivenToMetaBetweenTwoStepsOfAClaim)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, few_bytes, false, few_bytes), 0);
        while (chunks_claim(true) != CHUNKS_NO_CHUNK)
            ;
        for (uint64_t i = 1; i < few_logs; i++)
            ASSERT_NE(chunks_claim(false), CHUNKS_NO_CHUNK);
        uint64_t meta = 0;
        AtTestPoint half_claimed("chunks_claim: undecided", [&] { meta = chunks_claim(true); });
        EXPECT_EQ(chunks_claim(false), few_chunks - 1);
        EXPECT_EQ(meta, CHUNKS_NO_CHUNK);
    });
}

TEST_F(Chunks, AreAllGivenOnceWithinTheirLimitsWhenManyThreadsMeetThem)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, few_bytes, false, few_bytes), 0);
        std::vector<std::atomic<int>> owners(few_chunks + 1);
        std::atomic<uint64_t> logs{0};
        std::atomic<int> logging{4};
        std::vector<std::thread> workers;
        for (int worker = 0; worker < 4; worker++)
            workers.emplace_back([&] {
                for (uint64_t chunk; (chunk = chunks_claim(false)) != CHUNKS_NO_CHUNK; logs++)
                    owners[chunk < few_chunks ? chunk : few_chunks]++;
                logging--;
            });
        for (int worker = 0; worker < 2; worker++)
            workers.emplace_back([&] {
                for (bool last = false; !last;) { // LOG is refused for good before META is
                    last = !logging;
                    for (uint64_t chunk; (chunk = chunks_claim(true)) != CHUNKS_NO_CHUNK;)
                        owners[chunk < few_chunks ? chunk : few_chunks]++;
                }
            });
        for (std::thread &worker : workers)
            worker.join();
        for (uint64_t chunk = 1; chunk < few_chunks; chunk++)
            ASSERT_EQ(owners[chunk], 1) << chunk;
        EXPECT_EQ(owners[few_chunks], 0) << "beyond the address space";
        EXPECT_GE(logs, few_logs);
    });
}

// A thread that claimed a chunk which was not mapped yet tries again later, with the same chunk.
TEST_F(Chunks, ClaimedBeforeOrDuringASuspensionKeepTheirOwners)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, 64 << 20, false), 0);
        std::set<uint64_t> owned;
        for (int i = 0; i < 20; i++) // more than are mapped
            owned.insert(chunks_claim(false));
        AtTestPoint counted("chunks_suspend: counted", [&] {
            uint64_t chunk = chunks_claim(false);
            EXPECT_EQ(chunks_memory_now(chunk), nullptr);
            owned.insert(chunk);
        });
        chunks_suspend();
        EXPECT_LE(chunks_header()->chunk_count * PROF_CHUNK_BYTES, file_size(path));
        chunks_resume();
        for (int i = 0; i < 20; i++)
            EXPECT_TRUE(owned.insert(chunks_claim(false)).second);
        for (uint64_t chunk : owned)
            EXPECT_NE(chunks_memory(chunk), nullptr);
        chunks_close();
        EXPECT_EQ(file_size(path), 42u * PROF_CHUNK_BYTES);
    });
}

// Readers take a closed file that lacks a chunk for a truncated one.
TEST_F(Chunks, ClaimedAfterTheEndAreNotCountedInTheFile)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, 64 << 20, false), 0);
        prof_file_header *header = chunks_header();
        chunks_close();
        for (bool meta : {false, true}) {
            uint64_t late = chunks_claim(meta);
            EXPECT_TRUE(late == CHUNKS_NO_CHUNK || chunks_memory(late) == nullptr);
        }
        EXPECT_EQ(header->chunk_count * PROF_CHUNK_BYTES, file_size(path));
    });
}

// Two threads call exec: what fails in one must not reopen the file under the other.
TEST_F(Chunks, AreSuspendedUntilAllWhoSuspendedResume)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(path, 64 << 20, false), 0);
        chunks_suspend();
        chunks_suspend();
        chunks_resume();
        EXPECT_EQ(chunks_header()->state, (uint32_t)PROF_STATE_CLOSED);
        chunks_resume();
        EXPECT_EQ(chunks_header()->state, (uint32_t)PROF_STATE_RECORDING);
        EXPECT_NE(chunks_memory(chunks_claim(false)), nullptr);
    });
}

} // namespace
