// What is on the right: the chosen row with its tabs.

import { h } from '../dom';
import { bytes } from '../format';
import { bodyView, textBox } from './body';
import { actionList, checkCount, failedChecks } from './checks';
import type { Content, Cookies, Decision, ElementRef, End, Exchange, Hint, ReadVariable, Sample, Start, Step } from './events';
import { lineOf, oneLine, visible } from './text';
import { tester, type TesterHost } from './tester';
import { timing } from './timing';
import { decisionText, kindName, type TraceNode } from './tree';
import { changesOf, line, pairs, table, variables } from './variables';

/** What details need of the page. */
export interface DetailsHost extends TesterHost {
  /** The steps are those of failures that a load run kept, of which less is known. */
  isKept: boolean;
  /** Shows a step. */
  goTo(step: number): void;
}

export interface Tab {
  name: string;
  count?: string;
  isBad?: boolean;
  make(): Node[];
}

export interface Details {
  title: string;
  status: string;
  facts: Node[];
  tabs: Tab[];
}

/** Where an element is in the plan. */
function placeOf(element: ElementRef, plan: string): HTMLElement {
  return h('p', { class: 'soft place' }, `${visible(element.path)}${lineOf(element, plan)}`);
}

function hints(all: Hint[] | undefined): Node[] {
  return (all ?? []).map((hint) => h('p', { class: 'note' }, h('b', {}, 'Hint: '), visible(hint.text)));
}

/** A variable with its value and the step that set it. */
function read(one: ReadVariable, host: DetailsHost): HTMLElement {
  const step = one.set_by_step;
  const origin = step === null ? null : h('button', { type: 'button', class: 'quiet', onclick: () => host.goTo(step) }, `set by step ${step}`);
  const by = one.set_by ? ` (${oneLine(one.set_by, 80)})` : '';
  const value = one.value === null ? 'nothing sets it: the reference itself was sent' : one.is_default ? 'the default value: the extractor found nothing' : '';
  return h('tr', {}, h('th', { scope: 'row' }, oneLine(one.name)), h('td', { class: 'text' }, h('code', {}, one.value === null ? `\${${oneLine(one.name)}}` : oneLine(one.value, 1_000))),
    h('td', { class: value ? 'text bad' : 'text' }, value), h('td', { class: 'text' }, origin, by));
}

function reads(all: ReadVariable[] | undefined, host: DetailsHost): Node[] {
  if (!all || all.length === 0) return [];
  return [h('h3', {}, 'Variables in it'), table(['Name', 'Value', 'Note', 'Origin'], all.map((one) => read(one, host)))];
}

function connectionText(exchange: Exchange): string {
  const { connection } = exchange;
  if (exchange.cache === 'fresh') return 'Nothing was sent: the response in the cache is still fresh.';
  if (!connection) return 'There was no connection.';
  const { number, reused, address, local_address: local, tls, proxy } = connection;
  const encrypted = tls ? `, ${tls}` : ', not encrypted';
  return `${reused ? 'Reused' : 'New'} connection ${number} from ${local} to ${address}${encrypted}${proxy ? `, through the proxy ${proxy}` : ''}`;
}

function headText(head: Content): string {
  return (head.text ?? '').replace(/\r\n/g, '\n').trimEnd();
}

/** A header of a head. */
function header(head: string, name: string): string {
  const found = head.split('\n').find((one) => one.toLowerCase().startsWith(`${name}:`));
  return found ? found.slice(name.length + 1).trim() : '';
}

function requestOf(exchange: Exchange, host: DetailsHost): Node[] {
  const about = host.isKept ? null : h('p', { class: 'soft' }, visible(connectionText(exchange)));
  const failure = exchange.error ? [h('p', { class: 'note bad-note' }, visible(exchange.error))] : [];
  const { request } = exchange;
  if (!request) return [...present(about), ...failure, h('p', { class: 'soft' }, 'No request was sent.')];
  const head = headText(request.head);
  const body = request.body.size > 0 ? [h('h3', {}, 'Request body'), bodyView(request.body, header(head, 'content-type'), '', 'request body', host.isKept)] : [];
  return [...present(about), ...failure, h('h3', {}, `Request as it was sent, ${bytes(request.size)}`), textBox(head, 'Request line and headers'), ...body];
}

function present(one: Node | null): Node[] {
  return one ? [one] : [];
}

