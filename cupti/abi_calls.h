/* abi_calls.h - the CUDA calls that libprof follows: callback id, effect, offsets of arguments.
 *
 * CALL(cbid, name in CUPTI's headers, what, arguments...), cbids as in every toolkit since the
 * call exists (they never changed). An argument is given by its offset in the struct of
 * parameters that a callback gets:
 *
 *     STREAM(field, offset)           the program's stream handle
 *     BYTES(field, offset)            how much is copied, set or allocated
 *     ELEMENTS(field, offset, shift)  the same in elements of 1 << shift bytes
 *     KIND(field, offset)             cudaMemcpyKind
 *     PER_THREAD                      stream 0 is the calling thread's own
 *
 * BARE is CALL for which the 13.0 headers have no struct of parameters.
 *
 *     KERNEL         one kernel
 *     KERNEL_CONFIG  one kernel; the stream is in a launch configuration
 *     KERNELS        a kernel on several devices
 *     GRAPH          a graph
 *     COPY           one copy, if bytes > 0
 *     COPY_BY_KIND   one copy, if bytes > 0 and the kind names a device
 *     SET            one set, if bytes > 0
 *     COPY_ANY, SET_ANY  any number of operations
 *     SYNC           waits, or makes a stream wait
 *     ALLOC, FREE    memory
 *     BEGIN_CAPTURE, END_CAPTURE
 *     INSTANTIATE, UPDATE, SWITCH_NODE  make and change graphs that can be launched; their first
 *                    argument is the graph, but for INSTANTIATE
 *     TEARDOWN       may destroy a context
 *     OTHER          worth seeing, nothing more
 *
 * Left out: the 32-bit driver calls that cuda.h replaced in CUDA 3.2 and 4.0, and <<<>>> before
 * CUDA 7.0.
 */
#ifndef PROF_ABI_CALLS_H
#define PROF_ABI_CALLS_H

