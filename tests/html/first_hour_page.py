"""first_hour_page.py CHROMIUM PROFILE PAGE WIDTH...: shows the page in windows of these widths, in pixels. It must fit into the window,
plots must hold their labels, and each section must say something."""
import sys

from browser import Browser

# Labels that begin or end outside of their plot.
CUT = '''[...document.querySelectorAll("svg text")].filter(text => {
    const label = text.getBoundingClientRect(), plot = text.ownerSVGElement.getBoundingClientRect();
    return label.width && (label.left < plot.left - 1 || label.right > plot.right + 1);
}).map(text => text.textContent)'''
EMPTY = '[...document.querySelectorAll("section")].filter(part => part.innerText.trim().length < 10).map(part => part.id)'


def main():
    program, profile, path = sys.argv[1:4]
    with Browser(program, profile) as page:
        page.open(path)
        for width in map(int, sys.argv[4:]):
            page.width(width)
            wide = page.value('document.documentElement.scrollWidth')
            cut, empty = page.value(CUT), page.value(EMPTY)
            assert wide <= width, f'the page is {wide} pixels wide in a window of {width}'
            assert not cut, f'at {width} pixels these labels are cut: {cut}'
            assert not empty, f'at {width} pixels these sections are empty: {empty}'
        assert not page.troubles(), page.troubles()
        text = page.value('document.body.innerText')
        for word in ('decode', 'filter', 'blur', 'Ledger'):
            assert word in text, f'the report does not mention {word}'


main()
