// Which kernels communicate, by their names.
#include "recorder_support.h"

#include <cstring>

extern "C" {
#include "kernel_class.h"
}

namespace
{

bool communicates(const char *name)
{
    return kernel_class_communicates(name, strlen(name));
}

// Names as profiles of these programs have them, and kernels of their sources.
TEST(KernelClass, OfCommunicationLibraries)
{
    for (
        const char *name : {
            // NCCL 2.20 and later; before; generic; RCCL
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
            "ncclDevKernel_AllReduce_Sum_bf16_NVLS(ncclDevKernelArgsStorage<(unsigned long)4096>)",
            "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
            "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
            "ncclSymkDevKernel_AllGather_LL",
            "ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)",
            "_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclDevKernelArgsStorageILm4096EE",
            "rccl_main_kernel",
            // NVSHMEM: src/host/stream/coll/barrier
            "void barrier_on_stream_kernel_threadgroup<(threadgroup_t)1>(int, int)",
            "_Z36barrier_on_stream_kernel_threadgroupIL13threadgroup_t1EEvii",
            "void nvshmemi_proxy_quiet_entrypoint(void*)",
            // MSCCL++
            "mscclpp::barrierKernel(int)",
            "void mscclpp::collective::allreduceNvlsPacket<float>(mscclpp::SemaphoreDeviceHandle*)",
            // DeepEP: csrc/kernels
            "void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(void*, float*, int*, long*)",
            "_ZN7deep_ep12internode_ll7combineILi3ELi10ELi7168EEEvPv",
            "void deep_ep::intranode::notify_dispatch<8>(int const*, int*)",
            // vLLM, SGLang, aiter: csrc/custom_all_reduce.cuh, quick_all_reduce.cuh
            "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, "
            "vllm::RankSignals)",
            "_ZN4vllm26cross_device_reduce_2stageI6__halfLi2EEEvPNS_8RankDataENS_11RankSignalsE",
            "void aiter::cross_device_reduce_2stage<__half, 8>(aiter::RankData*)",
            "quickreduce::allreduce_prototype_twoshot<AllReduceTwoshot<__half, CodecQ4<__half, 8>, "
            "true>, __half>",
            // FlashInfer: trtllm_allreduce_fusion.cuh, trtllm_mnnvl_allreduce.cuh, trtllm_alltoall.cuh
            "void "
            "flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<0>(int)",
            "void flashinfer::trtllm_mnnvl_allreduce::twoshotAllreduceKernel<8, "
            "__nv_bfloat16>(void*)",
            "flashinfer::trtllm_alltoall::moeAllToAllKernel(int)",
            // TensorRT-LLM: cpp/tensorrt_llm/kernels
            "void tensorrt_llm::kernels::oneShotAllReduceKernel<__half, 8, 0, true, true>(int)",
            "tensorrt_llm::kernels::moe_comm::moeA2ADispatchKernel(int const*, int)",
            "_ZN12tensorrt_llm7kernels8moe_comm19moeA2ACombineKernelEv",
            // Transformer Engine, for Megatron: userbuffers.cu
            "kuserbuffers_pushrecv(int, int, int*, int*, int, unsigned long)",
            "void userbuffers_fp16_sum_inplace_gpu_rw_ag<2>(int, int, int)",
            // PyTorch: torch/csrc/distributed/c10d, CUDASymmetricMemory.cu, intra_node_comm.cu
            "void c10d::symmetric_memory::(anonymous namespace)::barrier_kernel(unsigned int**)",
            "c10d::symmetric_memory::put_signal_kernel(unsigned int**, int, int, int, int, "
            "unsigned long)",
            "_ZN4c10d16symmetric_memoryL18wait_signal_kernelEPPjiiiim",
            "void multimem_one_shot_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)",
            "void c10d::intra_node_comm::twoShotAllReduceKernel<8, false>(__nv_bfloat16*)",
            "_ZN4c10d15intra_node_comm22oneShotAllReduceKernelILj8ELb1EEEvP13__nv_bfloat16",
            // Triton
            "one_shot_all_reduce_kernel",
            "triton_one_shot_all_reduce_kernel",
        })
        EXPECT_TRUE(communicates(name)) << name;
}

TEST(KernelClass, OfWhatDoesNotCommunicate)
{
    for (const char *name :
         {"", "_Z", "_ZN", "_Z9999nccl", "ampere_sgemm_128x64_nn", "void copy<ncclFloat>(rcclArgs)",
          "_Z4copyI9ncclFloatEv8rcclArgs", "_ZN2at6native4copyI12allreduceTagEEvT_",
          "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, all_reduce>>(float)",
          // TorchInductor names kernels after what they fuse
          "triton_poi_fused_add_all_reduce_wait_tensor_3",
          "triton_red_fused__to_copy_all_gather_into_tensor_0",
          "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float>(nccl*)"})
        EXPECT_EQ(communicates(name), strcmp(name, "_Z9999nccl") == 0) << name;
}

} // namespace