/* clang-format off */
#define ABI_RUNTIME_CALLS(CALL, BARE) \
    CALL(20, cudaMalloc_v3020, ALLOC, BYTES(size, 8)) \
    CALL(21, cudaMallocPitch_v3020, ALLOC) \
    CALL(22, cudaFree_v3020, FREE) \
    CALL(23, cudaMallocArray_v3020, ALLOC) \
    CALL(24, cudaFreeArray_v3020, FREE) \
    CALL(25, cudaMallocHost_v3020, ALLOC, BYTES(size, 8)) \
    CALL(26, cudaFreeHost_v3020, FREE) \
    CALL(27, cudaHostAlloc_v3020, ALLOC, BYTES(size, 8)) \
    CALL(31, cudaMemcpy_v3020, COPY_BY_KIND, BYTES(count, 16), KIND(kind, 24)) \
    CALL(32, cudaMemcpy2D_v3020, COPY_ANY) \
    CALL(33, cudaMemcpyToArray_v3020, COPY_BY_KIND, BYTES(count, 32), KIND(kind, 40)) \
    CALL(34, cudaMemcpy2DToArray_v3020, COPY_ANY) \
    CALL(35, cudaMemcpyFromArray_v3020, COPY_BY_KIND, BYTES(count, 32), KIND(kind, 40)) \
    CALL(36, cudaMemcpy2DFromArray_v3020, COPY_ANY) \
    CALL(37, cudaMemcpyArrayToArray_v3020, COPY_ANY, BYTES(count, 48)) \
    CALL(38, cudaMemcpy2DArrayToArray_v3020, COPY_ANY) \
    CALL(39, cudaMemcpyToSymbol_v3020, COPY_BY_KIND, BYTES(count, 16), KIND(kind, 32)) \
    CALL(40, cudaMemcpyFromSymbol_v3020, COPY_BY_KIND, BYTES(count, 16), KIND(kind, 32)) \
    CALL(41, cudaMemcpyAsync_v3020, COPY_BY_KIND, STREAM(stream, 32), BYTES(count, 16), \
         KIND(kind, 24)) \
    CALL(42, cudaMemcpyToArrayAsync_v3020, COPY_BY_KIND, STREAM(stream, 48), BYTES(count, 32), \
         KIND(kind, 40)) \
    CALL(43, cudaMemcpyFromArrayAsync_v3020, COPY_BY_KIND, STREAM(stream, 48), BYTES(count, 32), \
         KIND(kind, 40)) \
    CALL(44, cudaMemcpy2DAsync_v3020, COPY_ANY, STREAM(stream, 56)) \
    CALL(45, cudaMemcpy2DToArrayAsync_v3020, COPY_ANY, STREAM(stream, 64)) \
    CALL(46, cudaMemcpy2DFromArrayAsync_v3020, COPY_ANY, STREAM(stream, 64)) \
    CALL(47, cudaMemcpyToSymbolAsync_v3020, COPY_BY_KIND, STREAM(stream, 40), BYTES(count, 16), \
         KIND(kind, 32)) \
    CALL(48, cudaMemcpyFromSymbolAsync_v3020, COPY_BY_KIND, STREAM(stream, 40), \
         BYTES(count, 16), KIND(kind, 32)) \
    CALL(49, cudaMemset_v3020, SET, BYTES(count, 16)) \
    CALL(50, cudaMemset2D_v3020, SET_ANY) \
    CALL(51, cudaMemsetAsync_v3020, SET, STREAM(stream, 24), BYTES(count, 16)) \
    CALL(52, cudaMemset2DAsync_v3020, SET_ANY, STREAM(stream, 40)) \
    BARE(123, cudaThreadExit_v3020, TEARDOWN) \
    BARE(126, cudaThreadSynchronize_v3020, SYNC) \
    CALL(131, cudaStreamSynchronize_v3020, SYNC, STREAM(stream, 0)) \
    CALL(137, cudaEventSynchronize_v3020, SYNC) \
    CALL(140, cudaMalloc3D_v3020, ALLOC) \
    CALL(141, cudaMalloc3DArray_v3020, ALLOC) \
    CALL(142, cudaMemset3D_v3020, SET_ANY) \
    CALL(143, cudaMemset3DAsync_v3020, SET_ANY, STREAM(stream, 64)) \
    CALL(144, cudaMemcpy3D_v3020, COPY_ANY) \
    CALL(145, cudaMemcpy3DAsync_v3020, COPY_ANY, STREAM(stream, 8)) \
    CALL(147, cudaStreamWaitEvent_v3020, SYNC, STREAM(stream, 0)) \
    CALL(152, cudaHostRegister_v4000, ALLOC, BYTES(size, 8)) \
    CALL(153, cudaHostUnregister_v4000, FREE) \
    CALL(160, cudaMemcpyPeer_v4000, COPY_ANY, BYTES(count, 32)) \
    CALL(161, cudaMemcpyPeerAsync_v4000, COPY_ANY, STREAM(stream, 40), BYTES(count, 32)) \
    CALL(162, cudaMemcpy3DPeer_v4000, COPY_ANY) \
    CALL(163, cudaMemcpy3DPeerAsync_v4000, COPY_ANY, STREAM(stream, 8)) \
    BARE(164, cudaDeviceReset_v3020, TEARDOWN) \
    BARE(165, cudaDeviceSynchronize_v3020, SYNC) \
    CALL(192, cudaMallocMipmappedArray_v5000, ALLOC) \
    CALL(194, cudaFreeMipmappedArray_v5000, FREE) \
    CALL(197, cudaStreamAddCallback_v5000, OTHER, STREAM(stream, 0)) \
    CALL(206, cudaMallocManaged_v6000, ALLOC, BYTES(size, 8)) \
    CALL(211, cudaLaunchKernel_v7000, KERNEL, STREAM(stream, 48)) \
    CALL(214, cudaLaunchKernel_ptsz_v7000, KERNEL, STREAM(stream, 48), PER_THREAD) \
    CALL(215, cudaMemcpy_ptds_v7000, COPY_BY_KIND, BYTES(count, 16), KIND(kind, 24)) \
    CALL(216, cudaMemcpy2D_ptds_v7000, COPY_ANY) \
    CALL(217, cudaMemcpyToArray_ptds_v7000, COPY_BY_KIND, BYTES(count, 32), KIND(kind, 40)) \
    CALL(218, cudaMemcpy2DToArray_ptds_v7000, COPY_ANY) \
    CALL(219, cudaMemcpyFromArray_ptds_v7000, COPY_BY_KIND, BYTES(count, 32), KIND(kind, 40)) \
    CALL(220, cudaMemcpy2DFromArray_ptds_v7000, COPY_ANY) \
    CALL(221, cudaMemcpyArrayToArray_ptds_v7000, COPY_ANY, BYTES(count, 48)) \
    CALL(222, cudaMemcpy2DArrayToArray_ptds_v7000, COPY_ANY) \
    CALL(223, cudaMemcpyToSymbol_ptds_v7000, COPY_BY_KIND, BYTES(count, 16), KIND(kind, 32)) \
    CALL(224, cudaMemcpyFromSymbol_ptds_v7000, COPY_BY_KIND, BYTES(count, 16), KIND(kind, 32)) \
    CALL(225, cudaMemcpyAsync_ptsz_v7000, COPY_BY_KIND, STREAM(stream, 32), BYTES(count, 16), \
         KIND(kind, 24), PER_THREAD) \
    CALL(226, cudaMemcpyToArrayAsync_ptsz_v7000, COPY_BY_KIND, STREAM(stream, 48), \
         BYTES(count, 32), KIND(kind, 40), PER_THREAD) \
    CALL(227, cudaMemcpyFromArrayAsync_ptsz_v7000, COPY_BY_KIND, STREAM(stream, 48), \
         BYTES(count, 32), KIND(kind, 40), PER_THREAD) \
    CALL(228, cudaMemcpy2DAsync_ptsz_v7000, COPY_ANY, STREAM(stream, 56), PER_THREAD) \
    CALL(229, cudaMemcpy2DToArrayAsync_ptsz_v7000, COPY_ANY, STREAM(stream, 64), PER_THREAD) \
    CALL(230, cudaMemcpy2DFromArrayAsync_ptsz_v7000, COPY_ANY, STREAM(stream, 64), PER_THREAD) \
    CALL(231, cudaMemcpyToSymbolAsync_ptsz_v7000, COPY_BY_KIND, STREAM(stream, 40), \
         BYTES(count, 16), KIND(kind, 32), PER_THREAD) \
    CALL(232, cudaMemcpyFromSymbolAsync_ptsz_v7000, COPY_BY_KIND, STREAM(stream, 40), \
         BYTES(count, 16), KIND(kind, 32), PER_THREAD) \
    CALL(233, cudaMemset_ptds_v7000, SET, BYTES(count, 16)) \
    CALL(234, cudaMemset2D_ptds_v7000, SET_ANY) \
    CALL(235, cudaMemsetAsync_ptsz_v7000, SET, STREAM(stream, 24), BYTES(count, 16), PER_THREAD) \
    CALL(236, cudaMemset2DAsync_ptsz_v7000, SET_ANY, STREAM(stream, 40), PER_THREAD) \
    CALL(239, cudaStreamSynchronize_ptsz_v7000, SYNC, STREAM(stream, 0), PER_THREAD) \
    CALL(243, cudaMemset3D_ptds_v7000, SET_ANY) \
    CALL(244, cudaMemset3DAsync_ptsz_v7000, SET_ANY, STREAM(stream, 64), PER_THREAD) \
    CALL(245, cudaMemcpy3D_ptds_v7000, COPY_ANY) \
    CALL(246, cudaMemcpy3DAsync_ptsz_v7000, COPY_ANY, STREAM(stream, 8), PER_THREAD) \
    CALL(247, cudaStreamWaitEvent_ptsz_v7000, SYNC, STREAM(stream, 0), PER_THREAD) \
    CALL(248, cudaStreamAddCallback_ptsz_v7000, OTHER, STREAM(stream, 0), PER_THREAD) \
    CALL(249, cudaMemcpy3DPeer_ptds_v7000, COPY_ANY) \
    CALL(250, cudaMemcpy3DPeerAsync_ptsz_v7000, COPY_ANY, STREAM(stream, 8), PER_THREAD) \
    BARE(252, cudaMemPrefetchAsync_v8000, OTHER, STREAM(stream, 24), BYTES(count, 8)) \
    BARE(253, cudaMemPrefetchAsync_ptsz_v8000, OTHER, STREAM(stream, 24), BYTES(count, 8), \
         PER_THREAD) \
    CALL(269, cudaLaunchCooperativeKernel_v9000, KERNEL, STREAM(stream, 48)) \
    CALL(270, cudaLaunchCooperativeKernel_ptsz_v9000, KERNEL, STREAM(stream, 48), PER_THREAD) \
    BARE(272, cudaLaunchCooperativeKernelMultiDevice_v9000, KERNELS) \
    CALL(284, cudaLaunchHostFunc_v10000, OTHER, STREAM(stream, 0)) \
    CALL(285, cudaLaunchHostFunc_ptsz_v10000, OTHER, STREAM(stream, 0), PER_THREAD) \
    BARE(310, cudaGraphInstantiate_v10000, INSTANTIATE) \
    CALL(311, cudaGraphLaunch_v10000, GRAPH, STREAM(stream, 8)) \
    CALL(312, cudaGraphLaunch_ptsz_v10000, GRAPH, STREAM(stream, 8), PER_THREAD) \
    CALL(315, cudaStreamBeginCapture_v10000, BEGIN_CAPTURE, STREAM(stream, 0)) \
    CALL(316, cudaStreamBeginCapture_ptsz_v10000, BEGIN_CAPTURE, STREAM(stream, 0), PER_THREAD) \
    CALL(319, cudaStreamEndCapture_v10000, END_CAPTURE, STREAM(stream, 0)) \
    CALL(320, cudaStreamEndCapture_ptsz_v10000, END_CAPTURE, STREAM(stream, 0), PER_THREAD) \
    CALL(335, cudaGraphExecUpdate_v10020, UPDATE) \
    CALL(373, cudaMallocAsync_v11020, ALLOC, STREAM(hStream, 16), BYTES(size, 8)) \
    CALL(374, cudaMallocAsync_ptsz_v11020, ALLOC, STREAM(hStream, 16), BYTES(size, 8), PER_THREAD) \
    CALL(375, cudaFreeAsync_v11020, FREE, STREAM(hStream, 8)) \
    CALL(376, cudaFreeAsync_ptsz_v11020, FREE, STREAM(hStream, 8), PER_THREAD) \
    CALL(391, cudaMallocFromPoolAsync_v11020, ALLOC, STREAM(stream, 24), BYTES(size, 8)) \
    CALL(392, cudaMallocFromPoolAsync_ptsz_v11020, ALLOC, STREAM(stream, 24), BYTES(size, 8), \
         PER_THREAD) \
    CALL(418, cudaGraphInstantiateWithFlags_v11040, INSTANTIATE) \
    CALL(426, cudaGraphNodeSetEnabled_v11060, SWITCH_NODE) \
    CALL(430, cudaLaunchKernelExC_v11060, KERNEL_CONFIG) \
    CALL(431, cudaLaunchKernelExC_ptsz_v11060, KERNEL_CONFIG, PER_THREAD) \
    CALL(436, cudaGraphInstantiateWithParams_v12000, INSTANTIATE) \
    CALL(437, cudaGraphInstantiateWithParams_ptsz_v12000, INSTANTIATE) \
    CALL(443, cudaGraphInstantiate_v12000, INSTANTIATE) \
    CALL(449, cudaMemPrefetchAsync_v12020, OTHER, STREAM(stream, 32), BYTES(count, 8)) \
    CALL(450, cudaMemPrefetchAsync_ptsz_v12020, OTHER, STREAM(stream, 32), BYTES(count, 8), \
         PER_THREAD) \
    CALL(452, cudaStreamBeginCaptureToGraph_v12030, BEGIN_CAPTURE, STREAM(stream, 0)) \
    CALL(453, cudaStreamBeginCaptureToGraph_ptsz_v12030, BEGIN_CAPTURE, STREAM(stream, 0), \
         PER_THREAD) \
    BARE(482, cudaMemcpyBatchAsync_v12080, COPY_ANY, STREAM(stream, 64)) \
    BARE(483, cudaMemcpyBatchAsync_ptsz_v12080, COPY_ANY, STREAM(stream, 64), PER_THREAD) \
    BARE(484, cudaMemcpy3DBatchAsync_v12080, COPY_ANY, STREAM(stream, 32)) \
    BARE(485, cudaMemcpy3DBatchAsync_ptsz_v12080, COPY_ANY, STREAM(stream, 32), PER_THREAD) \
    CALL(487, cudaMemPrefetchBatchAsync_v13000, OTHER, STREAM(stream, 56)) \
    CALL(488, cudaMemPrefetchBatchAsync_ptsz_v13000, OTHER, STREAM(stream, 56), PER_THREAD) \
    BARE(505, __cudaLaunchKernel_v13000, KERNEL, STREAM(stream, 48)) \
    BARE(506, __cudaLaunchKernel_ptsz_v13000, KERNEL, STREAM(stream, 48), PER_THREAD) \
    CALL(509, cudaMemcpyBatchAsync_v13000, COPY_ANY, STREAM(stream, 56)) \
    CALL(510, cudaMemcpyBatchAsync_ptsz_v13000, COPY_ANY, STREAM(stream, 56), PER_THREAD) \
    CALL(511, cudaMemcpy3DBatchAsync_v13000, COPY_ANY, STREAM(stream, 24)) \
    CALL(512, cudaMemcpy3DBatchAsync_ptsz_v13000, COPY_ANY, STREAM(stream, 24))

