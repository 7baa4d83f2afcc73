/* peak_table.c - operations per clock of each compute capability, and the devices that are known by
 * name. */
#include "peak_table.h"

/* ---- operations per clock and multiprocessor, by compute capability ----
 *
 * Of vectors: results per clock (CUDA C++ Programming Guide, "Arithmetic Instructions") x 2, as an
 * FMA is two operations; f16 and bf16 are pairs. Of tensor cores: the architecture whitepapers'
 * FMAs per clock and tensor core x cores x 2. Figures that these lack are left out.
 *
 * Tensor cores of Hopper and Blackwell boost to a lower clock than all else, but for f64 (H100
 * SXM5: 1830 of 1980 MHz, H100 whitepaper). Drivers report the higher clock, so rates derived from
 * it are up to 8 % too high; devices in the table have the published rates.
 */

#define GUIDE "CUDA C++ Programming Guide, Arithmetic Instructions"

const struct peak_chip_row peak_chips[PEAK_CHIPS] = {
    [CHIP_60] = {6, 0, false, {.f64 = 64, .f32 = 128, .f16 = 256}, GUIDE},
    [CHIP_61] = {6, 1, false, {.f64 = 8, .f32 = 256, .i8 = 1024}, GUIDE},
    [CHIP_70] = {7,
                 0,
                 false,
                 {.f64 = 64, .f32 = 128, .f16 = 256, .mf16 = 1024},
                 GUIDE "; Tesla V100 whitepaper: 8 tensor cores of 64 FMA"},
    [CHIP_72] = {7,
                 2,
                 false,
                 {.f32 = 128, .f16 = 256, .mf16 = 1024, .mi8 = 2048},
                 GUIDE "; Jetson AGX Xavier technical brief"},
    [CHIP_75] = {7,
                 5,
                 false,
                 {.f64 = 4, .f32 = 128, .f16 = 256, .mf16 = 1024, .mi8 = 2048, .mi4 = 4096},
                 GUIDE "; Turing whitepaper: 8 tensor cores of 64 FMA"},
    [CHIP_75_CONSUMER] =
        {7,
         5,
         true,
         {.f64 = 4, .f32 = 128, .f16 = 256, .mf16 = 512, .mi8 = 2048, .mi4 = 4096},
         GUIDE "; Turing whitepaper: 8 tensor cores of 64 FMA, half of that with f32 accumulation"},
    [CHIP_80] = {8,
                 0,
                 false,
                 {.f64 = 64,
                  .f32 = 128,
                  .f16 = 512,
                  .bf16 = 256,
                  .m64 = 128,
                  .tf32 = 1024,
                  .mbf16 = 2048,
                  .mf16 = 2048,
                  .mi8 = 4096,
                  .mi4 = 8192},
                 GUIDE "; A100 whitepaper: 4 tensor cores of 256 FMA"},
    [CHIP_86] = {8,
                 6,
                 false,
                 {.f64 = 4,
                  .f32 = 256,
                  .f16 = 256,
                  .bf16 = 256,
                  .tf32 = 512,
                  .mbf16 = 1024,
                  .mf16 = 1024,
                  .mi8 = 2048,
                  .mi4 = 4096},
                 GUIDE "; GA102 whitepaper: 4 tensor cores of 128 FMA"},
    [CHIP_86_CONSUMER] =
        {8,
         6,
         true,
         {.f64 = 4,
          .f32 = 256,
          .f16 = 256,
          .bf16 = 256,
          .tf32 = 256,
          .mbf16 = 512,
          .mf16 = 512,
          .mi8 = 2048,
          .mi4 = 4096},
         GUIDE "; GA102 whitepaper: 4 tensor cores of 128 FMA, half of that with f32 accumulation"},
    [CHIP_87] = {8,
                 7,
                 false,
                 {.f32 = 256, .mbf16 = 2048, .mf16 = 2048, .mi8 = 4096},
                 GUIDE "; Jetson AGX Orin technical brief: 4 tensor cores of 256 FMA"},
    [CHIP_89] = {8,
                 9,
                 false,
                 {.f64 = 4,
                  .f32 = 256,
                  .f16 = 256,
                  .bf16 = 256,
                  .tf32 = 512,
                  .mbf16 = 1024,
                  .mf16 = 1024,
                  .f8 = 2048,
                  .mi8 = 2048,
                  .mi4 = 4096},
                 GUIDE "; Ada whitepaper: 4 tensor cores of 128 FMA"},
    [CHIP_89_CONSUMER] =
        {8,
         9,
         true,
         {.f64 = 4,
          .f32 = 256,
          .f16 = 256,
          .bf16 = 256,
          .tf32 = 256,
          .mbf16 = 512,
          .mf16 = 512,
          .f8 = 1024,
          .mi8 = 2048,
          .mi4 = 4096},
         GUIDE "; Ada whitepaper: 4 tensor cores of 128 FMA, half of that with f32 accumulation"},
    [CHIP_90] = {9,
                 0,
                 false,
                 {.f64 = 128,
                  .f32 = 256,
                  .f16 = 512,
                  .bf16 = 512,
                  .m64 = 256,
                  .tf32 = 2048,
                  .mbf16 = 4096,
                  .mf16 = 4096,
                  .f8 = 8192,
                  .mi8 = 8192},
                 GUIDE
                 "; H100 whitepaper: 4 tensor cores of 512 FMA, whose clock is up to 8 % lower"},
    [CHIP_100] = {10,
                  0,
                  false,
                  {.f64 = 128,
                   .f32 = 256,
                   .m64 = 128,
                   .tf32 = 4096,
                   .mbf16 = 8192,
                   .mf16 = 8192,
                   .f8 = 16384,
                   .f6 = 16384,
                   .f4 = 32768,
                   .mi8 = 16384},
                  GUIDE "; Blackwell architecture technical brief: twice Hopper's tensor cores"},
    [CHIP_103] = {10,
                  3,
                  false,
                  {.f64 = 4,
                   .f32 = 256,
                   .tf32 = 4096,
                   .mbf16 = 8192,
                   .mf16 = 8192,
                   .f8 = 16384,
                   .f6 = 16384,
                   .f4 = 49152},
                  GUIDE "; Blackwell architecture technical brief: Blackwell Ultra"},
    [CHIP_110] = {11,
                  0,
                  false,
                  {.f32 = 256, .mbf16 = 8192, .mf16 = 8192, .f8 = 16384, .f4 = 32768},
                  GUIDE "; Jetson Thor data sheet: 1035 TFLOP/s of dense f4 of 20 multiprocessors"},
    [CHIP_120] =
        {12,
         0,
         false,
         {.f64 = 4,
          .f32 = 256,
          .f16 = 256,
          .bf16 = 256,
          .tf32 = 512,
          .mbf16 = 1024,
          .mf16 = 1024,
          .f8 = 2048,
          .f4 = 4096,
          .mi8 = 2048},
         GUIDE "; RTX PRO Blackwell whitepaper: tensor cores with f32 accumulation at full rate"},
    [CHIP_120_CONSUMER] =
        {12,
         0,
         true,
         {.f64 = 4,
          .f32 = 256,
          .f16 = 256,
          .bf16 = 256,
          .tf32 = 256,
          .mbf16 = 512,
          .mf16 = 512,
          .f8 = 1024,
          .f4 = 4096,
          .mi8 = 2048},
         GUIDE "; RTX Blackwell whitepaper: f16, bf16 and f8 with f32 accumulation at half rate"},
    [CHIP_121] = {12, 1, false, {.f32 = 256, .f4 = 4096}, GUIDE "; DGX Spark data sheet"},
};

