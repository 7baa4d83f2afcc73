"""Looks at reports in a headless Chromium: check_report.py CHROMIUM FOLDER

FOLDER holds pages of what make_kineto.py, make_traces and make_job make, as test_browser.sh names them, and gets pictures of some.
"""
import os
import sys

from browser import Browser
from check_parts import check_access, check_bad, check_parts, check_ranks, check_same_pid, check_uneven
from check_timeline import check_large, check_timeline
from make_kineto import HOSTILE

PARTS = ['verdict', 'time', 'findings', 'steps', 'timeline', 'rows', 'usage', 'idle', 'roofline', 'flame', 'statement', 'run']
WORDS = 'the CPU did something else'


def check(condition, *what):
    if not condition:
        raise AssertionError(' '.join(str(part) for part in what))


def color_of(page, selector, member):
    """As (r, g, b)."""
    text = page.value(f'getComputedStyle(document.querySelector({selector!r}))[{member!r}]')
    return tuple(int(part) for part in text[text.index('(') + 1:-1].split(',')[:3])


def has_color(page, part, selector, member, least=20):
    """The picture of `part` has the colour that `selector` is to be drawn with."""
    color = color_of(page, selector, member)
    found = page.picture(part).count().get(color, 0)
    check(found >= least, part, selector, 'is not drawn:', color, 'has', found, 'pixels')


# ---- one check each ----

def parts_are_there(page):
    got = page.value('[...document.querySelectorAll("section")].map(node => node.id)')
    check(got == PARTS, got)
    links = page.value('[...document.querySelectorAll("nav a")].every(a => document.querySelector(a.getAttribute("href")))')
    check(links, 'a link of the head leads nowhere')
    check(len(page.texts('#verdict p')[0].split('. ')) <= 3, 'the verdict is no three sentences')
    check('each launch has its record' in page.texts('#statement pre')[0], 'no statement of losses')


def parts_are_drawn(page):
    has_color(page, '#time .parts', '#time .part.busy', 'backgroundColor', 500)
    has_color(page, '#time .parts', '#time .part.cause2', 'backgroundColor', 500)
    has_color(page, '#rows-table .spark', '.spark rect', 'fill', 10)
    has_color(page, '#usage .plot', '#usage path.kernel', 'fill', 500)
    has_color(page, '#usage .strip', '#usage .strip .cause2', 'backgroundColor', 100)
    has_color(page, '#roofline .plot', '#roofline .point', 'fill', 0)
    has_color(page, '#roofline .plot', '#roofline .roof', 'stroke', 50)
    has_color(page, '#flame .plot', '#flame .box .kind0', 'fill', 500)
    check(page.value('document.querySelectorAll("#roofline .point").length') >= 2, 'no kernels under the roof')
    check(len(page.picture('#roofline .point').count()) > 3, 'no point is drawn')
    check(page.value('document.querySelectorAll("#rows-table .spark rect").length') >= 10, 'no histograms')


def tables_sort(page):
    def calls():
        return [int(text.replace('\u2009', '')) for text in page.texts('#rows-table tbody tr td:nth-child(3)')]
    page.click('#rows-table thead th:nth-child(3) button')
    check(calls() == sorted(calls(), reverse=True) and len(set(calls())) > 1, 'not descending:', calls())
    page.click('#rows-table thead th:nth-child(3) button')
    check(calls() == sorted(calls()), 'not ascending:', calls())
    order = page.value('document.querySelector("#rows-table th:nth-child(3)").getAttribute("aria-sort")')
    check(order == 'ascending', order)
    page.click('#rows .choice button:nth-child(3)')
    names = page.texts('#rows-table tbody .name')
    check(names and all('ampere' in name for name in names), 'kernels are', names)
    page.click('#rows .choice button:nth-child(1)')


def search_finds(page):
    page.type('#search', 'SGEMM')
    names = page.texts('#rows-table tbody .name')
    check(names and all('sgemm' in name for name in names), 'a search found', names)
    check(page.value('document.querySelectorAll("#flame .hit").length') == 0, 'a search of CPU time found kernels')
    page.click('#flame .choice button:nth-child(2)')
    check(page.value('document.querySelectorAll("#flame .hit").length') >= 1, 'the flame graph found nothing')
    page.type('#search', 'no such name')
    check(page.texts('#rows-table tbody td') == ['Nothing matches.'], page.texts('#rows-table tbody td'))
    page.type('#search', '')


def flame_zooms(page):
    page.click('#flame .choice button:nth-child(1)')
    whole = page.box('#flame .box .kind0')[2]
    narrow = '[...document.querySelectorAll("#flame .box")].find(box => box.textContent.startsWith("load batch"))'
    before = page.value(narrow + '.getBoundingClientRect().width')
    page.value(narrow + '.dispatchEvent(new MouseEvent("click"))')
    page.settle()
    after = page.value(narrow + '.getBoundingClientRect().width')
    check(before < 0.5 * whole < after, 'a box did not widen:', before, after, whole)
    page.value('document.querySelector("#flame .box").dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", bubbles: true}))')
    page.settle()
    check(page.value(narrow + '.getBoundingClientRect().width') == before, 'Escape does not show all')


