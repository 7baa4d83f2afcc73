// The table, the summary and --json: columns, formats, totals, ledger.
#include "write_support.h"

extern "C" {
#include "text.h"
#include "units.h"
}

#include <functional>
#include <set>

#include <gtest/gtest.h>

namespace
{

std::string table(const timeline *t, const write_options *given = nullptr)
{
    write_options options;
    write_options_default(&options);
    return to_string([&](FILE *stream) {
        EXPECT_TRUE(write_table(t, given ? given : &options, WRITE_TEXT, stream));
    });
}

std::string summary(const timeline *t)
{
    return to_string([&](FILE *stream) { EXPECT_TRUE(write_summary(t, nullptr, stream)); });
}

std::vector<std::string> split(const std::string &text)
{
    std::vector<std::string> lines;
    std::istringstream all(text);
    for (std::string line; std::getline(all, line);)
        lines.push_back(line);
    return lines;
}

TEST(Table, HasTheColumnsOfTorchProfiler)
{
    TimelineMaker m;
    m.push("forward", 0);
    auto call = m.launch("cudaLaunchKernel", 1000, 3000);
    m.pop(1000000);
    m.kernel("saxpy", call, 5000, 2505000);
    auto lines = split(table(m.done()));
    EXPECT_EQ(lines[1], "                Name    Self CPU %      Self CPU   CPU total %     CPU "
                        "total  CPU time avg     "
                        "Self CUDA   Self CUDA %    CUDA total  CUDA time avg    # of Calls");
    EXPECT_EQ(lines[3], "             forward        99.80%     998.000us       100.00%       "
                        "1.000ms       1.000ms       "
                        "2.500ms       100.00%       2.500ms       2.500ms             1");
    EXPECT_EQ(lines[4], "               saxpy         0.00%       0.000us         0.00%       "
                        "0.000us       0.000us       "
                        "2.500ms       100.00%       2.500ms       2.500ms             1");
    EXPECT_EQ(lines[7], "Self CPU time total: 1.000ms");
    EXPECT_EQ(lines[8], "Self CUDA time total: 2.500ms");
}

TEST(Table, LeavesCudaColumnsOutWithoutDeviceData)
{
    TimelineMaker m;
    m.range("work", 0, 1000);
    std::string text = table(m.done());
    EXPECT_EQ(text.find("CUDA"), std::string::npos);
    EXPECT_NE(text.find("# of Calls"), std::string::npos);
}

TEST(Table, CutsLongNamesAsTorchProfilerDoes)
{
    TimelineMaker m;
    m.range(std::string(100, 'k'), 0, 1);
    m.range(std::string(52, 'j'), 1, 2);
    m.range(std::string(51, 'i'), 2, 3);
    std::string text = table(m.done());
    EXPECT_NE(text.find(std::string(52, 'k') + "...  "), std::string::npos);
    EXPECT_NE(text.find(std::string(52, 'j') + "...  "), std::string::npos);
    EXPECT_NE(text.find("    " + std::string(51, 'i') + "  "), std::string::npos);
}

// A range with a long name around a kernel, on a terminal of `width`.
class Fitted
{
public:
    explicit Fitted(unsigned width, const std::function<void(write_options &)> &change = {})
    {
        m.push(std::string(60, 'r'), 0);
        auto call = m.launch("cudaLaunchKernel", 1000, 3000);
        m.pop(1000000);
        m.kernel("saxpy", call, 5000, 2505000);
        write_options options;
        write_options_default(&options);
        options.table_width = width;
        if (change)
            change(options);
        auto write = options.depth == 1 ? write_tree : write_table;
        text = to_string(
            [&](FILE *stream) { EXPECT_TRUE(write(m.done(), &options, WRITE_TEXT, stream)); });
        for (const auto &line : split(text))
            widest = std::max(widest, line.size());
    }

    // Titles of the columns, each once.
    bool shows(const std::string &title) const
    {
        std::string titles = split(text)[1] + " ";
        size_t at = titles.find(" " + title + " ");
        return at != std::string::npos;
    }

