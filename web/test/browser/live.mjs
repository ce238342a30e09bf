// The live page in Chromium: ticks, reload, a second tab, control, a hostile page elsewhere.

import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { accessible, browser, check, fail, folder, open, swell } from './browser.mjs';

const plan = process.env.PLAN;
const run = spawn(swell, ['run', plan, '--with-target', '-Jthreads=5', '-Jloops=-1', '-Jpause=20', '--live', '--no-run-dir', '-j', join(folder, 'log')], { cwd: folder, env: { ...process.env, XDG_RUNTIME_DIR: folder } });
// A failed check ends this script, and must also end the run.
process.on('exit', () => run.kill('SIGKILL'));
const ended = new Promise((resolve) => run.on('close', resolve));
let said = '';
const url = await new Promise((resolve) => {
  const late = setTimeout(() => fail(`no live page came: ${said}`), 20_000);
  run.stderr.on('data', (data) => {
    said += data;
    const found = /http:\/\/\S+#t=\S+/.exec(said);
    if (!found || !said.includes('look only: http')) return;
    clearTimeout(late);
    resolve(found[0]);
  });
});
const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: 'UTC' });
let page = await open(url, { context });
check(!page.url().includes('#t='), 'the secret is taken out of the address');
// A background tab may get no animation frames, so its state is polled by a timer.
const behind = { polling: 200 };
const ticks = (page, number) => page.waitForFunction((wanted) => Number(document.documentElement.dataset.ticks ?? 0) >= wanted, number, behind);
await ticks(page, 3);
const samples = async (page) => Number((await page.textContent('.tile b')).replaceAll(',', ''));
check((await samples(page)) > 0, 'figures come each second');
check((await page.textContent('.live-bar')).startsWith('Running'), 'and the state is shown');
await page.waitForFunction(() => /Measurement so far: (too early to say|good|doubtful|unusable)/.test(document.querySelector('.answer').textContent));
check(true, 'with what the measurement is worth so far');
await page.waitForFunction(() => /^[\d.,]+\/s for /.test(document.querySelector('.headline').textContent));
check(true, 'below a headline of the run so far');
const top = (selector) => page.$eval(selector, (element) => element.getBoundingClientRect().top + scrollY);
const [curves, control, table] = [await top('#over-time .chart'), await top('.control'), await top('table.labels')];
check(curves < 600 && curves < control && control < table, `curves are above the fold, control and table below them: ${[curves, control, table]}`);

const before = await samples(page);
await page.reload();
await page.waitForSelector('main table.labels tbody tr');
check((await samples(page)) >= before, 'a reload has all that was');
const streams = [];
context.on('request', (request) => {
  if (request.url().includes('/api/events')) streams.push(request.frame().page());
});
const second = await open(page.url(), { context });
await ticks(second, 2);
check(streams.length === 0, 'a second tab shares the stream of the first');
const third = await open(page.url(), { context });
await second.bringToFront();
await page.close();
const seen = Number(await second.evaluate(() => document.documentElement.dataset.ticks));
await ticks(second, seen + 2);
await ticks(third, 2);
check(streams.length === 1, 'when that is closed, one of the others takes it over');
await third.close();
page = await open(second.url(), { context });
await ticks(second, seen + 4);
check((await samples(second)) >= before, 'a second tab has it, too');

const gap = await page.$eval('.control form', (form) => form.querySelector('button').getBoundingClientRect().left - form.querySelector('input').getBoundingClientRect().right);
check(gap >= 0 && gap < 20, `a button stands beside its field, however long the name of the group is: ${gap}`);
await page.fill('.control .rows input[type=number] >> nth=0', '9');
await page.click('.control button:text-is("Apply") >> nth=0');
await page.waitForFunction(() => document.querySelector('.control .done').textContent.includes('set to 9'));
await page.waitForFunction(() => /9 users requested/.test(document.querySelector('.control').textContent));
check(true, 'users are changed');
await page.waitForFunction(() => document.querySelector('#journal')?.textContent.includes('set to 9'));
await second.waitForFunction(() => document.querySelector('#journal')?.textContent.includes('set to 9'), null, behind);
check(true, 'each tab has the change in its journal');
await page.click('.control button:text-is("Pause")');
await page.waitForFunction(() => document.querySelector('.live-bar').textContent.startsWith('Paused'));
await page.click('.control button:text-is("Resume")');
await page.waitForFunction(() => document.querySelector('.live-bar').textContent.startsWith('Running'));
check(true, 'the run is paused and resumed');

// A page on another port tries to stop the run.
let heads = '';
const server = createServer((request, response) => {
  heads += JSON.stringify(request.rawHeaders);
  response.end('<!DOCTYPE html><title>elsewhere</title>');
}).listen(0, '127.0.0.1');
await new Promise((resolve) => server.on('listening', resolve));
const foreign = await context.newPage();
await foreign.goto(`http://127.0.0.1:${server.address().port}/`);
const tried = await foreign.evaluate(async (target) => {
  const post = (headers, mode) => fetch(`${target}api/stop`, { method: 'POST', body: '{}', mode, credentials: 'include', headers }).then((answer) => answer.type, () => 'refused');
  return [await post({ 'Content-Type': 'text/plain' }, 'no-cors'), await post({ 'Content-Type': 'application/json' }, 'cors'), await fetch(`${target}api/snapshot`, { credentials: 'include' }).then(() => 'read', () => 'refused')];
}, page.url());
check(tried[1] === 'refused' && tried[2] === 'refused', `another page neither reads nor changes the run: ${tried}`);
const secret = url.split('#t=')[1].split('&')[0];
check(heads !== '' && !heads.includes(secret) && !/cookie|authorization/i.test(heads), 'a server on another port of the host gets no secret');
check((await context.cookies()).length === 0, 'there is no cookie');
await foreign.close();
await page.bringToFront();
const now = await samples(page);
await page.waitForFunction((least) => Number(document.querySelector('.tile b').textContent.replaceAll(',', '')) > least, now);
check(true, 'and the run goes on');
server.close();

const look = /look only: (\S+)/.exec(said)[1];
const looking = await open(look, { context: await browser.newContext({ viewport: { width: 1280, height: 900 } }) });
await ticks(looking, 1);
check((await looking.isHidden('.control')) && /you cannot change this run/.test(await looking.textContent('.live-bar')), 'who may only look has no controls');
await looking.close();

for (const colorScheme of ['light', 'dark']) {
  const plain = await browser.newContext({ bypassCSP: true, colorScheme });
  await accessible(await open(url, { context: plain }), `the live page, ${colorScheme},`);
}
if (process.env.SCREENSHOTS) {
  for (const width of [360, 800, 1400]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: join(process.env.SCREENSHOTS, `live-${width}.png`) });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

await page.click('.control button:text-is("Stop …")');
check(await page.$eval('.control dialog', (dialog) => dialog.open && dialog.contains(document.activeElement)), 'a stop asks first');
await page.keyboard.press('Escape');
check(!(await page.$eval('.control dialog', (dialog) => dialog.open)), 'Escape keeps the run');
await page.click('.control button:text-is("Stop …")');
await page.click('.control dialog button:text-is("Stop now")');
await page.waitForFunction(() => document.querySelector('.live-bar').textContent.startsWith('Finished'));
check(/Measurement: (good|doubtful|unusable)/.test(await page.textContent('.answer')), 'the end says how good the measurement is');
check(/Verdict (VALID|DEGRADED|INVALID)/.test(await page.textContent('#measurement summary')), 'and has the verdict');
check((await ended) === 0, 'the run ends as if it had been stopped by hand');
await browser.close();
