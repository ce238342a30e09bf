// Texts of strangers as texts that can be shown: control characters made visible, JSON and markup with line breaks, bytes as hexadecimal.

import { bytesOf } from '../data';
import type { Content, ElementRef } from './events';

// Bidirectional and invisible characters can make a text look like another one.
// eslint-disable-next-line no-control-regex
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\r(?!\n)/g;

/** A text without characters that a reader cannot see or that change how others are shown. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return `‹U+${code.toString(16).toUpperCase().padStart(4, '0')}›`;
  });
}

/** One line of a text, for places with little room. */
export function oneLine(text: string, most = 200): string {
  const line = visible(text.slice(0, most + 1).replace(/\s+/g, ' '));
  return text.length > most ? `${line.slice(0, most)}…` : line;
}

/** Where an element is in the file of its plan, to follow another text; empty if that is not known. */
export function lineOf(element: ElementRef, plan: string): string {
  return element.line > 0 ? `, ${visible(plan.split('/').at(-1) ?? plan)} line ${element.line}` : '';
}

/** The bytes of a body. */
export function contentBytes(content: Content): Uint8Array {
  return content.base64 === undefined ? new TextEncoder().encode(content.text ?? '') : bytesOf(content.base64);
}

/** The text of a body, and what is not exact about it. */
export function contentText(content: Content, charset: string): { text: string; note: string } {
  if (content.text !== undefined) return { text: content.text, note: '' };
  const bytes = contentBytes(content);
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset || 'utf-8');
  } catch {
    decoder = new TextDecoder();
  }
  const text = decoder.decode(bytes);
  const isUtf8 = decoder.encoding === 'utf-8';
  return { text, note: isUtf8 ? 'The body is not valid UTF-8: � marks bytes that are not.' : `Decoded as ${decoder.encoding}.` };
}

/** Levels of indentation at most: deeper ones would make a small text a large one. */
const DEEPEST = 40;

function newLine(depth: number): string {
  return `\n${'  '.repeat(Math.min(depth, DEEPEST))}`;
}

function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 92) at += 1;
    else if (code === 34) return at + 1;
  }
  return text.length;
}

/** JSON with line breaks; numbers and strings stay as they are, and a text that was cut is shown as far as it goes. */
export function prettyJson(text: string): string {
  const out: string[] = [];
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const character = text[at] as string;
    let end = at + 1;
    if (character === '"') {
      end = stringEnd(text, at);
      out.push(text.slice(at, end));
    } else if (character === '{' || character === '[') {
      const next = /\S/g;
      next.lastIndex = end;
      const found = next.exec(text);
      if (found && (found[0] === '}' || found[0] === ']')) {
        end = found.index + 1;
        out.push(character, found[0]);
      } else {
        depth += 1;
        out.push(character, newLine(depth));
      }
    } else if (character === '}' || character === ']') {
      depth = Math.max(0, depth - 1);
      out.push(newLine(depth), character);
    } else if (character === ',') out.push(character, newLine(depth));
    else if (character === ':') out.push(': ');
    else if (!/\s/.test(character)) out.push(character);
    at = end;
  }
  return out.join('');
}

const VOID = /^<(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b/i;

/** Tags, comments and texts of markup, whether it is well-formed or not. It looks at each character a fixed number of times. */
function tokens(text: string): string[] {
  const found: string[] = [];
  const missing = new Set<string>();
  const endOf = (closing: string, from: number): number => {
    if (missing.has(closing)) return text.length;
    const at = text.indexOf(closing, from);
    if (at < 0) missing.add(closing);
    return at < 0 ? text.length : at + closing.length;
  };
  for (let at = 0; at < text.length;) {
    let end: number;
    if (text[at] !== '<') {
      const next = text.indexOf('<', at);
      end = next < 0 ? text.length : next;
    } else if (text.startsWith('<!--', at)) end = endOf('-->', at);
    else if (text.startsWith('<![CDATA[', at)) end = endOf(']]>', at);
    else end = endOf('>', at);
    const token = text.slice(at, end);
    found.push(token);
    const raw = /^<(script|style)\b/i.exec(token);
    if (raw && !token.endsWith('/>')) {
      const closing = new RegExp(`</${raw[1]}`, 'gi');
      closing.lastIndex = end;
      const close = closing.exec(text)?.index ?? text.length;
      if (close > end) found.push(text.slice(end, close));
      end = close;
    }
    at = end;
  }
  return found;
}

const isOpening = (token: string) => /^<[^/!?]/.test(token) && !token.endsWith('/>') && !VOID.test(token);

/** Markup with line breaks and indentation. */
export function prettyMarkup(text: string): string {
  const all = tokens(text).map((token) => (token.startsWith('<') ? token : token.trim())).filter((token) => token !== '');
  const out: string[] = [];
  let depth = 0;
  for (let at = 0; at < all.length; at += 1) {
    const token = all[at] as string;
    if (token.startsWith('</')) depth = Math.max(0, depth - 1);
    out.push(out.length > 0 ? newLine(depth) : '', token);
    if (!isOpening(token)) continue;
    const [next, after] = [all[at + 1] ?? '', all[at + 2] ?? ''];
    if (next.startsWith('</')) {
      out.push(next);
      at += 1;
    } else if (!next.startsWith('<') && after.startsWith('</') && next.length < 100) {
      out.push(next, after);
      at += 2;
    } else depth += 1;
  }
  return out.join('');
}

/** Rows of 16 bytes: place, hexadecimal, characters. */
export function hexRows(bytes: Uint8Array, from: number, rows: number): string {
  const out: string[] = [];
  for (let at = from; at < bytes.length && out.length < rows; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0'));
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
    out.push(`${at.toString(16).padStart(8, '0')}  ${hex.slice(0, 8).join(' ').padEnd(23)}  ${hex.slice(8).join(' ').padEnd(23)}  ${text}`);
  }
  return out.join('\n');
}

export type BodyKind = 'json' | 'xml' | 'html' | 'image' | 'text' | 'binary';

/** What a body is, by its type and its beginning. */
export function kindOf(content: Content, type: string): BodyKind {
  const media = type.toLowerCase();
  if (/^image\/(png|jpeg|gif|webp)\b/.test(media)) return 'image';
  const begin = (content.text ?? '').slice(0, 200).trimStart().toLowerCase();
  if (/\bjson\b/.test(media) || /^[[{]\s*["[{}\]\d]/.test(begin)) return 'json';
  if (/\bhtml\b/.test(media) || begin.startsWith('<!doctype html') || begin.startsWith('<html')) return 'html';
  if (/\bxml\b/.test(media) || begin.startsWith('<?xml') || /^<[a-z_]/.test(begin)) return 'xml';
  return content.text === undefined ? 'binary' : 'text';
}
