// The page of `swell debug` in Chromium: from a file with the network off, with hostile bodies, with 2,000 steps; then served by the program.
// KEPT: a folder that keeps its pages.

import { spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { accessible, browser, check, folder, open, run, swell } from './browser.mjs';

const HOSTILE = '<img src=x onerror="document.title=\'broken\'"><script>parent.document.title="broken"</script>';
const asked = [];
const bodies = {
  '/json': ['application/json', `{"order":{"id":7,"qty":2,"price":1.10},"list":[1,2,3],"note":${JSON.stringify(HOSTILE)}}`],
  '/xml': ['application/xml', '<?xml version="1.0"?><a><b id="1">x</b><c/></a>'],
  '/binary': ['application/octet-stream', Buffer.from([0xff, 0xfe, 0x00, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x80])],
  '/escapes': ['text/plain', 'a\u001b[31mred\u001b[0m \u202egnp.exe\u0007'],
  '/long': ['text/plain', 'x'.repeat(10_000_000)],
  '/step': ['application/json', '{"ok":true}'],
};
const server = createServer((request, response) => {
  asked.push(request.url);
  if (request.url === '/redirect') return response.writeHead(302, { Location: '/json', 'Set-Cookie': 'sid=abcdef123456; Path=/' }).end();
  const [type, body] = bodies[request.url.split('?')[0]] ?? ['text/plain', 'gone'];
  response.writeHead(bodies[request.url.split('?')[0]] ? 200 : 404, { 'Content-Type': type }).end(body);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address();
const site = `http://127.0.0.1:${port}`;
bodies['/html'] = ['text/html', `<!doctype html><html><head><title>Login</title><meta http-equiv="refresh" content="0;url=${site}/beacon-refresh"><link rel="stylesheet" href="${site}/beacon.css"><style>h1{color:rgb(1,2,3)}@import "${site}/beacon-import.css"</style></head><body onload="document.title='broken'"><h1>Login</h1><script>parent.document.title='broken'</script><img src="${site}/beacon.png"><div style="background:url(${site}/beacon-bg.png)">x</div><iframe src="${site}/beacon-frame"></iframe><form action="${site}/beacon-form"><input name="csrf" value="abc"></form><a href="${site}/beacon-link">link</a></body></html>`];

const text = (name, value) => `<stringProp name="${name}">${value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')}</stringProp>`;
const element = (kind, name, properties, below = '') => `<${kind} guiclass="X" testclass="${kind}" testname="${name.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')}" enabled="true">${properties}</${kind}><hashTree>${below}</hashTree>`;
const get = (name, path, below = '') => element('HTTPSamplerProxy', name, text('HTTPSampler.domain', '127.0.0.1') + text('HTTPSampler.port', String(port)) + text('HTTPSampler.path', path) + text('HTTPSampler.method', 'GET')
  + '<boolProp name="HTTPSampler.follow_redirects">true</boolProp><boolProp name="HTTPSampler.use_keepalive">true</boolProp>', below);
const json = (variable, path) => element('JSONPostProcessor', variable, text('JSONPostProcessor.referenceNames', variable) + text('JSONPostProcessor.jsonPathExprs', path) + text('JSONPostProcessor.match_numbers', '1') + text('JSONPostProcessor.defaultValues', 'NOT_FOUND'));
const status = (code) => element('ResponseAssertion', `Status ${code}`, `<collectionProp name="Asserion.test_strings">${text('1', code)}</collectionProp>${text('Assertion.test_field', 'Assertion.response_code')}<intProp name="Assertion.test_type">8</intProp>`);
const plan = (below) => `<?xml version="1.0" encoding="UTF-8"?><jmeterTestPlan version="1.2"><hashTree>${element('TestPlan', 'Shop', '', element('ThreadGroup', 'Users', `<elementProp name="ThreadGroup.main_controller" elementType="LoopController"><boolProp name="LoopController.continue_forever">false</boolProp>${text('LoopController.loops', '1')}</elementProp>${text('ThreadGroup.num_threads', '1')}${text('ThreadGroup.ramp_time', '0')}`, below))}</hashTree></jmeterTestPlan>`;
writeFileSync(join(folder, 'shop.jmx'), plan([
  element('CookieManager', 'Cookies', ''),
  get('GET /redirect', '/redirect'),
  get('GET /json', '/json', json('order_id', '$.order.idd') + status('200')),
  element('IfController', 'only with an item', `${text('IfController.condition', '${__jexl3("${item}" == "x")}')}<boolProp name="IfController.useExpression">true</boolProp>`, get('GET /never', '/never')),
  element('LoopController', 'twice', text('LoopController.loops', '2'), get('GET /order', '/orders/${order_id}', status('200'))),
  get(HOSTILE, '/html'), get('GET /xml', '/xml'), get('GET /binary', '/binary'), get('GET /escapes', '/escapes'), get('GET /long', '/long'),
].join('')));
writeFileSync(join(folder, 'many.jmx'), plan(Array.from({ length: 10 }, (_, at) => get(`Step ${at}`, `/step?n=${at}`)).join('')));

const made = await run(['debug', 'shop.jmx', '-o', 'trace.html']);
const file = join(folder, 'trace.html');
check(made.code === 0, `a page is made: ${made.said}`);
check((statSync(file).mode & 0o777) === 0o600, 'which only its user can read');
check((await run(['debug', 'shop.jmx', '-o', 'trace.html'])).code === 104, 'and it is not overwritten without -f');
const many = await run(['debug', 'many.jmx', '--iterations', '200', '-o', 'many.html']);
check(many.code === 0, `a page of 2,000 steps is made: ${many.said.slice(-500)}`);
if (process.env.KEPT) for (const name of ['trace.html', 'many.html']) copyFileSync(join(folder, name), join(process.env.KEPT, name));

asked.length = 0;
const offline = async (name, of = {}) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: 'UTC', locale: 'en-US', bypassCSP: of.bypassCSP ?? false, ...of });
  await context.setOffline(true);
  // The browser reports what its policies refuse of hostile markup.
  return open(`file://${join(folder, name)}`, { context, wait: '[role=treeitem]', expected: /inline event handler|Not allowed to load local resource|Loading the (image|stylesheet|font)/ });
};
const page = await offline('trace.html');
const selected = () => page.$eval('[role=treeitem][aria-selected=true] .name', (one) => one.textContent);
const names = () => page.$$eval('[role=treeitem] .name', (all) => all.map((one) => one.textContent));
const panel = () => page.textContent('.panel');
const tab = (name) => page.click(`[role=tab]:has-text("${name}")`);

