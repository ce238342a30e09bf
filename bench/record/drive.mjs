#!/usr/bin/env node
// A browser for `swell record --browser`: Chromium with the arguments given, in which a script plays the user of the application
// named by RECORD_APP. Ends with status 1 if the application does not do what it should.

import { spawn } from 'node:child_process';

const LIMIT_MS = 60_000;
const arguments_ = process.argv.slice(2);
const { drive } = await import(`./apps/${process.env.RECORD_APP}.mjs`);

const chromium = spawn(process.env.CHROMIUM ?? '/usr/bin/chromium', ['--remote-debugging-pipe', '--lang=en-US', ...arguments_], { stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'] });
const ended = new Promise((resolve) => { chromium.on('close', resolve); });
process.on('SIGTERM', () => chromium.kill('SIGTERM'));
process.on('exit', () => chromium.kill('SIGKILL'));

const answers = new Map();
let unread = '';
chromium.stdio[4].setEncoding('utf8').on('data', (data) => {
  const messages = (unread + data).split('\0');
  unread = messages.pop();
  for (const message of messages.map((text) => JSON.parse(text))) {
    answers.get(message.id)?.(message);
    answers.delete(message.id);
  }
});

async function send(method, params = {}, sessionId = undefined) {
  const id = send.next = (send.next ?? 0) + 1;
  const answer = new Promise((resolve) => { answers.set(id, resolve); });
  chromium.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
  const { result, error } = await answer;
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

class Tab {
  constructor(session) { this.session = session; }

  async evaluate(work, ...values) {
    const expression = `(${work})(...${JSON.stringify(values)})`;
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true, userGesture: true }, this.session);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Waits until a function of the page gives something true. */
  async until(work, ...values) {
    const deadline = Date.now() + LIMIT_MS;
    for (;;) {
      // A page that is loading has nothing yet.
      if (await this.evaluate(work, ...values).catch(() => false)) return;
      if (Date.now() > deadline) throw new Error(`never came: ${work} ${values}: ${await this.evaluate(() => `${location.href} ${document.title} ${document.body?.innerText}`)}`);
      await new Promise((resolve) => { setTimeout(resolve, 20); });
    }
  }

  /** Waits for a page with this title that is complete. */
  title(title) { return this.until((wanted) => document.title === wanted && document.readyState === 'complete', title); }

  type(selector, text) { return this.evaluate((where, what) => { document.querySelector(where).value = what; }, selector, text); }

  // The page may be gone before it can answer.
  click(selector) { return this.evaluate((where) => { setTimeout(() => document.querySelector(where).click()); }, selector); }
}

async function page() {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const { targetInfos } = await send('Target.getTargets');
    const found = targetInfos.find(({ type, url }) => type === 'page' && url.startsWith('http'));
    if (found) return found.targetId;
    if (Date.now() > deadline) throw new Error('the browser opened no page');
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
}

try {
  const { sessionId } = await send('Target.attachToTarget', { targetId: await page(), flatten: true });
  await drive(new Tab(sessionId));
} catch (error) {
  console.error(error.stack);
  process.exitCode = 1;
}
await send('Browser.close');
await ended;