function exchangeHeading(exchange: Exchange, at: number, all: number): Node[] {
  if (all < 2) return [];
  return [h('h3', { class: 'exchange' }, `${at + 1} of ${all}: ${oneLine(`${exchange.method} ${exchange.url}`)}, ${exchange.response ? exchange.response.status : 'no response'}`)];
}

function requestTab(sample: Sample | null, exchanges: Exchange[], step: Step | null, host: DetailsHost): Tab {
  return {
    name: 'Request',
    make: () => {
      const sent = exchanges.flatMap((one, at) => [...exchangeHeading(one, at, exchanges.length), ...requestOf(one, host)]);
      const other = sample?.sent ? [h('h3', {}, 'What was sent'), textBox(sample.sent, 'What was sent')] : [];
      const empty = sent.length + other.length === 0 ? [h('p', { class: 'soft' }, 'Nothing was sent.')] : [];
      const written = step?.written ?? [];
      const rows = written.map((one) => line(oneLine(one.property), h('code', {}, oneLine(one.text, 2_000))));
      const plan = rows.length > 0 ? [h('h3', {}, 'As it is written in the plan'), table(['Property', 'Text'], rows)] : [];
      return [...sent, ...other, ...empty, ...reads(step?.reads, host), ...plan];
    },
  };
}

function responseTab(sample: Sample, exchanges: Exchange[], place: { step: number; place: number[] } | null, host: DetailsHost): Tab {
  return {
    name: 'Response',
    count: oneLine(sample.code, 12),
    isBad: !sample.success,
    make: () => {
      const last = exchanges.at(-1)?.response;
      const head = last ? headText(last.head) : sample.response_headers.trimEnd();
      const earlier = exchanges.slice(0, -1).flatMap((one, at) => (one.response ? [...exchangeHeading(one, at, exchanges.length), textBox(headText(one.response.head), 'Status line and headers')] : []));
      const encoded = last?.encoding ? `, ${last.encoding} taken off` : '';
      const nothing = head === '' ? [h('p', { class: 'note' }, `${visible(sample.code)} ${visible(sample.message)}`)] : [textBox(head, 'Status line and headers')];
      const body = bodyView(sample.body, sample.content_type, sample.charset, 'response body', host.isKept);
      const test = place && sample.body.size > 0 ? [tester(place, host)] : [];
      return [...earlier, h('h3', {}, 'Status line and headers'), ...nothing, h('h3', {}, `Body${encoded}`), body, ...test];
    },
  };
}

function refused(title: string, all: { name: string; reason: string }[] | undefined): Node[] {
  if (!all || all.length === 0) return [];
  const rows = all.map((one) => line(oneLine(one.name), visible(one.reason)));
  return [h('h3', {}, title), table(['Cookie', 'Reason'], rows)];
}

function cookies(one: Cookies): Node[] {
  const sent = one.sent === null ? [h('p', { class: 'soft' }, 'No cookie was sent.')] : [table(['Sent', 'Value'], one.sent.split('; ').map((part) => {
    const [name = '', ...value] = part.split('=');
    return line(oneLine(name), h('code', {}, oneLine(value.join('='), 1_000)));
  }))];
  const stored = (one.stored ?? []).map((cookie) => line(oneLine(cookie.name), ...[cookie.value, cookie.domain, cookie.path].map((text) => oneLine(text, 500))));
  const none = one.managed ? [] : [h('p', { class: 'note' }, 'No Cookie Manager is in the scope of this sampler, so cookies are neither stored nor sent.')];
  return [...none, ...sent, ...refused('Not sent', one.not_sent), ...(stored.length > 0 ? [h('h3', {}, 'Stored'), table(['Cookie', 'Value', 'Domain', 'Path'], stored)] : []), ...refused('Refused', one.refused)];
}

const CACHE: Record<string, string> = { fresh: 'The Cache Manager sent nothing: the stored response is still fresh.', validated: 'The Cache Manager asked whether the stored response is still valid.' };

function cookiesTab(exchanges: Exchange[]): Tab {
  const count = exchanges.reduce((sum, one) => sum + (one.cookies.sent?.split(';').length ?? 0) + (one.cookies.stored?.length ?? 0), 0);
  const isBad = exchanges.some((one) => (one.cookies.refused ?? []).length + (one.cookies.not_sent ?? []).length > 0);
  return {
    name: 'Cookies', ...(count > 0 ? { count: String(count) } : {}), isBad,
    make: () => exchanges.flatMap((one, at) => [...exchangeHeading(one, at, exchanges.length), ...cookies(one.cookies), ...(one.cache ? [h('p', {}, CACHE[one.cache] ?? one.cache)] : [])]),
  };
}