check((await selected()) === 'GET /order', 'the first failure is open');
check((await page.textContent('.about')).includes('Status 200: the response code is "404", wanted: equals "200"'), 'and says what was wanted and what came');
check((await names()).includes(HOSTILE) && (await page.title()) !== 'broken', 'a label that tries to be markup is text');
check((await names()).includes('only with an item') && (await names()).includes('GET /never'), 'a condition that is false is there, and what never ran');
check(/NOT_FOUND/.test(await page.textContent('.about')) || /order_id/.test(await page.textContent('.details')), 'a default value that was sent is named');

// Keys: next failure, next and previous row, tabs, folding.
await page.focus('[role=tree]');
await page.keyboard.press('n');
const second = await page.getAttribute('[role=tree]', 'aria-activedescendant');
await page.keyboard.press('p');
check((await page.getAttribute('[role=tree]', 'aria-activedescendant')) !== second, 'n and p go from failure to failure');
await page.keyboard.press('Home');
check((await selected()) === 'Summary', 'Home goes to the summary');
check(/GET \/never/.test(await panel()), 'which names the sampler that never ran');
await page.keyboard.press('j');
await page.keyboard.press('j');
await page.keyboard.press('k');
check((await selected()) === 'Users', 'j and k go down and up');
await page.keyboard.press('ArrowLeft');
check(!(await names()).includes('GET /json'), 'a branch is folded with the left arrow');
await page.keyboard.press('ArrowRight');
check((await names()).includes('GET /json'), 'and unfolded with the right one');

// Filters.
const filtered = async (words, where, name) => {
  await page.selectOption('.filter select', where);
  await page.fill('.filter input[type=search]', words);
  await page.waitForFunction((wanted) => document.querySelector('.filter > span').textContent === wanted, name);
};
await filtered('GET /XM', 'label', '1 found');
check((await names()).includes('GET /xml') && !(await names()).includes('GET /json'), 'labels are searched');
await filtered('/orders/NOT_FOUND', 'url', '2 found');
await filtered('"qty":2', 'body', '3 found');
check((await names()).includes('GET /json'), 'bodies are searched');
await filtered('no such text', 'body', '0 found');
check(await page.isVisible('.nothing'), 'a filter that finds nothing says so');
await page.fill('.filter input[type=search]', '');
await page.check('.filter input[type=checkbox]');
await page.waitForFunction(() => document.querySelector('.filter > span').textContent === '2 found');
check(!(await names()).includes('GET /json'), 'failures alone are shown');
await page.uncheck('.filter input[type=checkbox]');
await page.waitForFunction(() => document.querySelector('.filter > span').textContent === '');