def gaps_are_explored(page):
    causes = page.texts('#idle .choice button')
    check(causes[0] == 'All causes' and WORDS in causes, causes)
    page.click(f'#idle .choice button:nth-child({causes.index(WORDS) + 1})')
    for table, column in (('owners', 2), ('gaps', 3)):
        shown = set(page.texts(f'#{table}-table tbody td:nth-child({column})'))
        check(shown == {WORDS}, table, 'of one cause are', shown)
    check(any('load batch' in owner for owner in page.texts('#owners-table .name')), 'a gap has no owner')
    page.value('document.querySelector("#gaps-table tbody tr").dispatchEvent(new PointerEvent("pointerenter"))')
    check(page.value('document.querySelectorAll("#usage .marked").length') == 1, 'a gap is not marked in time')
    page.click('#idle .choice button')


def theme_turns(page):
    before = color_of(page, 'body', 'backgroundColor')
    page.click('#theme')
    after = color_of(page, 'body', 'backgroundColor')
    check(sum(before) > 600 > 200 > sum(after), 'the theme did not turn:', before, after)
    colors = page.picture('#top').count()
    check(max(colors, key=colors.get) == after, 'the head is', max(colors, key=colors.get))
    page.click('#theme')
    page.value('localStorage.clear()')


def fits(page):
    for width in (1000, 390, 320):
        page.width(width)
        wide = page.value('document.documentElement.scrollWidth')
        check(wide <= width, f'{wide} pixels wide in {width}')
    page.width(1280)


def is_read_without_script(page, path):
    page.open(path, script=False)
    text = page.value('document.body.innerText')
    for part in ('GPU 0 was busy', 'saves at most', 'remedy', 'Ledger: launched'):
        check(part in text, 'without a script there is no', part)


# ---- the pages ----

def check_usual(page, folder):
    path = f'{folder}/usual.html'
    page.theme('light')
    page.open(path)
    for step in (parts_are_there, parts_are_drawn, tables_sort, search_finds, flame_zooms, gaps_are_explored, check_parts, check_timeline, theme_turns, fits):
        step(page)
    page.picture(None, f'{folder}/usual-light.png')
    page.theme('dark')
    page.open(path)
    check(sum(color_of(page, 'body', 'backgroundColor')) < 200, 'a dark system has a light page')
    parts_are_drawn(page)
    page.picture(None, f'{folder}/usual-dark.png')
    page.theme('light')
    check(not page.troubles(), page.troubles())
    is_read_without_script(page, path)


def check_hostile(page, folder):
    page.open(f'{folder}/hostile.html')
    rows = page.value('document.querySelectorAll("#rows-table tbody tr").length')
    page.value('window.dispatchEvent(new Event("beforeprint"))')
    names = page.texts('#rows-table tbody .name')
    check(rows == 20 < len(names), 'paper has', len(names), 'rows, the screen', rows)
    check(page.value('[...document.querySelectorAll(".more")].every(button => button.hidden)'), 'on paper, rows are folded')
    page.value('window.dispatchEvent(new Event("afterprint"))')
    check(page.value('document.querySelectorAll("#rows-table tbody tr").length') == rows, 'printing leaves the table unfolded')
    for name in HOSTILE:
        shown = name.replace('\x1b', '\\x1b').replace('\x07', '\\x07').replace('\u202e', '\\u202e').replace('\u2028', '\\u2028').replace('\x00', '\\x00')
        shown = shown.encode('utf-16', 'surrogatepass').decode('utf-16') or '(unnamed)'
        check(any(got.startswith(shown[:200]) for got in names), repr(shown[:60]), 'is not among', names)
    check(page.value('window.hacked') is None and page.value('document.images.length') == 0, 'a name was markup')
    check(page.value('document.querySelectorAll("main a, main style, main iframe, main [onload], main [onerror]").length') == 0,
          'a name made an element')
    for selector in ('#flame .box', '#gaps-table tbody tr', '#rows-table .spark'):
        page.value(f'document.querySelectorAll({selector!r}).forEach(node => node.dispatchEvent('
                   'new PointerEvent("pointermove", {clientX: 5, clientY: 5, bubbles: true})))')
    page.settle()
    page.value('document.querySelectorAll("#flame .box")[1].dispatchEvent(new MouseEvent("click"))')
    page.picture(None, f'{folder}/hostile.png')
    check(page.value('window.hacked') is None and not page.troubles(), page.troubles())


def policy_holds(page, folder):
    """What got past the escaping would not run either: script and style that the page does not name are refused."""
    with open(f'{folder}/usual.html', encoding='utf-8') as file:
        text = file.read()
    with open(f'{folder}/injected.html', 'w', encoding='utf-8') as file:
        file.write(text.replace('<main>', '<main><script>window.hacked=1</script><b onclick="window.hacked=1" id="b">b</b>'
                                '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" onerror="window.hacked=1">'))
    page.open(f'{folder}/injected.html')
    page.click('#b')
    check(page.value('window.hacked') is None, 'the policy lets a script in')
    check(page.troubles(), 'the policy says nothing')


