# chromium: a page with scripts and a worker, headless, in its sandbox
# packages: chromium chromium-sandbox util-linux
# commands: chromium setpriv
# differs: recording stacks control hang sample
# why: Before Chromium's zygote enters its sandbox, it counts its threads and aborts if there are several: one is libprof's.

version() { chromium --version --headless --no-sandbox 2>/dev/null; }

prepare() {
    cat >page.html <<'HTML'
<!doctype html><title>guest</title><p id=p>before</p><canvas id=c width=60 height=60></canvas>
<script>
let total = 0;
for (let i = 0; i < 3e6; i++) total = (total + i * i) % 1000003;
const worker = new Worker(URL.createObjectURL(new Blob(['postMessage([1,2,3].map(n => n * n).join())'])));
worker.onmessage = message => {
    const brush = c.getContext('2d');
    brush.fillRect(5, 5, 20, 20);
    p.textContent = total + ' ' + message.data + ' ' + c.toDataURL().length;
};
</script>
HTML
}

workload() {
    chmod 755 .. .
    as_user timeout 200 chromium --headless --disable-gpu --no-first-run --disable-dev-shm-usage --disable-crash-reporter \
        --user-data-dir="$GUEST_DATA/profile" --virtual-time-budget=10000 --dump-dom "file://$PWD/page.html" 2>"$GUEST_DATA/err" |
        grep -E '<p|title'
    echo "status ${PIPESTATUS[0]}"
    grep -oE 'Received signal [0-9]+|sandbox.*denied|crashed' "$GUEST_DATA/err" | sort | uniq -c
}
