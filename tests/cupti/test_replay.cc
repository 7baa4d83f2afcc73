// Activity buffers that were recorded elsewhere, decoded as if CUPTI had just delivered them.
#include "fake_recorder.h"

#include "../gpu/fixture.h"

#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <map>

extern "C" {
#include "abi_records.h"
#include "activity.h"
}

namespace
{

const std::string directory = PROF_TEST_DATA_DIR "/cupti";

std::vector<std::string> fixtures()
{
    std::vector<std::string> found;
    DIR *entries = opendir(directory.c_str());
    while (dirent *entry = entries ? readdir(entries) : nullptr) {
        std::string name = entry->d_name;
        if (name.size() > 4 && name.substr(name.size() - 4) == ".bin")
            found.push_back(name.substr(0, name.size() - 4));
    }
    if (entries)
        closedir(entries);
    std::sort(found.begin(), found.end());
    return found;
}

// A fixture in memory; the buffers' name pointers point to its strings.
class Fixture
{
public:
    explicit Fixture(const std::string &path) : file(path, std::ios::binary)
    {
        good = read(&header, sizeof header) && !memcmp(header.magic, FIXTURE_MAGIC, 8) &&
               header.version == FIXTURE_VERSION;
        memcpy(sizes.size, header.size, sizeof sizes.size);
        for (uint32_t i = 0; good && i < header.buffer_count; i++)
            good = read_buffer();
    }

    fixture_header header = {};
    oracle sizes = {};
    std::vector<std::vector<uint8_t>> buffers;
    std::deque<std::string> strings; // never move
    bool good = false;

private:
    bool read(void *to, size_t bytes)
    {
        file.read(static_cast<char *>(to), static_cast<std::streamsize>(bytes));
        return file.good();
    }

    bool read_padded(void *to, size_t bytes)
    {
        char padding[8];
        return read(to, bytes) && (bytes % 8 == 0 || read(padding, 8 - bytes % 8));
    }

    bool read_buffer()
    {
        fixture_buffer head;
        if (!read(&head, sizeof head) || head.bytes > 1 << 24)
            return false;
        buffers.emplace_back(head.bytes);
        if (!read_padded(buffers.back().data(), head.bytes))
            return false;
        std::map<uint64_t, const char *> places;
        for (uint32_t i = 0; i < head.string_count; i++) {
            fixture_string string;
            if (!read(&string, sizeof string) || string.bytes > 1 << 20)
                return false;
            strings.emplace_back(string.bytes, '\0');
            if (!read_padded(&strings.back()[0], string.bytes))
                return false;
            places[string.pointer] = strings.back().c_str();
        }
        point_to(places, buffers.back());
        return true;
    }

    void point_to(const std::map<uint64_t, const char *> &places, std::vector<uint8_t> &buffer)
    {
        for (size_t at = 0; at + 8 <= buffer.size();) {
            uint32_t kind = abi_kind_of(&buffer[at]), size = oracle_size(&sizes, kind);
            if (!size || at + size > buffer.size())
                return;
            if (kind == ABI_KIND_KERNEL || kind == ABI_KIND_CONCURRENT_KERNEL)
                patch(places, &buffer[at + ABI_KERNEL_NAME]);
            at += size;
        }
    }

    static void patch(const std::map<uint64_t, const char *> &places, uint8_t *field)
    {
        uint64_t pointer;
        memcpy(&pointer, field, sizeof pointer);
        auto place = places.find(pointer);
        const char *text = place == places.end() ? nullptr : place->second;
        memcpy(field, &text, sizeof text);
    }

    std::ifstream file;
};

class Replay : public testing::TestWithParam<std::string>
{
protected:
    void SetUp() override { fake_reset(); }
};

TEST_P(Replay, DecodesEveryRecordWithoutLoss)
{
    Fixture fixture(directory + "/" + GetParam() + ".bin");
    ASSERT_TRUE(fixture.good) << "not a fixture of version 1";
    uint64_t expected = 0, recorded = 0;
    for (auto &buffer : fixture.buffers) {
        expected += decode_count_only(&fixture.sizes, buffer.data(), buffer.size());
        decode_result result = decode_buffer(&fixture.sizes, nullptr, buffer.data(), buffer.size());
        EXPECT_EQ(result.unreadable, 0u);
        recorded += result.device_records;
    }
    EXPECT_GT(recorded, 0u);
    EXPECT_EQ(recorded, expected);
    EXPECT_EQ(loss_get(PROF_LOSS_UNKNOWN_RECORD), 0u);
    EXPECT_EQ(loss_get(PROF_LOSS_ZERO_TIME), 0u);
    for (auto &record : fake_records(PROF_REC_KERNEL)) {
        auto kernel = record.as<prof_rec_kernel>();
        EXPECT_LE(kernel.start_ns, kernel.end_ns);
        EXPECT_NE(kernel.name, 0u);
        EXPECT_GT(kernel.grid_x, 0u);
        EXPECT_GT(kernel.block_x, 0u);
        EXPECT_NE(record.info, 0u) << "a correlation id";
    }
}

std::string parameter_name(const testing::TestParamInfo<std::string> &one)
{
    return one.param;
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Replay, testing::ValuesIn(fixtures()), parameter_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Replay);

} // namespace
