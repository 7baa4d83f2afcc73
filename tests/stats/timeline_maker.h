// timeline_maker.h - timelines made by hand, for tests of what reads them.
//
//     TimelineMaker m;
//     m.push("step", 0); auto call = m.launch("cudaLaunchKernel", 10, 20); m.pop(100);
//     m.kernel("k", call, 30, 60);
//     const timeline *t = m.done();
//
// Without further ado everything is on thread 1 of process 100, device 0, context 1, stream 7.
#ifndef PROF_TIMELINE_MAKER_H
#define PROF_TIMELINE_MAKER_H

extern "C" {
#include "timeline.h"
}

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

class TimelineMaker
{
public:
    TimelineMaker()
    {
        process(100, "train");
        thread(101);
    }

    uint32_t name(const std::string &text)
    {
        auto [at, is_new] = name_index.emplace(text, static_cast<uint32_t>(names.size()));
        if (is_new)
            names.push_back(text_of(text));
        return at->second;
    }

    uint32_t process(uint32_t pid, const std::string &program)
    {
        processes.emplace_back();
        processes.back().info.pid = pid;
        processes.back().info.program = text_of(program);
        processes.back().info.host = text_of("host");
        processes.back().info.library_version = text_of("0.1.0");
        processes.back().info.rank = processes.back().info.world_size =
            processes.back().info.local_rank = -1;
        processes.back().info.gpu_mode = PROF_GPU_CUPTI;
        processes.back().info.closed = true;
        processes.back().path = "x.prof";
        return last(processes);
    }

    uint32_t thread(uint32_t tid, const std::string &called = "main")
    {
        threads.emplace_back();
        threads.back().process = last(processes);
        threads.back().tid = tid;
        threads.back().name = name(called);
        threads.back().first_slice = static_cast<uint32_t>(slices.size());
        open.clear();
        return last(threads);
    }

    uint32_t push(const std::string &called, int64_t start_ns, uint8_t kind = TL_RANGE,
                  uint8_t flags = 0)
    {
        slices.emplace_back();
        tl_slice &slice = slices.back();
        slice.start_ns = slice.end_ns = start_ns;
        slice.name = name(called);
        slice.parent = open.empty() ? TL_NONE : open.back();
        slice.thread = last(threads);
        slice.api = TL_NONE;
        slice.depth = static_cast<uint16_t>(open.size());
        slice.kind = kind;
        slice.flags = flags;
        open.push_back(last(slices));
        threads.back().slice_count++;
        return last(slices);
    }

    void pop(int64_t end_ns)
    {
        slices[open.back()].end_ns = end_ns;
        open.pop_back();
    }

    uint32_t range(const std::string &called, int64_t start_ns, int64_t end_ns)
    {
        uint32_t index = push(called, start_ns);
        pop(end_ns);
        return index;
    }

    uint32_t launch(const std::string &called, int64_t start_ns, int64_t end_ns,
                    uint8_t flags = TL_LAUNCHES, uint8_t domain = PROF_API_RUNTIME)
    {
        uint32_t index = push(called, start_ns, TL_API, flags);
        pop(end_ns);
        slices[index].api = static_cast<uint32_t>(apis.size());
        apis.push_back({});
        apis.back().correlation = ++correlation;
        apis.back().cbid = 211;
        apis.back().domain = domain;
        apis.back().kernel_name = TL_NONE;
        return index;
    }

    uint32_t device(uint32_t ordinal, const std::string &called)
    {
        devices.emplace_back();
        tl_device &added = devices.back();
        added.process = last(processes);
        added.name = name(called);
        added.clock_error_ns = -1;
        added.given_name = TL_NONE;
        added.info.device = ordinal;
        added.info.memory_bytes = 150ull << 30;
        added.info.compute_major = 9;
        added.info.multiprocessors = 132;
        added.info.threads_per_warp = 32;
        added.info.max_threads_per_block = 1024;
        added.info.max_threads_per_multiprocessor = 2048;
        added.info.max_blocks_per_multiprocessor = 32;
        added.info.registers_per_multiprocessor = 65536;
        added.info.shared_memory_per_multiprocessor = 233472;
        added.info.uuid[0] = static_cast<uint8_t>(ordinal + 1);
        return last(devices);
    }

    uint32_t stream(uint32_t id, uint32_t of_device = 0, uint32_t context = 1, uint16_t lanes = 1)
    {
        streams.push_back({last(processes), of_device, context, id, 0, 0, 0, lanes, TL_NONE});
        return last(streams);
    }

