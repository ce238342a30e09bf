// The pages of kept runs in Chromium: list, edits, comparison, trend, import and the report as one file.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, browser, check, fail, folder, open, run, swell } from './browser.mjs';

const HOSTILE = '<img src=x onerror=document.title="broken">';
const LONG = `long ${'label '.repeat(1700)}`;
const RUNS = 16;
/** From this run on, requests take longer. */
const SLOWER_FROM = 9;
const env = { SWELL_RUNS: join(folder, 'runs') };
mkdirSync(join(folder, 'files'));

/** A results file of a run that began that number of days ago. */
function results(name, days, more_ms) {
  const rows = ['timeStamp,elapsed,label,responseCode,responseMessage,success'];
  for (let at = 0; at < 800; at += 1) {
    const label = ['home', 'search', HOSTILE, LONG][at % 4];
    const elapsed = 40 + ((at * 7 + days * 3) % 11) + more_ms;
    rows.push(`${1_700_000_000_000 - days * 86_400_000 + at * 20},${elapsed},"${label.replaceAll('"', '""')}",${at % 100 === 99 ? '500,Error,false' : '200,OK,true'}`);
  }
  writeFileSync(join(folder, 'files', name), rows.join('\n'));
}

for (let number = 1; number <= RUNS; number += 1) {
  results(`nightly-${number}.jtl`, RUNS - number, number >= SLOWER_FROM ? 25 : 0);
  const { code, said } = await run(['history', 'import', `files/nightly-${number}.jtl`, '--name', `nightly-${number}`, '--plan', '/plans/shop.jmx', '--tag', `version=1.${number}`], env);
  check(code === 0, `a results file is imported: ${said}`);
}
await run(['history', 'note', 'nightly-16', HOSTILE], env);
await run(['history', 'tag', 'nightly-16', `mark=${HOSTILE}`], env);
await run(['history', 'baseline', 'nightly-2'], env);
renameSync(join(folder, 'runs', 'nightly-1'), join(folder, 'moved'));

const server = spawn(swell, ['serve'], { cwd: folder, env: { ...process.env, ...env } });
process.on('exit', () => server.kill('SIGKILL'));
const address = await new Promise((resolve) => {
  let said = '';
  const late = setTimeout(() => fail(`the server did not start: ${said}`), 60_000);
  server.stdout.on('data', (data) => {
    said += data;
    const found = /Kept runs: (http:\S+)\nTo look only: \S+\n/.exec(said);
    if (!found) return;
    clearTimeout(late);
    resolve(found[1]);
  });
});
const base = new URL(address).origin;

const texts = (page, selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent));
const list = await open(address, { wait: '.runs tbody tr' });
check((await texts(list, '.runs tbody tr')).length === RUNS, 'all runs are listed');
check(!list.url().includes('#t='), 'the secret is gone from the address');
check((await texts(list, '.run-note'))[0] === HOSTILE && (await list.title()) === 'Kept runs – Swell', 'a note that tries to be markup is text');
check((await texts(list, '.tag')).includes(`mark=${HOSTILE.slice(0, 39)}…`), 'and so is a tag');
check((await texts(list, '.runs .badge')).includes('folder is gone'), 'a run whose folder was moved says so');
check((await texts(list, '.run-name')).includes('nightly-2baseline'), 'the baseline is marked');

await list.fill('[aria-label="Search runs"]', 'version=1.1 nightly');
check((await texts(list, '.tools [role=status]'))[0] === `8 of ${RUNS} runs`, `runs are searched: ${await texts(list, '.tools [role=status]')}`);
await list.reload();
await list.waitForSelector('.runs tbody tr');
check((await texts(list, '.runs tbody tr')).length === 8, 'and a reload keeps the search');
await list.fill('[aria-label="Search runs"]', '');
await list.click('.runs thead button:text-is("p95")');
check(/^nightly-(9|1\d)/.test((await texts(list, '.run-name'))[0]), 'runs are sorted by a figure');
await list.click('.runs thead button:text-is("started")');

await list.click('[aria-label="Edit nightly-3"]');
await list.fill('#edit-tags', 'no tag');
await list.click('dialog button:text-is("Save")');
await list.waitForSelector('dialog .problem:not(:empty)');
check((await texts(list, 'dialog .problem'))[0].startsWith('invalid tag “no tag”'), 'a wrong tag is refused with a reason');
await list.fill('#edit-tags', 'version=2.0\nbranch=main');
await list.fill('#edit-note', 'a note\nin two lines');
await list.check('dialog input[type=checkbox]');
await list.click('dialog button:text-is("Save")');
await list.waitForSelector('dialog', { state: 'detached' });
check((await texts(list, '.tag')).includes('branch=main') && (await texts(list, '.run-note')).includes('a note\nin two lines'), 'tags and note are edited');
check((await texts(list, '.run-name')).filter((text) => text.endsWith('baseline')).join() === 'nightly-3baseline', 'a plan has one baseline');