void peak_row_spread(const struct peak_row *row, double factor, struct peak_figures *figures)
{
    figures->vector[OP_F64] = row->f64 * factor;
    figures->vector[OP_F32] = row->f32 * factor;
    figures->vector[OP_F16] = row->f16 * factor;
    figures->vector[OP_BF16] = row->bf16 * factor;
    figures->vector[OP_I8] = row->i8 * factor;
    figures->matrix[OP_F64] = row->m64 * factor;
    figures->matrix[OP_F32] = row->m32 * factor;
    figures->matrix[OP_TF32] = row->tf32 * factor;
    figures->matrix[OP_BF16] = row->mbf16 * factor;
    figures->matrix[OP_F16] = row->mf16 * factor;
    figures->matrix[OP_F8] = row->f8 * factor;
    figures->matrix[OP_F6] = row->f6 * factor;
    figures->matrix[OP_F4] = row->f4 * factor;
    figures->matrix[OP_I8] = row->mi8 * factor;
    figures->matrix[OP_I4] = row->mi4 * factor;
}

void peak_entry_figures(const struct peak_entry *entry, struct peak_figures *figures)
{
    *figures =
        (struct peak_figures){.bandwidth_gbs = entry->bandwidth_gbs, .memory_gb = entry->memory_gb};
    if (entry->chip == CHIP_NONE)
        peak_row_spread(&entry->rates, 1, figures);
    else /* MHz: 10^6, and 10^12 in a TOP */
        peak_row_spread(&peak_chips[entry->chip].per_clock,
                        (double)entry->multiprocessors * entry->boost_mhz / 1e6, figures);
}

/* ---- devices by name ----
 *
 * Figures are dense; where a vendor publishes a figure with sparsity
 * alone it was halved, and the source says so. What is in no source that is named is left out. */

/* A device with published rates: multiprocessors, GB/s and GiB may be 0: unknown. */
#define PUBLISHED(patterns_, name_, count_, gbs_, gb_, source_, ...)                            \
    {                                                                                           \
        .patterns = patterns_, .name = name_, .multiprocessors = count_, .bandwidth_gbs = gbs_, \
        .memory_gb = gb_, .source = source_, .rates = {                                         \
            __VA_ARGS__                                                                         \
        }                                                                                       \
    }

#define COMPUTED "; rates = multiprocessors x boost clock x operations per clock"

/* A board whose rates follow from its multiprocessors and clock. */
#define BOARD(patterns_, name_, chip_, count_, mhz_, gbs_, gb_, source_)                \
    {                                                                                   \
        .patterns = patterns_, .name = name_, .chip = chip_, .multiprocessors = count_, \
        .boost_mhz = mhz_, .bandwidth_gbs = gbs_, .memory_gb = gb_,                     \
        .source = source_ COMPUTED ", f32 accumulation",                                \
    }

