/* peak_chips.c - operations per clock and multiprocessor, by compute capability.
 *
 * Of vectors: results per clock (CUDA C++ Programming Guide, "Arithmetic Instructions") x 2, as an FMA
 * is two operations; f16 and bf16 are pairs. Of tensor cores: the architecture whitepapers' FMAs per
 * clock and tensor core x cores x 2. What these do not tell is left out.
 *
 * Tensor cores of Hopper and Blackwell boost to a lower clock than all else, but for f64 (H100 SXM5:
 * 1830 of 1980 MHz, H100 whitepaper). Drivers tell the higher, so that rates derived of it are up to
 * 8 % too high; devices of the table have what is published.
 */
#include "peak_table.h"

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
