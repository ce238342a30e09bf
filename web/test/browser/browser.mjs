// Helpers of the browser tests: Chromium, the program, and assertions.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const swell = process.env.SWELL;
export const folder = mkdtempSync(join(tmpdir(), 'swell-page-'));

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
});

/** A page that fails the test when a script of it does, or when its policy stops something other than what is `expected`. */
export async function open(url, options = {}) {
  const context = options.context ?? (await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: 'UTC', locale: 'en-US', bypassCSP: options.bypassCSP ?? false, ...options.of }));
  const page = await context.newPage();
  page.setDefaultTimeout(180_000);
  page.on('pageerror', (error) => fail(`a script failed: ${error.stack}`));
  page.on('console', (message) => {
    if (options.expected?.test(message.text())) return;
    // A live page asks a run that has ended again.
    const isError = message.type() === 'error' && !/Failed to load resource/.test(message.text());
    if (isError || /Content Security Policy/.test(message.text())) fail(message.text());
  });
  await page.goto(url);
  await page.waitForSelector(options.wait ?? 'main table.labels tbody tr');
  return page;
}

export function fail(what) {
  console.error(`FAILED: ${what}`);
  process.exit(1);
}

export function check(fact, what) {
  if (!fact) fail(what);
  console.log(`ok: ${what}`);
}

/** Asserts that axe-core reports no serious problem. */
export async function accessible(page, what) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const serious = found.violations.filter((one) => one.impact === 'serious' || one.impact === 'critical');
  check(serious.length === 0, `${what} has no serious finding of axe-core ${serious.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.failureSummary}`).join(' | ')}`).join('\n')}`);
}

/** Runs the program to its end. */
export function run(args, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(swell, args, { cwd: folder, env: { ...process.env, ...env } });
    let said = '';
    child.stderr.on('data', (data) => { said += data; });
    child.stdout.on('data', (data) => { said += data; });
    child.on('close', (code) => resolve({ code, said }));
  });
}
