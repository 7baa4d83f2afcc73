// How devices' peak rates are found.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

extern "C" {
#include "peak_rates.h"
#include "peak_table.h"
}

namespace
{
const uint64_t gib = UINT64_C(1) << 30;

std::string normal(const std::string &name)
{
    char to[DEVICE_NAME_BYTES];
    device_name_normalize({name.data(), name.size()}, to);
    return to;
}

struct Found {
    peak_rates rates;
    double of(op_type type) const { return peak_rates_of(&rates, type); }
    double bandwidth() const { return peak_rates_bandwidth(&rates); }
    std::string entry() const { return rates.name; }
    std::string caveat() const { return rates.caveat; }
};

Found find(const std::string &name, peak_device device = {}, const peak_file *file = nullptr)
{
    Found found;
    device.name = {name.data(), name.size()};
    peak_rates_find(&found.rates, &device, file);
    return found;
}

peak_device counted(uint32_t multiprocessors, uint64_t memory = 0)
{
    peak_device device{};
    device.multiprocessors = multiprocessors;
    device.memory_bytes = memory;
    return device;
}

// A file of the user's with this text.
class RatesFile
{
public:
    explicit RatesFile(const std::string &text)
    {
        path = std::string(::testing::TempDir()) + "rates.XXXXXX";
        int descriptor = mkstemp(path.data());
        FILE *stream = fdopen(descriptor, "w");
        fwrite(text.data(), 1, text.size(), stream);
        fclose(stream);
        error[0] = '\0';
        good = peak_file_read(&file, path.c_str(), error);
    }
    ~RatesFile()
    {
        if (good)
            peak_file_fini(&file);
        remove(path.c_str());
    }
    RatesFile(const RatesFile &) = delete;
    RatesFile &operator=(const RatesFile &) = delete;

    // What follows the file's name.
    std::string complaint() const { return std::string(error).substr(path.size()); }

    std::string path;
    peak_file file{};
    char error[PEAK_FILE_ERROR_BYTES];
    bool good;
};
} // namespace

TEST(DeviceName, IsWordsWithoutVendors)
{
    EXPECT_EQ(normal("NVIDIA A100-SXM4-80GB"), "a100 sxm4 80gb");
    EXPECT_EQ(normal("Tesla V100-SXM2-32GB"), "v100 sxm2 32gb");
    EXPECT_EQ(normal("  NVIDIA  GeForce RTX 3090 "), "rtx 3090");
    EXPECT_EQ(normal("AMD INSTINCT MI350X"), "mi350x");
    EXPECT_EQ(normal("NVIDIA"), "");
    EXPECT_EQ(normal(""), "");
    EXPECT_EQ(normal(std::string(5000, 'x')), ""); // a word that does not fit
    EXPECT_EQ(normal("H100\x1b[31m \xff"), "h100 31m");
}

TEST(DeviceName, BeginsWithWholeWords)
{
    EXPECT_TRUE(device_name_begins("a10 24gb", "a10"));
    EXPECT_FALSE(device_name_begins("a100", "a10"));
    EXPECT_TRUE(device_name_is_memory(" 80gb hbm3"));
    EXPECT_TRUE(device_name_is_memory(" 144g hbm3e"));
    EXPECT_FALSE(device_name_is_memory(" laptop"));
    EXPECT_FALSE(device_name_is_memory(" d"));
}

