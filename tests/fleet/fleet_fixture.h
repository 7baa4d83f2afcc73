/* fleet_fixture.h - the rows of a dataset's tables as text, and those that a test expects. */
#ifndef FLEET_FIXTURE_H
#define FLEET_FIXTURE_H

#include "../stats/timeline_maker.h"

extern "C" {
#include "fleet_rows.h"
#include "md5.h"
}

#include <gtest/gtest.h>

#include <map>

using Row = std::map<std::string, std::string>;

inline bool is_valid(const ArrowArray *array, int64_t row)
{
    auto bits = static_cast<const uint8_t *>(array->buffers[0]);
    return !bits || bits[row / 8] >> row % 8 & 1;
}

template <typename T>
T value(const ArrowArray *array, int64_t row)
{
    return static_cast<const T *>(array->buffers[1])[row];
}

template <typename Offset>
std::string slice_of(const ArrowArray *array, int64_t row)
{
    auto from = value<Offset>(array, row), to = value<Offset>(array, row + 1);
    return {static_cast<const char *>(array->buffers[2]) + from, static_cast<size_t>(to - from)};
}

inline std::string pairs_of(const ArrowArray *array, int64_t row)
{
    const ArrowArray *keys = array->children[0]->children[0];
    const ArrowArray *counts = array->children[0]->children[1];
    std::string all;
    for (int32_t i = value<int32_t>(array, row); i < value<int32_t>(array, row + 1); i++)
        all += std::to_string(value<int32_t>(keys, i)) + "=" +
               std::to_string(value<int64_t>(counts, i)) + " ";
    return all;
}

inline std::string cell(const std::string &format, const ArrowArray *array, int64_t row)
{
    if (!is_valid(array, row))
        return "null";
    if (array->dictionary)
        return slice_of<int32_t>(array->dictionary, value<uint8_t>(array, row));
    if (format == "U")
        return slice_of<int64_t>(array, row);
    if (format == "+m")
        return pairs_of(array, row);
    if (format == "b")
        return value<uint8_t>(array, row / 8) >> row % 8 & 1 ? "true" : "false";
    return std::to_string(format == "i" ? value<int32_t>(array, row) : value<int64_t>(array, row));
}

// Recordings; they are needed until the end.
class Fleet
{
public:
    ~Fleet() { fleet_release(held); }

    void add(const timeline *of, bool summaries = false, const char *file = "x.prof")
    {
        fleet_source source{};
        source.timeline = of;
        source.file = file;
        source.identity = "abc";
        source.summaries = summaries;
        source.owner = &done;
        source.done = [](void *owner) { ++*static_cast<int *>(owner); };
        ASSERT_TRUE(fleet_add(held, &source));
    }

    std::vector<Row> rows(const char *table)
    {
        ArrowArrayStream stream;
        ArrowSchema schema;
        std::vector<Row> all;
        EXPECT_TRUE(fleet_stream_init(&stream, held, fleet_table_find(table)));
        EXPECT_EQ(stream.get_schema(&stream, &schema), 0);
        for (ArrowArray batch; stream.get_next(&stream, &batch) == 0 && batch.release;) {
            EXPECT_EQ(batch.n_children, schema.n_children);
            add_batch(schema, batch, all);
            batch.release(&batch);
        }
        schema.release(&schema);
        stream.release(&stream);
        EXPECT_EQ(stream.release, nullptr);
        return all;
    }

    int done = 0;
    struct fleet *held = fleet_create();

private:
    static void add_batch(const ArrowSchema &schema, const ArrowArray &batch, std::vector<Row> &all)
    {
        for (int64_t i = 0; i < batch.length; i++) {
            all.emplace_back();
            for (int64_t j = 0; j < schema.n_children; j++)
                all.back()[schema.children[j]->name] =
                    cell(schema.children[j]->format, batch.children[j], i);
        }
    }
};

inline std::string id_of(const std::string &name)
{
    return std::to_string(md5_lower({name.data(), name.size()}) / 2);
}

// A time as the tables have it.
inline std::string at(int64_t ns)
{
    return std::to_string(1700000000000000000 + ns);
}

inline void expect_rows(const std::vector<Row> &wanted, const std::vector<Row> &found)
{
    ASSERT_EQ(wanted.size(), found.size());
    for (size_t i = 0; i < wanted.size(); i++)
        for (auto &[name, text] : wanted[i])
            EXPECT_EQ(text, found[i].at(name)) << name << " of row " << i;
}

#endif
