// The public header and the format's, as a C++ program sees them.
#include <prof/format.h>
#include <prof/prof.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string>

namespace
{

TEST(StatusText, IsASentenceOfItsOwnForEachStatus)
{
    std::set<std::string> texts;
    for (int status = PROF_OK; status <= PROF_INCONCLUSIVE; status++)
        EXPECT_TRUE(texts.insert(prof_status_text((prof_status)status)).second) << status;
    EXPECT_EQ(texts.count("unknown status"), 0u);
    EXPECT_STREQ(prof_status_text(PROF_OK), "done");
    int beyond = PROF_INCONCLUSIVE + 1;
    EXPECT_STREQ(prof_status_text((prof_status)beyond), "unknown status");
}

TEST(Options, KnowTheirSizeAndKeepTheEnvironmentByDefault)
{
    prof_options options;
    prof_options_default(&options);
    EXPECT_EQ(options.size_bytes, sizeof options);
    EXPECT_EQ(options.output, nullptr);
    EXPECT_EQ(options.max_bytes, 0u);
    EXPECT_FALSE(options.ring);
    EXPECT_EQ(options.emit_nvtx, 0u);
}

// A program built with an older header says a smaller size; its padding is not a field of ours.
TEST(Options, OfOlderProgramsEndBeforeNewFields)
{
    EXPECT_EQ(offsetof(prof_options, ring), 24u);
    EXPECT_EQ(offsetof(prof_options, emit_nvtx), 32u);
}

TEST(LossCauses, FitTheHeaderAndThePublicStruct)
{
    prof_loss_counts counts;
    EXPECT_LE((size_t)PROF_LOSS_COUNT, sizeof counts.cause / sizeof *counts.cause);
    EXPECT_LE(PROF_LOSS_COUNT, PROF_LOSS_SLOTS);
    EXPECT_EQ(sizeof counts.cause / sizeof *counts.cause, (size_t)PROF_LOSS_SLOTS);
}

// Offsets are the format: a reader in another language has only the comment.
TEST(FileHeader, HasTheOffsetsItsCommentStates)
{
    EXPECT_EQ(offsetof(prof_file_header, version), 8u);
    EXPECT_EQ(offsetof(prof_file_header, pid), 24u);
    EXPECT_EQ(offsetof(prof_file_header, state), 36u);
    EXPECT_EQ(offsetof(prof_file_header, ticks_per_second), 40u);
    EXPECT_EQ(offsetof(prof_file_header, gpu_mode), 80u);
    EXPECT_EQ(offsetof(prof_file_header, chunk_count), 104u);
    EXPECT_EQ(offsetof(prof_file_header, library_version), 120u);
    EXPECT_EQ(offsetof(prof_file_header, loss), 256u);
    EXPECT_EQ(offsetof(prof_file_header, reserved2), 768u);
    EXPECT_EQ(offsetof(prof_chunk_header, base_ticks), 24u);
    EXPECT_EQ(offsetof(prof_chunk_header, epoch), 40u);
}

TEST(RecordWord, GivesBackWhatWasPutIn)
{
    uint64_t event = PROF_WORD_EVENT(PROF_KIND_PUSH, PROF_NAME_ID_MAX, PROF_TICKS_MAX);
    EXPECT_EQ(PROF_WORD_KIND(event), (unsigned)PROF_KIND_PUSH);
    EXPECT_EQ(PROF_WORD_NAME(event), PROF_NAME_ID_MAX);
    EXPECT_EQ(PROF_WORD_INFO(event), PROF_TICKS_MAX);
    uint64_t record = PROF_WORD_EXT(PROF_KIND_EXT, PROF_REC_API_NAME, PROF_RECORD_WORDS_MAX, 5);
    EXPECT_EQ(PROF_WORD_KIND(record), (unsigned)PROF_KIND_EXT);
    EXPECT_EQ(PROF_WORD_TYPE(record), (unsigned)PROF_REC_API_NAME);
    EXPECT_EQ(PROF_WORD_SIZE(record), PROF_RECORD_WORDS_MAX);
    EXPECT_EQ(PROF_WORD_INFO(record), 5u);
}

} // namespace