/* Where boards' multiprocessors (cores), clock and bandwidth are from. */
#define IN_MHZ "; boost clock in MHz: TechPowerUp's GPU database"
#define TURING "NVIDIA Turing GPU Architecture whitepaper"
#define TURING_PAGE "NVIDIA GeForce RTX 20 series and TITAN RTX product pages" IN_MHZ
#define AMPERE "NVIDIA Ampere GA102 GPU Architecture whitepaper"
#define AMPERE_PAGE "NVIDIA GeForce RTX 30 series product pages" IN_MHZ
#define AMPERE_PRO "NVIDIA RTX A series data sheets" IN_MHZ
#define ADA "NVIDIA Ada GPU Architecture whitepaper"
#define ADA_PAGE "NVIDIA GeForce RTX 40 series product pages" IN_MHZ
#define ADA_PRO "NVIDIA RTX Ada Generation data sheets" IN_MHZ
#define BLACKWELL "NVIDIA RTX Blackwell GPU Architecture whitepaper"
#define BLACKWELL_PAGE "NVIDIA GeForce RTX 50 series product pages" IN_MHZ
#define BLACKWELL_PRO "NVIDIA RTX PRO Blackwell GPU Architecture whitepaper"
#define PASCAL "NVIDIA GeForce GTX 1080 and Turing GPU Architecture whitepapers"

#define P100 "NVIDIA Tesla P100 data sheet"
#define V100 "NVIDIA V100 data sheet"
#define A100 "NVIDIA A100 data sheet; vector f16, vector bf16 and int4: A100 whitepaper, table 1"
#define HALVED ": tensor cores published with sparsity, halved"
#define HOPPER "NVIDIA H100 whitepaper, table of SXM5 and PCIe, dense; bandwidth: H100 data sheet"
#define HOPPER_NVL "NVIDIA H100 NVL data sheet" HALVED
#define H200 \
    "NVIDIA H200 product page" HALVED "; digits that it rounds: H100 whitepaper, the same chip"
#define H200_NVL "NVIDIA H200 product page" HALVED "; an older data sheet has 4200 GB/s"
#define GH200 \
    "NVIDIA GH200 data sheet" HALVED "; digits that it rounds: H100 whitepaper, the same chip"
#define HGX_BLACKWELL                                                                      \
    "NVIDIA HGX platform page: figures of 8 GPUs / 8, tensor cores but f4 published with " \
    "sparsity, halved; memory and bandwidth: NVIDIA Blackwell and Blackwell Ultra data sheets"
#define ORIN "NVIDIA Jetson AGX Orin technical brief and Jetson Orin data sheets" COMPUTED
#define THOR "NVIDIA Jetson Thor data sheet"
#define MI100 \
    "ROCm documentation, AMD Instinct MI100 microarchitecture; int8 and int4: MI100 data sheet"
#define MI200 "AMD Instinct MI200 series data sheets"
#define PER_GCD ": figures of the module / 2, as each of its two dies is a device"
#define MI300 "AMD Instinct MI300 series data sheets, without sparsity"
#define MI350                                                                                   \
    "AMD CDNA 4 architecture whitepaper, table 1: operations per clock and compute unit x 256 " \
    "compute units x 2.2 GHz (MI350X) or 2.4 GHz (MI355X), which the data sheets round"

/* Rates that several boards share. */
#define GA100_RATES                                                                         \
    .f64 = 9.7, .f32 = 19.5, .f16 = 78, .bf16 = 39, .m64 = 19.5, .tf32 = 156, .mbf16 = 312, \
    .mf16 = 312, .mi8 = 624, .mi4 = 1248
#define GH100_RATES                                                                              \
    .f64 = 34, .f32 = 67, .f16 = 133.8, .bf16 = 133.8, .m64 = 67, .tf32 = 494.7, .mbf16 = 989.4, \
    .mf16 = 989.4, .f8 = 1978.9, .mi8 = 1978.9
#define GH100_MEMORY_RATES                                                                       \
    .f64 = 34, .f32 = 67, .m64 = 67, .tf32 = 494.7, .mbf16 = 989.4, .mf16 = 989.4, .f8 = 1978.9, \
    .mi8 = 1978.9
#define GH100_NVL_RATES                                                                          \
    .f64 = 30, .f32 = 60, .m64 = 60, .tf32 = 417.5, .mbf16 = 835.5, .mf16 = 835.5, .f8 = 1670.5, \
    .mi8 = 1670.5
#define MI300X_RATES                                                                       \
    .f64 = 81.7, .f32 = 163.4, .m64 = 163.4, .m32 = 163.4, .tf32 = 653.7, .mbf16 = 1307.4, \
    .mf16 = 1307.4, .f8 = 2614.9, .mi8 = 2614.9

