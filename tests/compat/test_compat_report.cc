// The tables of pytorch_report.h, to the letter.
extern "C" {
#include "pytorch_report.h"
}

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace
{

text text_of(const char *from)
{
    return {from, strlen(from)};
}

// What is written to a file in memory.
class Written
{
public:
    FILE *file = open_memstream(&bytes_, &size_);
    std::string text()
    {
        fclose(file);
        std::string text(bytes_, size_);
        free(bytes_);
        return text;
    }

private:
    char *bytes_ = nullptr;
    size_t size_ = 0;
};

pytorch_device_rows device_of(const char *id, const char *name)
{
    pytorch_device_rows device{};
    device.id = text_of(id);
    device.name = text_of(name);
    device.device = pytorch_device_find(device.name);
    return device;
}

void add(pytorch_device_rows &device, const char *name, const pytorch_sample &sample)
{
    ASSERT_TRUE(pytorch_rows_add(&device.rows, text_of(name), &sample));
}

std::string report(const pytorch_device_rows &device, unsigned limit = PYTORCH_NAME_LIMIT)
{
    Written written;
    EXPECT_TRUE(pytorch_report_write(written.file, &device, 1, limit));
    return written.text();
}

} // namespace

TEST(CompatTabulate, PutsNumbersRightAndTextsLeft)
{
    const pytorch_cell cells[] = {
        {text_of("Kernel"), false},   {text_of("Time (ms)"), false}, {text_of("Count"), false},
        {text_of("aten::mm"), false}, {text_of("0.5"), true},        {text_of("7"), true},
        {text_of("é"), false},        {text_of("0.25"), true},       {text_of("12345678"), true},
    };
    Written written;
    ASSERT_TRUE(pytorch_tabulate(written.file, cells, 3, 3));
    EXPECT_EQ(written.text(), " Kernel   | Time (ms) | Count    \n"
                              "---------------------------------\n"
                              " aten::mm |       0.5 |        7 \n"
                              " é        |      0.25 | 12345678 ");
}

TEST(CompatTabulate, OfAHeadingAloneHasNoRows)
{
    const pytorch_cell cells[] = {{text_of("a"), false}, {text_of("bc"), false}};
    Written written;
    ASSERT_TRUE(pytorch_tabulate(written.file, cells, 1, 2));
    EXPECT_EQ(written.text(), " a | bc \n--------");
}

TEST(CompatZip, HasTheFirstsNamesBeforeThoseOfTheSecondAlone)
{
    const text first[] = {text_of("a"), text_of("b"), text_of("c")};
    const text second[] = {text_of("d"), text_of("c"), text_of("a"), text_of("e")};
    pytorch_pair pairs[7];
    uint32_t count;
    ASSERT_TRUE(pytorch_zip(first, 3, second, 4, pairs, &count));
    const pytorch_pair expected[] = {
        {0, 2}, {1, UINT32_MAX}, {2, 1}, {UINT32_MAX, 0}, {UINT32_MAX, 3}};
    ASSERT_EQ(count, 5u);
    for (int i = 0; i < 5; i++) {
        EXPECT_EQ(pairs[i].first, expected[i].first) << i;
        EXPECT_EQ(pairs[i].second, expected[i].second) << i;
    }
}

TEST(CompatReport, CountsEqualRunsOnce)
{
    pytorch_device_rows device = device_of("0", "Somebody's GPU");
    add(device, "gemm", {2e12, 100, 4, 0, 0});
    add(device, "gemm", {2e12, 100, 4, 0, 0});
    add(device, "gemm", {0, 0, 8, 0, 0});
    EXPECT_EQ(
        report(device),
        "Device(Somebody's GPU, 0): None:\n"
        " Kernel Name | Kernel Count | FLOPS              | Kernel Reads (GB) | Dur (us) | "
        "Achieved FLOPS % | Achieved Bandwidth % \n" +
            std::string(122, '-') +
            "\n gemm        | 2            | 2000000000000.0000 | 100.0000          | 6.0000   | "
            "0.0000           | 0.0000               \n");
    pytorch_rows_fini(&device.rows);
}