    TimelineMaker m;
    std::string text;
    size_t widest = 0;
};

TEST(TableOnATerminal, IsAsItIsEverywhereWhereItFits)
{
    EXPECT_EQ(Fitted(400).text, Fitted(0).text);
}

TEST(TableOnATerminal, HasAllColumnsAsLongAsNamesCanBeCut)
{
    Fitted table(144);
    EXPECT_LE(table.widest, 144u);
    EXPECT_EQ(table.text.find("Left out"), std::string::npos);
    EXPECT_NE(table.text.find("\n" + std::string(12, 'r') + "..." + std::string(5, 'r') + "  "),
              std::string::npos)
        << table.text;
}

TEST(TableOnATerminal, LeavesOutTheLeastImportantColumnsAndSaysWhich)
{
    Fitted table(80);
    EXPECT_LE(table.widest, 80u);
    for (const char *title : {"Self CPU", "CPU total", "Self CUDA", "CUDA total", "# of Calls"})
        EXPECT_TRUE(table.shows(title)) << title;
    EXPECT_NE(table.text.find(
                  "Left out: Self CPU %, CPU total %, CPU time avg, Self CUDA %, CUDA time avg"),
              std::string::npos)
        << table.text;
}

TEST(TableOnATerminal, CutsNoNumber)
{
    std::set<std::string> whole;
    std::istringstream words(Fitted(0).text);
    for (std::string word; words >> word;)
        whole.insert(word);
    for (unsigned width : {20u, 60u, 80u, 100u, 120u}) {
        auto lines = split(Fitted(width).text);
        for (size_t row = 3; lines[row][0] != '-'; row++) {
            std::istringstream cells(lines[row]);
            std::string word;
            for (cells >> word; cells >> word;)
                EXPECT_TRUE(whole.count(word)) << width << ": " << word;
        }
    }
}

TEST(TableOnATerminal, KeepsWhatItIsSortedByAndWhatWasAskedFor)
{
    Fitted sorted(60, [](write_options &options) { options.sort = KEY_BY_CPU_AVG; });
    EXPECT_TRUE(sorted.shows("CPU time avg")) << sorted.text;
    Fitted asked(60, [](write_options &options) { options.columns = UINT32_C(1) << KEY_BY_P99; });
    EXPECT_TRUE(asked.shows("P99")) << asked.text;
    EXPECT_FALSE(asked.shows("CPU total")) << asked.text;
}

TEST(TableOnATerminal, KeepsTheNameWidthThatWasAskedFor)
{
    Fitted table(100, [](write_options &options) { options.name_width = options.name_least = 40; });
    EXPECT_LE(table.widest, 100u);
    EXPECT_NE(table.text.find(std::string(25, 'r') + "..." + std::string(12, 'r') + "  "),
              std::string::npos)
        << table.text;
}

TEST(TreeOnATerminal, CutsNamesThenLeavesColumnsOut)
{
    auto tree = [](write_options &options) { options.depth = 1; };
    Fitted whole(0, tree), cut(92, tree), narrow(60, tree);
    EXPECT_NE(whole.text.find(std::string(52, 'r') + "...  "), std::string::npos) << whole.text;
    EXPECT_LE(cut.widest, 92u);
    EXPECT_EQ(cut.text.find("Left out"), std::string::npos) << cut.text;
    EXPECT_LE(narrow.widest, 60u);
    EXPECT_TRUE(narrow.shows("CUDA total"));
    EXPECT_NE(narrow.text.find("Left out: % of parent, Self CPU, Self CUDA ("), std::string::npos)
        << narrow.text;
}

TEST(Table, LimitsRowsAndSaysSo)
{
    TimelineMaker m;
    for (int i = 0; i < 10; i++)
        m.range("r" + std::to_string(i), i * 10, i * 10 + i);
    write_options options;
    write_options_default(&options);
    options.rows = 3;
    std::string text = table(m.done(), &options);
    EXPECT_NE(text.find(" r9 "), std::string::npos);
    EXPECT_NE(text.find(" r7 "), std::string::npos);
    EXPECT_EQ(text.find(" r6 "), std::string::npos);
    EXPECT_NE(text.find("3 of 10 rows\n"), std::string::npos);
}

TEST(Table, ShowsEveryLossWithItsSentence)
{
    TimelineMaker m;
    m.processes[0].loss[PROF_LOSS_CUPTI_DROPPED] = 2;
    m.processes[0].loss[PROF_LOSS_FULL] = 7;
    m.made.ledger.launched = 10;
    m.made.ledger.recorded = 7;
    m.made.ledger.lost_operations = 2;
    m.made.ledger.missing = 1;
    m.made.ledger.unclosed = 4;
    std::string text = table(m.done());
    EXPECT_NE(text.find("Ledger: launched 10 = recorded 7 + lost 2 + missing 1; not everything was "
                        "recorded:\n"),
              std::string::npos);
    EXPECT_NE(text.find("cupti_dropped            2  device record dropped by CUPTI\n"),
              std::string::npos);
    EXPECT_NE(text.find("full                     7  event not recorded: the size limit"),
              std::string::npos);
    EXPECT_NE(text.find("unclosed                 4  "), std::string::npos);
}

TEST(Table, SaysWhenNothingWasLostAndWhoTimedTheDevice)
{
    TimelineMaker m;
    m.processes[0].info.simulated = true;
    m.processes[0].info.gpu_reason = m.text_of("libcupti.so.13 answered");
    m.made.ledger.launched = m.made.ledger.recorded = 5;
    std::string text = table(m.done());
    EXPECT_NE(text.find("\nLedger: nothing lost\n"), std::string::npos);
    EXPECT_NE(text.find("GPU mode: cupti, libcupti.so.13 answered (Simulated GPU"),
              std::string::npos);
}

TEST(Table, LetsNoNameDriveTheTerminal)
{
    TimelineMaker m;
    int64_t now = 0;
    for (const std::string &name : nasty_names()) {
        m.range(name, now, now + 1);
        now += 10;
    }
    m.processes[0].info.program = m.text_of("\x1b]0;title\x07");
    m.processes[0].info.gpu_reason = m.text_of("\x9b"
                                               "31m\xe2\x80\xae");
    std::string text = table(m.done()) + summary(m.done());
    for (size_t i = 0; i < text.size(); i++) {
        auto byte = static_cast<unsigned char>(text[i]);
        ASSERT_TRUE((byte >= 0x20 && byte != 0x7f) || byte == '\n') << "control byte " << int{byte};
        ASSERT_FALSE(byte == 0xc2 && static_cast<unsigned char>(text[i + 1]) < 0xa0)
            << "C1 control";
    }
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos) << "a bidirectional override";
    EXPECT_NE(text.find("\\x1b[31mred"), std::string::npos);
}

