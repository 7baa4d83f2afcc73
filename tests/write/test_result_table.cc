// Tables that are said once: one table, several, none, in each format.
extern "C" {
#include "table.h"
}

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace
{

const table_column first_columns[] = {{"name", "Name"}, {"time_ns", "Time"}, {}};
const table_column second_columns[] = {{"count", "Count"}, {"name", "Name"}, {}};

bool one(struct table *table, void *)
{
    table_begin(table, "first", "The | first", first_columns);
    table_row(table), table_string(table, "=a"), table_ns(table, 1500);
    table_row(table), table_string(table, "b"), table_unknown(table);
    table_end(table);
    return true;
}

bool two(struct table *table, void *user)
{
    one(table, user);
    table_begin(table, "second", "The second", second_columns);
    table_row(table), table_count(table, 7), table_string(table, "c");
    table_end(table);
    return true;
}

bool refuse(struct table *table, void *user)
{
    one(table, user);
    return false;
}

std::string write(write_format format, bool (*tables)(struct table *, void *), bool expected = true)
{
    char *bytes = nullptr;
    size_t size = 0;
    struct table table = {};
    table.format = format, table.most = -1;
    table.stream = open_memstream(&bytes, &size);
    EXPECT_EQ(table_write(&table, tables, nullptr), expected);
    fclose(table.stream);
    std::string all(bytes, size);
    free(bytes);
    return all;
}

TEST(ResultTable, OneTableIsNothingButItsRows)
{
    EXPECT_EQ(write(WRITE_CSV, one), "name,time_ns\n'=a,1500\nb,\n");
    EXPECT_EQ(write(WRITE_TSV, one), "name\ttime_ns\n'=a\t1500\nb\t\n");
}

TEST(ResultTable, SeveralTablesAreOneThatNamesThem)
{
    EXPECT_EQ(write(WRITE_CSV, two),
              "table,name,time_ns,count\nfirst,'=a,1500,\nfirst,b,,\nsecond,c,,7\n");
}

TEST(ResultTable, MarkdownHasTitlesAndNumbersForPeople)
{
    EXPECT_EQ(write(WRITE_MARKDOWN, one), "### The \\| first\n\n| Name | Time |\n|:--|--:|\n"
                                          "| =a | 1.500us |\n| b | unknown |\n");
}

TEST(ResultTable, JsonHasNullForWhatIsNotKnown)
{
    EXPECT_EQ(write(WRITE_JSON, one), "{\n\"first\":[\n{\"name\":\"=a\",\"time_ns\":1500},\n"
                                      "{\"name\":\"b\",\"time_ns\":null}]}\n");
}

TEST(ResultTable, TellsWhatFailed)
{
    for (write_format format : {WRITE_TEXT, WRITE_TSV, WRITE_CSV, WRITE_JSON, WRITE_MARKDOWN})
        write(format, refuse, false);
}

} // namespace
