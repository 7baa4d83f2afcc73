// Facts of the process, appended by all threads to one chunk at a time.
#include "recorder_support.h"
#include "test_point.h"

extern "C" {
#include "config.h"
#include "process.h"
#include "session.h"
}

#include <set>
#include <thread>
#include <vector>

namespace
{

class Meta : public testing::Test
{
protected:
    static void append(uint64_t number)
    {
        prof_rec_child child = {};
        child.ticks = number;
        meta_append(PROF_REC_CHILD, &child, sizeof child, nullptr, 0);
    }
    // Numbers that were appended, in this process's memory; each chunk is where it says.
    static std::multiset<uint64_t> appended()
    {
        std::multiset<uint64_t> found;
        for (uint64_t number = 0; number < chunks_count(); number++) {
            const auto *chunk = (const uint64_t *)chunks_memory(number);
            const auto *header = (const prof_chunk_header *)chunk;
            if (number && (header->magic != PROF_CHUNK_MAGIC || header->kind != PROF_CHUNK_META))
                continue;
            if (number) {
                EXPECT_EQ(header->index, number);
            }
            size_t begin = number ? PROF_CHUNK_HEADER_BYTES : PROF_FILE_HEADER_BYTES;
            for (size_t i = begin / 8, words; i < PROF_CHUNK_BYTES / 8; i += words) {
                words = PROF_WORD_SIZE(chunk[i]) ? PROF_WORD_SIZE(chunk[i]) : 1;
                if (PROF_WORD_KIND(chunk[i]) == PROF_KIND_EXT &&
                    PROF_WORD_TYPE(chunk[i]) == PROF_REC_CHILD)
                    found.insert(((const prof_rec_child *)&chunk[i])->ticks);
            }
        }
        return found;
    }
    // In the first chunk.
    static size_t clock_samples()
    {
        const auto *chunk = (const uint64_t *)chunks_first();
        size_t count = 0;
        for (size_t i = PROF_FILE_HEADER_BYTES / 8; i < PROF_CHUNK_BYTES / 8;
             i += PROF_WORD_SIZE(chunk[i]) ? PROF_WORD_SIZE(chunk[i]) : 1)
            count += PROF_WORD_KIND(chunk[i]) == PROF_KIND_EXT &&
                     PROF_WORD_TYPE(chunk[i]) == PROF_REC_CLOCK;
        return count;
    }
    TemporaryDirectory directory;
};

TEST_F(Meta, HoldsWhatManyThreadsAppendAcrossChunks)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(directory / "meta.prof", 16 << 20, false), 0);
        const uint64_t each = 20000;
        std::vector<std::thread> workers;
        for (uint64_t worker = 0; worker < 4; worker++)
            workers.emplace_back([=] {
                for (uint64_t i = 0; i < each; i++)
                    append(worker * each + i);
            });
        for (std::thread &worker : workers)
            worker.join();
        std::multiset<uint64_t> found = appended();
        EXPECT_EQ(found.size(), 4 * each);
        EXPECT_EQ(std::set<uint64_t>(found.begin(), found.end()).size(), 4 * each);
    });
}

// A killed process leaves such a hole: what follows it stays readable.
TEST_F(Meta, ThatIsHalfAppendedIsAHoleOfItsSize)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(directory / "meta.prof", 16 << 20, false), 0);
        AtTestPoint half("meta_append: half", [] {
            append(2);
            EXPECT_EQ(appended(), std::multiset<uint64_t>({2}));
        });
        append(1);
        EXPECT_EQ(appended(), std::multiset<uint64_t>({1, 2}));
    });
}

