/* test_store_labels.cc - domains, categories and colours of a store; where its time begins and ends. */
#include "store_fixture.h"

namespace
{

using StoreLabels = StoreTest;

TEST_F(StoreLabels, ShowDomainAndName)
{
    uint32_t process = event_store_process(store_), one = thread(process, 1);
    uint32_t domain = event_store_domain(store_, process);
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
    slice.name = event_store_label(store_, &label);
    EXPECT_EQ(slice.name, event_store_label(store_, &label));
    event_store_slice(store_, &slice);
    event_store_mark(store_, one, 2, slice.name);
    event_store_range(store_, one, one, 2, 9, slice.name, 1);
    event_store_name_domain(store_, domain, name("net"));
    event_store_category(store_, process, domain, 7, name("layers"));
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

TEST_F(StoreLabels, OfTheDefaultDomainShowTheName)
{
    event_label label = {};
    label.name = name("plain");
    complete_slice slice = {};
    slice.thread = thread(event_store_process(store_), 1);
    slice.name = event_store_label(store_, &label);
    event_store_slice(store_, &slice);
    load();
    const tl_slice &shown = timeline_->slices.at[0];
    ASSERT_EQ(shown.label, 0u);
    EXPECT_STREQ(timeline_->names.at[tl_shown_name(timeline_, shown.name, 0)].bytes, "plain");
}

TEST_F(StoreLabels, OfADomainWithoutANameSaySo)
{
    uint32_t process = event_store_process(store_);
    event_label label = {};
    label.name = name("a");
    label.domain = event_store_domain(store_, process);
    event_store_mark(store_, thread(process, 1), 2, event_store_label(store_, &label));
    expected_findings = "note odd-names";
    load();
    EXPECT_STREQ(timeline_->names.at[timeline_->labels.at[0].name].bytes,
                 "(domain 1 is missing):a");
}

TEST_F(StoreLabels, KeepTheirPieces)
{
    uint32_t process = event_store_process(store_), one = thread(process, 1);
    event_label label = {};
    label.name = name("crossing");
    label.color = 1;
    label.colored = true;
    slice(one, 0, 10, "a");
    complete_slice crossing = {};
    crossing.start_ns = 5;
    crossing.end_ns = 15;
    crossing.thread = one;
    crossing.name = event_store_label(store_, &label);
    event_store_slice(store_, &crossing);
    load();
    EXPECT_EQ(slices(), "a 0-10 0, crossing 5-10 1, +crossing 10-15 0");
    EXPECT_EQ(timeline_->slices.at[1].label, timeline_->slices.at[2].label);
}

TEST_F(StoreLabels, StreamsAreTold)
{
    uint32_t process = event_store_process(store_);
    cuda_stream stream = {};
    stream.context = 1;
    stream.stream = 9;
    stream.priority = -2;
    event_store_stream(store_, process, &stream);
    load();
    ASSERT_EQ(timeline_->streams.count, 1u);
    EXPECT_EQ(timeline_->streams.at[0].priority, -2);
}

TEST_F(StoreLabels, WhatHasNoEndEndsWithTheFile)
{
    uint32_t one = thread(event_store_process(store_), 1);
    complete_slice open = {};
    open.start_ns = open.end_ns = 100;
    open.thread = one;
    open.name = name("open");
    open.flags = SLICE_UNCLOSED;
    event_store_slice(store_, &open);
    slice(one, 110, 170, "inside");
    expected_findings = "warning unbalanced-ranges";
    EXPECT_EQ(event_store_end(store_), 100);
    event_store_shift(store_, 100);
    load();
    EXPECT_EQ(slices(), "open 0-70 0, inside 10-70 1");
    EXPECT_EQ(timeline_->slices.at[0].flags & TL_UNCLOSED, TL_UNCLOSED);
}

} // namespace