TEST(Table, ColorsOnlyWhenTold)
{
    TimelineMaker m;
    m.range("r", 0, 1);
    write_options options;
    write_options_default(&options);
    EXPECT_EQ(table(m.done(), &options).find('\x1b'), std::string::npos);
    options.color = true;
    EXPECT_NE(table(m.done(), &options).find("\x1b[1m"), std::string::npos);
}

TEST(Table, TakesAnEmptyTimeline)
{
    timeline empty{};
    EXPECT_NE(table(&empty).find("Self CPU time total: 0.000us"), std::string::npos);
}

TEST(Table, ReportsAFullDevice)
{
    TimelineMaker m;
    m.range("r", 0, 1);
    write_options options;
    write_options_default(&options);
    FILE *full = fopen("/dev/full", "w");
    ASSERT_NE(full, nullptr);
    setvbuf(full, nullptr, _IONBF, 0);
    EXPECT_FALSE(write_table(m.done(), &options, WRITE_TEXT, full));
    EXPECT_FALSE(write_json(m.done(), &options, full));
    fclose(full);
}

TEST(TimeText, UsesTorchProfilersUnits)
{
    auto text = [](double ns) {
        char to[TIME_TEXT_BYTES];
        time_text(ns, to);
        return std::string(to);
    };
    EXPECT_EQ(text(0), "0.000us");
    EXPECT_EQ(text(1), "0.001us");
    EXPECT_EQ(text(999999), "999.999us");
    EXPECT_EQ(text(1000000), "1.000ms");
    EXPECT_EQ(text(1234567890), "1.235s");
    EXPECT_EQ(text(3.6e15), "3600000.000s");
    char share[TIME_TEXT_BYTES];
    time_text_in(1.5e15, TIME_NS, share);
    EXPECT_STREQ(share, "1500000000000000.000ns") << "17 days";
    time_text_in(9.2e18, TIME_NS, share);
    EXPECT_STREQ(share, "9200000000000000000.000ns");
    time_text_number(0.126, 2, share);
    EXPECT_STREQ(share, "0.13");
    time_text_share(1, 3, share);
    EXPECT_STREQ(share, "33.33%");
    time_text_share(0, 0, share);
    EXPECT_STREQ(share, "-");
}

