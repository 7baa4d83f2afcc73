// test_op_inputs.cc - the texts beside a range, as all kinds of traces and no trace have them.
#include "op_maker.h"

extern "C" {
#include "op_formula.h"
}

#include <cstring>
#include <random>
#include <vector>

namespace
{
op_inputs parsed(const std::string &dims, const std::string &types = "",
                 const std::string &values = "")
{
    static std::vector<std::string> kept;
    op_inputs inputs{};
    kept = {dims, types, values};
    EXPECT_TRUE(op_inputs_parse(&inputs, text_of(kept[0]), text_of(kept[1]), text_of(kept[2])))
        << dims;
    return inputs;
}

bool parses(const std::string &dims)
{
    op_inputs inputs{};
    bool done = op_inputs_parse(&inputs, text_of(dims), {"", 0}, {"", 0});
    EXPECT_TRUE(done || inputs.count == 0);
    return done;
}

std::string string_of(text from)
{
    return {from.bytes, from.size};
}

op_type type_of(const char *name)
{
    return op_type_find({name, std::strlen(name)});
}
} // namespace

TEST(OpInputs, TraceOf2023)
{
    op_inputs inputs =
        parsed("[[1, 3, 224, 224], [64, 3, 7, 7], [], []]",
               R"(["float", "c10::Half", "", "ScalarList"])", R"(["", "", "", "[2, 2]"])");
    ASSERT_EQ(inputs.count, 4u);
    EXPECT_TRUE(inputs.has_types && inputs.has_values && !inputs.cut);
    EXPECT_EQ(inputs.at[0].dims, 4);
    EXPECT_EQ(inputs.at[0].sizes[2], 224);
    EXPECT_EQ(inputs.at[0].type, OP_F32);
    EXPECT_EQ(inputs.at[1].type, OP_F16);
    EXPECT_TRUE(inputs.at[1].is_tensor);
    EXPECT_FALSE(inputs.at[2].is_tensor);
    EXPECT_FALSE(inputs.at[3].is_tensor);
    EXPECT_EQ(string_of(inputs.at[3].value), "[2, 2]");
}

TEST(OpInputs, TraceOf2021)
{
    // "Double" is a number, "double" a tensor without dimensions
    op_inputs inputs = parsed("[[3, 224, 224], [], [], []]",
                              R"(["unsigned char", "Double", "double", "GenericList"])");
    EXPECT_TRUE(inputs.at[0].is_tensor);
    EXPECT_FALSE(inputs.at[1].is_tensor);
    EXPECT_TRUE(inputs.at[2].is_tensor);
    EXPECT_EQ(inputs.at[2].type, OP_F64);
    EXPECT_FALSE(inputs.at[3].is_tensor);
    EXPECT_FALSE(inputs.has_values);
}

TEST(OpInputs, EmitNvtxHasSizesAlone)
{
    op_inputs inputs = parsed("[[2, 3], [], [4]]");
    EXPECT_FALSE(inputs.has_types);
    EXPECT_TRUE(inputs.at[0].is_tensor);
    EXPECT_FALSE(inputs.at[1].is_tensor);
    EXPECT_EQ(inputs.at[2].type, OP_TYPE_UNKNOWN);
}

TEST(OpInputs, TensorsOfAListHaveOneNumber)
{
    op_inputs inputs =
        parsed("[[[5, 128], [128]], [7]]", R"(["TensorList", "float"])", R"(["", "x"])");
    ASSERT_EQ(inputs.count, 3u);
    EXPECT_EQ(inputs.at[0].input, 0);
    EXPECT_EQ(inputs.at[1].input, 0);
    EXPECT_TRUE(inputs.at[1].is_tensor);
    EXPECT_EQ(inputs.at[1].type, OP_TYPE_UNKNOWN);
    EXPECT_EQ(inputs.at[2].input, 1);
    EXPECT_EQ(op_input(&inputs, 1), &inputs.at[2]);
    EXPECT_EQ(op_input(&inputs, 0), &inputs.at[0]);
    EXPECT_EQ(op_input(&inputs, 2), nullptr);
}

