// Tabs of the live page that are hidden and frozen, and a browser that is stopped as a whole: afterwards each has the run's history without
// a gap, as a tab has it that is opened then, and as the run's folder has it. HIDDEN_S, STOPPED_S: for how many seconds of the run, frozen
// in the second half of the first [2, 2]; PASSED: the folder of the run.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chromium } from './pipe.mjs';

const { SWELL: swell, PLAN: plan, HIDDEN_S = '2', STOPPED_S = '2' } = process.env;
const folder = mkdtempSync(join(tmpdir(), 'swell-away-'));
const kept = process.env.KEPT ?? join(folder, 'kept');

function check(fact, what) {
  if (!fact) {
    console.error(`FAILED: ${what}`);
    process.exit(1);
  }
  console.log(`ok: ${what}`);
}

const args = ['run', plan, '--with-target', '-Jthreads=5', '-Jloops=-1', '-Jpause=20', '--live', '--run-dir', kept, '-j', join(folder, 'log')];
const run = spawn(swell, args, { cwd: folder, env: { ...process.env, XDG_RUNTIME_DIR: folder } });
// A failed check ends this script, and must also end the run.
process.on('exit', () => run.kill('SIGKILL'));
const ended = new Promise((resolve) => run.on('close', resolve));
let said = '';
const url = await new Promise((resolve) => {
  const late = setTimeout(() => check(false, `no live page came: ${said}`), 20_000);
  run.stderr.on('data', (data) => {
    said += data;
    const found = /http:\/\/\S+#t=\S+(?=\s)/.exec(said);
    if (!found) return;
    clearTimeout(late);
    resolve(found[0]);
  });
});

/** Elapsed time of the run, whatever the browser does. */
async function length() {
  const { origin, hash } = new URL(url);
  const answer = await fetch(`${origin}/api/snapshot`, { headers: { Authorization: `Bearer ${hash.slice(3)}` } });
  return (await answer.json()).duration_s;
}

/** Waits until the run has lasted this many seconds. */
async function pass(seconds) {
  const until = (await length()) + seconds;
  while ((await length()) < until) await new Promise((resolve) => setTimeout(resolve, 100));
}

const ticks = () => Number(document.documentElement.dataset.ticks ?? 0);
const isShown = () => document.querySelector('figure.chart .u-over') !== null;

/** Time and rate of each point, read by moving the chart's cursor with the keyboard; empty if there are fewer points. */
function points(least) {
  const chart = [...document.querySelectorAll('figure.chart')].find((one) => one.querySelector('h3').textContent === 'Samples a second');
  // The chart is drawn only while it is visible.
  chart.scrollIntoView();
  const press = (key) => chart.querySelector('.plot').dispatchEvent(new KeyboardEvent('keydown', { key }));
  const all = [];
  press('Home');
  for (let last = null; all.length < 10_000; press('ArrowRight')) {
    const point = `${chart.querySelector('.when').textContent.slice(0, 8)} ${chart.querySelector('.legend b').textContent}`;
    if (point === last) break;
    all.push(point);
    last = point;
  }
  return all.length >= least && all;
}

/** This many points of a tab that is brought to the front. The last point may still grow. */
async function history(tab, length) {
  await tab.front();
  return (await tab.until(points, length + 1)).slice(0, length);
}

/** The processes of the browser. */
function processes() {
  const children = {};
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, parent] = /^.*\) . (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      (children[parent] ??= []).push(Number(pid));
    } catch {
      // It has ended.
    }
  }
  const with_children = (pid) => [pid, ...(children[pid] ?? []).flatMap(with_children)];
  return with_children(chromium.process.pid);
}

const chromium = new Chromium();
const first = await chromium.open(url);
await first.until(isShown);
const second = await chromium.open(url.replace(/#.*/, ''));
await second.until(isShown);
check(await first.evaluate(() => document.hidden), 'a tab behind another is hidden');
await pass(Number(HIDDEN_S) / 2);
await first.evaluate(() => document.addEventListener('freeze', () => (document.isFrozen = true)));
await first.freeze();
await first.until(() => document.isFrozen);
const seen = await second.evaluate(ticks);
await second.until((least) => Number(document.documentElement.dataset.ticks) >= least, seen + 2);
await pass(Number(HIDDEN_S) / 2);
check(true, 'when it is frozen, the other goes on without the stream that it had');
await first.freeze(false);

const stopped = processes();
for (const pid of stopped) process.kill(pid, 'SIGSTOP');
await pass(Number(STOPPED_S));
for (const pid of stopped) process.kill(pid, 'SIGCONT');
check(stopped.length > 3, `the browser was stopped, all ${stopped.length} processes`);

const third = await chromium.open(url.replace(/#.*/, ''));
await third.until(isShown);
const whole = await third.until(points, Math.floor(await length()));
const shown = whole.slice(0, -1);
const of = (tab) => history(tab, shown.length).then((all) => all.join('\n'));
check((await of(first)) === shown.join('\n'), `the tab that was hidden, frozen and stopped has all ${shown.length} seconds of a new one`);
check((await of(second)) === shown.join('\n'), 'so has the tab in front of it');
await second.reload();
await second.until(isShown);
check((await of(second)) === shown.join('\n'), 'and the same tab after a reload');

run.kill('SIGINT');
await ended;
const made = spawnSync(swell, ['report', kept, '-o', 'page.html'], { cwd: folder, encoding: 'utf8' });
check(made.status === 0, `a report is made of the folder of the run: ${made.stderr}`);
const report = await chromium.open(`file://${join(folder, 'page.html')}`);
await report.until(isShown);
check((await of(report)) === shown.join('\n'), 'which has the same history');
await chromium.close();
rmSync(folder, { recursive: true });