TEST(ShowText, CountsColumnsNotBytes)
{
    char to[SHOW_TEXT_BYTES(4)];
    bool rest;
    EXPECT_EQ(show_text({"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 10}, 4, to, &rest), 4u);
    EXPECT_STREQ(to, "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9");
    EXPECT_TRUE(rest);
    EXPECT_EQ(show_text({"a\x1b", 2}, 4, to, &rest), 1u) << "an escape is not cut in two";
    EXPECT_TRUE(rest);
}

TEST(Summary, SaysWhoWhereAndHowItEnded)
{
    TimelineMaker m;
    m.processes[0].info.rank = 1;
    m.processes[0].info.world_size = 2;
    m.device(0, "NVIDIA H200");
    m.range("r", 0, 1500000);
    std::string text = summary(m.done());
    EXPECT_NE(text.find("train, rank 1 (pid 100) on host, world size 2\n"), std::string::npos);
    EXPECT_NE(text.find("1.500ms by libprof 0.1.0; complete\n"), std::string::npos);
    EXPECT_NE(text.find("Device 0:  NVIDIA H200\n"), std::string::npos);
    EXPECT_NE(text.find("1 ranges"), std::string::npos);
    m.processes[0].info.closed = false;
    EXPECT_NE(summary(m.done()).find("killed, or still running"), std::string::npos);
}

TEST(FactsJson, HasTheMembersProgramsReadAndOnlyIntegers)
{
    if (!have_python())
        GTEST_SKIP() << "no python3";
    Scratch scratch;
    TimelineMaker m;
    m.device(0, "NVIDIA H200");
    m.push("forward", 0);
    auto call = m.launch("cudaLaunchKernel", 10, 20);
    m.pop(100);
    m.kernel("saxpy", call, 30, 60);
    m.copy(call, 60, 70, 100);
    m.range(nasty_names()[7], 200, 300);
    m.made.ledger.launched = m.made.ledger.recorded = 2;
    write_options options;
    write_options_default(&options);
    write_file(scratch.path("x.json"), to_string([&](FILE *stream) {
                   EXPECT_TRUE(write_json(m.done(), &options, stream));
               }));
    EXPECT_EQ(Scratch::run("cd " + scratch.directory + R"( && python3 -c '
import json, sys
def no(word): sys.exit("not an integer: " + word)
facts = json.loads(open("x.json", "rb").read().decode("utf-8", "strict"), parse_constant=no, parse_float=no)
assert facts["mode"] == "cupti" and facts["simulated"] is False and facts["libprof"], facts
rows = {(row["kind"], row["name"]): row for row in facts["key_averages"]}
forward = rows["range", "forward"]
assert forward == {"name": "forward", "kind": "range", "count": 1, "cpu_total_ns": 100, "self_cpu_total_ns": 90,
                   "cuda_total_ns": 40, "self_cuda_total_ns": 40, "first_ns": forward["first_ns"],
                   "min_ns": 100, "max_ns": 100, "mean_ns": 100, "stddev_ns": None, "p10_ns": 100, "p50_ns": 100, "p90_ns": 100, "p99_ns": 100, "cold_calls": 1,
                   "cold_avg_ns": 100, "warm_avg_ns": 0, "projected_calls": 1, "projected_ns": 40}, forward
assert facts["device_time"] == [{"pid": 100, "device": 0, "operations": 2, "sum_ns": 40, "busy_ns": 40,
                                 "overlap_ns": 0, "idle_ns": facts["device_time"][0]["window_ns"] - 40,
                                 "window_ns": facts["duration_ns"]}], facts["device_time"]
assert facts["total_average"]["self_cuda_total_ns"] == 40, facts["total_average"]
assert [row["name"] for row in facts["kernels"]] == ["saxpy"], facts["kernels"]
assert facts["devices"][0]["name"] == "NVIDIA H200" and facts["processes"][0]["pid"] == 100
assert facts["loss"]["launched"] == facts["loss"]["recorded"] == 2
for cause in "full late cupti_dropped zero_time missing orphans unclosed unopened".split():
    assert facts["loss"][cause] == 0, cause
')"),
              0);
}

} // namespace
