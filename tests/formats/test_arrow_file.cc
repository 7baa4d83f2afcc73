// Arrow files: each reference, size and alignment, and the columns as the stream has them.
#include "formats_support.h"

#include <fstream>
#include <iterator>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" // functions named as what they return
extern "C" {
#include "flat_table.h"
}
#pragma GCC diagnostic pop

namespace
{

template <typename T>
T at_place(const std::string &bytes, size_t at)
{
    T value{};
    EXPECT_LE(at + sizeof value, bytes.size());
    if (at + sizeof value <= bytes.size())
        memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

std::string read_bytes(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

struct Block {
    uint64_t at, head_bytes, body_bytes;
};

struct Buffer {
    uint64_t at, size;
};

// A RecordBatch in its message.
struct Batch {
    uint64_t rows = 0;
    std::vector<Buffer> buffers; // places in the file
    std::vector<uint64_t> lengths, nulls;
};

class ArrowFile : public Formats
{
protected:
    void write(TimelineMaker &m, arrow_table table)
    {
        write_error error{};
        path = scratch.path("t.arrow");
        ASSERT_TRUE(write_arrow_file(m.done(), table, nullptr, path.c_str(), &error))
            << error.message;
        bytes = read_bytes(path);
        read_footer();
    }

    void read_footer()
    {
        ASSERT_GT(bytes.size(), 30u);
        EXPECT_EQ(bytes.substr(0, 8), std::string("ARROW1\0\0", 8));
        EXPECT_EQ(bytes.substr(bytes.size() - 6), "ARROW1");
        size_t size = at_place<uint32_t>(bytes, bytes.size() - 10);
        ASSERT_LT(size, bytes.size() - 20);
        size_t start = bytes.size() - 10 - size;
        EXPECT_EQ(start % 8, 0u);
        EXPECT_EQ(at_place<uint64_t>(bytes, start - 8), 0xffffffffu) << "the end of the messages";
        footer = bytes.substr(start, size);
        struct flat flat {
        };
        flat_init(&flat, footer.data(), footer.size());
        auto root = flat_root(&flat, 0);
        EXPECT_EQ(flat_u8(&flat, root, 0), 4);
        read_schema(flat, flat_table(&flat, root, 1));
        dictionaries = read_blocks(flat_vector(&flat, root, 2, 24));
        batches = read_blocks(flat_vector(&flat, root, 3, 24));
        EXPECT_EQ(flat.damage, nullptr) << flat.damage_at;
    }

    std::vector<Block> read_blocks(struct flat_vector vector)
    {
        std::vector<Block> blocks;
        for (uint32_t i = 0; i < vector.count; i++)
            blocks.push_back({at_place<uint64_t>(footer, vector.at + i * 24),
                              at_place<uint32_t>(footer, vector.at + i * 24 + 8),
                              at_place<uint64_t>(footer, vector.at + i * 24 + 16)});
        return blocks;
    }

    void read_schema(struct flat &flat, struct flat_table schema)
    {
        auto fields = flat_vector(&flat, schema, 1, 4);
        names.clear(), types.clear(), dictionary.clear();
        for (uint32_t i = 0; i < fields.count; i++) {
            auto field = flat_vector_table(&flat, fields, i);
            text name = flat_text(&flat, field, 0);
            names.emplace_back(name.bytes, name.size);
            types.push_back(flat_u8(&flat, field, 2));
            EXPECT_NE(flat_table(&flat, field, 3).at, 0u);
            dictionary.push_back(flat_table(&flat, field, 4).at != 0);
        }
    }

    // A message's RecordBatch.
    Batch read_batch(const Block &block, unsigned type)
    {
        Batch batch;
        EXPECT_EQ(block.at % 8, 0u);
        EXPECT_EQ((block.at + block.head_bytes) % 64, 0u) << "where its body begins";
        EXPECT_EQ(at_place<uint32_t>(bytes, block.at), 0xffffffffu);
        EXPECT_EQ(at_place<uint32_t>(bytes, block.at + 4) + 8, block.head_bytes);
        std::string head = bytes.substr(block.at + 8, block.head_bytes - 8);
        struct flat flat {
        };
        flat_init(&flat, head.data(), head.size());
        auto root = flat_root(&flat, 0);
        EXPECT_EQ(flat_u8(&flat, root, 1), type);
        EXPECT_EQ(flat_u64(&flat, root, 3), block.body_bytes);
        auto header = flat_table(&flat, root, 2);
        auto record = type == 2 ? flat_table(&flat, header, 1) : header;
        batch.rows = flat_u64(&flat, record, 0);
        auto nodes = flat_vector(&flat, record, 1, 16), buffers = flat_vector(&flat, record, 2, 16);
        EXPECT_EQ(flat.damage, nullptr) << flat.damage_at;
        for (uint32_t i = 0; i < nodes.count; i++) {
            batch.lengths.push_back(at_place<uint64_t>(head, nodes.at + i * 16));
            batch.nulls.push_back(at_place<uint64_t>(head, nodes.at + i * 16 + 8));
        }
        for (uint32_t i = 0; i < buffers.count; i++) {
            Buffer buffer{at_place<uint64_t>(head, buffers.at + i * 16),
                          at_place<uint64_t>(head, buffers.at + i * 16 + 8)};
            EXPECT_EQ(buffer.at % 64, 0u);
            EXPECT_LE(buffer.at + buffer.size, block.body_bytes);
            buffer.at += block.at + block.head_bytes;
            batch.buffers.push_back(buffer);
        }
        EXPECT_LE(block.at + block.head_bytes + block.body_bytes, bytes.size());
        return batch;
    }

    void compare_buffer(const Buffer &buffer, const void *wanted, size_t size)
    {
        ASSERT_EQ(buffer.size, size);
        EXPECT_TRUE(size == 0 || memcmp(bytes.data() + buffer.at, wanted, size) == 0);
    }

    static size_t width_of(const std::string &format)
    {
        return format == "S" ? 2 : format == "I" || format == "i" ? 4 : 8;
    }

    // The columns of a batch are those of the stream's.
    void compare(const Batch &batch, const ArrowSchema &schema, const ArrowArray &array)
    {
        size_t next = 0, rows = batch.rows;
        ASSERT_EQ(static_cast<int64_t>(rows), array.length);
        ASSERT_EQ(batch.lengths.size(), static_cast<size_t>(array.n_children));
        for (int64_t i = 0; i < array.n_children; i++) {
            const ArrowArray *column = array.children[i];
            auto index = static_cast<size_t>(i);
            EXPECT_EQ(names[index], schema.children[i]->name);
            EXPECT_EQ(dictionary[index], schema.children[i]->dictionary != nullptr);
            EXPECT_EQ(batch.lengths[index], rows);
            EXPECT_EQ(static_cast<int64_t>(batch.nulls[index]), column->null_count);
            compare_buffer(batch.buffers[next++], column->buffers[0],
                           column->null_count ? (rows + 7) / 8 : 0);
            if (std::string(schema.children[i]->format) != "U") {
                compare_buffer(batch.buffers[next++], column->buffers[1],
                               rows * width_of(schema.children[i]->format));
                continue;
            }
            auto offsets = static_cast<const int64_t *>(column->buffers[1]);
            compare_buffer(batch.buffers[next++], offsets, (rows + 1) * 8);
            compare_buffer(batch.buffers[next++], column->buffers[2],
                           static_cast<size_t>(offsets[rows]));
        }
        EXPECT_EQ(next, batch.buffers.size());
    }

    void compare_dictionary(const ArrowArray &array)
    {
        ASSERT_EQ(dictionaries.size(), 1u);
        Batch texts = read_batch(dictionaries[0], 2);
        const ArrowArray *wanted = nullptr;
        for (int64_t i = 0; i < array.n_children; i++)
            wanted = array.children[i]->dictionary ? array.children[i]->dictionary : wanted;
        ASSERT_EQ(texts.buffers.size(), 3u);
        auto offsets = static_cast<const int64_t *>(wanted->buffers[1]);
        compare_buffer(texts.buffers[1], offsets, (texts.rows + 1) * 8);
        compare_buffer(texts.buffers[2], wanted->buffers[2],
                       static_cast<size_t>(offsets[wanted->length]));
    }

    // Writes the table and reads it back. Returns its rows.
    uint64_t round_trip(TimelineMaker &m, arrow_table table)
    {
        ArrowArrayStream stream;
        ArrowSchema schema;
        ArrowArray array;
        uint64_t rows = 0;
        write(m, table);
        EXPECT_TRUE(arrow_stream_init(&stream, m.done(), table, nullptr));
        EXPECT_EQ(stream.get_schema(&stream, &schema), 0);
        EXPECT_EQ(names.size(), static_cast<size_t>(schema.n_children));
        for (const Block &block : batches) {
            Batch batch = read_batch(block, 3);
            EXPECT_EQ(stream.get_next(&stream, &array), 0);
            compare(batch, schema, array);
            if (rows == 0)
                compare_dictionary(array);
            rows += batch.rows;
            array.release(&array);
        }
        EXPECT_EQ(stream.get_next(&stream, &array), 0);
        EXPECT_EQ(array.release, nullptr) << "more batches than in the file";
        schema.release(&schema);
        stream.release(&stream);
        return rows;
    }

    std::string path, bytes, footer;
    std::vector<Block> dictionaries, batches;
    std::vector<std::string> names;
    std::vector<uint8_t> types;
    std::vector<bool> dictionary;
};

TEST_F(ArrowFile, HoldsTheColumnsOfTheStream)
{
    TimelineMaker m;
    fill_all_kinds(m);
    EXPECT_EQ(round_trip(m, ARROW_EVENTS), 12u);
    EXPECT_EQ(round_trip(m, ARROW_LAUNCHES), 2u);
    EXPECT_EQ(round_trip(m, ARROW_KERNELS), 4u);
    EXPECT_EQ(round_trip(m, ARROW_COUNTERS), 2u);
}

TEST_F(ArrowFile, SaysWhatColumnsAre)
{
    TimelineMaker m;
    write(m, ARROW_EVENTS);
    ASSERT_GT(types.size(), 20u);
    EXPECT_EQ(names[0], "pid");
    EXPECT_EQ(types[0], 2) << "Int";
    EXPECT_EQ(names[3], "name");
    EXPECT_EQ(types[3], 20) << "LargeUtf8";
    EXPECT_TRUE(dictionary[3]);
    EXPECT_EQ(types[4], 10) << "Timestamp";
    EXPECT_EQ(names.back(), "attributes");
    EXPECT_FALSE(dictionary.back());
}

TEST_F(ArrowFile, OfNothingHasASchema)
{
    TimelineMaker m;
    for (int table = 0; table < ARROW_TABLES; table++) {
        EXPECT_EQ(round_trip(m, static_cast<arrow_table>(table)), 0u);
        EXPECT_TRUE(batches.empty());
    }
}

TEST_F(ArrowFile, HasABatchForEveryBatchOfTheStream)
{
    TimelineMaker m;
    const int64_t count = static_cast<int64_t>(ARROW_BATCH_ROWS) + 5;
    for (int64_t i = 0; i < count; i++)
        m.range("r", i * 10, i * 10 + 5);
    EXPECT_EQ(round_trip(m, ARROW_EVENTS), static_cast<uint64_t>(count));
    EXPECT_EQ(batches.size(), 2u);
}

TEST_F(ArrowFile, LetsAnyNameThrough)
{
    TimelineMaker m;
    int64_t at = 0;
    for (const std::string &name : nasty_names())
        m.attr(m.range(name, at, at + 5), name, name), at += 10;
    m.attr(m.range(std::string(1 << 20, '"'), at, at + 5), "large", std::string(1 << 20, '\1'));
    EXPECT_EQ(round_trip(m, ARROW_EVENTS), nasty_names().size() + 1);
}

TEST_F(ArrowFile, ThatCannotBeWrittenIsNotThere)
{
    TimelineMaker m;
    fill_all_kinds(m);
    write_error error{};
    EXPECT_FALSE(write_arrow_file(m.done(), ARROW_EVENTS, nullptr, "/dev/full", &error));
    EXPECT_EQ(error.code, ENOSPC);
    std::string missing = scratch.path("no/such/file");
    EXPECT_FALSE(write_arrow_file(m.done(), ARROW_EVENTS, nullptr, missing.c_str(), &error));
    EXPECT_EQ(error.code, ENOENT);
}

} // namespace