const struct peak_entry peak_table[] = {
    /* ---- NVIDIA, data centre ---- */
    PUBLISHED("p100 sxm2", "Tesla P100 SXM2", 56, 732, 16, P100, .f64 = 5.3, .f32 = 10.6,
              .f16 = 21.2),
    PUBLISHED("p100 pcie", "Tesla P100 PCIe 16 GB", 56, 732, 16, P100, .f64 = 4.7, .f32 = 9.3,
              .f16 = 18.7),
    PUBLISHED("p100 pcie 12gb", "Tesla P100 PCIe 12 GB", 56, 549, 12, P100, .f64 = 4.7, .f32 = 9.3,
              .f16 = 18.7),
    PUBLISHED("p40", "Tesla P40", 30, 346, 24, "NVIDIA Tesla P40 data sheet", .f32 = 12, .i8 = 47),
    PUBLISHED("p4", "Tesla P4", 20, 192, 8, "NVIDIA Tesla P4 data sheet", .f32 = 5.5, .i8 = 22),
    PUBLISHED("v100 sxm2|v100", "Tesla V100 SXM2", 80, 900, 0,
              V100 "; vector f16: twice f32, V100 whitepaper", .f64 = 7.8, .f32 = 15.7, .f16 = 31.4,
              .mf16 = 125),
    PUBLISHED("v100 dgxs", "Tesla V100 DGXS", 80, 900, 0,
              "NVIDIA DGX Station data sheet: 500 TFLOP/s of 4 V100, which is that of SXM2; " V100,
              .f64 = 7.8, .f32 = 15.7, .f16 = 31.4, .mf16 = 125),
    PUBLISHED("v100 sxm3", "Tesla V100 SXM3", 80, 0, 32,
              "NVIDIA DGX-2 data sheet: 2 PFLOP/s of 16 V100", .mf16 = 125),
    PUBLISHED("v100 pcie", "Tesla V100 PCIe", 80, 900, 0,
              V100 "; vector f16: twice f32, V100 whitepaper", .f64 = 7, .f32 = 14, .f16 = 28,
              .mf16 = 112),
    PUBLISHED("v100s pcie|v100s", "Tesla V100S PCIe", 80, 1134, 32,
              V100 "; vector f16: twice f32, V100 whitepaper", .f64 = 8.2, .f32 = 16.4, .f16 = 32.8,
              .mf16 = 130),
    PUBLISHED("t4", "Tesla T4", 40, 320, 16,
              "NVIDIA T4 data sheet, a later one has 300 GB/s; vector f16: twice f32, Turing "
              "whitepaper",
              .f32 = 8.1, .f16 = 16.2, .mf16 = 65, .mi8 = 130, .mi4 = 260),
    PUBLISHED("a100 sxm4 80gb|a100 sxm4|a100 sxm 80gb|a800 sxm4 80gb|a800 sxm4", "A100 SXM4 80 GB",
              108, 2039, 80, A100, GA100_RATES),
    PUBLISHED("a100 sxm4 40gb|a100 sxm4|a100 sxm 40gb|a100 pg509 200", "A100 SXM4 40 GB", 108, 1555,
              40, A100, GA100_RATES),
    PUBLISHED("a100 80gb pcie|a100 pcie 80gb|a100 pcie|a800 80gb pcie|a800 pcie 80gb",
              "A100 PCIe 80 GB", 108, 1935, 80, A100, GA100_RATES),
    PUBLISHED("a100 pcie 40gb|a100 pcie|a100 40gb pcie", "A100 PCIe 40 GB", 108, 1555, 40, A100,
              GA100_RATES),
    {.patterns = "a100",
     .name = "A100 80 GB",
     .multiprocessors = 108,
     .bandwidth_gbs = 2039,
     .memory_gb = 80,
     .any_rest = true,
     .rates = {GA100_RATES},
     .source = A100,
     .caveat = "the name does not say which board: rates are those of SXM4 80 GB"},
    {.patterns = "a100",
     .name = "A100 40 GB",
     .multiprocessors = 108,
     .bandwidth_gbs = 1555,
     .memory_gb = 40,
     .any_rest = true,
     .rates = {GA100_RATES},
     .source = A100},
    PUBLISHED("a30", "A30", 56, 933, 24, "NVIDIA A30 data sheet", .f64 = 5.2, .f32 = 10.3,
              .m64 = 10.3, .tf32 = 82, .mbf16 = 165, .mf16 = 165, .mi8 = 330, .mi4 = 661),
    PUBLISHED("a10", "A10", 72, 600, 24, "NVIDIA A10 data sheet", .f32 = 31.2, .tf32 = 62.5,
              .mbf16 = 125, .mf16 = 125, .mi8 = 250, .mi4 = 500),
    PUBLISHED("a10g", "A10G", 80, 600, 24,
              "NVIDIA A10G data sheet, as Amazon publishes it for EC2 G5", .f32 = 35, .tf32 = 35,
              .mbf16 = 70, .mf16 = 70, .mi8 = 140, .mi4 = 280),
    PUBLISHED("a40", "A40", 84, 696, 48, "NVIDIA A40 data sheet", .f32 = 37.4, .tf32 = 74.8,
              .mbf16 = 149.7, .mf16 = 149.7, .mi8 = 299.3, .mi4 = 598.7),
    PUBLISHED("a16", "A16 (one of four GPUs)", 10, 200, 16, "NVIDIA A16 data sheet, per GPU",
              .f32 = 4.5, .tf32 = 9, .mf16 = 17.9, .mi8 = 35.9),
    PUBLISHED("a2", "A2", 10, 200, 16, "NVIDIA A2 data sheet", .f32 = 4.5, .tf32 = 9, .mbf16 = 18,
              .mf16 = 18, .mi8 = 36, .mi4 = 72),
    PUBLISHED("l4", "L4", 58, 300, 24, "NVIDIA L4 data sheet" HALVED, .f32 = 30.3, .tf32 = 60,
              .mbf16 = 121, .mf16 = 121, .f8 = 242.5, .mi8 = 242.5),
    PUBLISHED("l40", "L40", 142, 864, 48, "NVIDIA L40 data sheet", .f32 = 90.5, .tf32 = 90.5,
              .mbf16 = 181.05, .mf16 = 181.05, .f8 = 362, .mi8 = 362, .mi4 = 724),
    PUBLISHED("l40s", "L40S", 142, 864, 48, "NVIDIA L40S data sheet", .f32 = 91.6, .tf32 = 183,
              .mbf16 = 362.05, .mf16 = 362.05, .f8 = 733, .mi8 = 733, .mi4 = 733),
    PUBLISHED("h100 sxm5|h100 80gb hbm3|h100 sxm", "H100 SXM5", 132, 3350, 80, HOPPER, GH100_RATES),
    {.patterns = "h100",
     .name = "H100",
     .multiprocessors = 132,
     .bandwidth_gbs = 3350,
     .rates = {GH100_RATES},
     .source = HOPPER,
     .caveat = "the name does not say which board: rates are those of SXM5 80 GB"},
    PUBLISHED("h100 pcie", "H100 PCIe", 114, 2000, 80, HOPPER, .f64 = 25.6, .f32 = 51.2,
              .f16 = 102.4, .bf16 = 102.4, .m64 = 51.2, .tf32 = 378, .mbf16 = 756, .mf16 = 756,
              .f8 = 1513, .mi8 = 1513),
    PUBLISHED("h100 nvl", "H100 NVL", 132, 3900, 94, HOPPER_NVL, GH100_NVL_RATES),
    PUBLISHED("h800", "H800 SXM5", 132, 3350, 80,
              "H800 data sheet as resellers have it, NVIDIA's pages have none" HALVED, .f64 = 1,
              .f32 = 67, .tf32 = 494.7, .mbf16 = 989.4, .mf16 = 989.4, .f8 = 1978.9, .mi8 = 1978.9),
    PUBLISHED("h20", "H20", 78, 4000, 96,
              "H20 figures as resellers and the press have them, dense; NVIDIA publishes none",
              .f64 = 1, .f32 = 44, .tf32 = 74, .mbf16 = 148, .mf16 = 148, .f8 = 296, .mi8 = 296),
    PUBLISHED("h200", "H200 SXM", 132, 4800, 141, H200, GH100_MEMORY_RATES),
    PUBLISHED("h200 nvl", "H200 NVL", 132, 4800, 141, H200_NVL, GH100_NVL_RATES),
    PUBLISHED("gh200", "GH200 96 GB", 132, 4000, 96, GH200, GH100_MEMORY_RATES),
    PUBLISHED("gh200 144g|gh200 144gb|gh200", "GH200 144 GB", 132, 4900, 144, GH200,
              GH100_MEMORY_RATES),
    PUBLISHED("b100", "B100", 0, 8000, 192,
              "NVIDIA Blackwell architecture technical brief, HGX B100 per GPU" HALVED
              "; tf32 is half of f16, and f32 twice f64",
              .f64 = 30, .f32 = 60, .m64 = 30, .tf32 = 875, .mbf16 = 1750, .mf16 = 1750, .f8 = 3500,
              .f6 = 3500, .f4 = 7000, .mi8 = 3500),
    PUBLISHED("b200", "B200", 148, 7700, 180, HGX_BLACKWELL, .f64 = 37, .f32 = 75, .m64 = 37,
              .tf32 = 1125, .mbf16 = 2250, .mf16 = 2250, .f8 = 4500, .f6 = 4500, .f4 = 9000,
              .mi8 = 4500),
    PUBLISHED("gb200", "GB200 (one GPU)", 0, 8000, 186,
              "NVIDIA Blackwell data sheet, GB200 NVL72 per GPU" HALVED, .f64 = 40, .f32 = 80,
              .m64 = 40, .tf32 = 1250, .mbf16 = 2500, .mf16 = 2500, .f8 = 5000, .f6 = 5000,
              .f4 = 10000, .mi8 = 5000),
    {.patterns = "b300|b300 sxm6 ac|b300 sxm6",
     .name = "B300",
     .bandwidth_gbs = 7700,
     .memory_gb = 270,
     .rates = {.f64 = 1.25,
               .f32 = 75,
               .m64 = 1.25,
               .tf32 = 1125,
               .mbf16 = 2250,
               .mf16 = 2250,
               .f8 = 4500,
               .f6 = 4500,
               .f4 = 13500},
     .source = HGX_BLACKWELL,
     .caveat = "int8: NVIDIA's publications differ, so it is left out"},
    PUBLISHED("gb300", "GB300 (one GPU)", 0, 8000, 279,
              "NVIDIA Blackwell Ultra data sheet, GB300 NVL72 per GPU: tensor cores but f4 "
              "published with sparsity, halved",
              .f64 = 1.3, .f32 = 80, .m64 = 1.3, .tf32 = 1250, .mbf16 = 2500, .mf16 = 2500,
              .f8 = 5000, .f6 = 5000, .f4 = 15000, .mi8 = 165),
    PUBLISHED("gb10", "GB10 (DGX Spark)", 0, 273, 0,
              "NVIDIA DGX Spark data sheet: 1 PFLOP/s of f4 with sparsity, halved", .f4 = 500),
    /* ---- NVIDIA, workstations ---- */
    BOARD("rtx a6000", "RTX A6000", CHIP_86, 84, 1800, 768, 48, AMPERE),
    BOARD("rtx a5000", "RTX A5000", CHIP_86, 64, 1695, 768, 24, AMPERE_PRO),
    BOARD("rtx a4500", "RTX A4500", CHIP_86, 56, 1650, 640, 20, AMPERE_PRO),
    BOARD("rtx a4000", "RTX A4000", CHIP_86, 48, 1560, 448, 16, AMPERE_PRO),
    BOARD("rtx 6000 ada generation|rtx 6000 ada", "RTX 6000 Ada", CHIP_89, 142, 2505, 960, 48,
          ADA_PRO),
    BOARD("rtx 5000 ada generation|rtx 5000 ada", "RTX 5000 Ada", CHIP_89, 100, 2550, 576, 32,
          ADA_PRO),
    BOARD("rtx 4500 ada generation|rtx 4500 ada", "RTX 4500 Ada", CHIP_89, 60, 2580, 432, 24,
          ADA_PRO),
    BOARD("rtx 4000 ada generation|rtx 4000 ada", "RTX 4000 Ada", CHIP_89, 48, 2175, 360, 20,
          ADA_PRO),
    BOARD("rtx 4000 sff ada generation|rtx 4000 sff ada", "RTX 4000 SFF Ada", CHIP_89, 48, 1560,
          280, 20, ADA_PRO),
    BOARD("rtx pro 6000 blackwell workstation edition", "RTX PRO 6000 Blackwell Workstation",
          CHIP_120, 188, 2617, 1792, 96, BLACKWELL_PRO),
    BOARD("rtx pro 6000 blackwell max q workstation edition", "RTX PRO 6000 Blackwell Max-Q",
          CHIP_120, 188, 2280, 1792, 96,
          "NVIDIA RTX PRO 6000 Blackwell Max-Q data sheet (clock of its 110 TFLOP/s of f32)"),
    PUBLISHED("rtx pro 6000 blackwell server edition", "RTX PRO 6000 Blackwell Server", 188, 1597,
              96,
              "NVIDIA RTX PRO 6000 Blackwell Server Edition data sheet: f4 published with "
              "sparsity, halved",
              .f32 = 120, .f4 = 2000),
    BOARD("quadro rtx 8000", "Quadro RTX 8000", CHIP_75, 72, 1770, 672, 48, TURING),
    BOARD("quadro rtx 6000", "Quadro RTX 6000", CHIP_75, 72, 1770, 672, 24, TURING),
    BOARD("titan rtx", "TITAN RTX", CHIP_75, 72, 1770, 672, 24, TURING_PAGE),
    PUBLISHED("titan v", "TITAN V", 80, 652.8, 12, "NVIDIA TITAN V product page", .mf16 = 110),
    /* ---- NVIDIA GeForce ---- */
    BOARD("rtx 5090", "GeForce RTX 5090", CHIP_120_CONSUMER, 170, 2407, 1792, 32, BLACKWELL),
    BOARD("rtx 5080", "GeForce RTX 5080", CHIP_120_CONSUMER, 84, 2617, 960, 16, BLACKWELL),
    BOARD("rtx 5070 ti", "GeForce RTX 5070 Ti", CHIP_120_CONSUMER, 70, 2452, 896, 16, BLACKWELL),
    BOARD("rtx 5070", "GeForce RTX 5070", CHIP_120_CONSUMER, 48, 2512, 672, 12, BLACKWELL),
    BOARD("rtx 5060 ti", "GeForce RTX 5060 Ti", CHIP_120_CONSUMER, 36, 2572, 448, 0,
          BLACKWELL_PAGE),
    BOARD("rtx 5060", "GeForce RTX 5060", CHIP_120_CONSUMER, 30, 2497, 448, 8, BLACKWELL_PAGE),
    BOARD("rtx 5050", "GeForce RTX 5050", CHIP_120_CONSUMER, 20, 2572, 320, 8, BLACKWELL_PAGE),
    BOARD("rtx 4090", "GeForce RTX 4090", CHIP_89_CONSUMER, 128, 2520, 1008, 24, ADA),
    BOARD("rtx 4090 d", "GeForce RTX 4090 D", CHIP_89_CONSUMER, 114, 2520, 1008, 24, ADA_PAGE),
    BOARD("rtx 4080 super", "GeForce RTX 4080 SUPER", CHIP_89_CONSUMER, 80, 2550, 736.3, 16,
          ADA_PAGE),
    BOARD("rtx 4080", "GeForce RTX 4080", CHIP_89_CONSUMER, 76, 2505, 716.8, 16, ADA),
    BOARD("rtx 4070 ti super", "GeForce RTX 4070 Ti SUPER", CHIP_89_CONSUMER, 66, 2610, 672.3, 16,
          ADA_PAGE),
    BOARD("rtx 4070 ti", "GeForce RTX 4070 Ti", CHIP_89_CONSUMER, 60, 2610, 504.2, 12, ADA_PAGE),
    BOARD("rtx 4070 super", "GeForce RTX 4070 SUPER", CHIP_89_CONSUMER, 56, 2475, 504.2, 12,
          ADA_PAGE),
    BOARD("rtx 4070", "GeForce RTX 4070", CHIP_89_CONSUMER, 46, 2475, 504.2, 12, ADA_PAGE),
    BOARD("rtx 4060 ti", "GeForce RTX 4060 Ti", CHIP_89_CONSUMER, 34, 2535, 288, 0, ADA_PAGE),
    BOARD("rtx 4060", "GeForce RTX 4060", CHIP_89_CONSUMER, 24, 2460, 272, 8, ADA_PAGE),
    BOARD("rtx 3090 ti", "GeForce RTX 3090 Ti", CHIP_86_CONSUMER, 84, 1860, 1008.4, 24,
          AMPERE_PAGE),
    BOARD("rtx 3090", "GeForce RTX 3090", CHIP_86_CONSUMER, 82, 1695, 936.2, 24, AMPERE),
    BOARD("rtx 3080 ti", "GeForce RTX 3080 Ti", CHIP_86_CONSUMER, 80, 1665, 912.4, 12, AMPERE_PAGE),
    BOARD("rtx 3080", "GeForce RTX 3080 10 GB", CHIP_86_CONSUMER, 68, 1710, 760.3, 10, AMPERE),
    BOARD("rtx 3080 12gb|rtx 3080", "GeForce RTX 3080 12 GB", CHIP_86_CONSUMER, 70, 1710, 912.4, 12,
          AMPERE_PAGE),
    BOARD("rtx 3070 ti", "GeForce RTX 3070 Ti", CHIP_86_CONSUMER, 48, 1770, 608.3, 8, AMPERE_PAGE),
    BOARD("rtx 3070", "GeForce RTX 3070", CHIP_86_CONSUMER, 46, 1725, 448, 8, AMPERE),
    {.patterns = "rtx 3060 ti",
     .name = "GeForce RTX 3060 Ti",
     .chip = CHIP_86_CONSUMER,
     .multiprocessors = 38,
     .boost_mhz = 1665,
     .bandwidth_gbs = 448,
     .memory_gb = 8,
     .source = AMPERE_PAGE COMPUTED ", f32 accumulation",
     .caveat = "bandwidth of boards with GDDR6; those with GDDR6X have 608 GB/s"},
    BOARD("rtx 3060", "GeForce RTX 3060 12 GB", CHIP_86_CONSUMER, 28, 1777, 360, 12, AMPERE_PAGE),
    BOARD("rtx 3060 8gb|rtx 3060", "GeForce RTX 3060 8 GB", CHIP_86_CONSUMER, 28, 1777, 240, 8,
          AMPERE_PAGE),
    BOARD("rtx 3050", "GeForce RTX 3050 8 GB", CHIP_86_CONSUMER, 20, 1777, 224, 8, AMPERE_PAGE),
    BOARD("rtx 3050 6gb|rtx 3050", "GeForce RTX 3050 6 GB", CHIP_86_CONSUMER, 18, 1470, 168, 6,
          AMPERE_PAGE),
    BOARD("rtx 2080 ti", "GeForce RTX 2080 Ti", CHIP_75_CONSUMER, 68, 1545, 616, 11, TURING),
    BOARD("rtx 2080 super", "GeForce RTX 2080 SUPER", CHIP_75_CONSUMER, 48, 1815, 496, 8,
          TURING_PAGE),
    BOARD("rtx 2080", "GeForce RTX 2080", CHIP_75_CONSUMER, 46, 1710, 448, 8, TURING),
    BOARD("rtx 2070 super", "GeForce RTX 2070 SUPER", CHIP_75_CONSUMER, 40, 1770, 448, 8,
          TURING_PAGE),
    BOARD("rtx 2070", "GeForce RTX 2070", CHIP_75_CONSUMER, 36, 1620, 448, 8, TURING),
    BOARD("rtx 2060 super", "GeForce RTX 2060 SUPER", CHIP_75_CONSUMER, 34, 1650, 448, 8,
          TURING_PAGE),
    BOARD("rtx 2060", "GeForce RTX 2060", CHIP_75_CONSUMER, 30, 1680, 336, 6, TURING_PAGE),
    BOARD("gtx 1080 ti", "GeForce GTX 1080 Ti", CHIP_61, 28, 1582, 484, 11, PASCAL),
    BOARD("gtx 1080", "GeForce GTX 1080", CHIP_61, 20, 1733, 320, 8, PASCAL),

    /* ---- NVIDIA Jetson: CUDA calls every module "Orin" ---- */
    {.patterns = "orin|agx orin|agx orin 64gb",
     .name = "Jetson AGX Orin 64 GB",
     .chip = CHIP_87,
     .multiprocessors = 16,
     .boost_mhz = 1300,
     .needs_count = true,
     .bandwidth_gbs = 204.8,
     .memory_gb = 64,
     .source = ORIN},
    {.patterns = "orin|agx orin|agx orin 32gb",
     .name = "Jetson AGX Orin 32 GB",
     .chip = CHIP_87,
     .multiprocessors = 14,
     .boost_mhz = 930,
     .needs_count = true,
     .bandwidth_gbs = 204.8,
     .memory_gb = 32,
     .source = ORIN},
    {.patterns = "orin|orin nx|orin nx 16gb",
     .name = "Jetson Orin NX 16 GB",
     .chip = CHIP_87,
     .multiprocessors = 8,
     .boost_mhz = 918,
     .needs_count = true,
     .bandwidth_gbs = 102.4,
     .memory_gb = 16,
     .source = ORIN,
     .caveat = "without super mode"},
    {.patterns = "orin nx 8gb",
     .name = "Jetson Orin NX 8 GB",
     .chip = CHIP_87,
     .multiprocessors = 8,
     .boost_mhz = 765,
     .bandwidth_gbs = 102.4,
     .memory_gb = 8,
     .source = ORIN,
     .caveat = "without super mode"},
    {.patterns = "orin nano 8gb",
     .name = "Jetson Orin Nano 8 GB",
     .chip = CHIP_87,
     .multiprocessors = 8,
     .boost_mhz = 625,
     .bandwidth_gbs = 68,
     .memory_gb = 8,
     .source = ORIN,
     .caveat = "without super mode"},
    {.patterns = "orin|orin nano 4gb",
     .name = "Jetson Orin Nano 4 GB",
     .chip = CHIP_87,
     .multiprocessors = 4,
     .boost_mhz = 625,
     .needs_count = true,
     .bandwidth_gbs = 34,
     .memory_gb = 4,
     .source = ORIN,
     .caveat = "without super mode"},
    PUBLISHED("thor|agx thor|t5000|thor t5000", "Jetson Thor T5000", 20, 273, 128,
              THOR ", dense; f16 is half of f8", .f32 = 8.064, .mbf16 = 258.5, .mf16 = 258.5,
              .f8 = 517, .f4 = 1035),
    {.patterns = "thor|t4000|thor t4000",
     .name = "Jetson Thor T4000",
     .multiprocessors = 12,
     .needs_count = true,
     .bandwidth_gbs = 273,
     .memory_gb = 64,
     .rates = {.mbf16 = 150, .mf16 = 150, .f8 = 300, .f4 = 600},
     .source = THOR ": f4 published with sparsity, halved; f8 is half of f4, f16 of f8"},
    {.patterns = "xavier|agx xavier",
     .name = "Jetson AGX Xavier",
     .chip = CHIP_72,
     .multiprocessors = 8,
     .boost_mhz = 1377,
     .needs_count = true,
     .bandwidth_gbs = 136.5,
     .memory_gb = 32,
     .source = "NVIDIA Jetson AGX Xavier technical brief" COMPUTED},

    /* ---- AMD ---- */
    PUBLISHED("mi100", "Instinct MI100", 120, 1228.8, 32, MI100, .f64 = 11.5, .f32 = 23.1,
              .m32 = 46.1, .mbf16 = 92.3, .mf16 = 184.6, .mi8 = 184.6, .mi4 = 184.6),
    PUBLISHED("mi210", "Instinct MI210", 104, 1638.4, 64, MI200, .f64 = 22.6, .f32 = 22.6,
              .m64 = 45.3, .m32 = 45.3, .mbf16 = 181, .mf16 = 181, .mi8 = 181, .mi4 = 181),
    PUBLISHED("mi250", "Instinct MI250 (one of two dies)", 104, 1638.4, 64, MI200 PER_GCD,
              .f64 = 22.65, .f32 = 22.65, .m64 = 45.25, .m32 = 45.25, .mbf16 = 181.05,
              .mf16 = 181.05, .mi8 = 181.05, .mi4 = 181.05),
    PUBLISHED("mi250x", "Instinct MI250X (one of two dies)", 110, 1638.4, 64, MI200 PER_GCD,
              .f64 = 23.95, .f32 = 23.95, .m64 = 47.85, .m32 = 47.85, .mbf16 = 191.5, .mf16 = 191.5,
              .mi8 = 191.5, .mi4 = 191.5),
    PUBLISHED("mi300a", "Instinct MI300A", 228, 5300, 128, MI300, .f64 = 61.3, .f32 = 122.6,
              .m64 = 122.6, .m32 = 122.6, .tf32 = 490.3, .mbf16 = 980.6, .mf16 = 980.6,
              .f8 = 1961.2, .mi8 = 1961.2),
    PUBLISHED("mi300x", "Instinct MI300X", 304, 5300, 192, MI300, MI300X_RATES),
    PUBLISHED("mi325x", "Instinct MI325X", 304, 6000, 256, MI300, MI300X_RATES),
    PUBLISHED("mi350x", "Instinct MI350X", 256, 8000, 288, MI350, .f64 = 72.1, .f32 = 144.2,
              .m64 = 72.1, .m32 = 144.2, .mbf16 = 2306.9, .mf16 = 2306.9, .f8 = 4613.7,
              .f6 = 9227.5, .f4 = 9227.5, .mi8 = 4613.7),
    PUBLISHED("mi355x", "Instinct MI355X", 256, 8000, 288, MI350, .f64 = 78.6, .f32 = 157.3,
              .m64 = 78.6, .m32 = 157.3, .mbf16 = 2516.6, .mf16 = 2516.6, .f8 = 5033.2,
              .f6 = 10066.3, .f4 = 10066.3, .mi8 = 5033.2),
};

const uint32_t peak_table_count = sizeof peak_table / sizeof peak_table[0];