/** Requests of one sample that are shown together; those of sub-samples are at their own rows, too. */
const MOST_EXCHANGES = 20;

/** The requests of a sample: its own, or those of its redirects and embedded resources. */
function allExchanges(sample: Sample): Exchange[] {
  const own = sample.exchanges ?? [];
  return own.length > 0 ? own : (sample.children ?? []).flatMap(allExchanges);
}

function sampleTabs(sample: Sample, step: Step | null, place: { step: number; place: number[] } | null, host: DetailsHost): Tab[] {
  const own = sample.exchanges ?? [];
  const exchanges = allExchanges(sample).slice(0, MOST_EXCHANGES);
  const tabs = [requestTab(sample, exchanges, step, host), responseTab(sample, own, place, host)];
  tabs.push({ name: 'Timing', make: () => timing(sample, step?.actions ?? []) });
  if (exchanges.length > 0 && !host.isKept) tabs.push(cookiesTab(exchanges));
  return tabs;
}

/** Why a step failed: the figures of its assertion if they are known, rather than JMeter's message. */
function reasonOf(step: Step): string {
  for (const action of step.outcome === 'failed' ? step.actions : []) {
    const check = (action.checks ?? []).find((one) => !one.passed);
    if (!check) continue;
    if (check.wanted === undefined || check.got === undefined || check.got.length > 200) break;
    return `${oneLine(action.element.name)}: the ${check.field ?? 'value'} is "${oneLine(check.got)}", wanted: ${check.relation ?? 'equals'} "${oneLine(check.wanted)}"`;
  }
  return step.reason;
}

function ofStep(step: Step, host: DetailsHost): Details {
  const { sample } = step;
  const tabs = sample ? sampleTabs(sample, step, { step: step.number, place: [] }, host) : [requestTab(null, step.exchanges ?? [], step, host)];
  const checks = { name: 'Checks', count: checkCount(step.actions), isBad: failedChecks(step.actions), make: () => actionList(step.actions, host.plan) };
  tabs.splice(sample ? 2 : 1, 0, ...(host.isKept && step.variables.length === 0 ? [] : [variablesTab(step, host)]), checks);
  const where = `Step ${step.number} of ${oneLine(step.user)}, iteration ${step.iteration}`;
  const why = reasonOf(step);
  const reason = why ? [h('p', { class: 'note bad-note' }, visible(why))] : [];
  return { title: step.label, status: step.outcome, facts: [h('p', { class: 'soft place' }, where), placeOf(step.element, host.plan), ...reason, ...hints(step.hints)], tabs };
}

function variablesTab(step: Step, host: DetailsHost): Tab {
  const changed = step.actions.flatMap(changesOf).length;
  return { name: 'Variables', ...(changed > 0 ? { count: `${changed} changed` } : {}), make: () => variables(step, host.isKept) };
}

const REASONS: Record<string, string> = {
  finished: 'The plan ran to its end.', until: 'It stopped after the sample with the label of --until.', interrupted: 'A signal ended it.', stopped: 'The plan stopped the test.',
};

/** What a load run kept. */
function ofKept(start: Start): Details {
  const facts: [string, string][] = [['Plan', start.plan], ['Test plan', start.name], ['Thread groups', start.groups.map((one) => one.element.name).join(', ')], ['Made by', `Swell ${start.version}`]];
  const make = () => [
    h('p', {}, 'These are the first failures of a load test, each with the steps of its iteration before it. Secrets are masked.'),
    h('p', { class: 'soft' }, 'Variables are known at the failure only. Bodies are kept with --keep-failure-bodies, or where an assertion or extractor reads them. `swell debug` shows one iteration of the plan with all details.'),
    pairs(facts.map(([name, value]) => [name, visible(value)])),
  ];
  return { title: start.name || start.plan, status: '', facts: [], tabs: [{ name: 'Summary', make }] };
}