TEST(OpInputs, ValuesMayHoldCommasBracketsAndQuotes)
{
    op_inputs inputs =
        parsed("[[1], [], []]", R"(["float", "", ""])", R"(["a, b]", "[\"x\", \"]\"]", "e\\"])");
    EXPECT_EQ(string_of(inputs.at[0].value), "a, b]");
    EXPECT_EQ(string_of(inputs.at[1].value), R"([\"x\", \"]\"])");
    EXPECT_EQ(string_of(inputs.at[2].value), R"(e\\)");
}

TEST(OpInputs, NumbersAsTheyAreWritten)
{
    op_inputs inputs = parsed("[ [1e3,128.0 , -1],\n[007] ]");
    EXPECT_EQ(inputs.at[0].sizes[0], 1000);
    EXPECT_EQ(inputs.at[0].sizes[1], 128);
    EXPECT_EQ(inputs.at[0].sizes[2], -1);
    EXPECT_EQ(inputs.at[1].sizes[0], 7);
    EXPECT_EQ(parsed(R"([["128", "64"]])").at[0].sizes[1], 64) << "as text";
    for (const char *dims : {"[[1.5]]",  "[[1e30]]",   "[[nan]]",    "[[inf]]",
                             "[[0x10]]", "[[-]]",      "[[1 2]]",    "[[99999999999999999999]]",
                             "[[]",      "[]]",        "[[1],,[2]]", "[[1]] x",
                             "[1]",      "[[1, [2]]]", "[[[[1]]]]",  "[\"x\"]",
                             "",         "null",       "{}",         "[[1\"]]",
                             "[["})
        EXPECT_FALSE(parses(dims)) << dims;
}

TEST(OpInputs, MoreThanThereIsRoomForIsSaid)
{
    std::string many = "[";
    for (int i = 0; i < 300; i++)
        many += "[2], ";
    op_inputs inputs = parsed(many + "[2]]");
    EXPECT_TRUE(inputs.cut);
    EXPECT_EQ(inputs.count, OP_TENSORS_MAX);
    EXPECT_TRUE(parsed("[[1, 1, 1, 1, 1, 1, 1, 1, 2]]").cut);
    expect_unknown(work_of("aten::relu", {"[[1, 1, 1, 1, 1, 1, 1, 1, 2]]", R"(["float"])", ""}),
                   OP_NO_SHAPES);
}

TEST(OpInputs, DeepNestingIsNoStackOverflow)
{
    std::string deep(1000000, '[');
    EXPECT_FALSE(parses(deep));
    EXPECT_FALSE(parses(deep + std::string(1000000, ']')));
}

TEST(OpInputs, SizesBeyondReasonHaveNoWork)
{
    const char *types = R"(["float", "float"])";
    expect_unknown(work_of("aten::mm", {"[[-3, 4], [4, 5]]", types, ""}), OP_BAD_SHAPES);
    std::string huge = "9007199254740992";
    op_work work =
        work_of("aten::mm", {"[[" + huge + ", " + huge + "], [" + huge + ", 1]]", types, ""});
    EXPECT_EQ(work.flop_known, OP_KNOWN) << "a double holds it";
    expect_unknown(work_of("aten::conv1d", {"[[1, 1, " + huge + "], [1, 1, 3], [], [], [], [], []]",
                                            types, R"(["", "", "", "[1]", "[0]", "[1]", "1"])"}),
                   OP_BAD_SHAPES);
}

