// op_maker.h - an operator's work from the texts that a trace has.
#ifndef PROF_OP_MAKER_H
#define PROF_OP_MAKER_H

extern "C" {
#include "op_work.h"
}

#include <cmath>
#include <gtest/gtest.h>
#include <string>

inline text text_of(const std::string &from)
{
    return {from.data(), from.size()};
}

struct Op {
    std::string dims, types, values;
};

// The texts live as long as the program: what was parsed refers to them.
inline op_work work_of(const std::string &name, const Op &op)
{
    static op_inputs inputs;
    op_work work{};
    if (!op_inputs_parse(&inputs, text_of(op.dims), text_of(op.types), text_of(op.values)))
        inputs.count = 0;
    op_work_of(text_of(name), &inputs, &work);
    return work;
}

inline void expect_work(const op_work &work, double flop, double bytes)
{
    EXPECT_EQ(work.flop_known, OP_KNOWN) << op_known_text(work.flop_known);
    EXPECT_EQ(work.bytes_known, OP_KNOWN) << op_known_text(work.bytes_known);
    EXPECT_EQ(work.flop, flop);
    EXPECT_EQ(work.bytes, bytes);
}

inline void expect_unknown(const op_work &work, op_known why)
{
    EXPECT_EQ(work.flop_known, why) << op_known_text(work.flop_known);
    EXPECT_EQ(work.bytes_known, why) << op_known_text(work.bytes_known);
    EXPECT_TRUE(std::isnan(work.flop));
    EXPECT_TRUE(std::isnan(work.bytes));
}

#endif
