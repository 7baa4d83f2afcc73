/* activity.h - CUPTI activity records: enabling kinds, exchanging buffers, counting drops.
 *
 * CUPTI asks for buffers on the program's threads and returns them on a worker of its own or on the
 * thread that flushes. No lock of libprof's is held around a call into CUPTI, and none is taken in
 * its callbacks.
 */
#ifndef PROF_ACTIVITY_H
#define PROF_ACTIVITY_H

#include "oracle.h"
#include "subscription.h"

/* Queries record sizes and registers the buffer callbacks with CUPTI. Before any kind is enabled.
 * Returns an enum abi_result; ABI_NOT_COMPATIBLE when the record sizes make no sense. */
int activity_begin(size_t buffer_bytes);

/* Switches the kinds on. Returns ABI_OK or why kernels cannot be recorded; other kinds may be
 * missing. Where copies or sets are, the GPU mode becomes PROF_GPU_PARTIAL. */
int activity_enable(void);

/* Disables the kinds; on the flusher's thread. Returns false while another thread flushes
 * inline. */
bool activity_disable(void);

/* The same on a thread of the program's, before another tool takes the callbacks: records until
 * then would be written into a buffer of ours that the other tool receives. */
void activity_disable_inline(void);

/* Takes buffers back from CUPTI (flags: enum abi_flush) and asks what was dropped. May block as
 * long as CUPTI likes; from the flusher's thread. Returns false when CUPTI failed to
 * hand them over. */
bool activity_flush(unsigned flags);

/* The same on a thread of the program's: in the callback of a CUDA call, where CUPTI allows it, or
 * before another tool's call. Not while kinds are being disabled, nor when a flush was seen to
 * hang. */
void activity_flush_inline(unsigned flags);

/* Around another tool's disabling kinds: waits for a flush of ours to end, within a limit, and lets
 * none begin meanwhile. And around its flushing: kinds of ours are disabled later. */
void activity_block_flushing(bool on);
void activity_block_disabling(bool on);

/* Promises CUPTI zeroed buffers, from whatever source, or withdraws the promise. */
void activity_promise_zeroes(bool on);

/* Hands CUPTI the buffer callbacks once more. Returns an enum abi_result. */
int activity_register_again(void);

/* CPU time that decoding has taken on the calling thread so far. */
uint64_t activity_decoded_ns(void);

/* Keeps spare buffers. From a thread of libprof. */
void activity_prepare(void);

/* Ignores everything that CUPTI delivers from now on. */
void activity_close(void);

/* Sizes in force, for decoding the same buffers again. */
const struct oracle *activity_oracle(void);

/* Shows every buffer, as CUPTI delivered it, to `tap` before it is decoded (replay fixtures). NULL
 * ends it. */
typedef void (*activity_tap)(const uint8_t *buffer, size_t valid_bytes);
void activity_set_tap(activity_tap tap);

/* ---- how kernels are timed, where that is the user's choice ----
 *
 * PROF_HARDWARE_TRACE has the device's hardware write the times (HES: Blackwell and later, CUDA
 * 12.8), PROF_KERNEL_LATENCY adds when kernels were queued and submitted. CUPTI does not do both:
 * the hardware wins, and a message says so.
 *
 * No timestamp callback is registered unless another tool has registered one (other_tool.h): from
 * 12.6 Update 2 to 13.0 CUPTI then gives kernels zero times [CUPTI release notes, 13.1].
 */

/* Before and after subscribing: in the v2 API, all subscribers share the hardware trace, which must
 * be requested before; latency is the subscriber's own. Threads: one. */
void activity_before_subscribing(enum subscription_api api);
void activity_subscribed(void);

/* In CUPTI's callback when cuInit has finished, before there is a context: the moment at which the
 * first api accepts the request for the hardware trace. */
bool activity_wants_init(void);
void activity_init_finished(void);

/* Whether buffers may be flushed while the program is busy. CUPTI before 13.4 corrupts memory if
 * that is done under the hardware trace [release notes 13.4, "host heap corruption"]: then they
 * are flushed when the program ends or tears its contexts down. The price is that CUPTI drops
 * what does not fit into its 128 MB until then; it counts it, and so does the ledger. */
bool activity_may_flush(void);

#endif