TEST(PeakLookup, KnowsNamesAsDriversGiveThem)
{
    EXPECT_EQ(find("NVIDIA A100-SXM4-80GB").entry(), "A100 SXM4 80 GB");
    EXPECT_EQ(find("NVIDIA A100-SXM4-40GB").bandwidth(), 1555);
    EXPECT_EQ(find("NVIDIA A100 80GB PCIe").bandwidth(), 1935);
    EXPECT_EQ(find("A100-PCIE-40GB").entry(), "A100 PCIe 40 GB");
    EXPECT_EQ(find("Tesla V100-SXM2-32GB").of(OP_F16), 125);
    EXPECT_EQ(find("Tesla V100-PCIE-16GB").of(OP_F16), 112);
    EXPECT_EQ(find("NVIDIA H100 80GB HBM3").entry(), "H100 SXM5");
    EXPECT_EQ(find("NVIDIA H100 PCIe").of(OP_BF16), 756);
    EXPECT_EQ(find("NVIDIA H100 NVL").of(OP_F16), 835.5);
    EXPECT_EQ(find("NVIDIA H200").bandwidth(), 4800);
    EXPECT_EQ(find("NVIDIA H200 NVL").of(OP_F16), 835.5);
    EXPECT_EQ(find("NVIDIA GH200 480GB").bandwidth(), 4000);
    EXPECT_EQ(find("NVIDIA B200").of(OP_F4), 9000);
    EXPECT_EQ(find("NVIDIA GB200").of(OP_F8), 5000);
    EXPECT_EQ(find("NVIDIA B300 SXM6 AC").entry(), "B300");
    EXPECT_EQ(find("Tesla T4").of(OP_F16), 65);
    EXPECT_EQ(find("NVIDIA A10").of(OP_F16), 125);
    EXPECT_EQ(find("NVIDIA A10G").of(OP_F16), 70);
    EXPECT_EQ(find("NVIDIA L4").bandwidth(), 300);
    EXPECT_EQ(find("NVIDIA L40S").of(OP_F8), 733);
    EXPECT_EQ(find("NVIDIA L40").of(OP_F8), 362);
    EXPECT_EQ(find("AMD Instinct MI300X").of(OP_F16), 1307.4);
    EXPECT_EQ(find("AMD INSTINCT MI350X").bandwidth(), 8000);
    EXPECT_EQ(find("AMD Instinct MI250X").of(OP_F16), 191.5);
    EXPECT_EQ(find("NVIDIA RTX 6000 Ada Generation").entry(), "RTX 6000 Ada");
    EXPECT_EQ(find("Quadro RTX 6000").entry(), "Quadro RTX 6000");
}

TEST(PeakLookup, DoesNotTakeSparseRatesOrThoseOfOtherBoards)
{
    Found h100 = find("NVIDIA H100"), l4 = find("NVIDIA L4");
    EXPECT_EQ(h100.of(OP_F16), 989.4);
    EXPECT_EQ(h100.of(OP_TF32), 494.7);
    EXPECT_EQ(l4.of(OP_F16), 121);
    EXPECT_EQ(l4.bandwidth(), 300);
    EXPECT_NE(h100.caveat().find("does not say which board"), std::string::npos);
}

TEST(PeakLookup, TellsModelsApartByWhatTheTraceKnows)
{
    EXPECT_EQ(find("NVIDIA A100-PG509-200", counted(108, 42297524224)).bandwidth(), 1555);
    EXPECT_EQ(find("NVIDIA A100-PG506-232", counted(108, 80 * gib)).bandwidth(), 2039);
    EXPECT_EQ(find("NVIDIA GeForce RTX 3080", counted(70, 12 * gib)).entry(),
              "GeForce RTX 3080 12 GB");
    EXPECT_EQ(find("NVIDIA GeForce RTX 3060", counted(28, 8 * gib)).bandwidth(), 240);
    EXPECT_EQ(find("Orin", counted(16)).entry(), "Jetson AGX Orin 64 GB");
    EXPECT_EQ(find("Orin", counted(14)).entry(), "Jetson AGX Orin 32 GB");
    EXPECT_EQ(find("Orin").rates.origin, PEAK_UNKNOWN);
    EXPECT_EQ(find("NVIDIA Thor", counted(20)).of(OP_F4), 1035);
    EXPECT_EQ(find("NVIDIA Thor", counted(12)).of(OP_F4), 600);
}

TEST(PeakLookup, LeavesBandwidthOutWhereTheMemoryIsAnother)
{
    Found found = find("NVIDIA H100 PCIe", counted(114, 96 * gib));
    EXPECT_EQ(found.of(OP_F16), 756);
    EXPECT_TRUE(std::isnan(found.bandwidth()));
    EXPECT_NE(found.caveat().find("memory size differs"), std::string::npos);
}

