// The PROF_ variables: one table, from which everything else follows.
#include "recorder_support.h"

#include <csignal>
#include <set>
#include <vector>

extern "C" {
#include "config.h"
#include "log.h"
}

namespace
{

std::vector<config_option> options()
{
    size_t count;
    const config_option *first = config_options(&count);
    return {first, first + count};
}

// Also of what whoever runs the tests has set.
void clear_environment()
{
    std::vector<std::string> names;
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, "PROF_", 5) == 0)
            names.emplace_back(*entry, strcspn(*entry, "="));
    for (const std::string &name : names)
        unsetenv(name.c_str());
}

// A value that parses and is not the default.
const char *other_value(const config_option &option)
{
    std::string type = option.type_name;
    if (type == "text")
        return "something else";
    if (type == "0 or 1")
        return strcmp(option.default_text, "0") == 0 ? "1" : "0";
    if (type == "number")
        return strcmp(option.default_text, "5") == 0 ? "4" : "5";
    if (type == "schedule")
        return option.range_text;
    if (type == "signal")
        return "USR2";
    if (type == "percent")
        return "2%";
    return strrchr(option.range_text, ' ') + 1;
}

std::string warnings()
{
    return stderr_of(config_warn);
}

TEST(ConfigTable, HasARowForEachFieldAndAFieldForEachRow)
{
    IN_A_PROCESS_OF_ITS_OWN({
        clear_environment();
        setenv("PROF_GPU_BUFFER_KB", "512", 1); // its range does not hold 5
        std::set<size_t> changed;
        for (const config_option &option : options()) {
            config before = *config_get();
            setenv(option.name,
                   strcmp(option.name, "PROF_GPU_BUFFER_KB") ? other_value(option) : "512", 1);
            config_load();
            config after = *config_get();
            for (size_t word = 0; word < sizeof before / 8; word++)
                if (memcmp((char *)&before + word * 8, (char *)&after + word * 8, 8) != 0)
                    changed.insert(word);
        }
        EXPECT_EQ(options().size(), sizeof(config) / 8);
        EXPECT_EQ(changed.size(), sizeof(config) / 8);
    });
}

TEST(ConfigTable, SaysEverythingAboutEachVariable)
{
    std::set<std::string> names;
    for (const config_option &option : options()) {
        EXPECT_EQ(std::string(option.name).rfind("PROF_", 0), 0u) << option.name;
        EXPECT_TRUE(names.insert(option.name).second) << option.name << " twice";
        EXPECT_GT(strlen(option.help), 10u) << option.name;
        EXPECT_EQ(option.help[strlen(option.help) - 1], '.') << option.name;
        bool ranged = strcmp(option.type_name, "text") && strcmp(option.type_name, "0 or 1");
        EXPECT_EQ(*option.range_text != '\0', ranged) << option.name;
    }
}

TEST(ConfigDefaults, AreInForceBeforeAndAfterLoadingAnEmptyEnvironment)
{
    IN_A_PROCESS_OF_ITS_OWN({
        clear_environment();
        for (int loaded = 0; loaded < 2; loaded++) {
            EXPECT_STREQ(config_get()->output, "%e%R-%p.prof");
            EXPECT_EQ(config_get()->max_mib, 8192u);
            EXPECT_EQ(config_get()->full, CONFIG_FULL_STOP);
            EXPECT_EQ(config_get()->start, CONFIG_START_AUTO);
            EXPECT_EQ(config_get()->log_level, 1u);
            config_load();
        }
        EXPECT_EQ(warnings(), "");
    });
}

TEST(ConfigDefaults, AreWhatTheTableShows)
{
    for (const config_option &option : options()) {
        if (strcmp(option.type_name, "number") == 0) {
            EXPECT_STRNE(option.default_text, "") << option.name;
        }
        if (strcmp(option.type_name, "one of") == 0) {
            std::string choices = ", " + std::string(option.range_text) + ",";
            EXPECT_NE(choices.find(", " + std::string(option.default_text) + ","),
                      std::string::npos)
                << option.name;
        }
    }
}

TEST(ConfigChoices, AreNumberedAsInTheirList)
{
    IN_A_PROCESS_OF_ITS_OWN({
        clear_environment();
        setenv("PROF_START", "now", 1);
        setenv("PROF_FULL", "ring", 1);
        config_load();
        EXPECT_EQ(config_get()->start, CONFIG_START_NOW);
        EXPECT_EQ(config_get()->full, CONFIG_FULL_RING);
        EXPECT_EQ(config_get()->gpu_detail, CONFIG_DETAIL_STANDARD);
        setenv("PROF_GPU_DETAIL", "full", 1);
        config_load();
        EXPECT_EQ(config_get()->gpu_detail, CONFIG_DETAIL_FULL);
        setenv("PROF_START", "api", 1);
        config_load();
        EXPECT_EQ(config_get()->start, CONFIG_START_API);
        EXPECT_EQ(warnings(), "");
    });
}

