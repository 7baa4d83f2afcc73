/* test_sqlite_hostile.cc - databases that are damaged, or made to harm: refused, or read for what they
 * are. */
#include "sqlite_fixture.h"

#ifdef PROF_HAVE_SQLITE

#include <cstring>
#include <fstream>
#include <random>
#include <sys/stat.h>

namespace
{

using SqliteHostile = Sqlite;

TEST_F(SqliteHostile, OtherDatabasesAreNamedForWhatTheyAre)
{
    run("CREATE TABLE contacts(name TEXT)");
    EXPECT_FALSE(load());
    EXPECT_STREQ(error_.message, "t.sqlite: an SQLite database, but neither from nsys (no table "
                                 "StringIds) nor nvprof (no table StringTable)");
}

TEST_F(SqliteHostile, TruncatedFilesAreRefusedAnywhere)
{
    sqlite_sample_nsys(database_, 1);
    std::vector<uint8_t> whole = bytes();
    for (size_t size = 16; size < whole.size(); size += 97) {
        std::vector<uint8_t> cut(whole.begin(), whole.begin() + (long)size);
        EXPECT_FALSE(load(cut)) << size;
        EXPECT_EQ(std::string(error_.message).find("t.sqlite: "), 0u) << error_.message;
        load(cut, true);
    }
    std::vector<uint8_t> half(whole.begin(), whole.begin() + (long)whole.size() / 2);
    EXPECT_FALSE(load(half));
    EXPECT_NE(std::string(error_.message).find("truncated"), std::string::npos) << error_.message;
}

TEST_F(SqliteHostile, DamagedPagesAreRefusedOrReadInPart)
{
    sqlite_sample_nvprof(database_, 14);
    std::vector<uint8_t> whole = bytes();
    std::mt19937 random(1);
    for (int round = 0; round < 300; round++) {
        std::vector<uint8_t> damaged = whole;
        for (int i = 0; i < 1 + round % 20; i++)
            damaged[16 + random() % (damaged.size() - 16)] = (uint8_t)random();
        if (!load(damaged)) {
            EXPECT_NE(error_.message[0], 0);
        }
        load(damaged, true);
    }
}

TEST_F(SqliteHostile, ADamagedTableEndsWhereItsDamageIs)
{
    sqlite_sample_nsys(database_, 1);
    sqlite3_stmt *statement = nullptr;
    sqlite3_prepare_v2(database_, "SELECT rootpage FROM sqlite_master WHERE name = 'NVTX_EVENTS'",
                       -1, &statement, nullptr);
    sqlite3_step(statement);
    size_t page = (size_t)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    std::vector<uint8_t> damaged = bytes();
    memset(&damaged[(page - 1) * 1024], 0x55, 1024);
    EXPECT_FALSE(load(damaged));
    EXPECT_STREQ(error_.message,
                 "t.sqlite: table NVTX_EVENTS: SQLite: database disk image is malformed");
    ASSERT_TRUE(load(damaged, true)) << error_.message;
    EXPECT_EQ(timeline_->gpus.count, 7u);
    EXPECT_EQ(warnings(), "1 damaged tables: read up to the damage\n");
}

/* A page that is its own child, many times: a tree of 10^20 rows. */
TEST_F(SqliteHostile, EndlessTreesEnd)
{
    run("CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
        "CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, text TEXT, globalTid INT);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "
        "INSERT INTO NVTX_EVENTS SELECT i, i + 1, 59, 'a range of some length', 16777217 FROM n;");
    std::vector<uint8_t> file = bytes();
    size_t page = 1024, root = 0;
    for (size_t at = page; at + page <= file.size(); at += page)
        if (file[at] == 5 && file[at + 4] > 20)
            root = at;
    ASSERT_GT(root, 0u);
    size_t leaf_pointer = root + 12, cells = file[root + 4];
    uint32_t child = 0;
    size_t first = (size_t)file[leaf_pointer] << 8 | file[leaf_pointer + 1];
    memcpy(&child, &file[root + first], 4);
    for (size_t i = 0; i < cells; i++) {
        size_t cell = (size_t)file[leaf_pointer + 2 * i] << 8 | file[leaf_pointer + 2 * i + 1];
        uint32_t self = (uint32_t)(root / page + 1);
        uint8_t number[4] = {(uint8_t)(self >> 24), (uint8_t)(self >> 16), (uint8_t)(self >> 8),
                             (uint8_t)self};
        memcpy(&file[root + cell], i ? number : (const uint8_t *)&child, 4);
    }
    EXPECT_FALSE(load(file));
    load(file, true);
}

TEST_F(SqliteHostile, ViewsAndVirtualTablesAreNoTables)
{
    run("CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
        "CREATE VIEW NVTX_EVENTS AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + "
        "1 "
        "FROM n) SELECT start, start AS end, 59 AS eventType, 'x' AS text, 16777217 AS globalTid "
        "FROM n;");
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_EQ(timeline_->slices.count, 0u);
}

/* A column that is computed would run what the file says. */
TEST_F(SqliteHostile, ComputedColumnsAreNotComputed)
{
    run("CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
        "CREATE TABLE NVTX_EVENTS(start INT, end INT, eventType INT, globalTid INT, "
        "text TEXT AS (hex(zeroblob(start * 10000))));"
        "INSERT INTO NVTX_EVENTS VALUES(100, 200, 59, 16777217);");
    ASSERT_TRUE(load()) << error_.message;
    ASSERT_EQ(timeline_->slices.count, 1u);
    EXPECT_EQ(slice_name(0), "");
}

TEST_F(SqliteHostile, StrangeTypesAreLeftOutAndCounted)
{
    sqlite_sample_nsys(database_, 0);
    run("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = 'seven', start = 'now' "
        "WHERE rowid = 1;"
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = x'00ff', globalPid = 1e300, "
        "gridX = 'wide' WHERE rowid = 1;"
        "UPDATE NVTX_EVENTS SET text = 17, globalTid = 'none' WHERE rowid = 2;");
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_EQ(warnings(), "1 rows without a valid time: left out\n"
                          "1 references to strings that are not in the file\n"
                          "6 values of the wrong type for their column: left out\n");
}

TEST_F(SqliteHostile, HugeNumbersAreTakenForWhatTheyCanBe)
{
    sqlite_sample_nsys(database_, 1);
    run("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = 9223372036854775807, deviceId = -5, "
        "contextId = -9223372036854775808, gridX = 9223372036854775807, gridY = 100000 "
        "WHERE rowid = 1;"
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 9223372036854775807 WHERE rowid = 2;"
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = -9223372036854775808 WHERE rowid = 3;"
        "UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET globalTid = -1, nameId = -9223372036854775808;"
        "UPDATE StringIds SET id = 9223372036854775807 WHERE id = 11;"
        "UPDATE NVTX_EVENTS SET domainId = 9223372036854775807, category = -1, color = -1;"
        "UPDATE TARGET_INFO_GPU SET id = 9223372036854775807, clockRate = -1;"
        "UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = 9223372036854775807;");
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_NE(warnings().find("1 correlation ids that CUDA cannot have"), std::string::npos);
    EXPECT_NE(warnings().find("2 rows without a valid time"), std::string::npos);
}

TEST_F(SqliteHostile, CallsOfOneCorrelationIdAreToldApartByTime)
{
    sqlite_sample_nsys(database_, 0);
    run("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = 7;"
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = 7;");
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_EQ(operations(), "add(float *) 1300-1800 < cuLaunchKernel < -\n"
                            "add(float *) 1900-1950 < cuLaunchKernel < -\n"
                            "add(float *) 1400-1500 < cudaLaunchKernel < work\n");
}

/* Without an index, each row once: twice the rows take twice as long, not four times. */
TEST_F(SqliteHostile, ManyRowsWithoutAnIndexAreReadOnce)
{
    sqlite_sample_nvprof(database_, 9);
    run("DELETE FROM CUPTI_ACTIVITY_KIND_MARKER; DELETE FROM CUPTI_ACTIVITY_KIND_RUNTIME;"
        "DELETE FROM CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 99999) "
        "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER(flags, timestamp, id, objectKind, objectId, name, "
        "domain) SELECT CASE i % 2 WHEN 0 THEN 2 ELSE 4 END, 1600000000000000000 + i * 10, i / 2, "
        "2, "
        "x'640000000100000000000000', CASE i % 2 WHEN 0 THEN 3 ELSE 0 END, 0 FROM n;"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49999) "
        "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME(cbid, start, end, processId, threadId, "
        "correlationId, returnValue) SELECT 211, 1600000000000000002 + i * 20, "
        "1600000000000000004 + i * 20, 100, 1, i + 1, 0 FROM n;"
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 49999) "
        "INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL(start, end, deviceId, contextId, "
        "streamId, correlationId, name) SELECT 1600000000000000005 + i * 20, "
        "1600000000000000008 + i * 20, 0, 1, 7, i + 1, 5 FROM n;");
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_EQ(timeline_->gpus.count, 50000u + 4);
    uint32_t under_ranges = 0;
    for (uint32_t i = 0; i < timeline_->gpus.count; i++) {
        uint32_t call = timeline_->gpus.at[i].slice;
        under_ranges += call != TL_NONE && timeline_->slices.at[call].parent != TL_NONE;
    }
    EXPECT_GE(under_ranges, 50000u);
}

