// Makes the pictures of the documents from real runs: `make pictures`, with Chromium, the packages of web/ (`make packages`) and a
// program (SWELL, by default target/demo/swell). Takes four minutes. Names as arguments make only those: report, live, terminal, search.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const { chromium } = createRequire(join(root, 'web/package.json'))('playwright-core');
const swell = process.env.SWELL ?? join(root, 'target/demo/swell');
const work = mkdtempSync(join(tmpdir(), 'swell-pictures-'));
const started = [];

// Starts the program; what it prints is in `printed`, and `ended` answers with its exit status.
const start = (args) => {
  const child = spawn(swell, args, { cwd: root, env: { ...process.env, SWELL_RUNS: 'off' } });
  started.push(child);
  const run = { printed: '', kill: () => child.kill(), listeners: [] };
  run.ended = new Promise((done) => child.on('exit', done));
  const read = (bytes) => {
    run.printed += bytes;
    run.listeners.forEach((listener) => listener());
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  run.match = (pattern) =>
    new Promise((found, failed) => {
      const look = () => {
        const match = run.printed.match(pattern);
        if (match) found(match);
      };
      run.listeners.push(look);
      look();
      run.ended.then(() => failed(new Error(`the program ended without ${pattern}: ${run.printed}`)));
    });
  return run;
};

const finish = async (run) => {
  const status = await run.ended;
  if (status) throw new Error(`status ${status}: ${run.printed}`);
};

const save = (page, name, options = {}) => page.screenshot({ path: join(root, 'docs/pictures', name), ...options });

const flood = (...more) => start([
  'run', 'examples/flood.jmx', '--with-target', '-Jthreads=200', '-Jrampup=20', '-Jduration=60', '-Jpause=500',
  '--threshold', 'p(95)<5s', '--threshold', 'errors<1%', '-j', join(work, 'swell.log'), ...more,
]);
const open = (browser) => browser.newPage({ viewport: { width: 1200, height: 1150 }, colorScheme: 'light' });

// The report of a run. No page is open meanwhile: a browser takes a core.
const report = async (browser) => {
  const folder = join(work, 'report');
  await finish(flood('-l', join(work, 'results.jtl'), '-e', '-o', folder));
  const page = await open(browser);
  await page.goto(`file://${join(folder, 'index.html')}`);
  await page.waitForTimeout(1_000);
  await save(page, 'report.png');
};

// The live page of a run, opened late for the same reason.
const live = async (browser) => {
  const run = flood('--live');
  const [address] = await run.match(/http:\/\/127\.0\.0\.1:\d+\/#\S+/);
  const page = await open(browser);
  // Long enough for a curve.
  await page.waitForTimeout(45_000);
  await page.goto(address);
  await page.waitForTimeout(3_000);
  await save(page, 'live.png');
  await finish(run);
};

// Text with the colours of a terminal (SGR sequences) as HTML.
const COLOURS = ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#e6edf3'];
const coloured = (text) => {
  const style = { colour: '', bold: false, dim: false };
  const escaped = (part) => part.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  return text.split(/\x1b\[([\d;]*)m/).map((part, index) => {
    if (index % 2 === 0) {
      const css = `${style.colour && `color:${style.colour};`}${style.bold ? 'font-weight:bold;' : ''}${style.dim ? 'opacity:.7;' : ''}`;
      return css ? `<span style="${css}">${escaped(part)}</span>` : escaped(part);
    }
    for (const code of (part || '0').split(';').map(Number)) {
      if (code === 0) Object.assign(style, { colour: '', bold: false, dim: false });
      else if (code === 1) style.bold = true;
      else if (code === 2) style.dim = true;
      else if (code === 39) style.colour = '';
      else if (code >= 30 && code <= 37) style.colour = COLOURS[code - 30];
      else if (code >= 90 && code <= 97) style.colour = COLOURS[code - 90];
    }
    return '';
  }).join('');
};

// The end of a run in a terminal.
const terminal = async (browser) => {
  const args = ['run', 'examples/ten-urls.jmx', '--with-target', '-Jthreads=50', '-Jloops=20', '-Jpause=100',
    '--threshold', 'p(95)<500ms', '--threshold', 'errors<1%'];
  const run = start([...args, '--color', 'always', '-j', join(work, 'terminal.log')]);
  await finish(run);
  const lines = run.printed.split('\n').filter((line) => !line.startsWith('Created the tree'));
  const command = `swell ${args.map((arg) => (/[<%(]/.test(arg) ? `'${arg}'` : arg)).join(' ')}`;
  const page = await browser.newPage({ viewport: { width: 1200, height: 400 } });
  await page.setContent(`<style>body { margin: 0; background: #0d1117; color: #e6edf3; display: inline-block }
    pre { margin: 0; padding: 20px; font: 13px/1.45 "DejaVu Sans Mono", monospace }</style>
    <pre>$ ${coloured(`${command}\n${lines.join('\n')}`).trimEnd()}</pre>`);
  await page.locator('body').screenshot({ path: join(root, 'docs/pictures/terminal.png') });
};

// The page of a search for a limit that is known: a pool of 4 workers with 20 ms for each request.
const search = async (browser) => {
  const target = start(['target', '--port', '0']);
  const [, port] = await target.match(/http:\/\/127\.0\.0\.1:(\d+)/);
  const out = join(work, 'search');
  const url = `http://127.0.0.1:${port}/pool?workers=4&service=20ms`;
  const run = start(['search', url, '--rate', '50..400', '--slo', 'p(99)<200ms', '--trial', '3s', '--warm-up', '1s', '-o', out]);
  await finish(run);
  target.kill();
  const page = await browser.newPage({ viewport: { width: 1200, height: 1150 }, colorScheme: 'light' });
  await page.goto(`file://${join(out, 'index.html')}`);
  await page.waitForTimeout(1_000);
  await save(page, 'search.png');
};

const names = process.argv.slice(2);
const wanted = (name) => names.length === 0 || names.includes(name);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  if (wanted('terminal')) await terminal(browser);
  if (wanted('search')) await search(browser);
  if (wanted('report')) await report(browser);
  if (wanted('live')) await live(browser);
} finally {
  await browser.close();
  started.forEach((child) => child.kill());
  rmSync(work, { recursive: true, force: true });
}
