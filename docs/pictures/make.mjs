// Makes the pictures of the README from a real run: `node docs/pictures/make.mjs`, with Chromium, the packages of web/ (`make packages`)
// and a program with the page (SWELL, by default target/demo/swell).
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const { chromium } = createRequire(join(root, 'web/package.json'))('playwright-core');
const swell = process.env.SWELL ?? join(root, 'target/demo/swell');
const work = mkdtempSync(join(tmpdir(), 'swell-pictures-'));
const report = join(work, 'report');

const run = spawn(swell, [
  'run', 'examples/flood.jmx', '--with-target', '--live', '--no-run-dir',
  '-Jthreads=200', '-Jrampup=20', '-Jduration=60', '-Jpause=500',
  '-l', join(work, 'results.jtl'), '-j', join(work, 'swell.log'), '-e', '-o', report,
], { cwd: root });
const ended = new Promise((done) => run.on('exit', done));
let printed = '';
const address = new Promise((found, failed) => {
  const read = (bytes) => {
    printed += bytes;
    const match = printed.match(/http:\/\/127\.0\.0\.1:\d+\/#\S+/);
    if (match) found(match[0]);
  };
  run.stdout.on('data', read);
  run.stderr.on('data', read);
  ended.then(() => failed(new Error(`the run ended without a live page: ${printed}`)));
});

const picture = async (page, name) => page.screenshot({ path: join(root, 'docs/pictures', name) });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 1150 }, colorScheme: 'light' });
  await page.goto(await address);
  // Long enough for a curve.
  await page.waitForTimeout(45_000);
  await picture(page, 'live.png');
  if (await ended) throw new Error(printed);
  await page.goto(`file://${join(report, 'index.html')}`);
  await page.waitForTimeout(1_000);
  await picture(page, 'report.png');
} finally {
  await browser.close();
  run.kill();
  rmSync(work, { recursive: true, force: true });
}
