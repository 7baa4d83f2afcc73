"""Steps, findings, ranks, details of rows, paper and screen readers: called by check_report.py."""
import os

from check_timeline import VIEW, check


def rows_of(page, table):
    return {row[0]: row for row in page.value(f'[...document.querySelectorAll("#{table} tbody tr")].map(row => [...row.children].map(cell => cell.textContent))')}


def steps_filter(page):
    steps = page.value('document.querySelectorAll("#steps .step").length')
    check(steps == 20, 'there are', steps, 'steps')
    lines = page.value('document.querySelector("#steps .step:nth-child(5)").getAttribute("aria-label")')
    check('step 4' in lines and 'computing' in lines and 'idle: the CPU did something else' in lines, 'a step says', lines)
    heights = page.value('[...document.querySelectorAll("#steps .step")].map(step => [...step.children].reduce((sum, part) => sum + part.offsetHeight, 0))')
    check(min(heights) > 90, 'steps are not drawn:', heights)
    gaps, whole, bars = len(page.texts('#gaps-table tbody tr')), rows_of(page, 'rows-table'), page.texts('#time h3')
    page.click('#steps .step:nth-child(5)')
    shown = page.value(f'[{VIEW}.stretch[0] + {VIEW}.data.start_ns, {VIEW}.stretch[1] + {VIEW}.data.start_ns]')
    check(shown == [4000e3, 4990e3], 'a click shows', shown)
    rows = rows_of(page, 'stretch-table')
    check(rows['aten::mm'][2] == '4' and rows['load batch'][2] == '1', 'the sums of a step are', rows)
    check(0 < len(page.texts('#gaps-table tbody tr')) < gaps, 'the gaps are not those of the step')
    check('step 4' in page.texts('#steps .only')[0], page.texts('#steps .only'))
    check(page.texts('#steps [aria-pressed="true"]') and page.value('document.querySelectorAll("#steps [aria-pressed=true]").length') == 1, 'the step is not marked')
    band = page.value('(() => { const band = document.querySelector("#usage .stretch"), plot = band.closest("svg");'
                      ' return [+band.getAttribute("x"), +band.getAttribute("width"), +plot.getAttribute("width")]; })()')
    inner = band[2] - 74
    check(abs((band[0] - 64) / inner - 4000 / 19990) < 0.01 and abs(band[1] / inner - 990 / 19990) < 0.01, 'the plots mark', band)
    numbers_are_of_the_step(page)
    page.value('document.querySelector("#steps .step:nth-child(7)").dispatchEvent(new MouseEvent("click", {bubbles: true, shiftKey: true}))')
    page.settle()
    rows = rows_of(page, 'rows-table')
    # in ns: kernels of a step are the longer the later it is, in turns of five
    check(rows['aten::mm'][2] == '12' and rows['ampere_sgemm_128x64_nn'][2:7:4] == ['6', '430.0\u00a0us'], 'three steps have', rows)
    check(rows['ampere_sgemm_128x64_nn'][8] == '\u2013', 'three steps have a median')
    page.click('#steps .only button')
    check(len(page.texts('#gaps-table tbody tr')) == gaps and page.value(f'{VIEW}.stretch') is None, 'the whole does not come back')
    check(rows_of(page, 'rows-table') == whole and page.texts('#time h3') == bars, 'the table or the bars stay those of a step')
    check(page.value('[...document.querySelectorAll(".whole-run")].every(one => getComputedStyle(one).display === "none")'), 'the whole is called so')