TEST(CompatReport, SaysZeroWhereNothingIsKnown)
{
    pytorch_device_rows device = device_of("0", "x");
    add(device, "copy", {0, 0, 1.5, 0, 0});
    EXPECT_NE(
        report(device).find(" copy        | 1            | 0.0   | 0.0               | 1.5000 "),
        std::string::npos);
    pytorch_rows_fini(&device.rows);
}

TEST(CompatReport, CutsNamesByCharacters)
{
    pytorch_device_rows device = device_of("0", "x");
    add(device, "äöüßabc", {0, 0, 1, 0, 0});
    EXPECT_NE(report(device, 5).find(" äöüßa       | 1 "), std::string::npos);
    pytorch_rows_fini(&device.rows);
}

TEST(CompatReport, ShowsNoControlsOfNames)
{
    pytorch_device_rows device = device_of("0", "x\x1b[2J");
    add(device, "evil\x1b[2J\n", {0, 0, 1, 0, 0});
    std::string text = report(device);
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_NE(text.find("evil\\x1b[2J\\n"), std::string::npos);
    pytorch_rows_fini(&device.rows);
}

TEST(CompatReport, TellsWhatIsKnownOfADevice)
{
    pytorch_device_rows device = device_of("3", "NVIDIA A100");
    std::string text = report(device);
    EXPECT_EQ(
        text.substr(0, text.find('\n')),
        "Device(NVIDIA A100, 3): DeviceInfo(tops={torch.float64: 19.5, torch.float32: 19.5, "
        "torch.bfloat16: 312.5, torch.float16: 312.5, torch.int8: 624.0, 'torch.tf32': 156.0}, "
        "dram_bw_gbs=2039.0, dram_gb=80.0):");
}

TEST(CompatReport, OfTwoHasEmptyWhereOneHasNoSuchKernel)
{
    pytorch_device_rows first = device_of("0", "x"), second = device_of("0", "x");
    add(first, "both", {0, 0, 1, 0, 0});
    add(first, "left", {0, 0, 2, 0, 0});
    add(second, "right", {0, 0, 3, 0, 0});
    add(second, "both", {0, 0, 4, 0, 0});
    const char *const names[2] = {"A", "B"};
    Written written;
    ASSERT_TRUE(pytorch_report_write_both(written.file, &first, &second, 1, names, 40));
    std::string text = written.text();
    size_t both = text.find("\n both "), left = text.find("\n left "),
           right = text.find("\n right ");
    EXPECT_LT(text.find(" A Kernel Count | A FLOPS "), text.find(" B Kernel Count | B FLOPS "));
    EXPECT_LT(both, left);
    EXPECT_LT(left, right);
    const std::string empty = "\n right       | Empty          | Empty ";
    EXPECT_EQ(text.substr(right, empty.size()), empty);
    pytorch_rows_fini(&first.rows);
    pytorch_rows_fini(&second.rows);
}

TEST(CompatDevice, IsFoundByItsWholeNameAlone)
{
    EXPECT_NE(pytorch_device_find(text_of("NVIDIA H100")), nullptr);
    EXPECT_EQ(pytorch_device_find(text_of("NVIDIA H100 80GB HBM3")), nullptr);
    EXPECT_EQ(pytorch_device_find(text_of("nvidia h100")), nullptr);
    EXPECT_EQ(pytorch_device_find(text_of("AMD INSTINCT MI300X")),
              pytorch_device_find(text_of("AMD MI300X")));
    EXPECT_EQ(pytorch_device_find(text_of("AMD INSTINCT MI300A")), nullptr);
    EXPECT_EQ(pytorch_device_find(text_of("AMD")), nullptr);
}

TEST(CompatDevice, HasNoNumberForWholeNumbersOf32Bits)
{
    const pytorch_device *device = pytorch_device_find(text_of("NVIDIA H100"));
    EXPECT_EQ(pytorch_device_tops(device, PYTORCH_F32), 67.5);
    EXPECT_EQ(pytorch_device_tops(device, PYTORCH_I8), 3958);
    EXPECT_EQ(pytorch_device_tops(device, pytorch_type_find(text_of("int"))), 0);
}
