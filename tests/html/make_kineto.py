"""Traces in PyTorch's format: make_kineto.py FILE usual|slower|uneven|hostile|empty|instant|one|negative|year|names|different

usual: a training loop on an A100 with matrix products whose sizes are known, copies, gaps in which the CPU was busy or waited,
and two streams. slower: the same with longer kernels. hostile: names that want to be markup, script, formulas, or to drive a
terminal, everywhere that a trace has names. instant: events of no length. one: a single kernel. negative: times before 0.
year: a step at its begin and one at its end. names: 100,000 events, all called differently; different: a million, half of them
on a stream. uneven: the usual, but one step has a kernel of its own, and a long range.
"""
import json
import sys

HOSTILE = [
    '</script><script>window.hacked=1</script>', '<img src=x onerror="window.hacked=1;alert(1)">', '"><svg onload=window.hacked=1>',
    "'-window.hacked=1-'", 'javascript:window.hacked=1', '<!--', ']]>', '{{7*7}}', '${window.hacked=1}', '=cmd|\' /C calc\'!A0',
    'a;b c', '\x1b[31mred\x1b]0;title\x07', '\u202egnp.exe', '\u2028line', 'nul\x00l', '\ud83d\ude00 caf\u00e9', '&lt;b&gt;',
    '<style>*{display:none}</style>', '__proto__', 'constructor', '', '<a href="http://example.com/">x</a>', 'M' * (1 << 20),
]


class Trace:
    def __init__(self):
        self.events, self.at, self.correlation = [], 0.0, 0

    def range(self, name, start, end, category='user_annotation', **args):
        self.events.append({'ph': 'X', 'cat': category, 'name': name, 'pid': 100, 'tid': 100, 'ts': start, 'dur': end - start,
                            'args': args})

    def launch(self, start, name, begin, length, stream=7, category='kernel', **args):
        self.correlation += 1
        self.range('cudaLaunchKernel' if category == 'kernel' else 'cudaMemcpyAsync', start, start + 4, 'cuda_runtime',
                   correlation=self.correlation)
        self.events.append({'ph': 'X', 'cat': category, 'name': name, 'pid': 0, 'tid': stream, 'ts': begin, 'dur': length,
                            'args': {'correlation': self.correlation, 'device': 0, 'stream': stream, **args}})

    def write(self, path, device='NVIDIA A100-SXM4-80GB'):
        with open(path, 'w', encoding='utf-8') as file:
            json.dump({'schemaVersion': 1, 'deviceProperties': [{'id': 0, 'name': device, 'numSms': 108}],
                       'baseTimeNanoseconds': 1700000000000000000, 'traceEvents': self.events}, file)


def usual(longer):
    trace = Trace()
    for step in range(20):
        start = step * 1000.0
        trace.range(f'ProfilerStep#{step}', start, start + 990)
        trace.range('load batch', start + 5, start + 300)
        trace.launch(start + 250, 'Memcpy HtoD (Pinned -> Device)', start + 260, 40, 7, 'gpu_memcpy', bytes=1 << 20)
        for layer in range(4):
            at = start + 310 + layer * 100
            trace.range('aten::mm', at, at + 60, 'cpu_op', **{'External id': step * 10 + layer, 'Input Dims': [[1024, 1024], [1024, 1024]],
                                                              'Input type': ['float', 'float']})
            trace.launch(at + 10, f'ampere_sgemm_128x{64 << layer % 2}_nn', at + 20, 70 + step % 5 + longer * 10, 7 + layer % 2,
                         **{'External id': step * 10 + layer, 'grid': [64, 1, 1], 'block': [256, 1, 1]})
        trace.range('wait', start + 720, start + 980)
        trace.range('cudaStreamSynchronize', start + 725, start + 970, 'cuda_runtime', correlation=100000 + step)
    return trace


def hostile():
    trace = Trace()
    for index, name in enumerate(HOSTILE):
        start = index * 100.0
        trace.range(name, start, start + 90)
        trace.range(name, start + 10, start + 60, 'cpu_op', **{'External id': index, 'Input Dims': [[4, 4]]})
        trace.launch(start + 20, name, start + 40, 30 - index / 2)
    return trace


def instant():
    trace = Trace()
    for index in range(100):
        trace.range('nothing', index // 2, index // 2, 'cpu_op')
        trace.launch(index, 'void kernel<int>(int)', index, 0)
    return trace


def one():
    trace = Trace()
    trace.launch(5, 'void kernel<int>(int)', 20, 1)
    return trace


def negative():
    trace = Trace()
    for index in range(20):
        start = -1000.0 + index * 60
        trace.range(f'ProfilerStep#{index}', start, start + 50)
        trace.launch(start + 5, 'kernel', start + 10, 20)
    return trace


def year():
    trace = Trace()
    for step, start in enumerate((0.0, 365 * 86400e6)):
        trace.range(f'ProfilerStep#{step}', start, start + 500)
        trace.launch(start + 10, 'kernel', start + 30, 100)
    return trace


def names():
    trace = Trace()
    for index in range(50000):
        trace.range(f'range {index}', index * 10.0, index * 10.0 + 9)
        trace.launch(index * 10.0 + 1, f'void kernel_{index}<{index}>(float*)', index * 10.0 + 5, 8)
    return trace


def uneven():
    trace = usual(0)
    at = 10 * 1000.0
    for event in trace.events:
        if event['ts'] >= at + 990:
            event['ts'] += 5000
    for event in trace.events:
        if event['name'] == 'ProfilerStep#10':
            event['dur'] += 5000
    trace.range('write checkpoint', at + 992, at + 5900)
    trace.range('aten::mm', at + 5910, at + 5960, 'cpu_op', **{'External id': 999, 'Input Dims': [[512, 512], [512, 512]],
                                                             'Input type': ['float', 'float']})
    trace.launch(at + 5915, 'ampere_sgemm_32x32_tn', at + 5920, 50, 7, **{'External id': 999, 'grid': [64, 1, 1], 'block': [256, 1, 1]})
    return trace


class Different:
    """Line by line: a million events as objects would take a gigabyte."""

    def write(self, path, _):
        with open(path, 'w', encoding='utf-8') as file:
            file.write('{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"A100","numSms":108}],"traceEvents":[\n')
            for index in range(500000):
                file.write(f'{{"ph":"X","cat":"cpu_op","name":"range {index}","pid":100,"tid":100,"ts":{index * 10},"dur":9}},\n'
                           f'{{"ph":"X","cat":"kernel","name":"kernel_{index}<{index}>","pid":0,"tid":7,"ts":{index * 10 + 5},"dur":8,'
                           '"args":{"device":0,"stream":7}}' + (',\n' if index < 499999 else ']}\n'))


def main():
    path, kind = sys.argv[1:]
    trace = {'usual': lambda: usual(0), 'slower': lambda: usual(1), 'hostile': hostile, 'empty': Trace,
             'instant': instant, 'one': one, 'negative': negative, 'year': year, 'names': names, 'uneven': uneven, 'different': Different}[kind]()
    trace.write(path, HOSTILE[0] if kind == 'hostile' else 'NVIDIA A100-SXM4-80GB')


if __name__ == '__main__':
    main()
