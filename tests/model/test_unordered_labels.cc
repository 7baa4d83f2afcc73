/* test_unordered_labels.cc - domains, categories and colours of a file in any order; where its time begins and ends. */
#include "unordered_fixture.h"

namespace
{

using UnorderedLabels = UnorderedTest;

TEST_F(UnorderedLabels, ShowDomainAndName)
{
    uint32_t process = unordered_add_process(file_), one = thread(process, 1);
    uint32_t domain = unordered_add_domain(file_, process);
    event_label label = {};
    label.name = name("forward");
    label.domain = domain;
    label.category = 7;
    label.color = 0xff00ff00;
    label.colored = true;
    complete_slice slice = {};
    slice.start_ns = 1;
    slice.end_ns = 5;
    slice.thread = one;
    slice.name = unordered_label(file_, &label);
    EXPECT_EQ(slice.name, unordered_label(file_, &label));
    unordered_append_slice(file_, &slice);
    unordered_append_mark(file_, one, 2, slice.name);
    unordered_append_async(file_, one, one, 2, 9, slice.name, 1);
    unordered_name_domain(file_, domain, name("net"));
    unordered_add_category(file_, process, domain, 7, name("layers"));
    load();
    ASSERT_EQ(timeline_->labels.count, 1u);
    const tl_label &shown = timeline_->labels.at[0];
    EXPECT_STREQ(timeline_->names.at[shown.name].bytes, "net:forward");
    EXPECT_EQ(shown.color, 0xff00ff00u);
    EXPECT_STREQ(timeline_->names.at[timeline_->categories.at[shown.category].name].bytes,
                 "layers");
    EXPECT_EQ(timeline_->slices.at[0].label, 0u);
    EXPECT_EQ(timeline_->marks.at[0].label, 0u);
    EXPECT_EQ(timeline_->asyncs.at[0].label, 0u);
}

TEST_F(UnorderedLabels, OfTheDefaultDomainShowTheName)
{
    event_label label = {};
    label.name = name("plain");
    complete_slice slice = {};
    slice.thread = thread(unordered_add_process(file_), 1);
    slice.name = unordered_label(file_, &label);
    unordered_append_slice(file_, &slice);
    load();
    const tl_slice &shown = timeline_->slices.at[0];
    ASSERT_EQ(shown.label, 0u);
    EXPECT_STREQ(timeline_->names.at[tl_shown_name(timeline_, shown.name, 0)].bytes, "plain");
}

TEST_F(UnorderedLabels, OfADomainWithoutANameSaySo)
{
    uint32_t process = unordered_add_process(file_);
    event_label label = {};
    label.name = name("a");
    label.domain = unordered_add_domain(file_, process);
    unordered_append_mark(file_, thread(process, 1), 2, unordered_label(file_, &label));
    expected_findings = "note odd-names";
    load();
    EXPECT_STREQ(timeline_->names.at[timeline_->labels.at[0].name].bytes,
                 "(domain 1 is missing):a");
}

TEST_F(UnorderedLabels, KeepTheirPieces)
{
    uint32_t process = unordered_add_process(file_), one = thread(process, 1);
    event_label label = {};
    label.name = name("crossing");
    label.color = 1;
    label.colored = true;
    slice(one, 0, 10, "a");
    complete_slice crossing = {};
    crossing.start_ns = 5;
    crossing.end_ns = 15;
    crossing.thread = one;
    crossing.name = unordered_label(file_, &label);
    unordered_append_slice(file_, &crossing);
    load();
    EXPECT_EQ(slices(), "a 0-10 0, crossing 5-10 1, +crossing 10-15 0");
    EXPECT_EQ(timeline_->slices.at[1].label, timeline_->slices.at[2].label);
}

TEST_F(UnorderedLabels, StreamsAreTold)
{
    uint32_t process = unordered_add_process(file_);
    cuda_stream stream = {};
    stream.context = 1;
    stream.stream = 9;
    stream.priority = -2;
    unordered_add_stream(file_, process, &stream);
    load();
    ASSERT_EQ(timeline_->streams.count, 1u);
    EXPECT_EQ(timeline_->streams.at[0].priority, -2);
}

TEST_F(UnorderedLabels, WhatHasNoEndEndsWithTheFile)
{
    uint32_t one = thread(unordered_add_process(file_), 1);
    complete_slice open = {};
    open.start_ns = open.end_ns = 100;
    open.thread = one;
    open.name = name("open");
    open.flags = TL_UNCLOSED;
    unordered_append_slice(file_, &open);
    slice(one, 110, 170, "inside");
    expected_findings = "warning unbalanced-ranges";
    EXPECT_EQ(unordered_end(file_), 100);
    unordered_set_origin(file_, 100);
    load();
    EXPECT_EQ(slices(), "open 0-70 0, inside 10-70 1");
    EXPECT_EQ(timeline_->slices.at[0].flags & TL_UNCLOSED, TL_UNCLOSED);
}

} // namespace