TEST(ConfigPercents, AreKeptAsMillionths)
{
    IN_A_PROCESS_OF_ITS_OWN({
        clear_environment();
        EXPECT_EQ(config_get()->budget_ppm, 0u);
        const std::pair<const char *, uint64_t> good[] = {
            {"2%", 20000},     {"2", 20000},    {"0.5%", 5000},       {"0.01%", 100},
            {"100%", 1000000}, {"1.25", 12500}, {"0.012345678%", 123}};
        for (auto &[text, ppm] : good) {
            setenv("PROF_BUDGET", text, 1);
            config_load();
            EXPECT_EQ(config_get()->budget_ppm, ppm) << text;
        }
        EXPECT_EQ(warnings(), "");
    });
}

TEST(ConfigMoments, HoldAStepOrATimeInMilliseconds)
{
    struct {
        const char *text;
        uint64_t kind, amount;
    } const moments[] = {
        {"auto", CONFIG_START_AUTO, 0},          {"cuda", CONFIG_START_CUDA, 0},
        {"step:0", CONFIG_START_STEP, 0},        {"step:1000000000", CONFIG_START_STEP, 1000000000},
        {"time:5", CONFIG_START_TIME, 5000},     {"time:5s", CONFIG_START_TIME, 5000},
        {"time:250ms", CONFIG_START_TIME, 250},  {"time:2m", CONFIG_START_TIME, 120000},
        {"time:1h", CONFIG_START_TIME, 3600000},
    };
    for (const auto &moment : moments)
        IN_A_PROCESS_OF_ITS_OWN({
            clear_environment();
            setenv("PROF_START", moment.text, 1);
            config_load();
            EXPECT_EQ(CONFIG_MOMENT(config_get()->start), moment.kind) << moment.text;
            EXPECT_EQ(CONFIG_AMOUNT(config_get()->start), moment.amount) << moment.text;
            EXPECT_EQ(warnings(), "");
        });
}

TEST(ConfigSignals, AreNamedOrNumbered)
{
    struct {
        const char *text;
        int number;
    } const signals[] = {{"USR2", SIGUSR2},
                         {"SIGUSR1", SIGUSR1},
                         {"10", 10},
                         {"RTMIN", SIGRTMIN},
                         {"RTMIN+3", SIGRTMIN + 3}};
    for (const auto &wanted : signals)
        IN_A_PROCESS_OF_ITS_OWN({
            clear_environment();
            setenv("PROF_SIGNAL", wanted.text, 1);
            config_load();
            EXPECT_EQ(config_get()->signal, (uint64_t)wanted.number) << wanted.text;
        });
}

struct Bad {
    const char *name, *value;
};

void PrintTo(const Bad &bad, std::ostream *stream)
{
    *stream << bad.name << "=" << bad.value;
}

class ConfigBadValue : public testing::TestWithParam<Bad>
{
};

TEST_P(ConfigBadValue, LeavesTheDefaultAndIsNamed)
{
    const char *name = GetParam().name, *value = GetParam().value;
    IN_A_PROCESS_OF_ITS_OWN({
        clear_environment();
        config defaults = *config_get();
        setenv(name, value, 1);
        config_load();
        EXPECT_EQ(memcmp(&defaults, config_get(), sizeof defaults), 0);
        std::string said = warnings();
        EXPECT_NE(said.find(std::string(name) + "=" + value), std::string::npos) << said;
        EXPECT_NE(said.find("; using "), std::string::npos) << said;
    });
}

