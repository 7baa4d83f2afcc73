// The importer of speedscope.app, as its npm package has it, reads a file: speedscope_app.js RELEASE FILE...
//
// Prints, for each file, JSON: an object per profile with its name, unit, total weight, and by frame its name, its own and
// its total weight. The package exports nothing, so its bundle runs without a page up to where it would draw itself.
'use strict';
const fs = require('fs');
const path = require('path');

const release = process.argv[2];
const bundle = fs.readdirSync(release).find(name => /^speedscope-.*\.js$/.test(name));
const code = fs.readFileSync(path.join(release, bundle), 'utf8');
const importer = code.match(/async function ([\w$]+)\(\w+,\w+\)\{return\(await [\w$]+\)\.importProfileGroupFromText/);
if (!importer) throw new Error('this version of speedscope has no importer that we know');

// Anything of a page: a function, an object, a text.
const page = new Proxy(function () {}, {
    get: (_, key) => (key === Symbol.toPrimitive ? () => '' : page),
    apply: () => page,
    construct: () => page,
    set: () => true,
});
Object.assign(globalThis, {window: globalThis, document: page, location: {hash: '', href: ''}});
const say = console.log;
console.log = () => {};
try {
    (0, eval)(code.replace('(()=>{', `(()=>{globalThis.importText=${importer[1]};`));
} catch (error) {
    if (!(error instanceof RangeError)) throw error; // the page has no end
}

function read(profile) {
    const frames = [];
    profile.forEachFrame(frame => frames.push([frame.name, frame.getSelfWeight(), frame.getTotalWeight()]));
    return {name: profile.getName(), unit: profile.getWeightUnit(), total: profile.getTotalWeight(), frames};
}

(async () => {
    for (const file of process.argv.slice(3)) {
        const group = await globalThis.importText(path.basename(file), fs.readFileSync(file, 'utf8'));
        if (!group) throw new Error(`${file}: speedscope knows no such file`);
        say(JSON.stringify(group.profiles.map(read)));
    }
})().catch(error => {
    console.error(error);
    process.exit(1);
});
