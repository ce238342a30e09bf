// Measures the live page of a long run with many labels: time to the first paint, and script time per tick. The example
// `long_page` of swell-report writes FOLDER:
//
//   cargo run --profile profiling -p swell-report --example long_page -- 5000 8 FOLDER && node web/test/browser/long.mjs FOLDER
//
// Goals: 2 s to the first paint with figures, 50 ms of script per tick. The exit status is 1 if one is missed.

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const folder = process.argv[2];
const file = (name) => readFileSync(join(folder, name));
const [snapshot, shell, script, style] = ['snapshot.json', 'index.html', 'app.js', 'app.css'].map(file);
const ticks = file('ticks.ndjson').toString().trim().split('\n');
let events;
const server = createServer((request, answer) => {
  const send = (type, body) => answer.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body);
  const path = request.url.split('?')[0];
  if (path === '/app.js') send('text/javascript', script);
  else if (path === '/app.css') send('text/css', style);
  else if (path === '/api/snapshot') send('application/json', snapshot);
  else if (path === '/api/events') {
    answer.writeHead(200, { 'Content-Type': 'text/event-stream' });
    answer.write(':\n\n');
    events = answer;
  } else if (path === '/') send('text/html', shell);
  else answer.writeHead(404).end();
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
page.on('pageerror', (error) => {
  console.error(`a script failed: ${error.stack}`);
  process.exit(1);
});
const client = await page.context().newCDPSession(page);
await client.send('Performance.enable');
const seconds = async (name) => (await client.send('Performance.getMetrics')).metrics.find((metric) => metric.name === name).value;

await page.goto(`http://127.0.0.1:${server.address().port}/`, { waitUntil: 'commit' });
await page.waitForSelector('main table.labels tbody tr', { timeout: 120_000 });
// The first paint with figures is the frame after they were added.
const first_ms = await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now()), 0))));
while (!events) await page.waitForTimeout(10);

const spent = [];
for (const [at, tick] of ticks.entries()) {
  const before = [await seconds('ScriptDuration'), await seconds('TaskDuration')];
  const wanted = JSON.parse(tick).duration_s;
  events.write(`id: ${at + 1}\nevent: tick\ndata: ${tick}\n\n`);
  // A tick is drawn in the frame after its arrival.
  await page.waitForTimeout(600);
  const after = [await seconds('ScriptDuration'), await seconds('TaskDuration')];
  spent.push({ wanted, script_ms: 1000 * (after[0] - before[0]), task_ms: 1000 * (after[1] - before[1]) });
}
await browser.close();
server.close();
const middle = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const [script_ms, task_ms] = ['script_ms', 'task_ms'].map((name) => middle(spent.map((one) => one[name])));
const worst_ms = Math.max(...spent.map((one) => one.script_ms));
const bytes = { snapshot: snapshot.length, tick: middle(ticks.map((tick) => tick.length)) };
console.log(JSON.stringify({ first_paint_ms: Math.round(first_ms), tick_script_ms: Number(script_ms.toFixed(1)), tick_script_worst_ms: Number(worst_ms.toFixed(1)), tick_task_ms: Number(task_ms.toFixed(1)), bytes }));
process.exitCode = first_ms < 2000 && script_ms < 50 ? 0 : 1;