TEST(PeakLookup, DoesNotGuessForOtherModels)
{
    for (const char *name :
         {"NVIDIA GeForce RTX 4090 Laptop GPU", "NVIDIA GeForce RTX 2080 with Max-Q Design",
          "NVIDIA GeForce RTX 5090 D", "GRID A100-10C", "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
          "AMD Radeon Graphics", "Quadro P4000", "Tesla V100-FHHL-16GB", "NVIDIA H800 PCIe",
          "H1000", "", "AMD Instinct MI308X"}) {
        Found found = find(name);
        EXPECT_EQ(found.rates.origin, PEAK_UNKNOWN) << name << ": " << found.entry();
        EXPECT_TRUE(std::isnan(found.of(OP_F32))) << name;
        EXPECT_TRUE(std::isnan(found.bandwidth())) << name;
        EXPECT_NE(found.caveat(), "") << name;
    }
    EXPECT_EQ(find("NVIDIA GeForce RTX 4090 D").entry(), "GeForce RTX 4090 D");
    Found cut = find("NVIDIA A100-SXM-64GB", counted(124));
    EXPECT_EQ(cut.rates.origin, PEAK_UNKNOWN);
    EXPECT_NE(cut.caveat().find("multiprocessors"), std::string::npos);
}

TEST(PeakLookup, DerivesFromComputeCapability)
{
    peak_device device = counted(60, 24 * gib);
    device.compute_major = 8, device.compute_minor = 9;
    device.core_clock_khz = 2000000;
    device.memory_bandwidth = UINT64_C(500000000000);
    Found found = find("NVIDIA Thing", device);
    EXPECT_EQ(found.rates.origin, PEAK_DERIVED);
    EXPECT_DOUBLE_EQ(found.of(OP_F32), 60 * 128 * 2 * 2.0e9 / 1e12);
    EXPECT_DOUBLE_EQ(found.of(OP_F16), 60 * 4 * 128 * 2 * 2.0e9 / 1e12);
    EXPECT_EQ(found.bandwidth(), 500);
    EXPECT_NE(found.caveat().find("derived from compute capability"), std::string::npos);
    // Consumer boards add up in f32 at half the rate.
    EXPECT_DOUBLE_EQ(find("NVIDIA GeForce Thing", device).of(OP_F16), 60 * 4 * 128 * 2.0e9 / 1e12);
}

TEST(PeakLookup, DerivesAShareOfADeviceWithoutItsBandwidth)
{
    peak_device device = counted(14);
    device.compute_major = 8;
    device.core_clock_khz = 1410000;
    device.memory_bandwidth = UINT64_C(1555000000000);
    Found found = find("NVIDIA A100-SXM4-40GB MIG 1g.5gb", device);
    EXPECT_EQ(found.rates.origin, PEAK_DERIVED);
    EXPECT_NEAR(found.of(OP_F16), 312 * 14.0 / 108, 0.1);
    EXPECT_TRUE(std::isnan(found.bandwidth()));
}

TEST(PeakLookup, DerivesNothingForAmdAndSimulations)
{
    peak_device device = counted(104, 64 * gib);
    device.compute_major = 9;
    device.core_clock_khz = 1700000;
    device.threads_per_warp = 64;
    EXPECT_EQ(find("AMD Radeon Graphics", device).rates.origin, PEAK_UNKNOWN);
    EXPECT_EQ(find("Something", device).rates.origin, PEAK_UNKNOWN);
    device.threads_per_warp = 32;
    Found simulated = find("Simulated GPU 0", device);
    EXPECT_EQ(simulated.rates.origin, PEAK_UNKNOWN);
    EXPECT_NE(simulated.caveat().find("simulated"), std::string::npos);
    device.simulated = true;
    EXPECT_EQ(find("NVIDIA H100", device).rates.origin, PEAK_UNKNOWN);
}