def numbers_are_of_the_step(page):
    """Every part of the page that can be is narrowed to step 4, and the others say that they are not."""
    rows = rows_of(page, 'rows-table')
    us = '\u00a0us'
    check(rows['aten::mm'][2:7] == ['4', '224.0' + us, '240.0' + us, '296.0' + us, '296.0' + us], rows['aten::mm'])
    check(rows['ampere_sgemm_128x64_nn'][2:] == ['2', '\u2013', '\u2013', '148.0' + us, '148.0' + us, '74.00' + us, '74.00' + us, '74.00' + us, '74.00' + us],
          rows['ampere_sgemm_128x64_nn'])
    check(rows['ProfilerStep*'][2:5] == ['1', '195.0' + us, '990.0' + us], rows['ProfilerStep*'])
    meter = page.value('[...document.querySelectorAll("#rows-table tr")].find(row => row.textContent.startsWith("ampere_sgemm_128x64")).querySelector(".fill").style.width')
    check(meter == '44%', 'the bar of a row is not a part of the step:', meter)
    opener = '[...document.querySelectorAll("#rows-table tbody tr")].find(row => row.textContent.startsWith("ampere_sgemm_128x64")).querySelector(".opener").click()'
    page.value(opener)
    text = page.value('document.querySelector("#rows-table .opened").innerText')
    check('2 times' in text and '40 times' not in text, 'a row tells of the whole run:', text)
    page.value(opener)
    titles = page.texts('#time h3')
    check('step 4' in titles[0] and '990.0' in titles[0] and 'Device work 336.0' in titles[1], 'the bars are', titles)
    check('990.0\u00a0us in all, in step 4' in page.texts('#flame [role=status]')[0], page.texts('#flame [role=status]'))
    calls = page.value('[...document.querySelectorAll("#flame .box")].map(box => box.getAttribute("aria-label")).filter(text => text.startsWith("aten::mm"))')
    check(calls == ['aten::mm, 240.0' + us], 'the flame graph has', calls)
    said = page.value('[...document.querySelectorAll("section")].filter(part => [...part.querySelectorAll(".whole-run")]'
                      '.some(one => getComputedStyle(one).display !== "none")).map(part => part.id)')
    check(said == ['verdict', 'rows', 'usage', 'idle', 'statement', 'run'], 'what is not narrowed:', said)
    titles = [text for text in page.value('[...document.querySelectorAll("#findings .finding-group > h3")].filter(one => one.offsetParent).map(one => one.textContent)')]
    check(titles and all('in step 4' in title or title == 'Not about idle time' for title in titles), 'findings are', titles)
    check(not any('first operation' in title for title in titles), 'a finding about the begin is left in step 4')
    said = page.value('[...document.querySelectorAll("#findings .finding")].filter(one => one.offsetParent).map(one => one.innerText)')
    odd = [text for text in said if text and ('In step 4: ' not in text or ('of step 4' not in text and 'savings unknown' not in text))]
    check(said and not odd, 'findings are not of the step:', odd)
    launches = page.value('[...document.querySelectorAll("#roofline-table tbody tr")].map(row => Number(row.cells[1].textContent)).reduce((a, b) => a + b, 0)')
    check(launches == 4, 'the roofline has', launches, 'launches of step 4')


STEP_SUMS = """(() => {
  const run = readBlock("run-data"), findings = readBlock("findings-data").findings, roofline = readBlock("roofline-data");
  const numbers = new Set(run.steps.flatMap((device) => device.steps.map((_, index) => device.first + index)));
  const sum = (sums, item, value) => { let all = 0; sums.each(numbers, (of, values) => (all += of === item ? values[value] : 0)); return all; };
  const rows = roofline.devices.flatMap((device) => device.rows);
  return { findings: findings.map((one, number) => [one.rule, one.cost_ns, sum(findingSums, number, 1), one.count, sum(findingSums, number, 0)]),
           rows: rows.map((row, item) => [row.name, row.count, sum(rooflineSums, item, 0), row.total_ns, sum(rooflineSums, item, 1), row.flop || 0, sum(rooflineSums, item, 2)]) };
})()"""


def steps_are_parts(page):
    """No step has more than the whole, and all of what lies within steps is in them: the rest is idle time around them."""
    sums = page.value(STEP_SUMS)
    check(sums['findings'] and sums['rows'], 'there is nothing to add up')
    for rule, cost, cost_of_steps, count, count_of_steps in sums['findings']:
        check(0 <= cost_of_steps <= cost and count_of_steps <= count, rule, 'costs', cost, 'and in all steps', cost_of_steps)
    check(any(0 < cost_of_steps for _, _, cost_of_steps, _, _ in sums['findings']), 'no finding costs anything in a step')
    for name, count, count_of_steps, total, total_of_steps, flop, flop_of_steps in sums['rows']:
        check((count, total, flop) == (count_of_steps, total_of_steps, flop_of_steps), name, 'is', count, total, flop, 'and in all steps', count_of_steps,
              total_of_steps, flop_of_steps)


