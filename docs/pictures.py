"""Makes the pictures of these pages: ./dev pictures, or docs/pictures.py BUILD [RESNET50]

BUILD is a build folder. RESNET50 is the trace of resnet50 of PyTorch's Kineto (resnet50_nw0...pt.trace.json.gz), which is not part of
the project; without it, its picture stays as it is. Needs Chromium; with Pillow, pictures have 256 colours and are half as large.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

DOCS = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(DOCS, '..', 'tests', 'html'))

from browser import Browser  # noqa: E402

VIEW = 'document.querySelector("#timeline-canvas").timeline'
MILLION = ['ranks=8', 'steps=120', 'layers=32', 'kernels=8']  # 1,082,880 events
STEPS, RUNS = ['--window', 'step:2-8'], 15
JOB = ['ranks=8', 'steps=12', 'fault=slow_gpu', 'victim=5']


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f'{command}: status {done.returncode}: {done.stdout.decode(errors="replace")}')


def seconds_of(build, recording):
    """How long the steps of the picture took."""
    facts = subprocess.run([f'{build}/bin/profdump', '--json', *STEPS, recording], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(facts)['duration_ns']


def make_svg(build, work):
    """The README's picture: steps of the demo, from the run of several in which nothing else took the CPU."""
    recordings = [f'{work}/demo_ranges{number}.prof' for number in range(RUNS)]
    for recording in recordings:
        run(f'{build}/bin/profrun', '--sim', '--force', '--no-table', '-o', recording, '--', f'{build}/examples/demo_ranges')
    quietest = min(recordings, key=lambda recording: seconds_of(build, recording))
    run(f'{build}/bin/profdump', *STEPS, '-o', f'{DOCS}/demo_ranges.svg', quietest)


def save(page, name, first, last=None, most=900):
    """From the first part of the page to the end of the last."""
    x, y, width, _ = page.box('main')
    top, end = page.box(first)[1], page.box(last or first)
    height = min(most, end[1] + end[3] - top)
    path = f'{DOCS}/{name}.png'
    page.clip((x, top - 8, width, height + 16), path)
    try:
        from PIL import Image
        Image.open(path).convert('RGB').quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    except ImportError:
        pass
    print(name, os.path.getsize(path), 'bytes')


def job(build, work, name, arguments, *options):
    folder = f'{work}/{name}'
    os.mkdir(folder)
    run(f'{build}/test/make_job', *arguments, folder)
    run(f'{build}/bin/profdump', '-o', f'{folder}.html', *options, folder)
    return f'{folder}.html'


def make_pages(page, build, work, resnet50):
    if resnet50:
        run(f'{build}/bin/profdump', '-o', f'{work}/resnet50.html', resnet50)
        page.open(f'{work}/resnet50.html')
        page.click('#steps .step:nth-child(3)')
        save(page, 'report_resnet50', '#verdict', '#findings', 1000)
    page.open(job(build, work, 'job', JOB))
    save(page, 'report_ranks', '#time')
    page.value(f'''(() => {{ const view = {VIEW}, box = view.data.all("ncclDevKernel_AllReduce_Sum_bf16_RING_LL")[4];
                   view.revealBox(box); view.host.scrollTop = 0; }})()''')
    page.settle()
    save(page, 'report_timeline', '#timeline', most=950)
    page.open(job(build, work, 'million', MILLION, '--html-full'))
    page.value(f'{VIEW}.go({VIEW}.data.span * 0.25, {VIEW}.data.span * 0.75), {VIEW}.select({VIEW}.data.span * 0.4, {VIEW}.data.span * 0.6)')
    page.settle()
    save(page, 'report_million', '#timeline', most=950)


def main():
    build, resnet50 = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    chromium = next(path for path in map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome')) if path)
    with tempfile.TemporaryDirectory() as work:
        make_svg(build, work)
        with Browser(chromium, f'{work}/profile') as page:
            page.theme('light')
            make_pages(page, build, work, resnet50)


if __name__ == '__main__':
    main()
