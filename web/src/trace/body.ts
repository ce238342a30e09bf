// One body in several views. A body is a stranger's text: it becomes text nodes, or a frame in which nothing runs and nothing loads.

import { h } from '../dom';
import { bytes, count } from '../format';
import { previewFrame } from './preview';
import type { Content } from './events';
import { contentBytes, contentText, hexRows, kindOf, prettyJson, prettyMarkup, visible, type BodyKind } from './text';

/** Characters that are shown at once; more on request, so that 10 MB of one line do not stop the page. */
const CHUNK = 40_000;
const HEX_ROWS = 2_000;

type View = 'pretty' | 'raw' | 'source' | 'preview' | 'hex';
const NAMES: Record<View, string> = { pretty: 'Pretty', raw: 'Raw', source: 'HTML source', preview: 'Preview', hex: 'Hex' };
const VIEWS: Record<BodyKind, View[]> = {
  json: ['pretty', 'raw', 'hex'], xml: ['pretty', 'raw', 'hex'], html: ['source', 'preview', 'raw', 'hex'],
  image: ['preview', 'hex'], text: ['raw', 'hex'], binary: ['hex', 'raw'],
};

/** The view that the reader chose last for each kind of body. */
const chosen = new Map<BodyKind, View>();

const JSON_TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;
const TAG_TOKEN = /<!--[^>]*-->|<\/?[^<>]*>/g;

/** A part of a text with its tokens in colours. */
function coloured(text: string, kind: 'json' | 'markup'): Node[] {
  const out: Node[] = [];
  let from = 0;
  for (const found of text.matchAll(kind === 'json' ? JSON_TOKEN : TAG_TOKEN)) {
    const name = kind === 'markup' ? 'tag' : found[2] !== undefined ? 'key' : found[1] !== undefined ? 'string' : 'number';
    out.push(document.createTextNode(visible(text.slice(from, found.index))), h('span', { class: `token-${name}` }, visible(found[0])));
    from = found.index + found[0].length;
  }
  out.push(document.createTextNode(visible(text.slice(from))));
  return out;
}

/** A text of which a part is shown at first. `part` makes what is shown of a place and a length. */
function inParts(length: number, step: number, unit: string, label: string, part: (from: number, length: number) => Node[]): HTMLElement {
  const shown = h('pre', { class: 'body-text', tabindex: 0, role: 'region', 'aria-label': label });
  const box = h('div', {}, shown);
  let at = 0;
  const more = h('button', { type: 'button', class: 'more' });
  const add = () => {
    shown.append(...part(at, step));
    at = Math.min(length, at + step);
    if (at >= length) return more.remove();
    more.textContent = `Show the next ${count(Math.min(step, length - at))} ${unit} (${count(at)} of ${count(length)} are shown)`;
    box.append(more);
  };
  more.addEventListener('click', add);
  add();
  return box;
}

/** A text in a box that scrolls. */
export function textBox(text: string, label: string, colour?: 'json' | 'markup'): HTMLElement {
  const part = (from: number, length: number) => {
    const piece = text.slice(from, from + length);
    return colour ? coloured(piece, colour) : [document.createTextNode(visible(piece))];
  };
  return inParts(text.length, CHUNK, 'characters', label, part);
}

function shownAs(view: View, content: Content, type: string, charset: string, kind: BodyKind, label: string): HTMLElement {
  if (view === 'hex') {
    const all = contentBytes(content);
    const rows = Math.ceil(all.length / 16);
    return inParts(rows, HEX_ROWS, 'rows', label, (from, some) => [document.createTextNode(`${hexRows(all, from * 16, some)}\n`)]);
  }
  if (view === 'preview') return previewFrame(content, type, charset, kind);
  const { text, note } = contentText(content, charset);
  const isMarkup = kind !== 'json';
  const pretty = view === 'raw' ? text : isMarkup ? prettyMarkup(text) : prettyJson(text);
  const box = view === 'raw' ? textBox(text, label) : textBox(pretty, label, isMarkup ? 'markup' : 'json');
  if (note) box.prepend(h('p', { class: 'note' }, note));
  return box;
}

/** A body with buttons for its views. `name`: what it is, for readers of the screen; `isKept`: of a load run, which keeps few bodies. */
export function bodyView(content: Content, type: string, charset: string, name: string, isKept = false): HTMLElement {
  if (content.size === 0) return h('p', { class: 'soft' }, `The ${name} is empty.`);
  const kept = content.text === undefined ? content.base64 : content.text;
  if (!kept && isKept) return h('p', { class: 'note' }, `The ${name} of ${bytes(content.size)} was not kept: --keep-failure-bodies keeps bodies.`);
  if (!kept) return h('p', { class: 'note' }, `The ${name} of ${bytes(content.size)} was left out, because the trace is too large.`);
  const kind = kindOf(content, type);
  const views = VIEWS[kind];
  const place = h('div', { class: 'body-place' });
  const show = (view: View) => {
    for (const button of buttons) button.setAttribute('aria-pressed', button.dataset['view'] === view ? 'true' : 'false');
    place.replaceChildren(shownAs(view, content, type, charset, kind, name));
  };
  const buttons = views.map((view) => h('button', {
    type: 'button', 'data-view': view, onclick: () => {
      chosen.set(kind, view);
      show(view);
    },
  }, NAMES[view]));
  const copy = h('button', {
    type: 'button', class: 'quiet', onclick: () => {
      navigator.clipboard.writeText(contentText(content, charset).text).then(() => (copy.textContent = 'Copied'), () => (copy.textContent = 'Copying is not allowed'));
    },
  }, 'Copy');
  const about = [bytes(content.size), type].filter((text) => text !== '').join(', ');
  const head = h('div', { class: 'body-head' },
    h('div', { class: 'views', role: 'group', 'aria-label': `Views of the ${name}` }, ...buttons), copy, h('span', { class: 'soft' }, visible(about)));
  show(chosen.get(kind) ?? (views[0] as View));
  const cut = content.cut ? h('p', { class: 'note' }, `Only the first ${bytes(contentBytes(content).length)} of ${bytes(content.size)} were kept.`) : null;
  return h('div', {}, head, cut, place);
}