// By its place: the values hold what a test's name may not.
std::string numbered(const testing::TestParamInfo<Bad> &info)
{
    return info.param.name + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(
    Values, ConfigBadValue,
    testing::Values(
        Bad{"PROF_MAX_MB", "10M"}, Bad{"PROF_MAX_MB", "1.5"}, Bad{"PROF_MAX_MB", "1e3"},
        Bad{"PROF_MAX_MB", "-1"}, Bad{"PROF_MAX_MB", " 5"}, Bad{"PROF_MAX_MB", "0x10"},
        Bad{"PROF_BUDGET", "0%"}, Bad{"PROF_BUDGET", "100.01%"}, Bad{"PROF_BUDGET", "-2%"},
        Bad{"PROF_BUDGET", ".5"}, Bad{"PROF_BUDGET", "2%%"}, Bad{"PROF_BUDGET", "1.5.5"},
        Bad{"PROF_BUDGET", "0.001"}, Bad{"PROF_CUDA", "yes"}, Bad{"PROF_CUDA", "2"},
        Bad{"PROF_START", "nowhere"}, Bad{"PROF_START", "au"}, Bad{"PROF_START", "auto, now"},
        Bad{"PROF_START", ","}, Bad{"PROF_START", "step:"}, Bad{"PROF_START", "step"},
        Bad{"PROF_START", "step:-1"}, Bad{"PROF_START", "step:1000000001"},
        Bad{"PROF_START", "step:5s"}, Bad{"PROF_START", "time:"}, Bad{"PROF_START", "time:5x"},
        Bad{"PROF_STOP", "now"}, Bad{"PROF_STOP", "time:1.5s"}, Bad{"PROF_STOP", "step: 5"},
        Bad{"PROF_SIGNAL", "KILL"}, Bad{"PROF_SIGNAL", "9"}, Bad{"PROF_SIGNAL", "SEGV"},
        Bad{"PROF_SIGNAL", "33"}, Bad{"PROF_SIGNAL", "17"}, Bad{"PROF_SIGNAL", "0"},
        Bad{"PROF_SIGNAL", "RTMIN+99"}, Bad{"PROF_SIGNAL", "RTMIN3"}, Bad{"PROF_SIGNAL", "usr2"},
        Bad{"PROF_CONTROL", "yes"}, Bad{"PROF_SCHEDULE", "wait=1,warmup=1"},
        Bad{"PROF_SCHEDULE", "active=0"}, Bad{"PROF_SCHEDULE", "active=1,"},
        Bad{"PROF_SCHEDULE", "active=1,active=2"}, Bad{"PROF_SCHEDULE", "active=1 wait=2"},
        Bad{"PROF_SCHEDULE", "active=-1"}, Bad{"PROF_SCHEDULE", "active=1,skip=2"},
        Bad{"PROF_SCHEDULE", "active=1,skip_first_wait=2"},
        Bad{"PROF_SCHEDULE", "active=1000000001"}, Bad{"PROF_FULL", "STOP"}),
    numbered);

TEST(ConfigBadValue, ThatIsANumberOutOfRangeMeansTheNearestOneWithin)
{
    struct Number {
        std::string given, used;
    };
    for (const Number &number : {Number{"1", "2"}, Number{"0", "2"}, Number{"1048577", "1048576"},
                                 Number{"99999999999999999999", "1048576"}})
        IN_A_PROCESS_OF_ITS_OWN({
            clear_environment();
            setenv("PROF_MAX_MB", number.given.c_str(), 1);
            config_load();
            EXPECT_EQ(std::to_string(config_get()->max_mib), number.used);
            EXPECT_EQ(warnings(), "libprof: PROF_MAX_MB=" + number.given +
                                      " is out of range: expected number 2..1048576; using " +
                                      number.used + "\n");
        });
}

TEST(ConfigBadValue, ThatIsEmptyMeansTheDefault)
{
    IN_A_PROCESS_OF_ITS_OWN({
        clear_environment();
        setenv("PROF_MAX_MB", "", 1);
        setenv("PROF_OUTPUT", "", 1);
        config_load();
        EXPECT_EQ(config_get()->max_mib, 8192u);
        EXPECT_STREQ(config_get()->output, "%e%R-%p.prof");
        EXPECT_EQ(warnings(), "");
    });
}

TEST(ConfigUnknownName, IsNamedOnceAndOnlyWithOurPrefix)
{
    IN_A_PROCESS_OF_ITS_OWN({
        clear_environment();
        setenv("PROF_MAXMB", "100", 1);
        setenv("PROFILE", "x", 1);
        setenv("PROF_LIBRARY", "/l/libprof.so", 1);
        config_load();
        std::string said = warnings();
        EXPECT_NE(said.find("PROF_MAXMB ignored: unknown variable"), std::string::npos) << said;
        EXPECT_EQ(said.find("PROFILE"), std::string::npos) << said;
        EXPECT_EQ(said.find("PROF_LIBRARY"), std::string::npos) << said;
        EXPECT_EQ(said.find("100"), std::string::npos) << "values may be secret: " << said;
    });
}

TEST(ConfigTexts, OutliveTheEnvironmentTheyCameFrom)
{
    IN_A_PROCESS_OF_ITS_OWN({
        clear_environment();
        static char entry[] = "PROF_OUTPUT=/data/run.prof";
        putenv(entry);
        config_load();
        memset(entry, 'x',
               sizeof entry - 1); // as programs do that write their title over argv and environ
        EXPECT_STREQ(config_get()->output, "/data/run.prof");
    });
}

TEST(ConfigOverride, ReplacesWhatItIsGivenAndCopiesTheName)
{
    IN_A_PROCESS_OF_ITS_OWN({
        char name[] = "mine.prof";
        EXPECT_TRUE(config_override(name, 64, true));
        name[0] = 'X';
        EXPECT_STREQ(config_get()->output, "mine.prof");
        EXPECT_EQ(config_get()->max_mib, 64u);
        EXPECT_EQ(config_get()->full, CONFIG_FULL_RING);
        EXPECT_TRUE(config_override(nullptr, 0, false));
        EXPECT_STREQ(config_get()->output, "mine.prof");
        EXPECT_EQ(config_get()->max_mib, 64u);
    });
}

TEST(ConfigOverride, RefusesWhatIsOutOfRangeWhole)
{
    IN_A_PROCESS_OF_ITS_OWN({
        config before = *config_get();
        EXPECT_FALSE(config_override("a", 1, true));
        EXPECT_FALSE(config_override("a", 1048577, true));
        EXPECT_FALSE(config_override(std::string(5000, 'n').c_str(), 0, true));
        EXPECT_EQ(memcmp(&before, config_get(), sizeof before), 0);
    });
}

} // namespace
