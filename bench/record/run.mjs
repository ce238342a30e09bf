// Records each application twice in a real Chromium and replays its plan in Swell and in JMeter:
//
//     SWELL=target/release/swell JMETER=~/apache-jmeter-5.6.3 node bench/record/run.mjs [NAME ...]
//
// Each application refuses values of another session, so a replay without errors means that the plan has the right variables.
// Prints a table; status 1 if an application that can be replayed is not, or the one that cannot be is not told.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const swell = process.env.SWELL ?? 'swell';
const jmeter = process.env.JMETER;
const USERS = 5;
const LOOPS = 3;
const LIMIT_MS = 300_000;

/** Applications whose requests no plan can make. */
const UNRESOLVED = new Set(['signed']);

function run(program, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...options, env: { ...process.env, SWELL_RUNS: 'off', ...options.env }, timeout: LIMIT_MS });
    let said = '';
    child.stdout.on('data', (data) => { said += data; });
    child.stderr.on('data', (data) => { said += data; });
    child.on('error', (error) => resolve({ code: -1, said: String(error) }));
    child.on('close', (code) => resolve({ code, said }));
  });
}

function serve(name) {
  const child = spawn('node', [join(here, 'serve.mjs'), name], { stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve) => { child.stdout.once('data', (url) => resolve({ child, url: String(url).trim() })); });
}

/** Rows of a results file, and how many failed. */
function counts(file) {
  // Fields in quotes may have commas and line ends.
  const records = [[]];
  for (const [, field, end] of readFileSync(file, 'utf8').matchAll(/("(?:[^"]|"")*"|[^,\n]*)(,|\n|$)/g)) {
    records.at(-1).push(field);
    if (end !== ',') records.push([]);
  }
  const [head, ...rows] = records.filter((record) => record.length > 1);
  const column = head.indexOf('success');
  return { rows: rows.length, failed: rows.filter((row) => row[column] !== 'true').length };
}

async function replay(folder, name, program, args) {
  const results = join(folder, `${name}.jtl`);
  rmSync(results, { force: true });
  const { code, said } = await run(program, [...args, '-l', results, `-Jusers=${USERS}`, `-Jloops=${LOOPS}`, '-Jpassword=s3cret-Pass'], { cwd: folder });
  try {
    return { ...counts(results), code };
  } catch (error) {
    return { rows: 0, failed: -1, code, said: `${said}\n${error.message}` };
  }
}

async function application(name) {
  const folder = mkdtempSync(join(tmpdir(), 'swell-record-bench-'));
  const { child, url } = await serve(name);
  const found = { name, variables: 0, problems: [] };
  try {
    const record = (...more) => run(swell, ['record', url, '-o', 'plan.jmx', '--headless', '--pause', 'none', '--browser', join(here, 'drive.mjs'), ...more], { cwd: folder, env: { RECORD_APP: name, XDG_DATA_HOME: folder } });
    for (const more of [[], ['--again']]) {
      const { code, said } = await record(...more);
      if (code !== 0 || said.includes('warning')) found.problems.push(`record ${more} ended with ${code}: ${said}`);
      found.said = said;
    }
    const checked = await run(swell, ['check', 'plan.jmx'], { cwd: folder });
    if (checked.code !== 0) found.problems.push(`check: ${checked.said}`);
    found.variables = new Set(readFileSync(join(folder, 'plan.jmx'), 'utf8').match(/\$\{\w+\}/g) ?? []).size;
    found.swell = await replay(folder, 'swell', swell, ['run', 'plan.jmx']);
    if (jmeter) found.jmeter = await replay(folder, 'jmeter', 'java', ['-Xmx512m', '-jar', join(jmeter, 'bin/ApacheJMeter.jar'), '-n', '-t', 'plan.jmx', '-j', 'jmeter.log']);
    for (const tool of ['swell', 'jmeter']) {
      const result = found[tool];
      if (!result) continue;
      const failed = result.failed !== 0 || result.rows === 0;
      if (failed !== UNRESOLVED.has(name)) found.problems.push(`${tool}: ${result.failed} of ${result.rows} failed ${result.said ?? ''}`);
    }
    if (process.env.KEEP || found.problems.length > 0) found.folder = folder;
  } finally {
    child.kill();
    if (!found.folder) rmSync(folder, { recursive: true, force: true });
  }
  return found;
}

const names = process.argv.length > 2 ? process.argv.slice(2) : readdirSync(join(here, 'apps')).map((file) => file.replace('.mjs', ''));
const show = (result) => (result ? `${result.rows} rows, ${result.failed} failed` : 'not run');
let failed = false;
console.log(`| application | variables | Swell, ${USERS} users, ${LOOPS} loops | JMeter |\n|---|---|---|---|`);
for (const name of names) {
  const found = await application(name);
  console.log(`| ${name} | ${found.variables} | ${show(found.swell)} | ${show(found.jmeter)} |`);
  if (process.env.KEEP) console.error(found.said);
  for (const problem of found.problems) console.error(`${name}: ${problem}\n${found.folder ?? ''}`);
  failed ||= found.problems.length > 0;
}
process.exit(failed ? 1 : 0);