// A step with its tabs.
const choose = (name) => page.click(`[role=treeitem] .name:text-is(${JSON.stringify(name)})`);
await choose('GET /redirect');
await tab('Request');
check(/1 of 2: GET \S+\/redirect, 302[^]*2 of 2: GET \S+\/json, 200/.test(await panel()), 'a step has the requests of its redirects');
await tab('Cookies');
check(/Stored/.test(await panel()) && /sid/.test(await panel()), 'and their cookies');
await choose('GET /json');
await tab('Checks');
check(/NO MATCH/.test(await panel()) && /\$\.order\.id/.test(await panel()), 'an extractor without a match shows what the body has');
await tab('Request');
check(/GET \/json HTTP\/1\.1/.test(await panel()) && /Cookie: sid=\*\*\*/.test(await panel()), 'the request is shown as it was sent, without the value of its cookie');
await tab('Response');
check(/"price": 1\.10/.test(await panel()), 'JSON is shown with line breaks, and numbers as they are');
await page.click('.views button:text-is("Raw")');
check(/"price":1\.10/.test(await panel()), 'and as it came');
await page.click('.views button:text-is("Hex")');
check(/00000000 {2}7b 22 6f/.test(await panel()), 'and as bytes');
await page.click('.tester summary');
await page.fill('.test input', "$.order['id']");
check((await page.textContent('.command')).includes("swell debug shop.jmx --test '$.order['\\''id'\\'']' --at 2"), `a page from a file shows the command for an expression: ${await page.textContent('.test-answer')}`);
await tab('Cookies');
check(/sid/.test(await panel()), 'cookies are shown');
await tab('Timing');
check(/wait for the first byte/.test(await panel()), 'times are shown');
await tab('Variables');
check(/order_id/.test(await panel()) && /NOT_FOUND/.test(await panel()), 'a changed variable is shown');
await choose('twice');
check(/Loop/.test(await panel()), 'a controller says what it decided');

// Hostile bodies, with the network on.
await page.context().setOffline(false);
await choose(HOSTILE);
await tab('Response');
await page.click('.views button:text-is("Preview")');
const frame = await (await page.waitForSelector('iframe.preview')).contentFrame();
await frame.waitForSelector('h1');
check((await page.getAttribute('iframe.preview', 'sandbox')) === '', 'the preview may do nothing');
check((await frame.$$('script, iframe, link, meta[http-equiv=refresh], [onload]')).length === 0, 'and has nothing that runs or loads');
check((await frame.getAttribute('form', 'action')) === null && (await frame.getAttribute('a', 'href')) === null, 'nor leads anywhere');
// What the frame loads, it has begun to load before its next frames are drawn.
await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
await page.screenshot();
await page.click('.views button:text-is("HTML source")');
check(/<title>Login<\/title>/.test(await panel()), 'its source is text');
await choose('GET /escapes');
check((await panel()).includes('a␛[31mred␛[0m ‹U+202E›gnp.exe␇'), 'escapes of terminals and changes of direction are visible');
await choose('GET /binary');
check(/ff fe 00 1b/.test(await panel()), 'bytes that are no text are shown as hexadecimal');
await choose('GET /long');
check(/Only the first 1\.00 MB of 9\.54 MB were kept/.test(await panel()) && (await panel()).length < 200_000, 'of 10 MB in one line a part is shown');
check((await page.title()) !== 'broken', 'no body ran anything');

// 2,000 steps.
const large = await offline('many.html');
const spent = await large.evaluate(async () => {
  const tree = document.querySelector('[role=tree]');
  const input = document.querySelector('.filter input[type=search]');
  const frames = [];
  let last = performance.now();
  const next = () => new Promise((resolve) => requestAnimationFrame(() => {
    frames.push(performance.now() - last);
    last = performance.now();
    resolve();
  }));
  for (let at = 0; at < 60; at += 1) {
    tree.scrollTop = (tree.scrollHeight / 60) * at;
    await next();
  }
  for (const text of ['Step 7', 'Step', '']) {
    input.value = text;
    input.dispatchEvent(new Event('input'));
    for (let at = 0; at < 20; at += 1) await next();
  }
  return { longest: Math.max(...frames.slice(2)), rows: document.querySelectorAll('[role=treeitem]').length, height: tree.scrollHeight };
});
check(spent.rows < 100 && spent.height > 60_000, `2,000 steps scroll and filter with ${spent.rows} rows in the document; the longest frame took ${spent.longest.toFixed(0)} ms`);
check(asked.length === 0, `nothing asked the network: ${asked}`);

