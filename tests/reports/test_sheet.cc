// Tables that are said once: one table, several, none, in each format.
extern "C" {
#include "sheet.h"
}

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace
{

const sheet_column first_columns[] = {{"name", "Name"}, {"time_ns", "Time"}, {}};
const sheet_column second_columns[] = {{"count", "Count"}, {"name", "Name"}, {}};

bool one(sheet *sheet, void *)
{
    sheet_begin(sheet, "first", "The | first", first_columns);
    sheet_row(sheet), sheet_string(sheet, "=a"), sheet_ns(sheet, 1500);
    sheet_row(sheet), sheet_string(sheet, "b"), sheet_unknown(sheet);
    sheet_end(sheet);
    return true;
}

bool two(sheet *sheet, void *user)
{
    one(sheet, user);
    sheet_begin(sheet, "second", "The second", second_columns);
    sheet_row(sheet), sheet_count(sheet, 7), sheet_string(sheet, "c");
    sheet_end(sheet);
    return true;
}

bool refuse(sheet *sheet, void *user)
{
    one(sheet, user);
    return false;
}

std::string write(write_format format, bool (*tables)(sheet *, void *), bool expected = true)
{
    char *bytes = nullptr;
    size_t size = 0;
    sheet sheet = {};
    sheet.format = format, sheet.most = -1;
    sheet.stream = open_memstream(&bytes, &size);
    EXPECT_EQ(sheet_write(&sheet, tables, nullptr), expected);
    fclose(sheet.stream);
    std::string all(bytes, size);
    free(bytes);
    return all;
}

TEST(Sheet, OneTableIsNothingButItsRows)
{
    EXPECT_EQ(write(WRITE_CSV, one), "name,time_ns\n'=a,1500\nb,\n");
    EXPECT_EQ(write(WRITE_TSV, one), "name\ttime_ns\n'=a\t1500\nb\t\n");
}

TEST(Sheet, SeveralTablesAreOneThatNamesThem)
{
    EXPECT_EQ(write(WRITE_CSV, two),
              "table,name,time_ns,count\nfirst,'=a,1500,\nfirst,b,,\nsecond,c,,7\n");
}

TEST(Sheet, MarkdownHasTitlesAndNumbersForPeople)
{
    EXPECT_EQ(write(WRITE_MARKDOWN, one), "### The \\| first\n\n| Name | Time |\n|:--|--:|\n"
                                          "| =a | 1.500us |\n| b | unknown |\n");
}

TEST(Sheet, JsonHasNullForWhatIsNotKnown)
{
    EXPECT_EQ(write(WRITE_JSON, one), "{\n\"first\":[\n{\"name\":\"=a\",\"time_ns\":1500},\n"
                                      "{\"name\":\"b\",\"time_ns\":null}]}\n");
}

TEST(Sheet, TellsWhatFailed)
{
    for (write_format format : {WRITE_TEXT, WRITE_TSV, WRITE_CSV, WRITE_JSON, WRITE_MARKDOWN})
        write(format, refuse, false);
}

} // namespace
