// findings_of.h - what rules find in a timeline.
//
//     FindingsOf found(m.done());
//     ASSERT_EQ(found.of("tiny-kernels").size(), 1u);
//     EXPECT_EQ(found.of("tiny-kernels")[0].path, "step > cudaLaunchKernel");
#ifndef PROF_FINDINGS_OF_H
#define PROF_FINDINGS_OF_H

#include "../stats/timeline_maker.h"

extern "C" {
#include "findings.h"
}

#include <functional>

#include <gtest/gtest.h>

struct Found {
    std::string path, sentence;
    finding detail;
};

class FindingsOf
{
public:
    // `change` sets limits, the same ones for all rules.
    explicit FindingsOf(const timeline *timeline,
                        const std::function<void(finding_limits &)> &change = {})
    {
        finding_settings settings;
        finding_settings_default(&settings);
        if (change)
            change(settings.shared);
        for (auto &limits : settings.limits)
            if (change)
                change(limits);
        EXPECT_TRUE(findings_init(&all, timeline, &settings));
    }

    FindingsOf(const FindingsOf &) = delete;

    ~FindingsOf() { findings_fini(&all); }

    // Those of a rule, most saved first, also where one of another rule has the same cause. Fails the test when there is
    // no such rule.
    std::vector<Found> of(const std::string &rule) const
    {
        std::vector<Found> found;
        EXPECT_LT(finding_rule_find(rule.c_str()), FINDING_RULES_MAX) << rule;
        for (uint32_t i = 0; i < all.found.count; i++)
            for (const finding *one = &all.found.at[i]; one; one = findings_next(&all, one))
                if (rule == one->rule->name) {
                    char path[RANGE_PATH_BYTES];
                    range_paths_text(all.context.paths, one->path, path);
                    found.push_back({path, one->sentence, *one});
                }
        return found;
    }

    // What the limits of a rule without findings left out; "" if there is nothing.
    std::string below(const std::string &rule) const
    {
        char text[FINDING_SENTENCE_BYTES];
        return findings_below_text(&all, finding_rule_find(rule.c_str()), text) ? text : "";
    }

    // Whether a note has this in it.
    bool notes(const std::string &part) const
    {
        for (uint32_t i = 0; i < all.notes.count; i++)
            if (std::strstr(all.notes.at[i].sentence, part.c_str()))
                return true;
        return false;
    }

    struct findings all {
    };
};

#endif