// Figures of the vendors' tables, which the table here computes.
TEST(PeakTable, ComputesWhatWhitepapersPublish)
{
    struct {
        const char *name;
        op_type type;
        double published;
    } figures[] = {
        {"NVIDIA GeForce RTX 3090", OP_F32, 35.6},
        {"NVIDIA GeForce RTX 3090", OP_F16, 71},
        {"NVIDIA GeForce RTX 3090", OP_I8, 284},
        {"NVIDIA GeForce RTX 3080", OP_F32, 29.8},
        {"NVIDIA GeForce RTX 4090", OP_F32, 82.6},
        {"NVIDIA GeForce RTX 4090", OP_F16, 165.2},
        {"NVIDIA GeForce RTX 4090", OP_TF32, 82.6},
        {"NVIDIA GeForce RTX 4090", OP_F8, 330.3},
        {"NVIDIA GeForce RTX 4090", OP_I8, 660.6},
        {"NVIDIA GeForce RTX 4080", OP_F32, 48.7},
        {"NVIDIA GeForce RTX 5090", OP_F32, 104.8},
        {"NVIDIA GeForce RTX 5090", OP_BF16, 209.5},
        {"NVIDIA GeForce RTX 5090", OP_F8, 419},
        {"NVIDIA GeForce RTX 5090", OP_F4, 1676},
        {"NVIDIA GeForce RTX 5090", OP_I8, 838},
        {"NVIDIA GeForce RTX 5080", OP_F32, 56.3},
        {"NVIDIA GeForce RTX 5070", OP_F32, 30.9},
        {"NVIDIA RTX A6000", OP_F32, 38.7},
        {"NVIDIA RTX A6000", OP_F16, 154.8},
        {"NVIDIA RTX A6000", OP_I8, 309.7},
        {"NVIDIA RTX 6000 Ada Generation", OP_BF16, 364},
        {"TITAN RTX", OP_F16, 130.5},
        {"NVIDIA GeForce RTX 2080 Ti", OP_F16, 53.8},
        {"NVIDIA GeForce RTX 2080 Ti", OP_I8, 215.2},
        {"NVIDIA GeForce RTX 2080 Ti", OP_I4, 430.3},
        {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", OP_F16, 503.8},
    };
    for (const auto &figure : figures)
        EXPECT_NEAR(find(figure.name).of(figure.type), figure.published, figure.published * 0.005)
            << figure.name << " " << op_type_name(figure.type);
    // Jetson AGX Orin technical brief: 5.3 TFLOP/s, 170 TOP/s of int8 with sparsity
    EXPECT_NEAR(find("Orin", counted(16)).of(OP_F32), 5.3, 0.05);
    EXPECT_NEAR(find("Orin", counted(16)).of(OP_I8), 170 / 2.0, 0.5);
}

// AMD CDNA 4 architecture whitepaper, table 1: operations per clock and compute unit.
TEST(PeakTable, HasCdna4sUnitsTimesClock)
{
    struct {
        op_type type;
        double per_clock;
    } rates[] = {{OP_F64, 128}, {OP_F32, 256}, {OP_F16, 4096}, {OP_BF16, 4096},
                 {OP_F8, 8192}, {OP_I8, 8192}, {OP_F6, 16384}, {OP_F4, 16384}};
    for (const auto &rate : rates) {
        double per_ghz = rate.per_clock * 256 / 1000;
        EXPECT_NEAR(find("AMD Instinct MI350X").of(rate.type), per_ghz * 2.2, 0.1);
        EXPECT_NEAR(find("AMD Instinct MI355X").of(rate.type), per_ghz * 2.4, 0.1);
    }
}

// Dense figures, as vendors' documents have them: those with sparsity are halved here.
TEST(PeakTable, HasWhatDataSheetsPublish)
{
    struct {
        const char *name;
        op_type type;
        double published;
    } figures[] = {
        // NVIDIA A100 architecture article, table of P100, V100 and A100
        {"Tesla P100-SXM2-16GB", OP_F32, 10.6},
        {"Tesla P100-SXM2-16GB", OP_F16, 21.2},
        {"Tesla V100-SXM2-16GB", OP_F64, 7.8},
        {"NVIDIA A100-SXM4-40GB", OP_TF32, 156},
        {"NVIDIA A100-SXM4-40GB", OP_F64, 19.5},
        {"NVIDIA A100-SXM4-40GB", OP_I4, 1248},
        // NVIDIA H100 NVL data sheet, NVIDIA H200 product page
        {"NVIDIA H100 NVL", OP_F8, 3341 / 2.0},
        {"NVIDIA H100 NVL", OP_TF32, 835 / 2.0},
        {"NVIDIA H200 NVL", OP_F64, 60},
        // NVIDIA Blackwell architecture technical brief, per GPU
        {"NVIDIA B100", OP_F16, 3500 / 2.0},
        {"NVIDIA B100", OP_F8, 7000 / 2.0},
        // NVIDIA HGX platform page, of 8 GPUs
        {"NVIDIA B200", OP_TF32, 18000 / 2.0 / 8},
        {"NVIDIA B200", OP_F64, 296 / 8.0},
        {"NVIDIA B300 SXM6 AC", OP_F4, 108000 / 8.0},
        {"NVIDIA B300 SXM6 AC", OP_F64, 10 / 8.0},
        // NVIDIA Blackwell and Blackwell Ultra data sheets, per GPU
        {"NVIDIA GB200", OP_F64, 40},
        {"NVIDIA GB300", OP_I8, 330 / 2.0},
        // NVIDIA A10, A40, L4, L40 and L40S data sheets; A10G's as Amazon publishes it
        {"NVIDIA A10", OP_TF32, 62.5},
        {"NVIDIA A10G", OP_BF16, 70},
        {"NVIDIA A40", OP_I8, 299.3},
        {"NVIDIA L4", OP_F8, 485 / 2.0},
        {"NVIDIA L40", OP_TF32, 90.5},
        {"NVIDIA L40S", OP_F16, 362.05},
        // ROCm documentation, microarchitecture of MI100, MI250 (two dies) and MI300
        {"AMD Instinct MI100", OP_BF16, 92.3},
        {"AMD Instinct MI250", OP_F16, 362.1 / 2},
        {"AMD Instinct MI300X", OP_TF32, 653.7},
        {"AMD Instinct MI300X", OP_F64, 163.4},
        // AMD Instinct MI300A data sheet
        {"AMD Instinct MI300A", OP_F8, 1961.2},
    };
    for (const auto &figure : figures)
        EXPECT_DOUBLE_EQ(find(figure.name).of(figure.type), figure.published)
            << figure.name << " " << op_type_name(figure.type);
    EXPECT_EQ(find("NVIDIA B200").bandwidth(), 7700);
    EXPECT_EQ(find("NVIDIA B300").bandwidth(), 7700);
    EXPECT_EQ(find("NVIDIA GB300").bandwidth(), 8000);
}

// A figure with sparsity among dense ones, or one halved twice, is a factor of two off.
TEST(PeakTable, DoublesTheRateWithEachHalvingOfTheType)
{
    for (uint32_t i = 0; i < peak_table_count; i++) {
        peak_figures figures;
        peak_entry_figures(&peak_table[i], &figures);
        const double *matrix = figures.matrix;
        const std::string name = peak_table[i].name;
        if (matrix[OP_TF32] > 0) {
            EXPECT_NEAR(matrix[OP_F16] / matrix[OP_TF32], 2, 0.04) << name;
        }
        if (matrix[OP_F8] > 0) {
            EXPECT_NEAR(matrix[OP_F8] / matrix[OP_F16], 2, 0.04) << name;
        }
        if (matrix[OP_BF16] > 0 && name != "Instinct MI100") {
            EXPECT_EQ(matrix[OP_BF16], matrix[OP_F16]) << name;
        }
    }
}

TEST(PeakTable, HasASourceForEachEntryAndFindsEachByItsPattern)
{
    std::set<std::string> names;
    for (uint32_t i = 0; i < peak_table_count; i++) {
        const peak_entry &entry = peak_table[i];
        std::string pattern(entry.patterns, strcspn(entry.patterns, "|"));
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
        EXPECT_GT(std::string(entry.source).size(), 10u) << entry.name;
        EXPECT_EQ(normal(pattern), pattern) << entry.name;
        EXPECT_TRUE(entry.chip == CHIP_NONE || entry.boost_mhz) << entry.name;
        peak_device device =
            counted(entry.multiprocessors, static_cast<uint64_t>(entry.memory_gb) * gib);
        EXPECT_EQ(find(pattern, device).entry(), entry.name);
    }
}

TEST(PeakFile, CountsMoreThanTheTable)
{
    RatesFile rates("# mine\n[NVIDIA A100-SXM4]\r\nfp16 = 290 # measured\nbandwidth_gbs=1900\n");
    ASSERT_TRUE(rates.good) << rates.error;
    Found found = find("NVIDIA A100-SXM4-80GB", {}, &rates.file);
    EXPECT_EQ(found.rates.origin, PEAK_FILE);
    EXPECT_EQ(found.of(OP_F16), 290);
    EXPECT_EQ(found.bandwidth(), 1900);
    EXPECT_EQ(found.of(OP_TF32), 156); // not in the file
    EXPECT_EQ(found.rates.source, rates.path);
    EXPECT_NE(std::string(found.rates.beside).find("A100 data sheet"), std::string::npos);
    EXPECT_EQ(find("NVIDIA A100-PCIE-40GB", {}, &rates.file).rates.origin, PEAK_TABLE);
}

TEST(PeakFile, GivesRatesToWhatHasNone)
{
    RatesFile rates("[*]\nf32 = 1\n[simulated gpu]\nf32 = 2\n");
    ASSERT_TRUE(rates.good) << rates.error;
    EXPECT_EQ(find("Simulated GPU 0", {}, &rates.file).of(OP_F32), 2);
    EXPECT_EQ(find("", {}, &rates.file).of(OP_F32), 1);
    EXPECT_TRUE(std::isnan(find("Simulated GPU 0", {}, &rates.file).bandwidth()));
    EXPECT_EQ(find("Simulated GPU 0", {}, &rates.file).caveat(), "");
}

TEST(PeakFile, RefusesWhatIsWrongAndSaysWhere)
{
    struct {
        const char *text, *complaint;
    } wrong[] = {
        {"", ":0: there is no [device] in this file"},
        {"# nothing\n\n", ":2: there is no [device] in this file"},
        {"f32 = 1\n", ":1: a figure before the first [device]"},
        {"[A100]\n\nf17 = 1\n",
         ":3: 'f17' is neither a type (float16, bf16, tf32, int8 ...), bandwidth_gbs "
         "nor memory_gb"},
        {"[A100]\nf32 = fast\n", ":2: f32: 'fast' is not a decimal number"},
        {"[A100]\nf32 =\n", ":2: f32: '' is not a decimal number"},
        {"[A100]\nf32 = 1,5\n", ":2: f32: '1,5' is not a decimal number"},
        {"[A100]\nf32 = 0x10\n", ":2: f32: '0x10' is not a decimal number"},
        {"[A100]\nf32 = -3\n", ":2: f32: '-3' is not a positive number"},
        {"[A100]\nf32 = 0\n", ":2: f32: '0' is not a positive number"},
        {"[A100]\nf32 = nan\n", ":2: f32: 'nan' is not a positive number"},
        {"[A100]\nf32 = 1e999\n", ":2: f32: '1e999' is not a positive number"},
        {"[A100]\nf32 = 1\nfloat = 2\n", ":3: float was given before in [A100]"},
        {"[A100]\nmemory_gb = 1\nmemory_gb = 2\n", ":3: memory_gb was given before in [A100]"},
        {"[A100\n", ":1: a section ends with ']'"},
        {"[]\n", ":1: '' is not a device name; [*] matches every device"},
        {"[NVIDIA A100]\nf32 = 1\n[a100]\n",
         ":3: [a100] is the same device as [NVIDIA A100] of line 1"},
        {"[A100]\nfast\n", ":2: 'fast' is neither [a device] nor figure = number"},
    };
    for (const auto &bad : wrong) {
        RatesFile rates(bad.text);
        EXPECT_FALSE(rates.good) << bad.text;
        EXPECT_EQ(rates.complaint(), bad.complaint);
    }
    RatesFile zero(std::string("[A100]\nf32\0 = 1\n", 16));
    EXPECT_EQ(zero.complaint(), ":2: there is a zero byte in the line");
    peak_file file;
    char error[PEAK_FILE_ERROR_BYTES];
    EXPECT_FALSE(peak_file_read(&file, "/nowhere/rates", error));
    EXPECT_STREQ(error, "/nowhere/rates: No such file or directory");
}