TEST(OpTypes, EverySpellingIsKnown)
{
    const std::vector<std::pair<op_type, std::vector<const char *>>> known = {
        {OP_F64,
         {"double", "Double", "float64", "torch.float64", "torch.double", "fp64", "CUDA_R_64F"}},
        {OP_F32,
         {"float", "Float", "float32", "torch.float32", "torch.float", "fp32", "CUDA_R_32F"}},
        {OP_TF32, {"tf32", "TF32"}},
        {OP_BF16,
         {"c10::BFloat16", "BFloat16", "bfloat16", "torch.bfloat16", "bf16", "__nv_bfloat16",
          "CUDA_R_16BF"}},
        {OP_F16,
         {"c10::Half", "Half", "half", "at::Half", "float16", "torch.float16", "fp16", "__half",
          "CUDA_R_16F"}},
        {OP_F8,
         {"c10::Float8_e4m3fn", "Float8_e5m2", "torch.float8_e4m3fnuz", "float8_e8m0fnu", "fp8",
          "CUDA_R_8F_E4M3"}},
        {OP_F6, {"fp6"}},
        {OP_F4, {"c10::Float4_e2m1fn_x2", "fp4", "CUDA_R_4F_E2M1"}},
        {OP_I64,
         {"long", "long int", "Long", "long long", "int64", "int64_t", "torch.int64",
          "unsigned long", "uint64", "uint64_t"}},
        {OP_I32,
         {"int", "Int", "int32", "unsigned int", "uint32_t", "torch.int32", "c10::qint32",
          "CUDA_R_32I"}},
        {OP_I16, {"short", "short int", "Short", "int16", "unsigned short", "torch.uint16"}},
        {OP_I8,
         {"signed char", "unsigned char", "char", "Byte", "Char", "int8", "torch.uint8",
          "c10::quint8", "CUDA_R_8I"}},
        {OP_I4, {"int4", "uint4"}},
        {OP_BOOL, {"bool", "Bool", "torch.bool"}},
        {OP_C64, {"c10::complex<double>", "ComplexDouble", "torch.complex128"}},
        {OP_C32, {"c10::complex<float>", "ComplexFloat", "torch.complex64"}},
        {OP_C16, {"c10::complex<c10::Half>", "ComplexHalf", "torch.complex32"}},
    };
    for (auto &[type, names] : known)
        for (const char *name : names)
            EXPECT_EQ(type_of(name), type) << name;
    for (const char *name :
         {"", "Scalar", "ScalarList", "TensorList", "GenericList", "Device", "_t",
          "c10::", "unsigned", "floats", "a name that is longer than any type's name is"})
        EXPECT_EQ(type_of(name), OP_TYPE_UNKNOWN) << name;
}

TEST(OpTypes, NamesAreSpellingsToo)
{
    for (int type = 1; type < OP_TYPES; type++) {
        EXPECT_EQ(type_of(op_type_name(static_cast<op_type>(type))), type);
        EXPECT_GT(op_type_bits(static_cast<op_type>(type)), 0u);
    }
    EXPECT_STREQ(op_type_name(OP_TYPE_UNKNOWN), "unknown");
    EXPECT_STREQ(op_type_name(OP_TYPES), "unknown");
    EXPECT_EQ(op_type_bits(OP_F4), 4u);
    EXPECT_EQ(op_type_bits(OP_C64), 128u);
}

TEST(OpTypes, NumbersAreThoseOfPyTorch)
{
    EXPECT_EQ(op_type_of_scalar_type(5), OP_F16);
    EXPECT_EQ(op_type_of_scalar_type(6), OP_F32);
    EXPECT_EQ(op_type_of_scalar_type(11), OP_BOOL);
    EXPECT_EQ(op_type_of_scalar_type(15), OP_BF16);
    EXPECT_EQ(op_type_of_scalar_type(24), OP_F8);
    for (int64_t number : {-1l, 1000l, INT64_MAX, INT64_MIN})
        EXPECT_EQ(op_type_of_scalar_type(number), OP_TYPE_UNKNOWN);
}

TEST(OpFormulas, TablesAreInOrder)
{
    for (size_t table = 0; op_formula_tables[table]; table++)
        for (size_t i = 1; i < op_formula_tables[table]->count; i++)
            EXPECT_LT(std::strcmp(op_formula_tables[table]->at[i - 1].name,
                                  op_formula_tables[table]->at[i].name),
                      0)
                << op_formula_tables[table]->at[i].name;
}