TEST_F(SqliteHostile, TooManyProcessesAreLeftOut)
{
    sqlite_sample_nsys(database_, 0);
    run("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1999) "
        "INSERT INTO NVTX_EVENTS(start, end, eventType, text, globalTid) "
        "SELECT i, i + 1, 59, 'r', (i + 1000) << 24 FROM n;");
    ASSERT_TRUE(load()) << error_.message;
    EXPECT_EQ(timeline_->processes.count, 512u);
    EXPECT_NE(warnings().find("rows of too many processes"), std::string::npos) << warnings();
}

TEST_F(SqliteHostile, PathsAreOnlyPaths)
{
    char folder[] = "/tmp/prof_sqlite_XXXXXX";
    ASSERT_TRUE(mkdtemp(folder));
    std::string path = std::string(folder) + "/a b?mode=rwc&x=%41#y.sqlite";
    sqlite_sample_nsys(database_, 0);
    std::vector<uint8_t> file = bytes();
    for (const std::string &spelled : {path, "/" + path}) {
        std::ofstream(path, std::ios::binary).write((const char *)file.data(), (long)file.size());
        builder *builder = builder_begin();
        trace_file *opened = foreign_open(spelled.c_str(), false, builder, &error_);
        EXPECT_NE(opened, nullptr) << error_.message;
        trace_file_close(opened);
        builder_abandon(builder);
        unlink(path.c_str());
    }
    EXPECT_EQ(rmdir(folder), 0) << "something was left beside the file";
}