#define ABI_DRIVER_CALLS(CALL, BARE) \
    BARE(17, cuCtxSynchronize, SYNC) \
    CALL(38, cuMemFreeHost, FREE) \
    CALL(39, cuMemHostAlloc, ALLOC, BYTES(bytesize, 8)) \
    CALL(121, cuEventSynchronize, SYNC) \
    CALL(126, cuStreamSynchronize, SYNC, STREAM(hStream, 0)) \
    CALL(216, cuMemsetD8Async, SET, STREAM(hStream, 24), ELEMENTS(N, 16, 0)) \
    CALL(218, cuMemsetD16Async, SET, STREAM(hStream, 24), ELEMENTS(N, 16, 1)) \
    CALL(220, cuMemsetD32Async, SET, STREAM(hStream, 24), ELEMENTS(N, 16, 2)) \
    CALL(222, cuMemsetD2D8Async, SET_ANY, STREAM(hStream, 40)) \
    CALL(224, cuMemsetD2D16Async, SET_ANY, STREAM(hStream, 40)) \
    CALL(226, cuMemsetD2D32Async, SET_ANY, STREAM(hStream, 40)) \
    CALL(243, cuMemAlloc_v2, ALLOC, BYTES(bytesize, 8)) \
    CALL(244, cuMemAllocPitch_v2, ALLOC) \
    CALL(245, cuMemFree_v2, FREE) \
    CALL(249, cuMemsetD8_v2, SET, ELEMENTS(N, 16, 0)) \
    CALL(250, cuMemsetD16_v2, SET, ELEMENTS(N, 16, 1)) \
    CALL(251, cuMemsetD32_v2, SET, ELEMENTS(N, 16, 2)) \
    CALL(252, cuMemsetD2D8_v2, SET_ANY) \
    CALL(253, cuMemsetD2D16_v2, SET_ANY) \
    CALL(254, cuMemsetD2D32_v2, SET_ANY) \
    CALL(276, cuMemcpyHtoD_v2, COPY, BYTES(ByteCount, 16)) \
    CALL(277, cuMemcpyHtoDAsync_v2, COPY, STREAM(hStream, 24), BYTES(ByteCount, 16)) \
    CALL(278, cuMemcpyDtoH_v2, COPY, BYTES(ByteCount, 16)) \
    CALL(279, cuMemcpyDtoHAsync_v2, COPY, STREAM(hStream, 24), BYTES(ByteCount, 16)) \
    CALL(280, cuMemcpyDtoD_v2, COPY, BYTES(ByteCount, 16)) \
    CALL(281, cuMemcpyDtoDAsync_v2, COPY, STREAM(hStream, 24), BYTES(ByteCount, 16)) \
    CALL(282, cuMemcpyAtoH_v2, COPY_ANY, BYTES(ByteCount, 24)) \
    CALL(283, cuMemcpyAtoHAsync_v2, COPY_ANY, STREAM(hStream, 32), BYTES(ByteCount, 24)) \
    CALL(284, cuMemcpyAtoD_v2, COPY_ANY, BYTES(ByteCount, 24)) \
    CALL(285, cuMemcpyDtoA_v2, COPY_ANY, BYTES(ByteCount, 24)) \
    CALL(286, cuMemcpyAtoA_v2, COPY_ANY, BYTES(ByteCount, 32)) \
    CALL(287, cuMemcpy2D_v2, COPY_ANY) \
    CALL(288, cuMemcpy2DUnaligned_v2, COPY_ANY) \
    CALL(289, cuMemcpy2DAsync_v2, COPY_ANY, STREAM(hStream, 8)) \
    CALL(290, cuMemcpy3D_v2, COPY_ANY) \
    CALL(291, cuMemcpy3DAsync_v2, COPY_ANY, STREAM(hStream, 8)) \
    CALL(292, cuMemcpyHtoA_v2, COPY_ANY, BYTES(ByteCount, 24)) \
    CALL(293, cuMemcpyHtoAAsync_v2, COPY_ANY, STREAM(hStream, 32), BYTES(ByteCount, 24)) \
    CALL(294, cuMemAllocHost_v2, ALLOC, BYTES(bytesize, 8)) \
    CALL(295, cuStreamWaitEvent, SYNC, STREAM(hStream, 0)) \
    CALL(301, cuMemHostRegister, ALLOC, BYTES(bytesize, 8)) \
    CALL(302, cuMemHostUnregister, FREE) \
    CALL(305, cuMemcpy, COPY_ANY, BYTES(ByteCount, 16)) \
    CALL(306, cuMemcpyAsync, COPY_ANY, STREAM(hStream, 24), BYTES(ByteCount, 16)) \
    CALL(307, cuLaunchKernel, KERNEL, STREAM(hStream, 40)) \
    CALL(318, cuMemcpyPeer, COPY_ANY, BYTES(ByteCount, 32)) \
    CALL(319, cuMemcpyPeerAsync, COPY_ANY, STREAM(hStream, 40), BYTES(ByteCount, 32)) \
    CALL(320, cuMemcpy3DPeer, COPY_ANY) \
    CALL(321, cuMemcpy3DPeerAsync, COPY_ANY, STREAM(hStream, 8)) \
    CALL(322, cuCtxDestroy_v2, TEARDOWN) \
    CALL(346, cuStreamAddCallback, OTHER, STREAM(hStream, 0)) \
    CALL(371, cuMemAllocManaged, ALLOC, BYTES(bytesize, 8)) \
    CALL(379, cuMemHostRegister_v2, ALLOC, BYTES(bytesize, 8)) \
    CALL(387, cuDevicePrimaryCtxRelease, TEARDOWN) \
    CALL(389, cuDevicePrimaryCtxReset, TEARDOWN) \
    CALL(397, cuMemcpyHtoD_v2_ptds, COPY, BYTES(ByteCount, 16)) \
    CALL(398, cuMemcpyDtoH_v2_ptds, COPY, BYTES(ByteCount, 16)) \
    CALL(399, cuMemcpyDtoD_v2_ptds, COPY, BYTES(ByteCount, 16)) \
    CALL(400, cuMemcpyDtoA_v2_ptds, COPY_ANY, BYTES(ByteCount, 24)) \
    CALL(401, cuMemcpyAtoD_v2_ptds, COPY_ANY, BYTES(ByteCount, 24)) \
    CALL(402, cuMemcpyHtoA_v2_ptds, COPY_ANY, BYTES(ByteCount, 24)) \
    CALL(403, cuMemcpyAtoH_v2_ptds, COPY_ANY, BYTES(ByteCount, 24)) \
    CALL(404, cuMemcpyAtoA_v2_ptds, COPY_ANY, BYTES(ByteCount, 32)) \
    CALL(405, cuMemcpy2D_v2_ptds, COPY_ANY) \
    CALL(406, cuMemcpy2DUnaligned_v2_ptds, COPY_ANY) \
    CALL(407, cuMemcpy3D_v2_ptds, COPY_ANY) \
    CALL(408, cuMemcpy_ptds, COPY_ANY, BYTES(ByteCount, 16)) \
    CALL(409, cuMemcpyPeer_ptds, COPY_ANY, BYTES(ByteCount, 32)) \
    CALL(410, cuMemcpy3DPeer_ptds, COPY_ANY) \
    CALL(411, cuMemsetD8_v2_ptds, SET, ELEMENTS(N, 16, 0)) \
    CALL(412, cuMemsetD16_v2_ptds, SET, ELEMENTS(N, 16, 1)) \
    CALL(413, cuMemsetD32_v2_ptds, SET, ELEMENTS(N, 16, 2)) \
    CALL(414, cuMemsetD2D8_v2_ptds, SET_ANY) \
    CALL(415, cuMemsetD2D16_v2_ptds, SET_ANY) \
    CALL(416, cuMemsetD2D32_v2_ptds, SET_ANY) \
    CALL(418, cuMemcpyAsync_ptsz, COPY_ANY, STREAM(hStream, 24), BYTES(ByteCount, 16), PER_THREAD) \
    CALL(419, cuMemcpyHtoAAsync_v2_ptsz, COPY_ANY, STREAM(hStream, 32), BYTES(ByteCount, 24), \
         PER_THREAD) \
    CALL(420, cuMemcpyAtoHAsync_v2_ptsz, COPY_ANY, STREAM(hStream, 32), BYTES(ByteCount, 24), \
         PER_THREAD) \
    CALL(421, cuMemcpyHtoDAsync_v2_ptsz, COPY, STREAM(hStream, 24), BYTES(ByteCount, 16), \
         PER_THREAD) \
    CALL(422, cuMemcpyDtoHAsync_v2_ptsz, COPY, STREAM(hStream, 24), BYTES(ByteCount, 16), \
         PER_THREAD) \
    CALL(423, cuMemcpyDtoDAsync_v2_ptsz, COPY, STREAM(hStream, 24), BYTES(ByteCount, 16), \
         PER_THREAD) \
    CALL(424, cuMemcpy2DAsync_v2_ptsz, COPY_ANY, STREAM(hStream, 8), PER_THREAD) \
    CALL(425, cuMemcpy3DAsync_v2_ptsz, COPY_ANY, STREAM(hStream, 8), PER_THREAD) \
    CALL(426, cuMemcpyPeerAsync_ptsz, COPY_ANY, STREAM(hStream, 40), BYTES(ByteCount, 32), \
         PER_THREAD) \
    CALL(427, cuMemcpy3DPeerAsync_ptsz, COPY_ANY, STREAM(hStream, 8), PER_THREAD) \
    CALL(428, cuMemsetD8Async_ptsz, SET, STREAM(hStream, 24), ELEMENTS(N, 16, 0), PER_THREAD) \
    CALL(429, cuMemsetD16Async_ptsz, SET, STREAM(hStream, 24), ELEMENTS(N, 16, 1), PER_THREAD) \
    CALL(430, cuMemsetD32Async_ptsz, SET, STREAM(hStream, 24), ELEMENTS(N, 16, 2), PER_THREAD) \
    CALL(431, cuMemsetD2D8Async_ptsz, SET_ANY, STREAM(hStream, 40), PER_THREAD) \
    CALL(432, cuMemsetD2D16Async_ptsz, SET_ANY, STREAM(hStream, 40), PER_THREAD) \
    CALL(433, cuMemsetD2D32Async_ptsz, SET_ANY, STREAM(hStream, 40), PER_THREAD) \
    CALL(436, cuStreamWaitEvent_ptsz, SYNC, STREAM(hStream, 0), PER_THREAD) \
    CALL(437, cuStreamAddCallback_ptsz, OTHER, STREAM(hStream, 0), PER_THREAD) \
    CALL(440, cuStreamSynchronize_ptsz, SYNC, STREAM(hStream, 0), PER_THREAD) \
    CALL(442, cuLaunchKernel_ptsz, KERNEL, STREAM(hStream, 40), PER_THREAD) \
    CALL(467, cuMemPrefetchAsync, OTHER, STREAM(hStream, 24), BYTES(count, 8)) \
    CALL(468, cuMemPrefetchAsync_ptsz, OTHER, STREAM(hStream, 24), BYTES(count, 8), PER_THREAD) \
    CALL(477, cuLaunchCooperativeKernel, KERNEL, STREAM(hStream, 40)) \
    CALL(478, cuLaunchCooperativeKernel_ptsz, KERNEL, STREAM(hStream, 40), PER_THREAD) \
    CALL(480, cuLaunchCooperativeKernelMultiDevice, KERNELS) \
    CALL(497, cuStreamEndCapture, END_CAPTURE, STREAM(hStream, 0)) \
    CALL(498, cuStreamEndCapture_ptsz, END_CAPTURE, STREAM(hStream, 0), PER_THREAD) \
    CALL(513, cuGraphInstantiate, INSTANTIATE) \
    CALL(514, cuGraphLaunch, GRAPH, STREAM(hStream, 8)) \
    CALL(515, cuGraphLaunch_ptsz, GRAPH, STREAM(hStream, 8), PER_THREAD) \
    CALL(527, cuLaunchHostFunc, OTHER, STREAM(hStream, 0)) \
    CALL(528, cuLaunchHostFunc_ptsz, OTHER, STREAM(hStream, 0), PER_THREAD) \
    CALL(539, cuStreamBeginCapture_v2, BEGIN_CAPTURE, STREAM(hStream, 0)) \
    CALL(540, cuStreamBeginCapture_v2_ptsz, BEGIN_CAPTURE, STREAM(hStream, 0), PER_THREAD) \
    CALL(544, cuDevicePrimaryCtxRelease_v2, TEARDOWN) \
    CALL(545, cuDevicePrimaryCtxReset_v2, TEARDOWN) \
    CALL(561, cuGraphExecUpdate, UPDATE) \
    CALL(578, cuGraphInstantiate_v2, INSTANTIATE) \
    CALL(598, cuMemAllocAsync, ALLOC, STREAM(hStream, 16), BYTES(bytesize, 8)) \
    CALL(599, cuMemAllocAsync_ptsz, ALLOC, STREAM(hStream, 16), BYTES(bytesize, 8), PER_THREAD) \
    CALL(600, cuMemFreeAsync, FREE, STREAM(hStream, 8)) \
    CALL(601, cuMemFreeAsync_ptsz, FREE, STREAM(hStream, 8), PER_THREAD) \
    CALL(611, cuMemAllocFromPoolAsync, ALLOC, STREAM(hStream, 24), BYTES(bytesize, 8)) \
    CALL(612, cuMemAllocFromPoolAsync_ptsz, ALLOC, STREAM(hStream, 24), BYTES(bytesize, 8), \
         PER_THREAD) \
    CALL(643, cuGraphInstantiateWithFlags, INSTANTIATE) \
    CALL(650, cuGraphNodeSetEnabled, SWITCH_NODE) \
    CALL(652, cuLaunchKernelEx, KERNEL_CONFIG) \
    CALL(653, cuLaunchKernelEx_ptsz, KERNEL_CONFIG, PER_THREAD) \
    CALL(656, cuGraphInstantiateWithParams, INSTANTIATE) \
    CALL(657, cuGraphInstantiateWithParams_ptsz, INSTANTIATE) \
    CALL(696, cuGraphExecUpdate_v2, UPDATE) \
    CALL(716, cuMemPrefetchAsync_v2, OTHER, STREAM(hStream, 32), BYTES(count, 8)) \
    CALL(717, cuMemPrefetchAsync_v2_ptsz, OTHER, STREAM(hStream, 32), BYTES(count, 8), PER_THREAD) \
    CALL(720, cuStreamBeginCaptureToGraph, BEGIN_CAPTURE, STREAM(hStream, 0)) \
    CALL(721, cuStreamBeginCaptureToGraph_ptsz, BEGIN_CAPTURE, STREAM(hStream, 0), PER_THREAD) \
    CALL(776, cuMemcpyBatchAsync, COPY_ANY, STREAM(hStream, 64)) \
    CALL(777, cuMemcpyBatchAsync_ptsz, COPY_ANY, STREAM(hStream, 64), PER_THREAD) \
    CALL(778, cuMemcpy3DBatchAsync, COPY_ANY, STREAM(hStream, 32)) \
    CALL(779, cuMemcpy3DBatchAsync_ptsz, COPY_ANY, STREAM(hStream, 32), PER_THREAD) \
    CALL(784, cuMemPrefetchBatchAsync, OTHER, STREAM(hStream, 56)) \
    CALL(785, cuMemPrefetchBatchAsync_ptsz, OTHER, STREAM(hStream, 56), PER_THREAD) \
    CALL(796, cuMemcpyBatchAsync_v2, COPY_ANY, STREAM(hStream, 56)) \
    CALL(797, cuMemcpyBatchAsync_v2_ptsz, COPY_ANY, STREAM(hStream, 56), PER_THREAD) \
    CALL(798, cuMemcpy3DBatchAsync_v2, COPY_ANY, STREAM(hStream, 24)) \
    CALL(799, cuMemcpy3DBatchAsync_v2_ptsz, COPY_ANY, STREAM(hStream, 24), PER_THREAD) \
    CALL(800, cuCtxSynchronize_v2, SYNC)
/* clang-format on */

/* KERNEL_CONFIG: offset of the stream in the configuration that the first parameter points to,
 * the same in the runtime's and the driver's. */
#define ABI_CONFIG_STREAM 32u

/* Above every cbid up to CUDA 13.4. */
#define ABI_CBID_COUNT 1024u

/* cudaMemcpyKind */
enum abi_copy_kind { ABI_COPY_HTOD = 1, ABI_COPY_DTOD = 3 };

#endif
