#!/usr/bin/env python3
"""gpu_guests.py - Python programs that use the GPU in the ways users do, one for each name:

    late         uses CUDA, then records a part of itself with libprof.profile
    inside       torch.profiler inside a recording
    shapes       emit_nvtx with shapes around a training step
    graphs       captures a CUDA graph and replays it
    compile      torch.compile: Inductor's kernels, made by Triton
    transformer  trains an encoder layer with autocast
    products     matrix products, whose sizes libprof records
    jax, cupy, numba   kernels and a matrix product of these packages

Prints a line for each fact worth keeping. Exit status 77: the package is not here. DEVICE=cpu runs PyTorch's
programs without a GPU, which proves this script.
"""
import os
import sys

DEVICE = os.environ.get("DEVICE", "cuda")


def require(name):
    try:
        return __import__(name)
    except ImportError as error:
        print(f"{name} is not here: {error}")
        sys.exit(77)


def synchronize(torch):
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def network(torch):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)).to(DEVICE)
    return model, torch.optim.SGD(model.parameters(), lr=0.01), torch.randn(64, 512, device=DEVICE)


def train(torch, steps, model, optimizer, batch):
    for _ in range(steps):
        optimizer.zero_grad()
        model(batch).square().mean().backward()
        optimizer.step()
    synchronize(torch)


def late(torch):
    parts = network(torch)
    train(torch, 5, *parts)  # CUDA runs before libprof is loaded
    import libprof

    with libprof.profile() as profile:
        train(torch, 20, *parts)
    rows = profile.key_averages()
    device = sum(row.device_time_total for row in rows)
    print(f"late: {len(rows)} rows, {device:.0f} us on the device")
    print(profile.key_averages().table(row_limit=8))


def inside(torch):
    parts = network(torch)
    with torch.profiler.profile() as profile:
        train(torch, 20, *parts)
    kernels = sum(event.device_type == torch.autograd.DeviceType.CUDA for event in profile.events())
    print(f"inside: torch.profiler saw {kernels} events on the device")


def shapes(torch):
    parts = network(torch)
    if DEVICE != "cuda":
        return train(torch, 20, *parts)
    with torch.autograd.profiler.emit_nvtx(record_shapes=True):
        train(torch, 20, *parts)


def graphs(torch):
    model, _, batch = network(torch)
    if DEVICE != "cuda":
        return
    with torch.no_grad():
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            model(batch)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            model(batch)
        for _ in range(50):
            graph.replay()
    synchronize(torch)


def compiled(torch):
    @torch.compile
    def fused(x, y):
        return (x.sin() * y.cos() + x).relu().sum(dim=1)

    x, y = torch.randn(256, 256, device=DEVICE), torch.randn(256, 256, device=DEVICE)
    for _ in range(20):
        fused(x, y)
    synchronize(torch)


def transformer(torch):
    layer = torch.nn.TransformerEncoderLayer(256, 4, 512, batch_first=True).to(DEVICE)
    optimizer = torch.optim.AdamW(layer.parameters())
    batch = torch.randn(8, 128, 256, device=DEVICE)
    for _ in range(10):
        optimizer.zero_grad()
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            loss = layer(batch).square().mean()
        loss.backward()
        optimizer.step()
    synchronize(torch)


def products(torch):
    for size in (128, 512, 1024):
        a, b = torch.randn(size, size, device=DEVICE), torch.randn(size, size, device=DEVICE)
        for _ in range(10):
            a @ b
    synchronize(torch)


def with_jax():
    jax = require("jax")
    product = jax.jit(lambda a, b: (a @ b).sum())
    a = jax.numpy.ones((512, 512))
    for _ in range(20):
        product(a, a).block_until_ready()
    print(f"jax: on {jax.devices()[0].platform}")


def with_cupy():
    cupy = require("cupy")
    a = cupy.ones((512, 512), dtype=cupy.float32)
    for _ in range(20):
        (a @ a).sum()
    cupy.cuda.Device().synchronize()


def with_numba():
    require("numba")
    from numba import cuda
    import numpy

    @cuda.jit
    def add_one(values):
        i = cuda.grid(1)
        if i < values.size:
            values[i] += 1

    values = cuda.to_device(numpy.zeros(4096, dtype=numpy.float32))
    for _ in range(20):
        add_one[16, 256](values)
    cuda.synchronize()


OF_TORCH = {"late": late, "inside": inside, "shapes": shapes, "graphs": graphs, "compile": compiled,
            "transformer": transformer, "products": products}
OTHERS = {"jax": with_jax, "cupy": with_cupy, "numba": with_numba}


def main():
    name = sys.argv[1]
    if name in OF_TORCH:
        OF_TORCH[name](require("torch"))
    else:
        OTHERS[name]()


if __name__ == "__main__":
    main()