def findings_are_grouped(page):
    groups = page.texts('#findings .finding-group > h3')
    check(len(groups) == len(set(groups)) > 1, 'groups are', groups)
    first = groups[0]
    check(first.startswith('GPU idle: '), 'the first group is', first)
    check(any('share this idle time' in group for group in groups), 'no group shares idle time:', groups)
    shares = page.value('[...document.querySelectorAll("#findings .finding")].map(one => one.textContent.match(/about (.*) of this idle time/)).filter(Boolean)')
    check(len(shares) > 1, 'findings do not say what they share:', shares)
    widths = page.value('[...document.querySelectorAll("#findings .saving .fill")].map(bar => bar.offsetWidth)')
    check(widths and max(widths) > 20, 'no bars show savings:', widths)
    page.value('[...document.querySelectorAll("#findings button")].find(button => button.textContent === "Show the longest gap").click()')
    page.settle()
    check(page.value(f'{VIEW}.chosen.track.kind') == 'stream', 'a finding does not lead to its gap')
    page.value(f'{VIEW}.letGo(), {VIEW}.go(0, {VIEW}.data.span)')


def rows_open(page):
    page.type('#rows-table-search, #rows input[type=search]', 'sgemm_128x64')
    page.click('#rows-table .opener')
    text = page.value('document.querySelector("#rows-table .opened").innerText')
    for part in ('ampere_sgemm_128x64_nn', 'Grid 64 x 1 x 1', '40 times', 'ProfilerStep', 'aten::mm > cudaLaunchKernel'):
        check(part in text, part, 'is not said of a row:', text)
    page.click('#rows-table .opener')
    check(page.value('document.querySelector("#rows-table .opened")') is None, 'a row does not close')
    page.type('#rows-table-search, #rows input[type=search]', '')


def dots_are_rows(page):
    page.value('document.querySelector("#roofline .point").dispatchEvent(new MouseEvent("click"))')
    page.settle()
    check(page.value('document.querySelectorAll("#roofline tr.lit").length') == 1, 'a dot does not lead to its row')
    page.type('#roofline input[type=search]', '')
    check(page.texts('#roofline .point-label'), 'no dot is labelled')
    page.value('document.querySelector("#roofline-table tbody tr").dispatchEvent(new PointerEvent("pointerenter"))')
    check(page.value('document.querySelectorAll("#roofline .point.lit").length') == 1, 'a row does not lead to its dot')


def tips_close(page):
    tip = 'document.querySelector("#tip").classList.contains("shown")'
    page.value('document.querySelector("#time .part").dispatchEvent(new PointerEvent("pointermove", {clientX: 50, clientY: 50, bubbles: true}))')
    check(page.value(tip), 'no tip is shown')
    page.value('document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"}))')
    check(not page.value(tip), 'Escape does not close the tip')


def whole_names_are_copied(page):
    """What is selected of a name that is cut on the screen is copied as a whole."""
    got = page.value('''(() => {
        const name = [...document.querySelectorAll("#rows-table .name")].find(one => one.title.startsWith("ampere_sgemm"));
        const data = new DataTransfer();
        getSelection().selectAllChildren(name);
        document.dispatchEvent(new ClipboardEvent("copy", {clipboardData: data, cancelable: true}));
        getSelection().removeAllRanges();
        return [data.getData("text/plain"), name.title];
    })()''')
    check(got[0] == got[1] != '', 'copying a name copies', got)


def paper_has_everything(page):
    page.value('window.dispatchEvent(new Event("beforeprint"))')
    folded = page.value('document.querySelectorAll("details:not([open])").length')
    theme = page.value('document.documentElement.dataset.theme')
    page.call('Emulation.setEmulatedMedia', media='print')
    adjust = page.value('getComputedStyle(document.querySelector("#time .part")).printColorAdjust')
    page.call('Emulation.setEmulatedMedia', media='')
    page.value('window.dispatchEvent(new Event("afterprint"))')
    check(folded == 0 and theme == 'light' and adjust == 'exact', 'on paper:', folded, 'folded,', theme, adjust)
    check(page.value('document.querySelectorAll("details:not([open])").length') > 0, 'printing leaves the page unfolded')