function ofSummary(start: Start, end: End | null, host: DetailsHost): Details {
  const { settings } = start;
  const facts: [string, string][] = [
    ['Plan', start.plan], ['Test plan', start.name], ['Iterations', String(settings.iterations)], ['Timers', settings.keeps_timers ? 'kept' : 'skipped'],
    ['Thread groups', start.groups.map((one) => one.element.name).join(', ')], ['Secrets', settings.shows_secrets ? 'shown' : 'masked'], ['Made by', `Swell ${start.version}`],
  ];
  if (settings.group) facts.push(['Only the group', settings.group]);
  if (settings.until) facts.push(['Until', settings.until]);
  const missing = ({ element, reason }: { element: ElementRef; reason: string }) => line(oneLine(element.name), visible(reason), `line ${element.line}`);
  const never = (end?.never_ran ?? []).map(missing);
  const not = start.not_run.map(missing);
  const left = end && end.left_out_bytes > 0 ? [h('p', { class: 'note' }, `Bodies of ${bytes(end.left_out_bytes)} were left out, because the trace is too large.`)] : [];
  const result = end ? REASONS[end.reason] ?? end.reason : 'The trace has no end: the program was killed.';
  const make = () => [h('p', {}, result), ...hints(end?.hints), ...left, pairs(facts.map(([name, value]) => [name, visible(value)])),
    ...(never.length > 0 ? [h('h3', {}, 'Samplers that never ran'), table(['Sampler', 'Reason', 'Place'], never)] : []),
    ...(not.length > 0 ? [h('h3', {}, 'Elements that cannot run here'), table(['Element', 'Reason', 'Place'], not)] : [])];
  return { title: start.name || host.plan, status: '', facts: [], tabs: [{ name: 'Summary', make }] };
}

function ofDecision(all: Decision[], name: string, host: DetailsHost): Details {
  const one = (decision: Decision): Node[] => [h('p', {}, h('b', {}, visible(decisionText(decision)))), pairs([
    ['Kind', kindName(decision.kind)], ['Written in the plan', visible(decision.written ?? 'nothing')], ['With its variables', visible(decision.evaluated ?? 'nothing')],
    ['Result', decision.verdict === 'skipped' ? 'what is below it did not run' : decision.verdict === 'left' ? 'the loop ended' : 'what is below it ran'],
  ]), ...reads(decision.reads, host)];
  const first = all[0];
  const facts = first ? [placeOf(first.element, host.plan)] : [];
  const make = () => (all.length > 0 ? all.flatMap(one) : [h('p', { class: 'soft' }, 'This controller reported no decision.')]);
  return { title: name, status: first?.verdict === 'skipped' ? 'skipped' : '', facts, tabs: [{ name: 'Decision', make }] };
}

/** The details of a row. */
export function detailsOf(node: TraceNode, host: DetailsHost): Details {
  const { subject } = node;
  const plain = (name: string, ...content: Node[]): Details => ({ title: node.name, status: node.status, facts: [], tabs: [{ name, make: () => content }] });
  switch (subject.kind) {
    case 'summary': return host.isKept ? ofKept(subject.start) : ofSummary(subject.start, subject.end, host);
    case 'step': return ofStep(subject.step, host);
    case 'sample': return {
      title: node.name, status: node.status, facts: [h('p', { class: 'soft place' }, `Part of step ${subject.step?.number ?? '?'}: ${oneLine(subject.step?.label ?? '')}`)],
      tabs: sampleTabs(subject.sample, null, subject.step && { step: subject.step.number, place: subject.place }, host),
    };
    case 'transaction': return {
      title: node.name, status: node.status, facts: [h('p', { class: 'soft place' }, `Transaction of ${subject.steps.length} steps`)],
      tabs: [{ name: 'Timing', make: () => timing(subject.sample, []) }, { name: 'Checks', count: checkCount(subject.actions), isBad: failedChecks(subject.actions), make: () => actionList(subject.actions, host.plan) }],
    };
    case 'controller': return ofDecision(subject.decisions, subject.name, host);
    case 'decision': return ofDecision([subject.decision], subject.decision.element.name, host);
    case 'iteration': return host.isKept ? plain('Iteration', h('p', {}, 'The last of its steps failed.')) : plain('Variables', h('h3', {}, 'Variables at its start'), table(['Name', 'Value'], subject.variables.map(([name, value]) => line(oneLine(name), h('code', {}, oneLine(value, 2_000))))));
    case 'data': return plain('Element', ...actionList([subject.action], host.plan));
    case 'log': return plain('Message', textBox(subject.text, 'Message'));
    case 'missing': return plain('Reason', h('p', {}, visible(subject.reason)), placeOf({ class: '', name: node.name, path: subject.path, line: subject.line }, host.plan));
    case 'group': return plain('Thread group', h('p', {}, subject.phase === 'set_up' ? 'It runs before the other thread groups.' : subject.phase === 'tear_down' ? 'It runs after the other thread groups.' : `${node.children.length} iterations; ${node.failed} failed steps.`));
    default: return plain('Elements', h('p', {}, `${node.children.length} elements are below.`));
  }
}
