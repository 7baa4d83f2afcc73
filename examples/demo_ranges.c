/* demo_ranges.c - a training loop that names its parts, in C and for machines without nvcc: every kernel in the
 * timeline belongs to the range that launched it, and the table sums the device's time by range.
 *
 * The library is not linked: without profrun the same program runs and records nothing. */
#include "cuda_by_hand.h"

#include <prof/prof.h>

enum { COUNT = 1 << 18, BYTES = COUNT * sizeof(float), STEPS = 10, LAYERS = 3 };

/* What stands for the kernels on the host; only their addresses are used. */
static char layer_forward, layer_backward, sgd_update;

struct trainer {
    void *host, *input, *activation[LAYERS], *gradient, *weights;
    cudaStream_t stream;
};

static void register_kernels(void)
{
    cuda_register_kernel(&layer_forward, "_Z13layer_forwardIfEvPT_PKS0_S0_");
    cuda_register_kernel(&layer_backward, "_Z14layer_backwardIfEvPT_PKS0_S0_");
    cuda_register_kernel(&sgd_update, "_Z10sgd_updateIfEvPT_PKS0_S0_");
}

static void *device_array(void)
{
    void *array = NULL;
    cuda_check(cudaMalloc(&array, BYTES), "cudaMalloc");
    cuda_check(cudaMemsetAsync(array, 0, BYTES, NULL), "cudaMemsetAsync");
    return array;
}

static struct trainer make_trainer(void)
{
    PROF_RANGE("setup");
    struct trainer trainer = {
        .input = device_array(), .gradient = device_array(), .weights = device_array()};
    for (int layer = 0; layer < LAYERS; layer++) {
        trainer.activation[layer] = device_array();
    }
    cuda_check(cudaHostAlloc(&trainer.host, BYTES, 0), "cudaHostAlloc");
    cuda_check(cudaStreamCreate(&trainer.stream), "cudaStreamCreate");
    return trainer;
}

/* Both arrays and the number that every kernel here takes. */
static void launch(const void *kernel, void *out, void *in, float number, cudaStream_t stream)
{
    void *arguments[] = {&out, &in, &number};
    cuda_check(cudaLaunchKernel(kernel, (dim3){COUNT / 256, 1, 1}, (dim3){256, 1, 1}, arguments, 0,
                                stream),
               "cudaLaunchKernel");
}

static void load_batch(struct trainer *trainer, int step)
{
    PROF_RANGE("load batch");
    float *batch = trainer->host;
    for (int i = 0; i < COUNT; i++) {
        batch[i] = (float)((i + step) % 97) / 97.0f;
    }
    prof_attr_int("bytes", BYTES);
    cuda_check(
        cudaMemcpyAsync(trainer->input, batch, BYTES, cudaMemcpyHostToDevice, trainer->stream),
        "copy of a batch");
}

static void forward(struct trainer *trainer)
{
    PROF_RANGE("forward");
    void *in = trainer->input;
    for (int layer = 0; layer < LAYERS; layer++) {
        char name[32];
        const int size = snprintf(name, sizeof name, "layer %d", layer);
        prof_range_push_n(name, (size_t)size);
        launch(&layer_forward, trainer->activation[layer], in, 0.5f, trainer->stream);
        prof_range_pop();
        in = trainer->activation[layer];
    }
}

static void backward(struct trainer *trainer)
{
    PROF_RANGE("backward");
    for (int layer = LAYERS - 1; layer >= 0; layer--) {
        launch(&layer_backward, trainer->gradient, trainer->activation[layer], 0.5f,
               trainer->stream);
    }
}

static void optimize(struct trainer *trainer, int step)
{
    PROF_RANGE("optimizer");
    launch(&sgd_update, trainer->weights, trainer->gradient, 0.01f, trainer->stream);
    prof_counter("learning rate", 0.01 / (1 + step));
}

int main(void)
{
    register_kernels();
    prof_thread_name("trainer");
    struct trainer trainer = make_trainer();
    for (int step = 0; step < STEPS; step++) {
        prof_step();
        load_batch(&trainer, step);
        forward(&trainer);
        backward(&trainer);
        optimize(&trainer, step);
        PROF_RANGE("wait for the device");
        cuda_check(cudaStreamSynchronize(trainer.stream), "cudaStreamSynchronize");
    }
    prof_mark("trained");
    printf("trained %d steps\n", STEPS);
    return 0;
}