def check_parts(page):
    for step in (steps_filter, steps_are_parts, findings_are_grouped, rows_open, dots_are_rows, tips_close, whole_names_are_copied, paper_has_everything):
        step(page)


def check_ranks(page, folder):
    """Eight ranks are rows on one scale, sixteen a matrix; rank is what they are called everywhere."""
    page.open(f'{folder}/ranks8.html')
    check(page.value('document.querySelectorAll("#time .device-rows tbody tr").length') == 8, 'the devices are not rows')
    check(page.value('document.querySelectorAll("#time .breakdown:first-of-type .legend").length') == 1, 'more than one legend')
    check('GPU 5 of rank 5 computes longest in ' in page.value('document.querySelector("#steps").innerText'), 'the slow device is not named')
    lefts = page.value('[...document.querySelectorAll("#usage .plot")].map(plot => plot.getBoundingClientRect().left)')
    check(len(lefts) == 8 and len(set(lefts)) == 1, 'the rows are not aligned:', lefts)
    for part in ('verdict', 'time', 'findings', 'steps', 'usage', 'idle'):
        text = page.value(f'document.getElementById({part!r}).innerText')
        check('of pid' not in text, part, 'says pid where there are ranks')
    check('rank 3 (pid ' in page.value(f'{VIEW}.rows.filter(row => row.title)[3].title'), 'the timeline does not say rank')
    check('overlapped with compute' in page.value('document.querySelector("#time").innerText'), 'nothing is said of overlap')
    page.click('#steps .step-chart:nth-child(6) .step:nth-child(5)')
    said = page.value('[...document.querySelectorAll("#findings .finding")].filter(one => one.offsetParent).map(one => one.querySelector("p").textContent)')
    check(len(said) > 1 and all('of rank 5' in text or 'Rank 5' in text for text in said), 'findings of rank 5 are', said)
    page.open(f'{folder}/ranks16.html')
    check(page.value('document.querySelectorAll("#steps .matrix-row").length') == 16, 'sixteen devices are no matrix')
    check(page.value('document.querySelectorAll("#usage .plot").length') == 1, 'use is no matrix')
    page.click('#steps .matrix-row:nth-child(2) .cell:nth-child(3)')
    check(page.value(f'{VIEW}.stretch !== null'), 'a cell does not show its step')
    page.picture(None, f'{folder}/ranks16.png')
    check(not page.troubles(), page.troubles())


def check_same_pid(page, folder):
    """Processes of two hosts that have one process id are two, everywhere."""
    page.open(f'{folder}/same.html')
    page.value('document.querySelectorAll("details").forEach(one => (one.open = true))')
    for part in ('time', 'steps', 'usage'):
        text = page.value(f'document.getElementById({part!r}).innerText')
        for name in ('GPU 0 of pid 100 #1', 'GPU 0 of pid 100 #2'):
            check(name in text, part, 'lacks', name, text)
    check([title.split(',')[0] for title in page.texts('#roofline option')] == ['GPU 0 of pid 100 #1', 'GPU 0 of pid 100 #2'], page.texts('#roofline option'))
    titles = page.value(f'{VIEW}.rows.filter(row => row.title).map(row => row.title)')
    check(len(set(titles)) == 2, 'the timeline calls both', titles)
    counts = page.value('[...document.querySelectorAll("#steps .step-chart")].map(one => one.querySelectorAll(".step").length)')
    check(counts == [20, 20], 'steps are', counts)
    page.click('#steps .step-chart:nth-child(2) .step:nth-child(3)')
    check('GPU 0 of pid 100 #2' in page.texts('#steps .only')[0], page.texts('#steps .only'))
    check(rows_of(page, 'rows-table')['ampere_sgemm_128x64_nn'][2:7:4] == ['2', '164.0\u00a0us'], 'the step is the other process\'s')
    check(page.value('document.querySelector("#roofline select").selectedIndex') == 1, 'the roofline is the other process\'s')
    check(not page.troubles(), page.troubles())


