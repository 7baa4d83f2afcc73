// Limits from a file: what they change, and what is said of mistakes.
#include "findings_of.h"

namespace
{

class Settings : public testing::Test
{
protected:
    bool read(const std::string &text)
    {
        finding_settings_default(&settings);
        FILE *file = fmemopen(const_cast<char *>(text.data()), text.size(), "r");
        EXPECT_NE(file, nullptr);
        bool done = finding_settings_read(&settings, file, &line, message);
        fclose(file);
        return done;
    }

    const finding_limits &of(const char *rule) { return settings.limits[finding_rule_find(rule)]; }

    finding_settings settings;
    uint32_t line = 0;
    char message[FINDING_SETTINGS_MESSAGE] = "";
};

TEST_F(Settings, ChangeAllRulesOrOne)
{
    ASSERT_TRUE(read("# comment\n\nleast_share = 0.5\n[all]\nleast_gap_us = 5.5 ; half\n"
                     " [ tiny-kernels ] \ntiny_kernel_us=3\nloop_calls = 7\n"
                     "[cpu-only]\nenabled = no\n"))
        << line << message;
    EXPECT_EQ(of("low-occupancy").least_share, 0.5);
    EXPECT_EQ(settings.shared.least_gap_ns, 5500);
    EXPECT_EQ(of("tiny-kernels").tiny_kernel_ns, 3000);
    EXPECT_EQ(of("tiny-kernels").loop_calls, 7u);
    EXPECT_EQ(of("low-occupancy").tiny_kernel_ns, 10000);
    EXPECT_FALSE(settings.enabled[finding_rule_find("cpu-only")]);
    EXPECT_TRUE(settings.enabled[finding_rule_find("tiny-kernels")]);
}

TEST_F(Settings, OfAnEmptyFileAreTheDefaults)
{
    ASSERT_TRUE(read("\n"));
    EXPECT_EQ(of("tiny-kernels").least_share, 0.01);
}

struct Mistake {
    const char *text;
    uint32_t line;
    const char *message;
};

class SettingsMistakes : public Settings, public testing::WithParamInterface<Mistake>
{
};

TEST_P(SettingsMistakes, AreToldWithTheirLine)
{
    EXPECT_FALSE(read(GetParam().text));
    EXPECT_EQ(line, GetParam().line);
    EXPECT_NE(std::string(message).find(GetParam().message), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    All, SettingsMistakes,
    testing::Values(Mistake{"\n[no-such]\n", 2, "there is no rule 'no-such'"},
                    Mistake{"[tiny-kernels\n", 1, "a section ends with ']'"},
                    Mistake{"[\n", 1, "a section ends with ']'"},
                    Mistake{"what\n", 1, "neither [rule] nor"},
                    Mistake{"speed = 9\n", 1, "there is no limit 'speed'"},
                    Mistake{"least_share = 1.5\n", 1, "'1.5' is not a share of 0 to 1"},
                    Mistake{"least_share = nan\n", 1, "'nan' is not a share"},
                    Mistake{"least_share =\n", 1, "'' is not a share"},
                    Mistake{"loop_calls = 1.5\n", 1, "is not a whole number"},
                    Mistake{"loop_calls = -1\n", 1, "is not a whole number"},
                    Mistake{"launch_us = 3 s\n", 1, "is not a number of microseconds"},
                    Mistake{"enabled = maybe\n", 1, "neither yes nor no"},
                    Mistake{"[cpu-only]\nlaunch_us = 3\n", 2, "belongs in [all]"},
                    Mistake{"[cpu-only]\n[all]\n", 2, "[all] comes before"}));

TEST_F(Settings, WithALineWithoutEndAreRefused)
{
    EXPECT_FALSE(read(std::string(5000, 'x')));
    EXPECT_EQ(std::string(message), "the line is too long");
}

TEST_F(Settings, DecideWhatIsWorthAFinding)
{
    TimelineMaker m;
    m.range("small", 0, 30);
    m.range("large", 30, 1000);
    for (auto share : {0.01, 0.05}) {
        FindingsOf found(m.done(), [&](finding_limits &limits) { limits.least_share = share; });
        EXPECT_EQ(found.of("cpu-only").size(), share < 0.03 ? 2u : 1u);
    }
}

} // namespace
