// Pages of searches, sweeps, matrices and comparisons in Chromium: opened from the disk, light and dark.

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accessible, browser, check, fail, folder, open, run, swell } from './browser.mjs';

const HOSTILE = '<img src=x onerror=document.title="broken">';

const target = spawn(swell, ['target', '--port', '0'], { cwd: folder });
process.on('exit', () => target.kill('SIGKILL'));
const site = await new Promise((resolve) => {
  let said = '';
  const late = setTimeout(() => fail(`the site did not start: ${said}`), 60_000);
  const listen = (data) => {
    said += data;
    const found = /listening at (http:\/\/\S+)/.exec(said);
    if (!found) return;
    clearTimeout(late);
    resolve(found[1].replace(/\/$/, ''));
  };
  target.stderr.on('data', listen);
  target.stdout.on('data', listen);
});

/** A results file in which requests take that much longer. */
function results(name, more_ms) {
  const rows = ['timeStamp,elapsed,label,responseCode,responseMessage,success'];
  for (let second = 0; second < 40; second += 1) {
    for (let step = 0; step < 40; step += 1) {
      const label = ['home', 'search', HOSTILE][step % 3];
      const elapsed = 40 + ((second * 7 + step * 13) % 10) + (step % 3 === 0 ? more_ms : 0);
      rows.push(`${1_700_000_000_000 + second * 1000 + step * 20},${elapsed},"${label.replaceAll('"', '""')}",200,OK,true`);
    }
  }
  writeFileSync(join(folder, name), rows.join('\n'));
}

/** Makes a page; it is a file below the folder. */
async function made(args, page) {
  const { said } = await run(args);
  const opened = await open(`file://${join(folder, page)}`, { wait: 'main section' }).catch((error) => fail(`${args.join(' ')}: ${said} ${error}`));
  return opened;
}

const texts = (page, selector) => page.$$eval(selector, (all) => all.map((one) => one.textContent));

/** What holds for every page: it is accessible in both colours, and as wide as the window. */
async function isWhole(name, page) {
  const url = page.url();
  for (const colorScheme of ['light', 'dark']) {
    const context = await browser.newContext({ colorScheme, viewport: { width: 1400, height: 900 }, bypassCSP: true });
    const shown = await open(url, { context, wait: 'main section' });
    await accessible(shown, `the page of a ${name}, ${colorScheme},`);
    const back = (look) => shown.evaluate(() => getComputedStyle(document.body).backgroundColor).then((found) => [look, found].join());
    const own = await back(colorScheme);
    await shown.selectOption('select[aria-label="Colours"]', colorScheme === 'light' ? 'dark' : 'light');
    check((await back(colorScheme)) !== own, `a ${name} that is ${colorScheme} changes its colours`);
    if (process.env.SCREENSHOTS && colorScheme === 'light') await shown.screenshot({ path: join(process.env.SCREENSHOTS, `${name}-dark.png`), fullPage: true });
  }
  check((await texts(page, 'main')).length === 1 && (await texts(page, 'h1')).length === 1, `a ${name} has one main part and one title`);
  const links = await texts(page, '.sections a');
  check(links[0] === 'Result' && links.length === (await texts(page, 'main > section')).length, `and a list of its sections: ${links}`);
  const download = page.waitForEvent('download');
  await page.click('button[aria-label$=" as CSV"] >> nth=0');
  check(readFileSync(await (await download).path(), 'utf8').split('\r\n').length > 2, `a chart of a ${name} is downloaded as CSV`);
  for (const width of [360, 800, 1400]) {
    const sized = await open(url, { of: { viewport: { width, height: 900 } }, wait: 'main section' });
    const over = await sized.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(over <= 0, `a ${name} fits in ${width} pixels: ${over}`);
    if (process.env.SCREENSHOTS) await sized.screenshot({ path: join(process.env.SCREENSHOTS, `${name}-${width}.png`), fullPage: true });
  }
}

