// The text by which Dynolog's daemon and Kineto's file ask for a trace.
#include "recorder_support.h"

#include <vector>

extern "C" {
#include "requests.h"
}

namespace
{

// Its own memory, so that a sanitizer sees what is read beyond the end.
bool parse(const std::string &text, kineto_config &config, std::string &reason)
{
    std::vector<char> bytes(text.begin(), text.end());
    char why[200];
    bool good = kineto_config_parse(bytes.data(), bytes.size(), &config, why, sizeof why);
    reason = why;
    return good;
}

kineto_config parsed(const std::string &text)
{
    kineto_config config;
    std::string reason;
    EXPECT_TRUE(parse(text, config, reason)) << text << ": " << reason;
    return config;
}

std::string refusal(const std::string &text)
{
    kineto_config config;
    std::string reason;
    EXPECT_FALSE(parse(text, config, reason)) << text;
    return reason;
}

std::string name_of(const char *path, unsigned attempt = 1)
{
    char name[192];
    kineto_config config = parsed(std::string("ACTIVITIES_LOG_FILE=") + path);
    kineto_config_file_name(&config, 4711, attempt, name, sizeof name);
    return name;
}

TEST(KinetoConfig, ReadsWhatDynoSendsByTime)
{
    kineto_config config =
        parsed("\n    ACTIVITIES_LOG_FILE=/tmp/trace.json\nPROFILE_START_TIME=1789000000123\n"
               "ACTIVITIES_DURATION_MSECS=42\nPROFILE_REPORT_INPUT_SHAPES=false\n"
               "PROFILE_WITH_STACK=false\n    REQUEST_TRACE_ID=12345\n");
    EXPECT_TRUE(config.wants_trace);
    EXPECT_EQ(config.start_ms, 1789000000123u);
    EXPECT_EQ(config.duration_ms, 42u);
    EXPECT_EQ(config.start_step, KINETO_CONFIG_NO_STEP);
    EXPECT_STREQ(config.log_file, "/tmp/trace.json");
    EXPECT_STREQ(config.id, "12345");
    EXPECT_STREQ(config.unused, "");
}

TEST(KinetoConfig, ReadsWhatDynoSendsByIterations)
{
    kineto_config config =
        parsed("PROFILE_START_ITERATION=0\nPROFILE_START_ITERATION_ROUNDUP=1000\n"
               "ACTIVITIES_ITERATIONS=42\n");
    EXPECT_EQ(config.start_step, 0u);
    EXPECT_EQ(config.round_step, 1000u);
    EXPECT_EQ(config.steps, 42u);
    EXPECT_EQ(config.duration_ms, KINETO_CONFIG_DURATION_MS);
}

TEST(KinetoConfig, HasKinetosDefaultsAndUnits)
{
    kineto_config config =
        parsed("ACTIVITIES_DURATION_SECS = 3 # long\r\nACTIVITIES_WARMUP_PERIOD_SECS\t=\t2");
    EXPECT_EQ(config.duration_ms, 3000u);
    EXPECT_EQ(config.warmup_ms, 2000u);
    EXPECT_EQ(parsed("ACTIVITIES_ITERATIONS=1").start_step, 0u);
    EXPECT_EQ(parsed("ACTIVITIES_LOG_FILE=x").duration_ms, KINETO_CONFIG_DURATION_MS);
    EXPECT_EQ(parsed("ACTIVITIES_LOG_FILE=x").warmup_ms, KINETO_CONFIG_WARMUP_MS);
    EXPECT_EQ(parsed("ON_DEMAND_CONFIG_UPDATE_INTERVAL_SECS=7").poll_s, 7u);
}

TEST(KinetoConfig, OfDefaultsAloneAsksForNoTrace)
{
    EXPECT_FALSE(parsed("").wants_trace);
    EXPECT_FALSE(parsed("# nothing\n\n \t\n").wants_trace);
    EXPECT_FALSE(parsed("ENABLE_SIGUSR2=YES\nACTIVITIES_WARMUP_PERIOD_SECS=1\nPROFILE_MEMORY=0")
                     .wants_trace);
}

TEST(KinetoConfig, NamesWhatHasNoEffect)
{
    EXPECT_STREQ(parsed("PROFILE_WITH_STACK=TRUE\nTOMORROW=1\nACTIVITIES_LOG_FILE=x").unused,
                 "PROFILE_WITH_STACK, TOMORROW");
    EXPECT_STREQ(parsed("PROFILE_START_TIME=5\nACTIVITIES_ITERATIONS=1").unused,
                 "PROFILE_START_TIME");
    EXPECT_STREQ(parsed("PROFILE_START_TIME=0\nACTIVITIES_ITERATIONS=1").unused, "");
    std::string many;
    for (int i = 0; i < 100; i++)
        many += "UNKNOWN_\x01KEY_" + std::to_string(i) + "=1\n";
    std::string unused = parsed(many).unused;
    EXPECT_LT(unused.size(), 200u);
    EXPECT_EQ(unused.find('\x01'), std::string::npos);
}

TEST(KinetoConfig, RefusesWhatContradictsItself)
{
    EXPECT_EQ(refusal("ACTIVITIES_ITERATIONS=1\nACTIVITIES_ITERATIONS=1"),
              "ACTIVITIES_ITERATIONS is given twice");
    EXPECT_EQ(refusal("ACTIVITIES_DURATION_SECS=1\nACTIVITIES_DURATION_MSECS=1000"),
              "ACTIVITIES_DURATION_SECS and ACTIVITIES_DURATION_MSECS are both given");
    EXPECT_EQ(refusal("PROFILE_START_ITERATION=3"),
              "it has a start iteration, but no ACTIVITIES_ITERATIONS");
    EXPECT_EQ(refusal("PROFILE_START_ITERATION_ROUNDUP=3"),
              "it has a start iteration, but no ACTIVITIES_ITERATIONS");
    EXPECT_EQ(refusal("ACTIVITIES_DURATION_MSECS=0"), "its duration is 0");
    EXPECT_EQ(refusal("ACTIVITIES_ENABLED=F"), "ACTIVITIES_ENABLED is false");
}

TEST(KinetoConfig, RefusesWhatIsNoNumberOrFlag)
{
    for (const char *value :
         {"", "-1", "+1", "0x1", "1.5", "1 2", "2147483648", "99999999999999999999999999"})
        EXPECT_NE(refusal(std::string("ACTIVITIES_ITERATIONS=") + value)
                      .find("is not a number from 0 to"),
                  std::string::npos)
            << value;
    EXPECT_EQ(parsed("PROFILE_START_TIME=9223372036854775807").start_ms, 9223372036854775807u);
    refusal("PROFILE_START_TIME=9223372036854775808");
    for (const char *value : {"", "2", "truely", "on", "yesyesyes"})
        EXPECT_NE(
            refusal(std::string("PROFILE_WITH_FLOPS=") + value).find("neither true nor false"),
            std::string::npos)
            << value;
}

TEST(KinetoConfig, RefusesLinesThatAreNone)
{
    for (const char *line : {"x", "=", "a=b=c", "ACTIVITIES_ITERATIONS"}) {
        if (std::string(line) == "=")
            EXPECT_STREQ(parsed(line).unused, "");
        else
            EXPECT_NE(refusal(line).find("is not KEY=VALUE"), std::string::npos) << line;
    }
    std::string reason = refusal("\x1b]0;title\x07" + std::string(5000, 'y'));
    EXPECT_LT(reason.size(), 120u);
    EXPECT_EQ(reason.find('\x1b'), std::string::npos);
    refusal(std::string("a\0b", 3));
    EXPECT_STREQ(parsed("REQUEST_TRACE_ID=1\x1b[2J\x7f").id, "1?[2J?");
}

TEST(KinetoConfig, NamesAFileByTheLastComponentAlone)
{
    EXPECT_EQ(name_of("/tmp/trace.json"), "trace_4711.prof");
    EXPECT_EQ(name_of("/tmp/trace.json", 2), "trace_4711-2.prof");
    EXPECT_EQ(name_of("a/b.pt.trace.json"), "b_4711.prof");
    EXPECT_EQ(name_of("run.prof"), "run_4711.prof");
    EXPECT_EQ(name_of(".json"), "_json_4711.prof");
    EXPECT_EQ(name_of(""), "libkineto_activities_4711.prof");
    EXPECT_EQ(name_of("/etc/"), "libkineto_activities_4711.prof");
    EXPECT_EQ(name_of("../.."), "_._4711.prof");
    EXPECT_EQ(name_of("-rf"), "_rf_4711.prof");
    EXPECT_EQ(name_of("a b\x7f;\xc3\xa4"), "a_b_____4711.prof");
}

TEST(KinetoConfig, NamesAFileOfBoundedLength)
{
    std::string name = name_of((std::string(5000, 'd') + "/" + std::string(5000, 'n')).c_str());
    EXPECT_EQ(name, std::string(127, 'n') + "_4711.prof");
}

} // namespace
