// diff_fixture.h - two timelines made by hand, and their diff.
#ifndef PROF_DIFF_FIXTURE_H
#define PROF_DIFF_FIXTURE_H

#include "../stats/timeline_maker.h"

extern "C" {
#include "diff.h"
}

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

// Kernels one after the other, each launched from the range that is open.
class MadeRun : public TimelineMaker
{
public:
    void kernels(const std::string &name, const std::vector<int64_t> &durations)
    {
        for (int64_t duration : durations) {
            uint32_t call = launch("cudaLaunchKernel", now, now + 1000);
            kernel(name, call, now + 1000, now + 1000 + duration);
            now += 1000 + duration;
        }
    }

    void within(const std::string &range, const std::string &name,
                const std::vector<int64_t> &durations)
    {
        push(range, now);
        kernels(name, durations);
        pop(now);
    }

    void ranges(const std::string &name, const std::vector<int64_t> &durations)
    {
        for (int64_t duration : durations) {
            range(name, now, now + duration);
            now += duration;
        }
    }

    // Steps of this length, each with two kernels of a hundredth of it.
    void steps(int count, int64_t step_ns)
    {
        for (int i = 0; i < count; i++) {
            int64_t start_ns = now;
            push("ProfilerStep#" + std::to_string(i), now, TL_STEP);
            kernels("k", {step_ns / 100 + i, step_ns / 100 + i});
            now = start_ns + step_ns + i * 10;
            pop(now);
        }
    }

    // A run of the program, a second after the one before: one kernel, then nothing on the device.
    void run(int64_t wall_ns, int64_t busy_ns = 1000)
    {
        if (!windows.empty()) {
            process(static_cast<uint32_t>(processes.back().info.pid) + 10, "train");
            thread(101);
            stream(7);
        }
        uint32_t call = launch("cudaLaunchKernel", now, now + 100);
        kernel("k", call, now + 100, now + 100 + busy_ns);
        recorded(now, now + wall_ns);
        now += wall_ns + 1000000000;
    }

    void recorded(int64_t start_ns, int64_t end_ns)
    {
        tl_window window{};
        window.start_ns = start_ns;
        window.end_ns = end_ns;
        window.process = static_cast<uint32_t>(processes.size() - 1);
        windows.push_back(window);
    }

    int64_t now = 0;
};

// So many durations around a middle one.
inline std::vector<int64_t> around(int64_t middle_ns, int count)
{
    std::vector<int64_t> durations;
    for (int i = 0; i < count; i++)
        durations.push_back(middle_ns + (i * 7 % count - count / 2) * middle_ns / 1000 + 1);
    return durations;
}

class Diff
{
public:
    Diff(MadeRun &left, MadeRun &right, diff_options given = defaults())
    {
        EXPECT_TRUE(diff_side_init(&sides[0], left.done(), given.tables));
        EXPECT_TRUE(diff_side_init(&sides[1], right.done(), given.tables));
        EXPECT_TRUE(diff_init(&made, &sides[0], &sides[1], &given));
    }
    ~Diff()
    {
        diff_fini(&made);
        diff_side_fini(&sides[0]);
        diff_side_fini(&sides[1]);
    }
    Diff(const Diff &) = delete;
    Diff &operator=(const Diff &) = delete;

    static diff_options defaults()
    {
        diff_options options;
        diff_options_default(&options);
        return options;
    }

    static diff_options by(diff_by table)
    {
        diff_options options = defaults();
        options.tables = 1u << table;
        return options;
    }

    std::string name(const diff_row &row, unsigned side) const
    {
        if (row.entry[side] == TL_NONE)
            return "";
        const text &name = sides[side].entries.at[row.entry[side]].name;
        return {name.bytes, name.size};
    }

    // The row that is called so on either side.
    const diff_row &row(diff_by table, const std::string &called) const
    {
        static const diff_row none{};
        for (uint32_t i = 0; i < made.tables[table].rows.count; i++) {
            const diff_row &row = made.tables[table].rows.at[i];
            if (name(row, 0) == called || name(row, 1) == called)
                return row;
        }
        ADD_FAILURE() << "no row " << called;
        return none;
    }

    const diff_row &kernel(const std::string &called) const { return row(DIFF_BY_KERNEL, called); }

    // "a->x, b->y" of renamed kernels, by the left name.
    std::string renamed() const
    {
        std::map<std::string, std::string> pairs;
        for (uint32_t i = 0; i < made.tables[DIFF_BY_KERNEL].rows.count; i++) {
            const diff_row &row = made.tables[DIFF_BY_KERNEL].rows.at[i];
            if (row.match == DIFF_RENAMED)
                pairs[name(row, 0)] = name(row, 1) + (row.ambiguous ? "?" : "");
        }
        std::string all;
        for (auto &[before, after] : pairs)
            all += (all.empty() ? "" : ", ") + before + "->" + after;
        return all;
    }

    diff_side sides[2];
    diff made;
};

#endif
