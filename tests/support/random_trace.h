/* random_trace.h - traces of a program that does everything at random, in phases at whose ends nothing is open. */
#ifndef PROF_RANDOM_TRACE_H
#define PROF_RANDOM_TRACE_H

#include "trace_fixture.h"

#include <algorithm>
#include <cstring>
#include <random>

class RandomTrace : public Trace
{
public:
    static constexpr int64_t phase_ns = 10000;

    RandomTrace(unsigned seed, unsigned phases) : random_(seed)
    {
        facts();
        for (uint32_t number = 1; number <= 2; number++) {
            thread(number);
            log(number - 1, number);
            for (unsigned phase = 0; phase < phases; phase++)
                run_phase(phase * phase_ns, number);
            trace_builder_thread_end(raw(), phases * phase_ns);
        }
        log(7, 3);
        thread(3, "libprof", 1);
        for (const Launch &launch : launches_)
            device_side(launch);
        header().loss[PROF_LOSS_GPU_BUFFER] =
            launches_.size() / 40; /* of the records without a word */
    }

private:
    struct Launch {
        int64_t time_ns, end_ns;                 /* of its phase */
        uint32_t correlation, operations, graph; /* 0: of none */
    };

    bool chance(unsigned percent) { return random_() % 100 < percent; }

    void facts()
    {
        api_names();
        trace_builder_context(raw(), 1, 0);
        trace_builder_device(raw(), 0, "Simulated GPU");
        trace_builder_allocator(raw(), 1, "arena");
        domain(1, "library");
        trace_builder_control(raw(), 0, 1, true);
        trace_builder_throttle(raw(), 3000, PROF_THROTTLE_STACKS, false, 20000, 10000);
        trace_builder_throttle(raw(), 23000, PROF_THROTTLE_STACKS, true, 5000, 10000);
        trace_builder_frames_end(raw(), 17000);
    }

    void run_phase(int64_t start_ns, uint32_t number)
    {
        int64_t end_ns = start_ns + phase_ns, time_ns = start_ns;
        std::vector<uint32_t> open; /* domains; 2: a range of prof.h */
        std::vector<uint64_t> live, asyncs;
        if (number == 1)
            step(start_ns, static_cast<uint64_t>(start_ns / phase_ns));
        while ((time_ns += 1 + random_() % 60) < end_ns - 400)
            time_ns = act(time_ns, end_ns, open, live, asyncs);
        std::shuffle(open.begin(), open.end(), random_);
        for (uint32_t domain : open)
            close(time_ns += 3, domain);
        for (uint64_t address : live)
            trace_builder_free(raw(), time_ns += 2, 1, address);
        for (uint64_t id : asyncs)
            trace_builder_end(raw(), time_ns += 2, id);
    }

    void close(int64_t time_ns, uint32_t domain)
    {
        if (domain == 2)
            pop(time_ns);
        else
            nvtx_pop(time_ns, domain);
    }

    int64_t act(int64_t time_ns, int64_t end_ns, std::vector<uint32_t> &open,
                std::vector<uint64_t> &live, std::vector<uint64_t> &asyncs)
    {
        static const char *const names[] = {"load", "forward", "loss", "backward"};
        const char *text = names[random_() % 4];
        switch (random_() % 10) {
        case 0:
        case 1:
            if (open.size() > 20)
                return time_ns;
            open.push_back(static_cast<uint32_t>(random_() % 3));
            if (open.back() == 2)
                push(time_ns, text);
            else
                nvtx_push(time_ns, text, open.back());
            if (chance(30))
                attr("seq", PROF_ATTR_INT, random_() % 50);
            return time_ns;
        case 2:
        case 3:
            if (!open.empty()) {
                size_t which = chance(70) ? open.size() - 1 : random_() % open.size();
                close(time_ns, open[which]);
                open.erase(open.begin() + static_cast<long>(which));
            }
            return time_ns;
        case 4:
            trace_builder_mark(raw(), time_ns, name(text));
            trace_builder_counter(raw(), time_ns, name("loss"), 0.5);
            return time_ns;
        case 5:
            live.push_back(next_address_ += 4096);
            trace_builder_alloc(raw(), time_ns, 1, live.back(), 1 + random_() % 1000);
            return time_ns;
        case 6:
            if (!live.empty()) {
                trace_builder_free(raw(), time_ns, 1, live.back());
                live.pop_back();
            }
            return time_ns;
        case 7:
            if (chance(20)) {
                trace_builder_range(raw(), time_ns, name("told late"), next_id_++, time_ns - 30,
                                    time_ns - 10);
                return time_ns;
            }
            asyncs.push_back(next_id_++);
            trace_builder_begin(raw(), time_ns, name("request"), asyncs.back());
            return time_ns;
        default:
            return call(time_ns, end_ns);
        }
    }

    int64_t call(int64_t time_ns, int64_t end_ns)
    {
        int64_t after_ns = time_ns + 2 + static_cast<int64_t>(random_() % 20);
        uint32_t correlation = next_correlation_++;
        prof_rec_api_enter enter = {};
        enter.correlation = correlation;
        enter.cbid = 211;
        enter.domain = PROF_API_RUNTIME;
        enter.flags = PROF_API_LAUNCHES;
        enter.operations = chance(20) ? 2 : 1;
        enter.stream = 0x5000 + correlation % 2;
        uint32_t graph = chance(20) ? 1 + correlation % 2 : 0;
        if (graph) {
            enter.flags = PROF_API_GRAPH;
            enter.name = graph;
            enter.operations = 3;
        }
        trace_builder_enter(raw(), time_ns, enter);
        exit(after_ns, correlation);
        launches_.push_back({time_ns, end_ns, correlation, enter.operations, graph});
        return after_ns;
    }

    /* Some records are lost, with a record of that or without. */
    void device_side(const Launch &launch)
    {
        for (uint32_t i = 0; i < launch.operations; i++) {
            int64_t latest_ns = launch.end_ns - 50 - launch.time_ns;
            int64_t start_ns = launch.time_ns + 1 + static_cast<int64_t>(random_()) % latest_ns;
            if (start_ns <= launch.time_ns)
                start_ns = launch.time_ns + 1;
            if (chance(90))
                run(launch, start_ns, start_ns + 1 + static_cast<int64_t>(random_() % 49));
            else if (chance(50))
                lose(launch);
        }
    }

    void run(const Launch &launch, int64_t start_ns, int64_t end_ns)
    {
        prof_rec_kernel detail = {};
        detail.context = 1;
        detail.stream = 7 + launch.correlation % 2;
        detail.name = name(chance(50) ? "gemm" : "relu");
        detail.graph = launch.graph;
        detail.graph_node = launch.graph;
        trace_builder_kernel(raw(), start_ns, end_ns, launch.correlation, detail, launch.graph);
    }

    void lose(const Launch &launch)
    {
        prof_rec_lost lost = {};
        lost.context = 1;
        lost.stream = 7 + launch.correlation % 2;
        lost.graph = launch.graph;
        lost.cause = PROF_LOSS_ZERO_TIME;
        uint64_t words[3];
        memcpy(words, &lost, sizeof lost);
        trace_builder_ext(raw(), PROF_REC_LOST, launch.correlation, words + 1, 2);
        header().loss[PROF_LOSS_ZERO_TIME]++;
    }

    std::mt19937_64 random_;
    std::vector<Launch> launches_;
    uint32_t next_correlation_ = 1;
    uint64_t next_address_ = 0x1000, next_id_ = 1;
};

#endif
