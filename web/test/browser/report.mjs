// Opens a report from disk in Chromium.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, browser, check, folder, open, run } from './browser.mjs';

const HOSTILE = '<img src=x onerror=document.title="broken">';
const rows = ['timeStamp,elapsed,label,responseCode,responseMessage,success,failureMessage,bytes,sentBytes,allThreads,Latency,Connect'];
for (let second = 0; second < 90; second += 1) {
  for (let step = 0; step < 40; step += 1) {
    const label = ['home', 'search', 'basket', HOSTILE][step % 4];
    const elapsed = (second >= 60 ? 400 : 40) + ((second * 7 + step * 13) % 50);
    const good = (second + step) % 37 !== 0;
    rows.push(`${1_700_000_000_000 + second * 1000 + step * 20},${elapsed},"${label.replaceAll('"', '""')}",${good ? 200 : 503},${good ? 'OK' : 'Service Unavailable'},${good},,5000,300,20,${elapsed - 1},${step === 0 ? 2 : 0}`);
  }
}
writeFileSync(join(folder, 'r.jtl'), rows.join('\n'));
const made = await run(['report', 'r.jtl', '-o', 'report.html']);
check(made.code === 0, `a report is made: ${made.said}`);
const url = `file://${join(folder, 'report.html')}`;
const page = await open(url);

const texts = (selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent));
check((await texts('.tile b'))[0] === '3,600', 'the first screen has the number of samples');
const names = () => texts('.labels tbody .name');
check((await names()).includes(HOSTILE) && (await page.title()) !== 'broken', 'a label that tries to be markup is text');

const intervals = () => texts('.labels tbody tr:first-child td small');
check((await intervals()).length >= 3 && (await intervals()).every((text) => /^, 95 % confidence [\d.]+ to [\d.]+$/.test(text)), `percentiles have their confidence beside them: ${await intervals()}`);
await page.uncheck('.tools label:has-text("95 % confidence") input');
check((await intervals()).length === 0, 'which can be left out');
await page.check('.tools label:has-text("95 % confidence") input');
check(await page.isHidden('#thresholds'), 'a run without thresholds says nothing of them');

const canvases = await page.$$eval('.u-wrap canvas', (all) => all.map((one) => one.width));
check(canvases.length >= 5 && canvases.every((width) => width > 200), `charts are drawn: ${canvases.length}`);

await page.click('.labels thead button:text-is("label")');
check((await names()).join() === ['All samples', HOSTILE, 'basket', 'home', 'search'].join(), 'the table is sorted by label');
check((await page.getAttribute('.labels thead th', 'aria-sort')) === 'ascending', 'and says so');
await page.focus('.labels button.name:text-is("home")');
await page.$eval('.labels thead button', (head) => head.click());
check((await names()).at(-1) === HOSTILE && (await page.evaluate(() => document.activeElement.textContent)) === 'home', 'the focus stays with its label when the order changes');
await page.$eval('.labels thead button', (head) => head.click());
await page.fill('input[type=search]', 'SEAR');
check((await names()).join() === 'All samples,search', 'labels are searched');
await page.fill('input[type=search]', '');

await page.check('.labels tbody tr:nth-child(3) input');
await page.check('.labels tbody tr:nth-child(4) input');
// Charts outside the window are drawn when they come near.
const [compared] = await page.$$('.section-head + .grid .chart:first-child');
await compared.scrollIntoViewIfNeeded();
await page.waitForFunction((chart) => [...chart.querySelectorAll('.legend .entry')].map((one) => one.textContent).join() === 'basket,home', compared);
check(true, 'labels are compared');
await page.click('text=clear comparison');

// Zoom by dragging over the last third, where responses are slow.
const over = await page.$('.chart .u-over');
await over.scrollIntoViewIfNeeded();
const box = await over.boundingBox();
await page.mouse.move(box.x + box.width * 0.75, box.y + 50);
await page.mouse.down();
await page.mouse.move(box.x + box.width * 0.95, box.y + 50, { steps: 4 });
await page.mouse.up();
await page.waitForFunction(() => document.querySelector('.range').textContent !== '');
const total = Number((await texts('.tile b'))[0].replace(',', ''));
check(total > 400 && total < 1200, `the figures follow the zoom: ${total} samples`);
const median = (await texts('.tile b'))[3];
check(/^4[0-9]{2} ms$/.test(median), `and so does the median: ${median}`);
await page.click('text=Show all');
check((await texts('.tile b'))[0] === '3,600', 'all is shown again');

