"""A page in which chrome://tracing's importer reads a trace and says what it made of it:

viewer_page.py VIEWER.html WEBCOMPONENTS.js TRACE >PAGE

The page's text is "RESULT " and JSON.
"""
import sys

READ = """
const result = {};
try {
    const model = new tr.Model();
    new tr.importer.Import(model).importTraces([document.getElementById('trace').textContent]);
    const kinds = {};
    let astray = 0; /* arrows between a call and an operation that it did not launch */
    for (const flow of model.flowEvents) {
        const ends = [flow.startSlice, flow.endSlice];
        const kind = ends.map(s => s ? s.category : 'nothing').join(' to ');
        kinds[kind] = (kinds[kind] || 0) + 1;
        if (flow.category === 'ac2g' && ends[0].args.correlation !== ends[1].args.correlation)
            astray++;
    }
    const slices = {};
    for (const thread of model.getAllThreads())
        for (const slice of thread.sliceGroup.slices)
            slices[slice.category] = (slices[slice.category] || 0) + 1;
    Object.assign(result, {warnings: model.importWarnings, arrows: model.flowEvents.length, astray, kinds, slices});
} catch (error) {
    result.error = String(error.stack);
}
document.documentElement.innerHTML = '<body></body>';
document.body.textContent = 'RESULT ' + JSON.stringify(result).replace(/[<>&]/g, ' ');
"""


def main(viewer, components, trace):
    page, polyfill, events = (open(path, encoding="utf-8").read() for path in (viewer, components, trace))
    head = page.index(">", page.index("<head")) + 1
    events = events.replace("</", "<\\/")
    polyfill = f"<script>window.__hideTraceViewerPolyfillWarning = true;</script><script>{polyfill}</script>"
    end = f'<script id="trace" type="application/json">{events}</script><script>{READ}</script></body>'
    sys.stdout.write(page[:head] + polyfill + page[head:].replace("</body>", end))


if __name__ == "__main__":
    main(*sys.argv[1:])
