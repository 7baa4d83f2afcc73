// The engine: what is worth a finding, who owns it, in which order.
#include "findings_of.h"

extern "C" {
#include "finding_owners.h"
#include "findings.h"
}

namespace
{

TEST(Findings, OfNothingAreNone)
{
    TimelineMaker m;
    FindingsOf found(m.done());
    EXPECT_EQ(found.all.found.count, 0u);
    EXPECT_EQ(found.all.context.wall_ns, 0);
}

TEST(Findings, RulesHaveNamesOfTheirOwn)
{
    for (uint32_t i = 0; finding_rules[i]; i++) {
        EXPECT_EQ(finding_rule_find(finding_rules[i]->name), i);
        EXPECT_TRUE(*finding_rules[i]->title && *finding_rules[i]->remedy);
        EXPECT_LT(i, FINDING_RULES_MAX);
    }
    EXPECT_EQ(finding_rule_find("no-such-rule"), FINDING_RULES_MAX);
}

TEST(FindingText, RoundsToThreeDigits)
{
    EXPECT_STREQ(sentence_time(999).text, "999 ns");
    EXPECT_STREQ(sentence_time(1234).text, "1.23 us");
    EXPECT_STREQ(sentence_time(12345678).text, "12.3 ms");
    EXPECT_STREQ(sentence_time(999999).text, "1.00 ms");
    EXPECT_STREQ(sentence_time(1500000000000).text, "1500 s");
    EXPECT_STREQ(sentence_share(1, 3).text, "33 %");
    EXPECT_STREQ(sentence_share(1, 30).text, "3.3 %");
    EXPECT_STREQ(sentence_share(1, 100000).text, "< 0.1 %");
    EXPECT_STREQ(sentence_share(0, 10).text, "0 %");
    EXPECT_STREQ(sentence_bytes(1536).text, "1.50 KB");
}

TEST(FindingText, SharesOfNothingAreUnknown)
{
    EXPECT_STREQ(sentence_share(0, 0).text, "unknown");
}

} // namespace