TEST_F(SqliteHostile, DatabasesWithAWriteAheadLogAreRead)
{
    sqlite_sample_nsys(database_, 0);
    std::vector<uint8_t> file = bytes();
    file[18] = file[19] = 2;
    EXPECT_TRUE(load(file)) << error_.message;
    char path[] = "/tmp/prof_sqlite_XXXXXX";
    int descriptor = mkstemp(path);
    ASSERT_EQ(write(descriptor, file.data(), file.size()), (ssize_t)file.size());
    close(descriptor);
    std::string log = std::string(path) + "-wal";
    std::ofstream(log) << "not read";
    builder *builder = builder_begin();
    trace_file *opened = foreign_open(path, false, builder, &error_);
    ASSERT_NE(opened, nullptr) << error_.message;
    timeline_destroy(timeline_);
    timeline_ = timeline_from_files(builder, &opened, 1, &error_);
    EXPECT_EQ(warnings(), "1 write-ahead logs beside the file: what is in them is not read\n");
    trace_file_close(opened);
    unlink(log.c_str());
    unlink(path);
}

} // namespace
#else
#include "foreign.h"

#include <gtest/gtest.h>

TEST(SqliteMissing, SaysWhichPackageReadsTheFile)
{
    char bytes[100] = "SQLite format 3";
    read_error error = {};
    EXPECT_EQ(foreign_open_memory(bytes, sizeof bytes, "t.sqlite", false, nullptr, &error),
              nullptr);
    EXPECT_STREQ(error.message,
                 "t.sqlite: an SQLite database, as nsys and nvprof write them, which this profdump "
                 "was built without (Debian: libsqlite3-dev)");
}
#endif
