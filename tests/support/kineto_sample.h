/* kineto_sample.h - small Chrome traces of every dialect and every kind of event: seeds of the fuzzer,
 * and what the tests damage. */
#ifndef PROF_KINETO_SAMPLE_H
#define PROF_KINETO_SAMPLE_H

#define KINETO_SAMPLE_COUNT 4

/* NUL-terminated. */
static const char *const kineto_samples[KINETO_SAMPLE_COUNT] = {
    "[{\"ph\":\"X\",\"cat\":\"Kernel\",\"name\":\"k\",\"pid\":0,\"tid\":\"stream 7\",\"ts\":"
    "1621401187224556,\"dur\":3,\"args\":{\"correlation\":311,\"external id\":31,\"grid\":[8,2,1],"
    "\"block\":[128,1,1]}},{\"ph\":\"f\",\"id\":311,\"pid\":0,\"tid\":\"stream "
    "7\",\"ts\":1},{\"ph\":"
    "\"X\",\"cat\":\"Runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":2,\"tid\":\"2\",\"ts\":"
    "1621401187224510,\"dur\":20,\"args\":{\"correlation\":311}},{\"ph\":\"X\",\"cat\":"
    "\"Operator\","
    "\"name\":\"aten::mm\",\"pid\":2,\"tid\":2,\"ts\":1621401187224500,\"dur\":40,\"args\":{"
    "\"External id\":31,\"Input Dims\":[[2,3]],\"Call stack\":\"a;b\"}}",

    "{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"D\",\"numSms\":4}],"
    "\"distributedInfo\":{\"rank\":1,\"world_size\":2},\"traceEvents\":[{\"ph\":\"X\",\"cat\":"
    "\"cpu_op\",\"name\":\"op\\u00e9\",\"pid\":2,\"tid\":2,\"ts\":1.5,\"dur\":9.25,\"args\":{"
    "\"External id\":3,\"Sequence number\":1}},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\","
    "\"pid\":0,\"tid\":7,\"ts\":2e1,\"dur\":1,\"args\":{\"External id\":3}},{\"ph\":\"X\",\"cat\":"
    "\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pinned -> "
    "Device)\",\"pid\":0,\"tid\":7,\"ts\":30,\"dur\":"
    "1,\"args\":{\"bytes\":64,\"stream\":\"0x7\"}},{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":"
    "\"Stream "
    "Sync\",\"ts\":31,\"dur\":1,\"args\":{\"stream\":7}},{\"ph\":\"X\",\"cat\":\"overhead\","
    "\"name\":\"o\",\"pid\":-1,\"tid\":0,\"ts\":32,\"dur\":1}],\"baseTimeNanoseconds\":1700000000}",

    "{\"traceEvents\":[{\"ph\":\"B\",\"name\":\"b\",\"pid\":\"p\",\"tid\":\"t\",\"ts\":1},{\"ph\":"
    "\"E\","
    "\"pid\":\"p\",\"tid\":\"t\",\"ts\":\"5\"},{\"ph\":\"b\",\"cat\":\"c\",\"id\":\"0x1\",\"name\":"
    "\"r\","
    "\"pid\":1,\"tid\":1,\"ts\":2},{\"ph\":\"e\",\"cat\":\"c\",\"id\":\"0x1\",\"name\":\"r\","
    "\"pid\":1,"
    "\"tid\":1,\"ts\":3},{\"ph\":\"C\",\"name\":\"c\",\"pid\":1,\"ts\":3,\"args\":{\"a\":1,\"b\":-"
    "2.5e3}"
    "},{\"ph\":\"i\",\"name\":\"m\",\"s\":\"t\",\"pid\":1,\"tid\":1,\"ts\":3},{\"ph\":\"M\","
    "\"name\":"
    "\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"main\"}}]}",

    "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f\",\"pid\":1,\"tid\":"
    "1,"
    "\"ts\":0,\"dur\":9},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"pid\":1,\"tid\":1,"
    "\"ts\":1,"
    "\"dur\":5},{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":2,"
    "\"dur\":9},"
    "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#1\",\"pid\":1,\"tid\":1,"
    "\"ts\":"
    "-3,\"dur\":99}]}",
};

#endif