def check_uneven(page, folder):
    """One step has a kernel, and a range with a finding, that others lack."""
    page.open(f'{folder}/uneven.html')
    points = 'document.querySelectorAll("#roofline .point").length'
    names = lambda: page.texts('#roofline-table tbody .name')
    all_points = page.value(points)
    check('ampere_sgemm_32x32_tn' in names(), names())
    cards = '[...document.querySelectorAll("#findings .finding")].filter(one => one.innerText.includes("write checkpoint") && one.offsetParent).length'
    check(page.value(cards) >= 1, 'there is no finding about the checkpoint')
    page.click('#steps .step:nth-child(4)')
    check(page.value(points) == all_points - 1 and 'ampere_sgemm_32x32_tn' not in names(), 'a kernel of another step is in the roofline:', names())
    check(page.value(cards) == 0, 'a finding about another step is left')
    page.click('#steps .step:nth-child(11)')
    check(page.value(points) > 0 and 'ampere_sgemm_32x32_tn' in names(), 'the kernel of the step is not in the roofline:', names())
    check(page.value(cards) >= 1, 'the finding about the step is gone')
    check(not page.troubles(), page.troubles())


def check_axes(page, name):
    """Ticks have different texts, no exponents, few digits, and lie within the plot."""
    plots = page.value('[...document.querySelectorAll("svg.plot")].map(plot => [plot.getBoundingClientRect().width, [...plot.querySelectorAll(".tick")]'
                       '.map(tick => [tick.textContent, tick.getBoundingClientRect().left - plot.getBoundingClientRect().left, tick.getBoundingClientRect().width])])')
    for width, ticks in plots:
        for text, left, size in ticks:
            check(len(text) <= 16 and left > -2 and left + size < width + 2, name, 'has the tick', text, left, size, 'in', width)
    for ticks in [[text for text, _, _ in ticks if text.split(' ')[-1] in ('ns', 'us', 'ms', 's', 'min', 'h', 'd')] for _, ticks in plots]:
        check(len(ticks) == len(set(ticks)), name, 'has equal ticks:', ticks)
    status = page.texts('#timeline-status')[0]
    check(all(len(word) < 16 for word in status.split()), name, 'has a long number:', status)


def check_bad(page, folder):
    """What is odd about a trace leaves its page as it should be."""
    for name in ('instant', 'one', 'negative', 'year', 'names'):
        page.open(f'{folder}/{name}.html')
        text = page.value('document.body.innerText')
        for odd in ('NaN', 'Infinity', 'undefined', '[object'):
            check(odd not in text, name, 'shows', odd)
        check(page.value(f'{VIEW}.data.boxes') > 0, name, 'has no timeline')
        check_axes(page, name)
        page.value(f'{VIEW}.zoomBy(0.001), {VIEW}.change(1), {VIEW}.step(1), {VIEW}.go(0, {VIEW}.data.span), {VIEW}.select(0, {VIEW}.data.span)')
        page.settle()
        check(not page.troubles(), name, page.troubles())


def check_access(page, folder):
    """axe-core finds nothing, in light and dark. AXE is its file, else there is no such check."""
    path = os.environ.get('AXE')
    if not path:
        print('axe-core is not there (AXE=FILE, or npm): accessibility is not checked')
        return
    with open(path, encoding='utf-8') as file:
        axe = file.read()
    for theme in ('light', 'dark'):
        for name in ('usual', 'ranks8', 'ranks16', 'demo', 'hostile', 'diff', 'empty'):
            page.theme(theme)
            page.open(f'{folder}/{name}.html')
            if name == 'usual':
                page.click('#rows-table .opener')
                page.click('#steps .step')
            page.value(axe)
            found = page.value('axe.run(document, {resultTypes: ["violations"]}).then(result => result.violations.map('
                               'one => [one.id, one.nodes.length, one.nodes[0].html.slice(0, 200)]))')
            check(not found, name, theme, found)
    page.theme('light')
