# firefox: a picture of a page with scripts and a worker, headless, in its sandbox
# packages: firefox-esr util-linux
# commands: firefox-esr setpriv

version() { firefox-esr --version 2>/dev/null; }

prepare() {
    cat >page.html <<'HTML'
<!doctype html><title>guest</title><style>body { margin: 0 } div { width: 50px; height: 50px }</style><div id=d></div>
<script>
let total = 0;
for (let i = 0; i < 3e6; i++) total = (total + i * i) % 1000003;
const worker = new Worker(URL.createObjectURL(new Blob(['postMessage([1,2,3].map(n => n * n).join())'])));
worker.onmessage = message => worker.terminate();
d.style.background = total === 999718 ? '#00ff00' : '#ff0000'; // the picture does not wait for the worker
</script>
HTML
}

workload() {
    chmod 755 .. .
    mkdir -m 777 "$GUEST_DATA/profile"
    as_user env -u XDG_RUNTIME_DIR HOME="$GUEST_DATA" MOZ_CRASHREPORTER_DISABLE=1 timeout 200 firefox-esr --headless --no-remote --profile "$GUEST_DATA/profile" \
        --window-size=100,100 --screenshot "$GUEST_DATA/picture.png" "file://$PWD/page.html" >"$GUEST_DATA/out" 2>"$GUEST_DATA/err"
    echo "status $?"
    cp "$GUEST_DATA/picture.png" .
    grep -oE 'Crash|crashed|Sandbox: .*|MOZ_CRASH.*' "$GUEST_DATA/err" | sort | uniq -c
}