await list.click('[aria-label="Compare nightly-12"]');
check((await texts(list, '.picked'))[0].startsWith('Choose the run to compare with nightly-12'), 'the first click says what follows');
await list.click('[aria-label="Compare nightly-4"]');
await list.waitForSelector('.answer .headline');
check((await list.title()).startsWith('nightly-4 → nightly-12'), 'two clicks compare two runs, the earlier one first');
check((await texts(list, '.answer .headline'))[0].startsWith('FAILED: '), 'with the answer');
check(await list.evaluate(() => document.documentElement.scrollHeight) < 6000, 'and a label of 10 KB does not stretch it');

await list.goto(`${base}/trend?subject=/plans/shop.jmx`);
await list.waitForSelector('.chart .u-over');
const said = (await texts(list, '.answer .headline'))[0];
check(/^p95 rose from [\d.]+ ms to [\d.]+ ms \(\+\d+ %\) at nightly-9 \(version 1\.9\)$/.test(said), `a trend says what changed, and when: ${said}`);
check((await texts(list, '.chart h3')).join() === 'Response time,Throughput,Failed samples', 'a trend has three charts');
const plot = await list.locator('.chart:has(h3:text-is("Response time")) .u-over').boundingBox();
await list.mouse.move(plot.x + plot.width - 6, plot.y + plot.height / 2);
check(/^nightly-16, /.test((await texts(list, '.chart .when'))[0]), 'the run under the pointer is named');
check((await texts(list, '.at-cursor a')).join() === 'nightly-16,compare with the run before,compare with the baseline', 'and can be opened and compared');
check((await texts(list, '.tools select option')).some((text) => text.startsWith(HOSTILE)), 'a label is chosen by its text');
check((await texts(list, '.tools select option')).every((text) => text.length <= 100), 'however long it is');
await Promise.all([list.waitForURL(/label=/), list.selectOption('.tools select', { label: 'search' })]);
await list.waitForSelector('.chart .u-over');
check((await texts(list, '.answer .headline'))[0].includes(' at nightly-9 '), 'a label has a trend');

await list.goto(`${base}/run?name=nightly-16`);
await list.waitForSelector('main table.labels tbody tr');
check((await texts(list, 'dd')).some((text) => text.includes(HOSTILE)) && !(await list.title()).startsWith('broken'), 'a report has its tags and its note as text');
const [saved] = await Promise.all([list.waitForEvent('download'), list.click('text=Save as one file')]);
check(saved.suggestedFilename() === 'nightly-16.html', 'a report is saved under the name of its run');
const file = join(folder, 'saved.html');
await saved.saveAs(file);
check(readFileSync(file, 'utf8').startsWith('<!DOCTYPE html>'), 'it is a page');
const alone = await open(`file://${file}`);
check((await texts(alone, 'table.labels tbody tr')).length > 3, 'that is read without the server');

await list.goto(`${base}/`);
await list.waitForSelector('.runs tbody tr');
results('uploaded.jtl', 0, 0);
await list.setInputFiles('input[type=file]', join(folder, 'files', 'uploaded.jtl'));
await list.waitForSelector('.importer [role=status]:text("samples imported")');
check((await texts(list, '.runs tbody tr')).length === RUNS + 1, 'a results file is imported by the page');
writeFileSync(join(folder, 'files', 'wrong.jtl'), 'no results');
await list.setInputFiles('input[type=file]', join(folder, 'files', 'wrong.jtl'));
await list.waitForSelector('.importer [role=status]:text("cannot import `wrong.jtl`")');
check(true, 'another file is refused with a reason');
await list.goto(`${base}/run?name=nightly-1`);
await list.waitForSelector('text=the folder of the run `nightly-1` is gone');
check((await texts(list, '.runs-bar a'))[0] === '← Kept runs', 'a page that cannot be shown leads back');

const PAGES = { list: ['/', '.runs tbody tr'], run: ['/run?name=nightly-16', 'table.labels tbody tr'], compare: ['/compare?before=nightly-4&after=nightly-12', '.answer .headline'], trend: ['/trend?subject=/plans/shop.jmx', '.chart .u-over'] };
for (const colorScheme of ['light', 'dark']) {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1400, height: 900 }, bypassCSP: true, timezoneId: 'UTC' });
  const page = await open(address, { context, wait: '.runs tbody tr' });
  for (const [name, [path, wait]] of Object.entries(PAGES)) {
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.goto(base + path);
    await page.waitForSelector(wait);
    await accessible(page, `the page ${name} of kept runs, ${colorScheme},`);
    for (const width of [360, 800, 1400]) {
      await page.setViewportSize({ width, height: 900 });
      // Charts follow the width of the window a moment later.
      await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth);
      check(true, `${name} fits in ${width} pixels`);
      if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `serve-${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  }
  await page.goto(`${base}/`);
  await page.click('[aria-label="Edit nightly-16"]');
  await accessible(page, `the dialog of kept runs, ${colorScheme},`);
  if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, `serve-edit-${colorScheme}.png`) });
}
await browser.close();
server.kill('SIGTERM');
