// Expressions on a response. The program answers in its own dialects, which are JMeter's; a browser's regular expressions differ.

import { ask } from '../api';
import { h } from '../dom';
import { count, errorText } from '../format';
import { oneLine, visible } from './text';
import { pairs } from './variables';

const LANGUAGES: [string, string, string][] = [
  ['', 'JSONPath', '$.order.id'],
  ['', 'XPath', '//h1'],
  ['css:', 'CSS selector', 'input[name=csrf]@value'],
  ['re:', 'Regular expression', 'token=(\\w+)'],
  ['bound:', 'Boundaries', 'left|right'],
  ['jmes:', 'JMESPath', 'order.id'],
];

interface Answer {
  count: number;
  values: (string | null)[];
  error: string | null;
  /** What the body has that is similar. */
  near: string[];
  element: { name: string; fields: [string, string][] } | null;
  /** What to type to write it into the plan. */
  command: string | null;
  /** What the program can write into the plan. */
  writes: Writes | null;
}

interface Writes {
  /** A name for the variable of an extractor. */
  variable: string;
  /** Whether there is an assertion for it, and one with a value. */
  asserts: boolean;
  equals: boolean;
}

interface Written {
  plan: string;
  /** Names from the root to the sampler. */
  below: string;
  name: string;
  line: number;
}

/** What was tried. */
interface Tried {
  step: number;
  place: number[];
  expression: string;
}

export interface TesterPlace {
  /** Number of the step. */
  step: number;
  /** Places of the sample below that of the step. */
  place: number[];
}

/** Whether the page is served by the program, and the name of the plan for commands. */
export interface TesterHost {
  isServed: boolean;
  plan: string;
}

function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Writes an element into the plan, through the program. */
function writer(tried: Tried, writes: Writes): HTMLElement {
  const kind = h('select', { 'aria-label': 'Element' }, h('option', { value: 'extractor' }, 'Extractor'), writes.asserts ? h('option', { value: 'assertion' }, 'Assertion') : null);
  const value = h('input', { type: 'text', spellcheck: 'false', autocomplete: 'off' });
  const said = h('div', { role: 'status' });
  const button = h('button', { type: 'submit' }, 'Write to plan');
  const isExtractor = () => kind.value === 'extractor';
  const changed = () => {
    const label = isExtractor() ? 'Variable' : 'Value wanted (may be empty)';
    value.value = isExtractor() ? writes.variable : '';
    value.placeholder = label;
    value.setAttribute('aria-label', label);
    value.hidden = !isExtractor() && !writes.equals;
  };
  const write = async () => {
    const as = isExtractor() ? { extractor: value.value.trim() } : { assertion: value.value === '' ? null : value.value };
    button.disabled = true;
    try {
      const { plan, line, name, below } = await ask<Written>('POST', '/api/write', { ...tried, as });
      said.replaceChildren(h('p', {}, h('span', { class: 'good-text' }, 'Written'), ' to ', h('code', {}, `${visible(plan)}:${line}`), ': ', h('code', {}, oneLine(name, 300)), ' below ', h('code', {}, oneLine(below, 300))));
    } catch (error) {
      said.replaceChildren(h('p', { class: 'note' }, visible(errorText(error))));
    }
    button.disabled = false;
  };
  kind.addEventListener('change', changed);
  changed();
  const form = h('form', {
    class: 'test write', onsubmit: (event) => {
      event.preventDefault();
      void write();
    },
  }, kind, value, button);
  return h('div', {}, form, said);
}

function answerView(answer: Answer, tried: Tried): Node[] {
  const near = answer.near.length > 0 ? [h('p', {}, 'The response has: ', ...answer.near.flatMap((one, at) => [at > 0 ? ', ' : '', h('code', {}, oneLine(one, 300))]))] : [];
  const found = answer.count === 0 ? 'NO MATCH' : answer.count === 1 ? '1 match' : `${count(answer.count)} matches`;
  const more = answer.count - answer.values.length;
  const values = h('ol', { class: 'matches' }, ...answer.values.map((value) => h('li', {}, h('code', {}, value === null ? 'null' : oneLine(value, 2_000)))));
  const { element, command, writes } = answer;
  const paste = element && h('div', { class: 'paste' }, h('h4', {}, `${element.name} for this`),
    pairs(element.fields.map(([name, value]) => [name, h('code', {}, visible(value))])),
    writes && writer(tried, writes),
    command === null ? null : h('p', {}, 'Or type in a terminal:'),
    command === null ? null : h('pre', { class: 'command', tabindex: 0 }, visible(command)));
  if (answer.error !== null) return [h('p', { class: 'note' }, visible(answer.error)), ...near, ...(paste ? [paste] : [])];
  return [h('p', { class: answer.count === 0 ? 'bad-text' : 'good-text' }, found), ...near, values, ...(more > 0 ? [h('p', { class: 'soft' }, `and ${more} more`)] : []), ...(paste ? [paste] : [])];
}

/** A form for expressions; on a page from disk it shows the command to type. */
export function tester(place: TesterPlace, host: TesterHost): HTMLElement {
  const language = h('select', { 'aria-label': 'Language' }, ...LANGUAGES.map(([, name], at) => h('option', { value: at }, name)));
  const expression = h('input', { type: 'text', 'aria-label': 'Expression', spellcheck: 'false', autocomplete: 'off' });
  const answer = h('div', { class: 'test-answer', role: 'status' });
  const prefix = () => LANGUAGES[Number(language.value)] as [string, string, string];
  const command = () => {
    const text = expression.value || prefix()[2];
    const isPart = place.place.length > 0;
    const typed = isPart ? '--open' : `--test ${quoted(prefix()[0] + text)} --at ${place.step}`;
    answer.replaceChildren(h('p', {}, 'This page was opened from a file. Type in a terminal:'), h('pre', { class: 'command', tabindex: 0 },
      visible(`swell debug ${quoted(host.plan)} ${typed}`)));
  };
  const test = async () => {
    const tried: Tried = { ...place, expression: prefix()[0] + expression.value };
    try {
      answer.replaceChildren(...answerView(await ask<Answer>('POST', '/api/test', tried), tried));
    } catch (error) {
      answer.replaceChildren(h('p', { class: 'note' }, errorText(error)));
    }
  };
  const changed = () => {
    expression.placeholder = prefix()[2];
    if (!host.isServed) command();
  };
  language.addEventListener('change', changed);
  expression.addEventListener('input', () => host.isServed || command());
  changed();
  const form = h('form', {
    class: 'test', onsubmit: (event) => {
      event.preventDefault();
      if (host.isServed) void test();
    },
  }, language, expression, host.isServed ? h('button', { type: 'submit' }, 'Test') : null);
  return h('details', { class: 'tester' }, h('summary', {}, 'Try an expression on this body'), form, answer);
}
