"""Uses the timeline of a report as a person does, with mouse and keys: called by check_report.py."""

import os

VIEW = 'document.querySelector("#timeline-canvas").timeline'


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(part) for part in what))


def span(page):
    """The stretch that is shown, in ns."""
    return page.value(f'[{VIEW}.from, {VIEW}.to]')


def corner(page):
    """The canvas's corner in the window, scrolled there."""
    page.value('document.querySelector("#timeline-canvas").scrollIntoView({block: "center"})')
    page.settle()
    return page.value('(() => { const box = document.querySelector("#timeline-canvas").getBoundingClientRect();'
                      ' return [box.x, box.y, box.width, box.height]; })()')


def place_of(page, name):
    """Where the middle of the longest box of a name is in the window."""
    left, top, _, _ = corner(page)
    x, y = page.value(f'(() => {{ const view = {VIEW}, box = view.data.longest({name!r}), place = view.placeOf(box);'
                      ' return [(place.x0 + place.x1) / 2, place.y + 8]; })()')
    return left + x, top + y


def zooms_and_moves(page):
    whole = span(page)
    left, top, width, height = corner(page)
    middle = left + width / 2, top + height / 2
    for _ in range(8):
        page.mouse('mouseWheel', *middle, deltaX=0, deltaY=-120)
    page.settle()
    near = span(page)
    check(near[1] - near[0] < (whole[1] - whole[0]) / 4, 'the wheel does not zoom:', whole, near)
    page.drag(middle, (middle[0] + 100, middle[1]))
    moved = span(page)
    check(moved[0] < near[0] and abs((moved[1] - moved[0]) - (near[1] - near[0])) < 1, 'dragging does not move:', near, moved)
    page.value('document.querySelector("#timeline-canvas").focus({preventScroll: true})')
    page.press('d')
    check(span(page)[0] > moved[0], 'd does not move to the right')
    before = span(page)
    page.press('w')
    check(span(page)[1] - span(page)[0] < before[1] - before[0], 'w does not zoom in')
    page.press('f')
    check(span(page) == whole, 'f does not show everything:', span(page))
    scrolled = page.value('window.scrollY')
    page.mouse('mouseWheel', *middle, deltaX=0, deltaY=120)
    check(page.value(f"""(async () => {{
        for (let i = 0; i < 200 && window.scrollY <= {scrolled}; i++) await new Promise(done => setTimeout(done, 20));
        return window.scrollY; }})()""") > scrolled, 'the page is caught in the timeline')


def operations_are_visible(page):
    """However short an operation is, it is three pixels wide and contrasts with the page, when everything is shown and near."""
    faint = f"""(() => {{
        const view = {VIEW}, pen = view.canvas.getContext('2d'), odd = [];
        const part = (value) => (value <= 10 ? value / 3294 : Math.pow((value / 255 + 0.055) / 1.055, 2.4));
        const light = ([red, green, blue]) => 0.2126 * part(red) + 0.7152 * part(green) + 0.0722 * part(blue);
        const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const pixel = (x, y) => [...pen.getImageData(x * view.ratio, y * view.ratio, 1, 1).data];
        const paper = light(pixel(view.width - 2, 2));
        let seen = 0;
        for (const track of view.data.tracks.filter((one) => one.kind === 'stream'))
            track.levels.forEach((level, depth) => {{
                for (let index = 0; index < level.size; index++) {{
                    const x = Math.floor(view.x(level.start[index])), y = track.y + depth * 17 + 24 - view.host.scrollTop + 3;
                    if (view.x(level.end[index]) - x > 20 || x < view.gutter || x > view.width - 4 || y > view.shownHeight - 4) continue;
                    seen++;
                    for (let at = 0; at < 3; at++) if (contrast(light(pixel(x + at, y)), paper) < 2.9) odd.push([view.data.nameOf(level, index), x + at, pixel(x + at, y)]);
                }}
            }});
        return [seen, odd.slice(0, 5)];
    }})()"""
    corner(page)
    for zoom in (1, 0.3, 0.05):
        page.value(f'(() => {{ const view = {VIEW}; view.go(0, view.data.span); view.zoomBy({zoom}); }})()')
        page.settle()
        seen, odd = page.value(faint)
        check((seen or zoom < 1) and not odd, 'operations that are hardly visible at zoom', zoom, 'of', seen, odd)
    page.value(f'{VIEW}.go(0, {VIEW}.data.span)')
    page.settle()


