# node: workers, child processes, HTTP, streams, compression, cryptography
# packages: nodejs
# commands: node

version() { node --version; }

prepare() {
    cat >script.js <<'JS'
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');
const { spawn, spawnSync, fork } = require('child_process');
const crypto = require('crypto'), fs = require('fs'), http = require('http'), zlib = require('zlib');

function sum(n) { let total = 0; for (let i = 0; i < n; i++) total = (total + i * i) % 1000003; return total; }

async function main() {
    const workers = [1, 2, 3, 4, 5, 6].map(n => new Promise(resolve =>
        new Worker(__filename, { workerData: n * 300000 }).on('message', resolve)));
    console.log('workers', await Promise.all(workers));
    const data = Buffer.alloc(3000000, 'some words that repeat ');
    const packed = await new Promise(resolve => zlib.gzip(data, (error, out) => resolve(out)));
    console.log('gzip', zlib.gunzipSync(packed).equals(data));
    console.log('scrypt', (await new Promise(r => crypto.scrypt('a', 'b', 32, (e, key) => r(key)))).toString('hex'));
    for (let n = 0; n < 12; n++) {
        const ran = spawnSync('sh', ['-c', `cat; exit ${n}`], { input: 'through' });
        if (ran.status !== n || String(ran.stdout) !== 'through') console.log('wrong', ran);
    }
    const child = fork(__filename, ['child']);
    child.send({ number: 20 });
    console.log('forked', await new Promise(r => child.on('message', r)), await new Promise(r => child.on('exit', r)));
    const killed = spawn('sleep', ['60']);
    killed.kill('SIGTERM');
    console.log('killed', await new Promise(r => killed.on('exit', (code, signal) => r(signal))));
    const server = http.createServer((request, response) => request.pipe(response)).listen(0, '127.0.0.1');
    await new Promise(r => server.on('listening', r));
    const answers = await Promise.all([...Array(60).keys()].map(n => fetch(
        `http://127.0.0.1:${server.address().port}/`, { method: 'POST', body: 'x'.repeat(n * 1000) }).then(r => r.text())));
    console.log('http', answers.reduce((n, text) => n + text.length, 0));
    server.close();
    server.closeAllConnections();
    fs.writeFileSync('written', JSON.stringify({ sum: sum(5000000) }));
    await fs.promises.copyFile('written', 'copied');
    console.log(fs.readdirSync('.').join(' '));
    process.exitCode = 6;
}

if (process.argv[2] === 'child')
    process.on('message', message => { process.send(message.number * 2); process.exit(3); });
else if (isMainThread)
    main();
else
    parentPort.postMessage(sum(workerData));
JS
}

workload() {
    node script.js
    echo "status $?"
    node -e 'process.abort()' 2>/dev/null
    echo "status $?"
}