for (const colorScheme of ['light', 'dark']) {
  for (const width of [360, 1280]) {
    const shown = await offline('trace.html', { viewport: { width, height: 800 }, colorScheme, bypassCSP: true });
    for (const name of width > 900 ? ['Checks', 'Request', 'Response', 'Variables', 'Timing', 'Cookies'] : []) await shown.click(`[role=tab]:has-text("${name}")`).then(() => accessible(shown, `the tab ${name}, ${colorScheme}`));
    await accessible(shown, `the page at ${width} pixels, ${colorScheme}`);
    check(await shown.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'no part of it is wider than the page');
    await shown.context().close();
  }
}

// Served by the program.
const served = spawn(swell, ['debug', 'shop.jmx', '--open'], { cwd: folder, env: { ...process.env, XDG_RUNTIME_DIR: folder, PATH: folder } });
process.on('exit', () => served.kill('SIGKILL'));
let said = '';
const address = await new Promise((resolve) => {
  served.stderr.on('data', (data) => {
    said += data;
    const found = /http:\/\/\S+#t=\w+/.exec(said);
    if (found) resolve(found[0]);
  });
  served.on('close', () => check(false, `the page is served: ${said}`));
});
served.removeAllListeners('close');
const { origin } = new URL(address);
check((await fetch(`${origin}/api/trace`)).status === 401, 'without the secret there are no events');
const live = await open(address, { wait: '[role=treeitem]' });
await live.click('[role=treeitem] .name:text-is("GET /json")');
await live.click('[role=tab]:has-text("Response")');
await live.click('.tester summary');
const answered = async (language, expression, wanted) => {
  await live.selectOption('.test select', { label: language });
  await live.fill('.test input', expression);
  await live.click('.test button');
  await live.waitForFunction((words) => document.querySelector('.test-answer').textContent.includes(words), wanted);
};
await answered('JSONPath', '$.order.id', '1 match');
await answered('JSONPath', '$.order.idd', 'The response has: $.order.id');
await answered('Regular expression', '"qty":(\\d)', 'Regular Expression Extractor');
await answered('Boundaries', '"id":|,', '1 match');
await answered('JSONPath', 'order', 'invalid expression');
check(true, 'expressions are answered by the program');

// What was found is written into the plan.
const ofPlan = () => readFileSync(join(folder, 'shop.jmx'), 'utf8');
const written = async (wanted) => {
  await live.click('.write button');
  await live.waitForFunction((words) => document.querySelector('.write + [role=status]').textContent.includes(words), wanted);
  return live.textContent('.write + [role=status]');
};
const before = ofPlan();
await answered('CSS selector', 'nothing', 'NO MATCH');
check((await live.$$('.write')).length === 0, 'what finds nothing cannot be written');
await answered('JSONPath', '$.order.id', '1 match');
check((await live.inputValue('.write input')) === 'order_id', 'a name for the variable is proposed');
check((await written('already')).includes('sets the variable `order_id` already'), 'a name that is taken is refused');
check(ofPlan() === before, 'and the plan is as it was');
await live.fill('.write input', 'id_of_order');
const line = Number(/shop\.jmx:(\d+)/.exec(await written('Written'))?.[1]);
check(ofPlan().split('\n')[line - 1].includes('testname="id_of_order"'), `the page says the line of the extractor: ${line}`);
await live.selectOption('.write select', { label: 'Assertion' });
await live.fill('.write input', '7');
await written('has $.order.id is 7');
const after = ofPlan();
check(after.includes('<stringProp name="EXPECTED_VALUE">7</stringProp>'), 'an assertion follows');
await accessible(live, 'a form that writes into the plan');
appendFileSync(join(folder, 'shop.jmx'), '\n');
check((await written('was changed')).includes('nothing is written'), 'a plan that another program has changed stays');
check(ofPlan() === `${after}\n`, 'byte for byte');
const ended = new Promise((resolve) => served.on('close', resolve));
served.kill('SIGINT');
check((await ended) === 0, 'a signal ends the program');
await browser.close();
server.close();
process.exit(0);
