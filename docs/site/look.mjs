// Reads the site in a browser: `node docs/site/look.mjs` after `make docs`. Every page on a narrow screen, some in three widths,
// light and dark: no error of a script, nothing wider than the window, no serious finding of axe-core; and the search finds a page.
// SHOTS=DIR saves pictures.
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const site = process.env.SITE ?? join(root, 'site-out/book');
const require = createRequire(join(root, 'web/package.json'));
const { chromium } = require('playwright-core');
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const pages = readdirSync(site, { recursive: true })
  .filter((name) => name.endsWith('.html') && !/(^|\/)(404|toc|print)\.html$/.test(name))
  .sort();
const failures = [];
const fail = (where, what) => failures.push(`${where}: ${what}`);

const LIMIT = 180_000;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-dev-shm-usage'] });
const address = (name) => `file://${join(site, name)}`;

const accessible = async (page, where) => {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'], preload: false }));
  for (const { id, impact, nodes } of found.violations) {
    if (impact === 'serious' || impact === 'critical') fail(where, `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(' | ')}`);
  }
};

const SHOWN = ['index.html', 'docs/guide/kubernetes.html', 'docs/questions/why-degraded.html'];

for (const [width, theme] of [[1400, 'light'], [800, 'navy'], [360, 'light']]) {
  const context = await browser.newContext({ viewport: { width, height: 900 } });
  await context.addInitScript((name) => localStorage.setItem('mdbook-theme', name), theme);
  const page = await context.newPage();
  page.setDefaultTimeout(LIMIT);
  let name;
  page.on('pageerror', (error) => fail(name, error.message));
  page.on('requestfailed', (request) => fail(name, `cannot load ${request.url()}`));
  for (name of width === 360 ? pages : SHOWN) {
    const where = `${name} at ${width} px`;
    await page.goto(address(name));
    const [wide, window_] = await page.evaluate(() => [document.scrollingElement.scrollWidth, document.scrollingElement.clientWidth]);
    if (wide > window_) fail(where, `${wide - window_} px wider than the window`);
    if (!(await page.locator('main h1').count())) fail(where, 'no heading');
    await accessible(page, where);
    if (process.env.SHOTS && SHOWN.includes(name)) await page.screenshot({ path: join(process.env.SHOTS, `${name.replace(/\W+/g, '-')}-${width}.png`) });
  }
  await context.close();
}

const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
page.setDefaultTimeout(LIMIT);
await page.goto(address('index.html'));
await page.locator('#mdbook-search-toggle').click();
const results = page.locator('#mdbook-searchresults a');
// What is typed before the index is loaded finds nothing, so it is typed again.
for (let tries = 0; tries < 60 && (await results.count()) === 0; tries += 1) {
  await page.locator('#mdbook-searchbar').fill('');
  await page.locator('#mdbook-searchbar').pressSequentially('DEGRADED');
  await results.first().waitFor({ timeout: 3_000 }).catch(() => {});
}
const found = await results.evaluateAll((links) => links.map((link) => link.href));
if (!found.some((link) => link.includes('why-degraded'))) fail('search', `DEGRADED finds only ${found.map((link) => relative(site, link)).join(', ')}`);
await browser.close();

if (failures.length > 0) {
  console.error(failures.join('\n'));
  process.exit(1);
}
console.log(`${pages.length} pages; the search finds ${found.length} places`);