// Random texts of the alphabet of these lists, on every operator: a number or a reason, nothing else.
TEST(OpFormulas, AnyTextHasANumberOrAReason)
{
    std::mt19937 random(1);
    const char *words[] = {"[",
                           "]",
                           "[",
                           "]",
                           ", ",
                           ", ",
                           "1",
                           "3",
                           "64",
                           "-1",
                           "9007199254740992",
                           "\"",
                           "\"float\"",
                           "\"[2, 2]\"",
                           "\"True\"",
                           "[[1, 3, 8, 8], [4, 3, 3, 3], [4]]",
                           "\"c10::Half\"",
                           " ",
                           "\\",
                           "(",
                           ")",
                           "1e3",
                           "[1, 2, 3, 4]",
                           "[8, 8]"};
    auto any_text = [&] {
        std::string text = random() % 4 ? "[" : "";
        for (size_t i = random() % 24; i > 0; i--)
            text += words[random() % (sizeof words / sizeof *words)] +
                    std::string(random() % 2 ? ", " : "");
        return text + (random() % 4 ? "]" : "");
    };
    int known = 0;
    for (int round = 0; round < 300; round++)
        for (size_t table = 0; op_formula_tables[table]; table++)
            for (size_t i = 0; i < op_formula_tables[table]->count; i++) {
                op_work work = work_of(op_formula_tables[table]->at[i].name,
                                       {any_text(), any_text(), any_text()});
                ASSERT_EQ(work.flop_known == OP_KNOWN, std::isfinite(work.flop));
                ASSERT_EQ(work.bytes_known == OP_KNOWN, std::isfinite(work.bytes));
                ASSERT_TRUE(work.flop_known != OP_KNOWN || work.flop >= 0);
                known += work.flop_known == OP_KNOWN || work.bytes_known == OP_KNOWN;
            }
    EXPECT_GT(known, 20) << "texts that mean something are among them";
}

// Lists of the right form with odd sizes, types and values.
TEST(OpFormulas, OddShapesHaveANumberOrAReason)
{
    std::mt19937 random(2);
    const char *sizes[] = {"0",         "1", "1", "2", "3", "4", "8", "-1", "9007199254740992",
                           "1073741825"};
    const char *types[] = {"float", "c10::Half", "long int",   "bool",
                           "",      "Scalar",    "TensorList", "c10::complex<float>"};
    const char *values[] = {"",
                            "1",
                            "0",
                            "-1",
                            "[1, 1]",
                            "[2, 2]",
                            "[0, 0]",
                            "True",
                            "[True, True, True]",
                            "[]",
                            "9007199254740992",
                            "[-1]",
                            "same"};
    for (int round = 0; round < 1000; round++)
        for (size_t table = 0; op_formula_tables[table]; table++) {
            const op_formulas *formulas = op_formula_tables[table];
            const char *name = formulas->at[random() % formulas->count].name;
            Op op = {"[", "[", "["};
            for (int input = 0; input < 12; input++) {
                std::string shape;
                for (size_t dim = random() % 6; dim > 0; dim--)
                    shape += std::string(shape.empty() ? "" : ", ") + sizes[random() % 10];
                const char *comma = input ? ", " : "";
                op.dims += comma + ("[" + shape + "]");
                op.types += comma + ("\"" + std::string(types[random() % 8]) + "\"");
                op.values += comma + ("\"" + std::string(values[random() % 13]) + "\"");
            }
            op.dims += "]", op.types += "]", op.values += "]";
            op_work work = work_of(name, op);
            ASSERT_EQ(work.flop_known == OP_KNOWN, std::isfinite(work.flop)) << name << op.dims;
            ASSERT_EQ(work.bytes_known == OP_KNOWN, std::isfinite(work.bytes)) << name << op.dims;
            ASSERT_TRUE(work.flop_known != OP_KNOWN || work.flop >= 0)
                << name << op.dims << op.values;
            ASSERT_TRUE(work.bytes_known != OP_KNOWN || work.bytes >= 0)
                << name << op.dims << op.values;
        }
}
