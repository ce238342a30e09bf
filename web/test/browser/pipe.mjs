// Controls Chromium by its debugging pipe. Playwright keeps every page focused, so that its tabs are never hidden or frozen.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Chromium {
  constructor() {
    this.profile = mkdtempSync(join(tmpdir(), 'swell-chromium-'));
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--lang=en-US', '--window-size=1280,900', `--user-data-dir=${this.profile}`, '--remote-debugging-pipe'];
    this.process = spawn(process.env.CHROMIUM ?? '/usr/bin/chromium', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { ...process.env, TZ: 'UTC' } });
    this.ended = new Promise((resolve) => this.process.on('close', resolve));
    process.on('exit', () => this.process.kill('SIGKILL'));
    this.answers = [];
    let unread = '';
    this.process.stdio[4].setEncoding('utf8').on('data', (data) => {
      const messages = (unread + data).split('\0');
      unread = messages.pop();
      messages.map((message) => JSON.parse(message)).filter(({ id }) => id).forEach((answer) => this.answers[answer.id](answer));
    });
  }

  async send(method, params = {}, sessionId = undefined) {
    const id = Math.max(1, this.answers.length);
    const answer = new Promise((resolve) => {
      this.answers[id] = resolve;
      // A page that is replaced during a request may never respond.
      setTimeout(() => resolve({ error: { message: 'no answer' } }), 180_000).unref();
    });
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const { result, error } = await answer;
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  /** Opens a tab in front of all others. */
  async open(url) {
    const { targetId } = await this.send('Target.createTarget', { url });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const tab = new Tab(this, targetId, sessionId);
    await tab.front();
    return tab;
  }

  async close() {
    await this.send('Browser.close');
    await this.ended;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Tab {
  constructor(chromium, targetId, sessionId) {
    Object.assign(this, { chromium, targetId, sessionId });
  }

  /** Returns the result of a function in the page. */
  async evaluate(work, ...args) {
    const expression = `(${work})(...${JSON.stringify(args)})`;
    const { result, exceptionDetails } = await this.chromium.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true }, this.sessionId);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** Returns the result of a function in the page as soon as it is truthy. */
  async until(what, ...args) {
    const deadline = Date.now() + 180_000;
    for (;;) {
      // A page that is loading has nothing yet.
      const found = await this.evaluate(what, ...args).catch((error) => (Date.now() > deadline ? Promise.reject(error) : null));
      if (found) return found;
      if (Date.now() > deadline) throw new Error(`never came: ${what}: ${await this.evaluate(() => `${location.href} ${document.readyState} ${document.hidden} ${document.body.innerText}`)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async reload() {
    // Contents of the old page must not be mistaken for those of the new one.
    await this.evaluate(() => document.body.replaceChildren());
    await this.chromium.send('Page.reload', {}, this.sessionId);
  }

  async front() {
    await this.chromium.send('Target.activateTarget', { targetId: this.targetId });
  }

  /** Freezes or resumes the page's scripts. */
  async freeze(is = true) {
    await this.chromium.send('Page.setWebLifecycleState', { state: is ? 'frozen' : 'active' }, this.sessionId);
  }
}