def rows_have_whole_names(page):
    """In a narrow window, the names of rows are above the boxes and are not cut."""
    page.width(400)
    page.settle()
    cut = page.value(f'(() => {{ const view = {VIEW}; return [view.gutter, view.rows.filter((row) => row.track).map((row) => view.trackName(row.track))'
                     '.filter((name) => view.fit(name, (view.isNarrow ? view.width : view.gutter) - 12) !== name)]; })()')
    check(cut[0] < 20 and not cut[1], 'names of rows are cut:', cut)
    page.width(1280)
    page.settle()


def says_what_is_shown(page):
    status = 'document.querySelector("#timeline-status").textContent'
    page.value(f'{VIEW}.go(0, {VIEW}.data.span)')
    page.settle()
    check(page.value(status).startswith('All ') and 'are shown' in page.value(status), 'the whole timeline is', page.value(status))
    page.value(f'{VIEW}.zoomBy(0.5)')
    page.settle()
    check(page.value(status).startswith('Shown: ') and 'after the recording began' in page.value(status), 'half of it is', page.value(status))
    page.value(f'{VIEW}.go(0, {VIEW}.data.span)')
    page.settle()
    check(page.value(f'{VIEW}.data.longest("ProfilerStep*") !== null'), 'findings of steps lead to no box')
    titles = page.texts('#rows-table th')
    check(any(title.startswith('p99') for title in titles) and not any('99 %' in title for title in titles), 'columns are', titles)


def shows_what_is_clicked(page):
    page.value(f'(() => {{ const view = {VIEW}, box = view.data.longest("ampere_sgemm_128x64_nn"); view.revealBox(box); }})()')
    page.settle()
    check(page.value(f'{VIEW}.arrows.length') == 1, 'no arrow leads to a kernel')
    page.press('Escape')
    x, y = place_of(page, 'ampere_sgemm_128x64_nn')
    page.drag((x, y), (x, y))
    text = page.value('document.querySelector("#timeline-panel").innerText')
    for part in ('ampere_sgemm_128x64_nn', '64 x 1 x 1', '256 x 1 x 1', 'Launched by', 'cudaLaunchKernel', 'aten::mm', 'ProfilerStep#'):
        check(part in text, part, 'is not said of a kernel:', text)
    page.value('[...document.querySelectorAll("#timeline-panel .links button")].find(one => one.textContent === "aten::mm").click()')
    page.settle()
    text = page.value('document.querySelector("#timeline-panel").innerText')
    check('[[1024, 1024], [1024, 1024]]' in text and 'Launched' in text, 'the operator says', text)
    check(page.value(f'{VIEW}.arrows.length') >= 1, 'no arrow from what launches')
    page.value('document.querySelector("#timeline-canvas").focus({preventScroll: true})')
    page.press('ArrowRight')
    check('aten::mm' not in page.texts('#timeline-panel h3')[0] or page.value(f'{VIEW}.chosen.index') > 0, 'arrow keys do not go on')
    page.press('Escape')
    check(page.texts('#timeline-panel')[0] == '', 'Escape does not let go')
    check(page.value('!document.querySelector("#tip").classList.contains("shown")'), 'the tip stays')