def check_million(page, folder):
    check_large(page, f'{folder}/million.html')
    check_large(page, f'{folder}/different.html')


def check_diff(page, folder):
    page.open(f'{folder}/diff.html')
    both = 'slower.json (new) against usual.json (base)'
    check(page.texts('h1') == [both] and page.value('document.title').startswith(both), page.texts('h1'))
    check(page.texts('main h2')[0] == 'What changed most', page.texts('main h2'))
    check('gained and lost' in page.texts('#changes .lead')[0], page.texts('#changes'))
    check('slower' in page.texts('#verdict')[0], page.texts('#verdict'))
    titles = page.texts('#rows thead th')
    check(len(titles) == len(set(titles)), titles)
    verdicts = page.texts('#diff-table-kernel tbody .verdict')
    check('slower' in verdicts, verdicts)
    has_color(page, '#diff-table-kernel tbody', '.delta-fill.bad', 'backgroundColor', 20)
    page.click('#diff-table-kernel thead th:nth-child(1) button')
    names = page.texts('#diff-table-kernel tbody .name')
    check(names == sorted(names), names)
    page.click('#rows .choice button:nth-child(1)')
    check(page.texts('#diff-table-path tbody .name'), 'no rows by path')
    page.picture(None, f'{folder}/diff.png')
    check(not page.troubles(), page.troubles())


def check_demo(page, folder):
    page.open(f'{folder}/demo.html')
    has_color(page, '#memory .plot', '#memory .line0', 'stroke', 50)
    check(page.texts('#live-table tbody .name'), 'nothing is said of memory that was never freed')
    page.picture(None, f'{folder}/demo.png')
    check(not page.troubles(), page.troubles())


def check_unknown_work(page, folder):
    """Without a kernel whose work is known there is no roofline, whether the device's peaks are known (hostile) or not."""
    for name in ('hostile', 'demo'):
        page.open(f'{folder}/{name}.html')
        check(page.value('document.querySelectorAll("#idle, #rows").length') == 2, name, 'has no parts at all')
        check(page.value('document.querySelector("#roofline, nav a[href=\\"#roofline\\"]") === null'), name, 'has an empty roofline')


def check_little(page, folder):
    """Nothing is made up of what was not recorded."""
    for name, verdict in (('empty', 'There is nothing to explain'), ('cpu', 'Nothing ran on a GPU')):
        page.open(f'{folder}/{name}.html')
        check(verdict in page.texts('#verdict')[0], page.texts('#verdict'))
        text = page.value('document.body.innerText')
        for odd in ('NaN', 'Infinity', 'undefined', '[object', 'null'):
            check(odd not in text, name, 'shows', odd)
        check(not page.troubles(), page.troubles())


def check_svgs(page, folder):
    """Pictures of what is odd are opened, run nothing, and have a scale that can be read."""
    for name in ('usual', 'hostile', 'empty', 'instant', 'one', 'negative', 'year', 'names'):
        page.events.clear()
        page.call('Page.navigate', url=f'file://{os.path.abspath(folder)}/{name}.svg')
        page.wait(f"location.pathname.endsWith('/{name}.svg') && document.readyState === 'complete'", name)
        check(page.value('document.documentElement.tagName') == 'svg', name, 'is no picture')
        check(page.value('window.hacked') is None and not page.troubles(), name, page.troubles())
        check(page.value('document.querySelectorAll("script, foreignObject, image, a").length') == 0, name, 'has elements that a name made')
        texts = page.texts('text')
        for odd in ('NaN', 'Infinity', 'nan', 'inf', 'e+'):
            check(not any(odd in text.split() or odd in text.split(' ')[0] for text in texts if text.endswith(('s', 'd', 'h'))), name, 'shows', odd, texts)
        ticks = page.value('[...document.querySelectorAll("text.d")].map(one => [one.textContent, one.getBoundingClientRect().right]).filter(([text]) => /^-?[0-9.]+ ?(ns|us|ms|s|min|h|d)$/.test(text))')
        width = page.value('document.documentElement.getBoundingClientRect().width')
        check(name == 'empty' or len(ticks) >= 2, name, 'has no scale:', texts[:20])
        check(len({text for text, _ in ticks}) == len(ticks) and all(right <= width for _, right in ticks), name, 'has the scale', ticks, 'in', width)


def main():
    program, folder = sys.argv[1:]
    with Browser(program, os.path.join(os.path.abspath(folder), 'profile')) as page:
        for step in (check_usual, check_hostile, policy_holds, check_uneven, check_ranks, check_same_pid, check_bad, check_million, check_diff, check_demo,
                     check_unknown_work, check_little, check_svgs, check_access):
            step(page, folder)
            print(step.__name__, 'passed', flush=True)


if __name__ == '__main__':
    main()