await page.focus('.plot[tabindex]');
await page.keyboard.press('Home');
await page.keyboard.press('ArrowRight');
check(/^\d\d:\d\d:\d\d \(/.test((await texts('.chart .when'))[0]), 'the cursor moves by keyboard');
check((await texts('.chart:first-child .legend b')).some((text) => / ms$/.test(text)), 'and the legend has exact values');
check(/^\d\d:\d\d:\d\d \(.*\), p99.9 [\d.]+ ms, /.test((await texts('.chart [role=status]'))[0]), 'which is said aloud');
await page.keyboard.press('+');
check((await texts('.range'))[0] !== '', 'the keyboard zooms');
await page.keyboard.press('Escape');
await page.click('.chart button.quiet >> nth=0');
check((await texts('.chart .as-table tbody tr')).length > 10, 'a chart has its figures as a table');
await page.focus('[aria-label^="Percentiles. Use arrow"]');
await page.keyboard.press('End');
await page.keyboard.press('ArrowLeft');
check((await texts('.chart [role=status]')).some((text) => /^p99\.97\d*, all samples [\d.]+ ms$/.test(text)), `the curve of percentiles has a cursor by keyboard: ${await texts('.chart [role=status]')}`);
await page.focus('[aria-label^="Response times over time. Use left"]');
const heat = async () => (await texts('.chart:has([aria-label^="Heat map"]) [role=status]'))[0];
await page.keyboard.press('ArrowRight');
const first = await heat();
check(/^\d\d:\d\d:\d\d, [\d.]+ .* to .*: [1-9][\d,]* samples$/.test(first), `the heat map has a cursor by keyboard, first where most samples are: ${first}`);
await page.keyboard.press('ArrowRight');
const second = await heat();
await page.keyboard.press('ArrowUp');
const third = await heat();
check(first.split(',')[0] < second.split(',')[0] && second.split(':')[2] !== third.split(':')[2], `which moves through time and response times: ${first}; ${second}; ${third}`);
await page.keyboard.press('Tab');
check((await heat()) === '', 'and goes when the focus goes');
await page.click('[aria-label="Percentiles as a table"]');
check((await texts('.as-table caption')).includes('Percentiles') && (await texts('.as-table th')).includes('p99.9'), 'and a table');
check((await texts('#failed td')).includes('status'), 'failed samples are listed by cause');
check(/^home \(\d+ of 900\) and 3 more labels: 97 failed with 503 Service Unavailable expected a status of 200 to 399$/.test((await texts('#failed td'))[0]), `a cause begins with labels, counts and the code: ${(await texts('#failed td'))[0]}`);
const curves = await page.$$eval('.overview svg', (all) => all.map((one) => [one.getAttribute('aria-label'), one.querySelector('path').getAttribute('d').length > 200, one.getBoundingClientRect().bottom + scrollY < 400]));
check(curves.length === 2 && curves.every(([, drawn, high]) => drawn && high) && /^Rate over time, highest 4\d\.\d\/s, 9\d points$/.test(curves[0][0]), `two curves of rate and p95 are on the first screen: ${JSON.stringify(curves)}`);

// What was asked first comes first.
const order = await page.$$eval('main > section:not([hidden])', (all) => all.map((one) => one.id || one.querySelector('h2').textContent));
check(order.slice(0, 2).join() === 'result,failed' && order.at(-1) === 'measurement', `the answer and failures come first, the measurement last: ${order}`);
check(/^39.9\/s for 90\ss: 2.69\s% failed, p95 442\sms$/.test((await texts('.answer .headline'))[0]), `a headline says how the site did: ${await texts('.answer .headline')}`);
const tops = await page.$$eval('.answer, .result .tiles, #failed', (all) => all.map((one) => one.getBoundingClientRect().top + scrollY));
check(tops.every((top) => top < 700), `all of it on the first screen: ${tops}`);
const sections = await texts('.sections li:not([hidden]) a');
check(sections.join() === 'Result,Failures,Labels,Over time,Distribution,Slowest,Measurement', `a list has the sections: ${sections}`);
await page.click('.sections a:text-is("Distribution")');
await page.waitForFunction(() => document.querySelector('.sections a[aria-current]')?.textContent === 'Distribution');
check((await page.$eval('.sections', (list) => list.getBoundingClientRect().top)) === 0, 'which stays in view and marks the one that is read');

const saved = async (button) => {
  const download = page.waitForEvent('download');
  await page.click(button);
  const file = await download;
  return [file.suggestedFilename(), readFileSync(await file.path(), 'utf8').trim().split('\r\n')];
};
const [name, lines] = await saved('button[aria-label="Response codes a second as CSV"]');
check(name === 'response-codes-a-second.csv' && lines[0] === 'time,200 (per second),503 (per second)', `figures of a chart are downloaded: ${name}, ${lines[0]}`);
check(lines.length === 92 && /^2023-11-14T22:13:20\.500Z,\d+/.test(lines[1]), `all of its points: ${lines.length}, ${lines[1]}`);
const [, table] = await saved('button[aria-label="Labels as CSV"]');
check(table.length === 6 && table.some((line) => line.startsWith('"<img src=x onerror=document.title=""broken"">",false,900,')), `so is the table of labels: ${table.slice(0, 3)}`);

await page.click('.labels button.name:text-is("search")');
const view = page.locator('dialog.label-view');
check((await view.locator('h2').textContent()) === 'search' && (await view.locator('.tile b').first().textContent()) === '900', 'a label has a view');
const parts = await view.locator('.chart h3').allTextContents();
check(parts.join() === 'Response codes,Failed samples by kind,Stages of a sample,Response times of this label,Samples of this label a second,Percentiles,Response times over time', `with codes, kinds, stages, times and distribution: ${parts}`);
check((await view.locator('.bars .name').allTextContents()).join() === '200,503,status', 'codes have their bars');
check((await view.locator('.u-over').count()) === 3, 'curves are drawn');
if (process.env.SCREENSHOTS) await page.screenshot({ path: join(process.env.SCREENSHOTS, 'label.png') });
await page.keyboard.press('Escape');
check(!(await view.evaluate((dialog) => dialog.open)), 'Escape closes it');

for (const colorScheme of ['light', 'dark']) {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 900 }, bypassCSP: true });
  const shown = await open(url, { context });
  await accessible(shown, `the report, ${colorScheme},`);
  await shown.click('.labels button.name >> nth=1');
  await accessible(shown, `the view of a label, ${colorScheme},`);
}
// A window of 1280 pixels at a zoom of 400 %.
const zoomed = await browser.newContext({ viewport: { width: 320, height: 256 }, bypassCSP: true });
await accessible(await open(url, { context: zoomed }), 'the report at 400 %');
for (const width of [320, 360, 800, 1600]) {
  const narrow = await open(url, { of: { viewport: { width, height: 900 } } });
  const over = await narrow.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(over <= 0, `${width} pixels are wide enough: ${over}`);
  if (process.env.SCREENSHOTS) await narrow.screenshot({ path: join(process.env.SCREENSHOTS, `report-${width}.png`), fullPage: true });
}