TEST_F(Meta, IsNotAppendedWithoutAFile)
{
    IN_A_PROCESS_OF_ITS_OWN({
        EXPECT_FALSE(meta_has_file());
        append(1);
        ASSERT_EQ(begin_file(directory / "meta.prof", 16 << 20, false), 0);
        EXPECT_TRUE(meta_has_file());
        meta_forget(); // in a forked child
        chunks_fork_child();
        EXPECT_FALSE(meta_has_file());
        append(2);
        ASSERT_EQ(begin_file(directory / "child.prof", 16 << 20, false), 0);
        append(3);
        EXPECT_EQ(appended(), std::multiset<uint64_t>({3}));
    });
}

// Where all that is there is more than the address space holds, and what does not fit any chunk.
TEST_F(Meta, ThatDoesNotFitIsRefused)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_EQ(begin_file(directory / "meta.prof", 32 << 20, false, 32 << 20), 0);
        prof_rec_info head = {};
        std::string text(PROF_RECORD_WORDS_MAX * 8, 'x');
        EXPECT_EQ(meta_append(PROF_REC_INFO, &head, sizeof head, text.data(), text.size()),
                  nullptr);
        text.resize(PROF_NAME_BYTES_MAX);
        while (meta_append(PROF_REC_INFO, &head, sizeof head, text.data(), text.size()))
            ;
        EXPECT_EQ(loss_get(PROF_LOSS_FACTS), 2u) << "one too large, one too many";
        EXPECT_NE(chunks_claim(false), CHUNKS_NO_CHUNK) << "half is for logs alone";
        EXPECT_NE(meta_append(PROF_REC_INFO, &head, sizeof head, nullptr, 0), nullptr)
            << "the rest of the last chunk";
    });
}

// A program may flush in a loop for months.
TEST_F(Meta, HoldsFewSamplesOfTheClocksInLongRecordings)
{
    IN_A_PROCESS_OF_ITS_OWN({
        ASSERT_TRUE(config_override((directory / "%p.prof").c_str(), 16, false));
        session_init(nullptr, true);
        ASSERT_TRUE(session_ready());
        chunks_first()->start_monotonic_ns -= 40ull * 86400 * 1000000000;
        size_t before = clock_samples();
        for (int i = 0; i < 100; i++)
            session_flush(1000);
        EXPECT_EQ(clock_samples(), before);
        session_finish();
        EXPECT_EQ(clock_samples(), before + 1) << "the end is known exactly";
    });
}

// The interrupted append goes on in both processes: in the child with the numbers of the parent's chunks.
TEST_F(Meta, OfAChildForkedInAHandlerIsItsOwn)
{
    for (const char *point : {"meta_reserve: taken", "meta_turn_page: begun"})
        IN_A_PROCESS_OF_ITS_OWN({
            ASSERT_TRUE(config_override((directory / "%p.prof").c_str(), 16, false));
            session_init(nullptr, true);
            ASSERT_TRUE(session_ready());
            uint64_t number = 1;
            while (number < 20000) // many chunks
                append(number++);
            pid_t child = -1;
            AtTestPoint handler(point, [&] {
                child = fork();
                if (child == 0) {
                    alarm(60);
                    session_fork_child();
                    EXPECT_TRUE(session_ready());
                }
            });
            while (child == -1)
                append(number++);
            for (int i = 0; i < 6000; i++) // less, but several
                append(number++);
            std::multiset<uint64_t> found = appended();
            if (child == 0) {
                EXPECT_GE(found.size(), 5999u);
                for (int i = 0; i < 20; i++) { // logs have other chunks
                    std::string zeros(PROF_CHUNK_BYTES, '\0');
                    uint64_t chunk = chunks_claim(false);
                    EXPECT_EQ(memcmp(chunks_memory(chunk), zeros.data(), zeros.size()), 0)
                        << point << ", " << chunk;
                }
                fflush(nullptr);
                _exit(testing::Test::HasFailure());
            }
            int status = -1;
            waitpid(child, &status, 0);
            EXPECT_EQ(status, 0) << "of the child";
            EXPECT_EQ(found.size(), number - 1);
            session_finish();
        });
}

} // namespace