    // Device work; `call` is the slice that launched it or TL_NONE. Returns its place before
    // sorting.
    uint32_t gpu(uint8_t kind, const std::string &called, uint32_t call, int64_t start_ns,
                 int64_t end_ns, uint32_t on = TL_NONE, uint16_t lane = 0)
    {
        if (streams.empty())
            stream(7);
        tl_gpu op{};
        op.start_ns = start_ns;
        op.end_ns = end_ns;
        op.name = name(called);
        op.slice = call;
        op.stream = kind == TL_OVERHEAD ? TL_NONE : on == TL_NONE ? last(streams) : on;
        op.correlation = call == TL_NONE ? 0 : apis[slices[call].api].correlation;
        op.lane = lane;
        op.kind = kind;
        op.detail = TL_NONE;
        op.process = op.stream == TL_NONE ? last(processes) : streams[op.stream].process;
        op.device = op.stream == TL_NONE ? TL_NONE : streams[op.stream].device;
        gpus.push_back(op);
        return last(gpus);
    }

    uint32_t kernel(const std::string &called, uint32_t call, int64_t start_ns, int64_t end_ns,
                    uint32_t on = TL_NONE, uint16_t lane = 0)
    {
        uint32_t index = gpu(TL_KERNEL, called, call, start_ns, end_ns, on, lane);
        tl_kernel kernel{};
        kernel.grid_x = 264;
        kernel.grid_y = kernel.grid_z = kernel.block_y = kernel.block_z = 1;
        kernel.block_x = 256;
        kernel.registers = 32;
        kernel.priority = PROF_PRIORITY_UNKNOWN;
        gpus[index].detail = static_cast<uint32_t>(kernels.size());
        kernels.push_back(kernel);
        return index;
    }

    uint32_t copy(uint32_t call, int64_t start_ns, int64_t end_ns, uint64_t bytes,
                  uint32_t on = TL_NONE)
    {
        uint32_t index =
            gpu(TL_MEMCPY, "Memcpy HtoD (Pageable -> Device)", call, start_ns, end_ns, on);
        tl_memcpy copy{};
        copy.copy_kind = 1;
        gpus[index].bytes = bytes;
        gpus[index].detail = static_cast<uint32_t>(memcpys.size());
        memcpys.push_back(copy);
        return index;
    }

    uint32_t set(uint32_t call, int64_t start_ns, int64_t end_ns, uint64_t bytes,
                 uint32_t on = TL_NONE)
    {
        uint32_t index = gpu(TL_MEMSET, "Memset (Device)", call, start_ns, end_ns, on);
        gpus[index].bytes = bytes;
        gpus[index].detail = static_cast<uint32_t>(memsets.size());
        memsets.push_back({});
        return index;
    }

    uint32_t sync(uint32_t type, int64_t start_ns, int64_t end_ns, uint32_t on)
    {
        if (streams.empty())
            stream(7);
        uint32_t index = gpu(TL_SYNC, "wait", TL_NONE, start_ns, end_ns, on == TL_NONE ? 0 : on);
        tl_sync sync{};
        sync.type = type;
        sync.context = 1;
        sync.stream = on == TL_NONE ? PROF_SYNC_NO_STREAM : streams[on].stream;
        if (on == TL_NONE)
            gpus[index].stream = TL_NONE;
        gpus[index].detail = static_cast<uint32_t>(syncs.size());
        syncs.push_back(sync);
        return index;
    }

    void mark(const std::string &called, int64_t time_ns)
    {
        marks.push_back(
            {time_ns, name(called), last(threads), open.empty() ? TL_NONE : open.back(), TL_NONE});
    }

    void counter(const std::string &called, int64_t time_ns, double value)
    {
        counters.push_back({time_ns, value, name(called), last(threads)});
    }

    void async(const std::string &called, int64_t start_ns, int64_t end_ns, uint64_t id)
    {
        asyncs.push_back(
            {start_ns, end_ns, id, name(called), last(threads), last(threads), 0, TL_NONE});
    }

    void attr(uint32_t slice, const std::string &key, int64_t value)
    {
        attrs.push_back({slice, name(key), PROF_ATTR_INT, 0, static_cast<uint64_t>(value)});
    }

    void attr(uint32_t slice, const std::string &key, double value)
    {
        uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        attrs.push_back({slice, name(key), PROF_ATTR_DOUBLE, 0, bits});
    }