def adds_up_a_stretch(page):
    page.value(f'{VIEW}.go(0, {VIEW}.data.span)')
    left, top, width, _ = corner(page)
    page.drag((left + 190, top + 60), (left + width - 20, top + 60), modifiers=8)
    rows = page.value('[...document.querySelectorAll("#stretch-table tbody tr")].map(row => [...row.children].map(cell => cell.textContent))')
    of = {row[0]: row for row in rows}
    check(of['load batch'][1] == 'range' and 18 <= int(of['load batch'][2]) <= 20, 'a selection has', rows)
    check(of['ampere_sgemm_128x64_nn'][1] == 'kernel' and 36 <= int(of['ampere_sgemm_128x64_nn'][2]) <= 40, 'a selection has', rows)


def finds_names(page):
    page.type('#timeline input[type=search]', 'sgemm_128x128')
    check('40 of' in page.texts('#timeline-status')[0], page.texts('#timeline-status'))
    page.value('document.querySelector("#timeline input[type=search]").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}))')
    page.settle()
    check('sgemm_128x128' in page.texts('#timeline-panel h3')[0], 'Enter does not go to what was found')
    page.type('#timeline input[type=search]', '')


def links_lead_here(page):
    page.value('document.querySelector("#gaps-table tbody button").click()')
    page.settle()
    gap = page.value(f'{VIEW}.chosen && {VIEW}.chosen.track.kind')
    check(gap == 'stream', 'a gap does not lead to what ended it:', gap)
    page.value('[...document.querySelectorAll("#timeline-panel button")].find(one => one.textContent === "Show the row in the table").click()')
    page.settle()
    check(len(page.texts('#rows-table tbody tr')) == 1, 'the table does not show the row')
    page.type('#rows-table-search, #rows input[type=search]', '')
    page.value(f'{VIEW}.letGo(), {VIEW}.go(0, {VIEW}.data.span)')
    page.settle()


def is_drawn(page):
    """Each kind in its colour, in what is shown."""
    colors = page.picture('#timeline-canvas').count()
    check(len(colors) > 12, 'little is drawn:', colors)
    check(page.value(f'{VIEW}.drawnMs') < 1000, 'a picture takes', page.value(f'{VIEW}.drawnMs'), 'ms')


def check_timeline(page):
    for step in (is_drawn, operations_are_visible, rows_have_whole_names, says_what_is_shown, zooms_and_moves, shows_what_is_clicked, adds_up_a_stretch, finds_names, links_lead_here):
        step(page)


def check_large(page, path):
    """A million events: every one is there, and a frame costs what its pixels cost."""
    page.open(path)
    events = page.value(f'{VIEW}.data.events')
    check(events >= 1e6 and page.value(f'{VIEW}.data.boxes') == events, 'not all events are there:', events)
    times = page.value(f'''(async () => {{
        const view = {VIEW}, times = [];
        for (let i = 0; i < 40; i++) {{
            view.zoomBy(i < 20 ? 0.7 : 1 / 0.7, view.data.span * 0.4);
            await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
            times.push(view.drawnMs);
        }}
        return times.sort((a, b) => a - b); }})()''')
    # 16.7 ms are a frame at 60 a second; a machine that does other things, too, gets twice that
    check(times[len(times) // 2] < 33, 'drawing a million events takes', times[len(times) // 2], 'ms')
    selecting = page.value(f'''(() => {{
        const view = {VIEW}, times = [1, 2, 3].map(() => {{
            const began = performance.now();
            view.select(0, view.data.span);
            return performance.now() - began; }});
        return Math.min(...times); }})()''')
    check(selecting < 400, 'adding up a million events takes', selecting, 'ms')
    rows = page.texts('#stretch-table tbody tr')
    check(rows and page.value(f'{VIEW}.data.sums({VIEW}.data.tracks, 0, {VIEW}.data.span, 1000).rows.length') <= 1000, 'a selection has', rows)
    print(f'{os.path.basename(path)}: drawing {times[len(times) // 2]:.1f} ms, at most {times[-1]:.1f}; a selection {selecting:.0f} ms')
    check(not page.troubles(), page.troubles())
