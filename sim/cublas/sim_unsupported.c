/* sim_unsupported.c - all other functions of cuBLAS, so that programs load; they return
 * CUBLAS_STATUS_NOT_SUPPORTED. Weak, so that simulated functions replace them. Each has a 64-bit
 * variant.
 */
#include "sim_shared.h"

enum { SIM_CUBLAS_NOT_SUPPORTED = 15 };

/* clang-format off */
/* The parameters do not matter to a function that reads none. */
#define ONE(name)                                               \
    SIM_EXPORT __attribute__((weak)) int cublas##name(void);    \
    SIM_EXPORT __attribute__((weak)) int cublas##name(void)     \
    {                                                           \
        return SIM_CUBLAS_NOT_SUPPORTED;                        \
    }

#define BOTH(name) ONE(name) ONE(name##_64)
#define VERSIONED(name) BOTH(name##_v2)
#define REAL(F, name) F(S##name) F(D##name)
#define COMPLEX(F, name) F(C##name) F(Z##name)
#define ALL(F, name) REAL(F, name) COMPLEX(F, name)

/* Vectors. */
ALL(VERSIONED, axpy)
ALL(VERSIONED, copy)
ALL(VERSIONED, swap)
ALL(VERSIONED, scal)
ALL(VERSIONED, rot)
ALL(VERSIONED, rotg)
REAL(VERSIONED, dot)
REAL(VERSIONED, nrm2)
REAL(VERSIONED, asum)
REAL(VERSIONED, rotm)
REAL(VERSIONED, rotmg)
COMPLEX(VERSIONED, dotu)
COMPLEX(VERSIONED, dotc)
VERSIONED(Scnrm2) VERSIONED(Dznrm2) VERSIONED(Scasum) VERSIONED(Dzasum)
VERSIONED(Csscal) VERSIONED(Zdscal) VERSIONED(Csrot) VERSIONED(Zdrot)
VERSIONED(Isamax) VERSIONED(Idamax) VERSIONED(Icamax) VERSIONED(Izamax)
VERSIONED(Isamin) VERSIONED(Idamin) VERSIONED(Icamin) VERSIONED(Izamin)
BOTH(Nrm2Ex) BOTH(AxpyEx) BOTH(DotEx) BOTH(DotcEx) BOTH(ScalEx) BOTH(CopyEx) BOTH(SwapEx) BOTH(IamaxEx)
BOTH(IaminEx) BOTH(AsumEx) BOTH(RotEx) BOTH(RotmEx) ONE(RotgEx) ONE(RotmgEx)

/* A matrix and vectors. */
ALL(VERSIONED, gemv)
ALL(VERSIONED, gbmv)
ALL(VERSIONED, trmv)
ALL(VERSIONED, tbmv)
ALL(VERSIONED, tpmv)
ALL(VERSIONED, trsv)
ALL(VERSIONED, tpsv)
ALL(VERSIONED, tbsv)
ALL(VERSIONED, symv)
ALL(VERSIONED, syr)
ALL(VERSIONED, syr2)
REAL(VERSIONED, sbmv)
REAL(VERSIONED, spmv)
REAL(VERSIONED, ger)
REAL(VERSIONED, spr)
REAL(VERSIONED, spr2)
COMPLEX(VERSIONED, hemv)
COMPLEX(VERSIONED, hbmv)
COMPLEX(VERSIONED, hpmv)
COMPLEX(VERSIONED, geru)
COMPLEX(VERSIONED, gerc)
COMPLEX(VERSIONED, her)
COMPLEX(VERSIONED, her2)
COMPLEX(VERSIONED, hpr)
COMPLEX(VERSIONED, hpr2)
ALL(BOTH, gemvBatched)
ALL(BOTH, gemvStridedBatched)
BOTH(HSHgemvBatched) BOTH(HSSgemvBatched) BOTH(TSTgemvBatched) BOTH(TSSgemvBatched)
BOTH(HSHgemvStridedBatched) BOTH(HSSgemvStridedBatched) BOTH(TSTgemvStridedBatched) BOTH(TSSgemvStridedBatched)

/* Matrices. */
ALL(VERSIONED, syrk)
ALL(VERSIONED, syr2k)
ALL(VERSIONED, symm)
ALL(VERSIONED, trsm)
ALL(VERSIONED, trmm)
COMPLEX(VERSIONED, herk)
COMPLEX(VERSIONED, her2k)
COMPLEX(VERSIONED, hemm)
ALL(BOTH, syrkx)
COMPLEX(BOTH, herkx)
ALL(BOTH, geam)
ALL(BOTH, dgmm)
ALL(BOTH, trsmBatched)
BOTH(CsyrkEx) BOTH(Csyrk3mEx) BOTH(CherkEx) BOTH(Cherk3mEx)
ONE(Uint8gemmBias)

/* Batches of small systems, and triangles in other forms. */
ALL(ONE, getrfBatched)
ALL(ONE, getriBatched)
ALL(ONE, getrsBatched)
ALL(ONE, geqrfBatched)
ALL(ONE, gelsBatched)
ALL(ONE, matinvBatched)
ALL(ONE, tpttr)
ALL(ONE, trttp)

/* Beside. */
BOTH(SetVector) BOTH(GetVector) BOTH(SetMatrix) BOTH(GetMatrix)
BOTH(SetVectorAsync) BOTH(GetVectorAsync) BOTH(SetMatrixAsync) BOTH(GetMatrixAsync)
ONE(SetAtomicsMode) ONE(GetAtomicsMode) ONE(SetMathMode) ONE(GetMathMode)
ONE(SetPointerMode_v2) ONE(GetPointerMode_v2) ONE(SetStream_v2) ONE(GetStream_v2) ONE(SetWorkspace_v2)
ONE(GetVersion_v2) ONE(GetProperty) ONE(GetCudartVersion) ONE(SetSmCountTarget) ONE(GetSmCountTarget)
ONE(LoggerConfigure) ONE(SetLoggerCallback) ONE(GetLoggerCallback) ONE(Xerbla) ONE(MigrateComputeType)