    void attr(uint32_t slice, const std::string &key, const std::string &value)
    {
        attrs.push_back({slice, name(key), PROF_ATTR_STRING, 0, name(value)});
    }

    // Sorts the device work, connects it with the calls, and gives the timeline. It lives as long
    // as the maker.
    timeline *done()
    {
        sort_gpus();
        connect();
        std::stable_sort(attrs.begin(), attrs.end(),
                         [](auto &a, auto &b) { return a.slice < b.slice; });
        find_times();
        made.base_realtime_ns = 1700000000000000000u;
        assign(made.names, names), assign(made.processes, processes), assign(made.threads, threads);
        assign(made.slices, slices), assign(made.apis, apis), assign(made.asyncs, asyncs),
            assign(made.marks, marks);
        assign(made.counters, counters), assign(made.attrs, attrs), assign(made.gpus, gpus);
        assign(made.gpu_by_slice, gpu_by_slice), assign(made.kernels, kernels),
            assign(made.memcpys, memcpys);
        assign(made.memsets, memsets), assign(made.syncs, syncs), assign(made.devices, devices),
            assign(made.streams, streams);
        assign(made.windows, windows);
        return &made;
    }

    std::vector<tl_process> processes;
    std::vector<tl_thread> threads;
    std::vector<tl_slice> slices;
    std::vector<tl_gpu> gpus;
    std::vector<tl_api> apis;
    std::vector<tl_async> asyncs;
    std::vector<tl_mark> marks;
    std::vector<tl_device> devices;
    std::vector<tl_stream> streams;
    std::vector<tl_window> windows; // when recording was on, by process
    std::vector<tl_kernel> kernels;
    timeline made{};

    text text_of(const std::string &bytes)
    {
        texts.push_back(bytes);
        return {texts.back().data(), bytes.size()};
    }

private:
    template <typename Items>
    static uint32_t last(const Items &items)
    {
        return static_cast<uint32_t>(items.size() - 1);
    }

    template <typename Array, typename Items>
    static void assign(Array &array, Items &items)
    {
        array.at = items.data();
        array.count = array.capacity = static_cast<uint32_t>(items.size());
    }

    void sort_gpus()
    {
        std::stable_sort(gpus.begin(), gpus.end(), [](auto &a, auto &b) {
            return std::tie(a.stream, a.start_ns) < std::tie(b.stream, b.start_ns);
        });
        for (auto &stream : streams)
            stream.gpu_count = 0;
        for (uint32_t i = 0; i < gpus.size(); i++)
            if (gpus[i].stream != TL_NONE && streams[gpus[i].stream].gpu_count++ == 0)
                streams[gpus[i].stream].first_gpu = i;
    }

    void connect()
    {
        gpu_by_slice.clear();
        for (uint32_t slice = 0; slice < slices.size(); slice++) {
            slices[slice].gpu_first = static_cast<uint32_t>(gpu_by_slice.size());
            slices[slice].gpu_count = 0;
            if (slices[slice].kind != TL_API)
                continue;
            for (uint32_t i = 0; i < gpus.size(); i++)
                if (gpus[i].slice == slice) {
                    gpu_by_slice.push_back(i);
                    slices[slice].gpu_count++;
                }
        }
    }

    void find_times()
    {
        made.start_ns = INT64_MAX;
        made.end_ns = INT64_MIN;
        auto see = [this](int64_t start_ns, int64_t end_ns) {
            made.start_ns = std::min(made.start_ns, start_ns);
            made.end_ns = std::max(made.end_ns, end_ns);
        };
        for (auto &slice : slices)
            see(slice.start_ns, slice.end_ns);
        for (auto &op : gpus)
            see(op.start_ns, op.end_ns);
        for (auto &mark : marks)
            see(mark.time_ns, mark.time_ns);
        if (made.end_ns < made.start_ns)
            made.start_ns = made.end_ns = 0;
        for (auto &process : processes) {
            process.start_ns = made.start_ns;
            process.end_ns = made.end_ns;
        }
    }

    std::deque<std::string> texts;
    std::map<std::string, uint32_t> name_index;
    std::vector<text> names;
    std::vector<uint32_t> open, gpu_by_slice;
    std::vector<tl_counter> counters;
    std::vector<tl_attr> attrs;
    std::vector<tl_memcpy> memcpys;
    std::vector<tl_memset> memsets;
    std::vector<tl_sync> syncs;
    uint32_t correlation = 0;
};

#endif
