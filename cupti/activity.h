/* activity.h - CUPTI activity records: enabling kinds, exchanging buffers, counting drops.
 *
 * CUPTI asks for buffers on the program's threads and returns them on a worker of its own or on the
 * thread that flushes. No lock of libprof's is held around a call into CUPTI, and none is taken in
 * its callbacks.
 */
#ifndef PROF_ACTIVITY_H
#define PROF_ACTIVITY_H

#include "abi.h"
#include "oracle.h"
#include "subscription.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Queries record sizes and registers the buffer callbacks with CUPTI. Before any kind is enabled.
 * Returns an enum abi_result; ABI_NOT_COMPATIBLE when the record sizes make no sense. */
int activity_begin(size_t buffer_bytes);

/* How much is recorded, enum config_gpu_detail. Any thread. */
uint32_t activity_detail(void);

/* Changes that. While the kinds are on, enables those that are missing, or disables those that are
 * too many; on the flusher's thread. Returns false while another thread flushes inline: nothing has
 * changed. */
bool activity_set_detail(uint32_t detail, bool kinds_are_on);

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

/* ---- buffers.c: the buffers into which CUPTI writes activity records ---- */

/* Buffers are mapped, zero-filled and recycled; one that CUPTI holds is never freed. CUPTI is
 * always given a buffer: up to CUDA 12.8 it crashed when it got none. When memory runs out it gets
 * a buffer whose content is counted and thrown away.
 */

/* Sets the maximum size of buffers, rounded up to pages. Before the first buffers_acquire(). */
void buffers_init(size_t bytes);

/* Sets how many bytes of each buffer CUPTI gets from now on, as closely as possible. Threads:
 * any. */
void buffers_fit(size_t bytes);

/* Returns a zero-filled buffer of *bytes, never NULL. Threads: any; lock-free. */
uint8_t *buffers_acquire(size_t *bytes);

/* Recycles a buffer that CUPTI returned and that was decoded; `used` of its bytes are not zero. */
void buffers_release(uint8_t *buffer, size_t used);

/* Size of one of our buffers that CUPTI holds, or 0 if it is not ours. */
size_t buffers_bytes(const uint8_t *buffer);

/* Whether this is the last-resort buffer, possibly in use several times, so that its content is
 * invalid. */
bool buffers_is_last_resort(const uint8_t *buffer);

/* Prepares `count` buffers with their pages present, so that the program's threads do not wait for
 * page faults. Call it on a thread of libprof. */
void buffers_prepare(unsigned count);

/* ---- decode.c: activity records as records of the trace file ---- */

/* Which fields a record has follows from its size (oracle.h). Records go into the log of the
 * calling thread, facts (device, context, stream) into META. What cannot be recorded is counted:
 * loss is data.
 */

struct decode_result {
    uint64_t device_records; /* kernels, copies and sets that were recorded */
    uint64_t unreadable;     /* bytes at the end that could not be parsed */
};

/* Decodes `bytes` of records. The sizes of the oracle are used to walk; `next` (may be NULL) is
 * asked where a kind is unknown to it. Threads: any, each with its own buffer. */
struct decode_result decode_buffer(const struct oracle *oracle, oracle_next_record next,
                                   uint8_t *buffer, size_t bytes);

/* How many records of kernels, copies, sets and memory a buffer holds that must not be read
 * further. */
uint64_t decode_count_only(const struct oracle *oracle, const uint8_t *buffer, size_t bytes);

/* ---- device_memory.c: allocations and frees, pools, migrations of managed memory ---- */

/* Where CUPTI has no records of allocations (before CUDA 11.2) or refuses them, allocations are
 * read from the calls: one or the other, never both.
 */

struct oracle;

/* Enables CUPTI's memory kinds as configured, under the same rules as the other kinds. A refusal is
 * noted once; nothing fails. `oracle` knows which kinds the library has. */
void device_memory_enable(const struct oracle *oracle);
void device_memory_disable(void);
/* The same for allocations and pools alone. */
void device_memory_enable_memory(const struct oracle *oracle);
void device_memory_disable_memory(void);

/* Whether allocations are to be read from the calls. Threads: any. */
bool device_memory_from_calls(void);

/* Whether a followed call allocates or releases memory that is recorded. */
bool device_memory_follows_call(uint32_t domain, uint32_t cbid);

/* A call of the program's own that is in its log has ended. Writes a MEMORY record where the call
 * succeeded and allocated or released. Not for calls captured into a graph: those allocate when the
 * graph runs. */
void device_memory_note_call(uint32_t domain, uint32_t cbid, const struct abi_call_data *data);

/* Records become records of the trace file. None is an operation on a device: all
 * return false. */
bool device_memory_decode(const uint8_t *record, uint32_t size);
bool device_memory_decode_pool(const uint8_t *record, uint32_t size);
bool device_memory_decode_unified(const uint8_t *record, uint32_t size);

#endif