// In print: always light, all columns, charts no wider than their cards.
const printed = await open(url, { of: { viewport: { width: 1280, height: 900 }, colorScheme: 'dark' } });
await printed.evaluate(() => dispatchEvent(new Event('beforeprint')));
await printed.emulateMedia({ media: 'print', colorScheme: 'dark' });
const paper = await printed.evaluate(() => ({
  colors: [getComputedStyle(document.documentElement).getPropertyValue('--ink'), getComputedStyle(document.querySelector('.card')).backgroundColor],
  table: document.querySelector('table.labels').getBoundingClientRect().right - document.querySelector('main').getBoundingClientRect().right,
  charts: [...document.querySelectorAll('.chart')].map((chart) => (chart.querySelector('canvas')?.getBoundingClientRect().right ?? 0) - chart.getBoundingClientRect().right),
  width: document.querySelector('main').getBoundingClientRect().width,
}));
check(paper.colors.join() === '#16191d,rgb(255, 255, 255)', `paper is light: ${paper.colors}`);
check(paper.width <= 718 && paper.table <= 0 && paper.charts.every((over) => over <= 0), `all is within A4: ${JSON.stringify(paper)}`);
await printed.emulateMedia({ media: 'screen', colorScheme: 'dark' });
await printed.evaluate(() => dispatchEvent(new Event('afterprint')));
check((await printed.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--ink'))) === '#e9edf2', 'and the screen is as it was');
await browser.close();
