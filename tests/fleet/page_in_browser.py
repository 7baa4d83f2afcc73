"""page_in_browser.py CHROMIUM PAGE: the page of a job of 1,000 ranks, of which rank 622 is slow; ranks 0 and 622 have pages."""

import sys

from browser import Browser

SLOW = 622
ROW = "grid.ranks.indexOf(%d)" % SLOW


def point(page, x, y):
    """Moves the pointer to a place of the map, in pixels of the map."""
    page.value("canvas.dispatchEvent(new PointerEvent('pointermove',{clientX:canvas.getBoundingClientRect().x+%s,"
               "clientY:canvas.getBoundingClientRect().y+%s}))" % (x, y))
    return page.texts("#cell")[0]


def press(page, key):
    page.value(f"canvas.dispatchEvent(new KeyboardEvent('keydown',{{key:'{key}',cancelable:true}}))")
    return page.texts("#cell")[0]


def cell_colour(page, row):
    """Colour of a rank's first step on the canvas."""
    return page.value(f"[...canvas.getContext('2d').getImageData(left+1,top_+({row})*high,1,1).data].slice(0,3)")


def check(page, width, dark):
    """Nothing but the tables and the map is wider than the window; the slow rank is orange among grey ones."""
    page.width(width)
    page.theme("dark" if dark else "light")
    assert page.value("document.documentElement.scrollWidth") <= width, (width, dark)
    slow, usual = cell_colour(page, ROW), cell_colour(page, ROW + "-1")
    assert slow[0] - slow[2] > 60, (width, dark, slow)
    assert max(usual) - min(usual) < 40 and (max(usual) < 80) == dark, (width, dark, usual)
    background = page.picture("h1").rows[0][:3]
    assert (max(background) < 60) == dark, background
    map_width = page.box("#map")[2]
    assert map_width <= width and map_width > 0.6 * width, (width, map_width)


def troubles(page):
    """Without the advice that follows from this test's own reading of pixels."""
    return [trouble for trouble in page.troubles() if "willReadFrequently" not in str(trouble)]


def main():
    program, path = sys.argv[1:3]
    with Browser(program, "profile") as page:
        page.open(path)
        for width in (1280, 320):
            for dark in (False, True):
                check(page, width, dark)
        assert page.box("#map")[3] >= 1002, "a rank has less than a pixel"
        said = point(page, "left+1", f"top_+{ROW}*high+.5")
        assert said.startswith(f"rank {SLOW} on node1, step 0: ") and "of the median" in said, said
        assert page.texts("#cell a") == [f"rank {SLOW}"], "no link in the line below the pointer"
        assert press(page, "ArrowRight").startswith(f"rank {SLOW} on node1, step 1: ")
        assert press(page, "ArrowUp").startswith("rank 621"), "arrow keys"
        assert page.texts("#cell a") == [], "a link to a page that is not there"
        links = page.value("[...document.querySelectorAll('td a')].map(a=>a.getAttribute('href'))")
        assert set(links) <= {"rank-0.html", f"rank-{SLOW}.html"} and links, links
        assert troubles(page) == [], troubles(page)
        page.open(f"rank-{SLOW}.html")
        assert troubles(page) == [], troubles(page)


if __name__ == "__main__":
    main()