results('before.jtl', 0);
results('after.jtl', 20);
const compared = await made(['compare', 'before.jtl', 'after.jtl', '--html', 'compare.html'], 'compare.html');
check((await texts(compared, '.answer .headline'))[0].startsWith('FAILED: 1 of 3 labels is worse'), 'a comparison begins with its answer');
check((await texts(compared, '.bars .bad .value')).some((text) => /^\+\d+\.\d % worse$/.test(text)), 'changes are bars with their figures');
check((await texts(compared, '.study td')).includes(HOSTILE) && (await compared.title()) !== 'broken', 'a label that tries to be markup is text');
check((await texts(compared, '.study .cell.bad small')).some((text) => /worse\n95 %: /.test(text)), 'the table has the intervals');
await isWhole('compare', compared);

const trials = ['--trial', '1s', '--warm-up', '100ms'];
const searched = await made(['search', `${site}/pool?workers=2&service=10ms`, '--users', '1..4', '--slo', 'p(95)<25ms', ...trials, '-o', 'search'], 'search/index.html');
check(/holds|hold|too much/.test((await texts(searched, '.answer .headline'))[0]), `a search begins with its answer: ${await texts(searched, '.answer .headline')}`);
check((await texts(searched, '.facts dd')).includes('p(95)<25ms'), 'and has its objectives');
const heads = await texts(searched, '.chart h3');
check(heads.join() === 'Throughput,Times', `it has curves: ${heads}`);
const plot = searched.locator('.chart:has(h3:text-is("Times")) .u-over');
const box = await plot.boundingBox();
await searched.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
const under = await texts(searched, '.chart:has(h3:text-is("Times")) .legend b');
check(under.length === 3 && under.every((text) => / ms$/.test(text)), `values are shown under the pointer: ${under}`);
check(/^\d+ users?/.test((await texts(searched, '.chart:has(h3:text-is("Times")) .when'))[0]), 'with the load');
await searched.mouse.down();
await searched.mouse.move(box.x + box.width - 4, box.y + box.height / 2, { steps: 4 });
await searched.mouse.up();
check(/^users [\d.]+ to [\d.]+$/.test((await texts(searched, '.range'))[0]), `a part is zoomed: ${await texts(searched, '.range')}`);
await searched.click('text=Show all');
check((await texts(searched, '.range'))[0] === '', 'and all is shown again');
await searched.focus('[aria-label^="Throughput. Use arrow"]');
await searched.keyboard.press('Home');
check(/^1 user.*, throughput [\d.,]+\/s$/.test((await texts(searched, '.chart:has(h3:text-is("Throughput")) [role=status]'))[0]), 'the cursor moves by keyboard');
await searched.click('[aria-label="Times as a table"]');
check((await texts(searched, '.as-table thead th')).join() === 'users,p50,p95,p99', 'a chart has its figures as a table');
await isWhole('search', searched);

const swept = await made(['sweep', `${site}/pool?workers={pool}&service=5ms`, '--setting', 'pool=1,2', '--vary', 'users=1,2,4', '--each', '400ms', '-o', 'sweep'], 'sweep/index.html');
check((await texts(swept, '.heat-table th[scope=row]')).join() === 'pool 1,pool 2,pool 1,pool 2', 'a sweep has heat maps with a row a setting');
check((await texts(swept, '.heat-table td.most')).length === 4, 'with the highest of each row');
check((await texts(swept, '.legend .entry')).length === 4, 'and curves with a line a setting');
await isWhole('sweep', swept);

const matrix = await made(['matrix', '--tools', 'swell', '--users', '2', '--rtt', '5ms', '-d', '1s', '--rounds', '1', '-o', 'matrix'], 'matrix/index.html');
check((await texts(matrix, '.bars .value')).some((text) => /^[\d.,]+\/s$/.test(text)), 'a matrix has bars with the figures of each tool');
await isWhole('matrix', matrix);
await browser.close();
// Node would wait for it.
target.kill('SIGKILL');
