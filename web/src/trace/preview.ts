// A page of the site under test as a reader of it would see it, without scripts, forms, links or network.

import { h } from '../dom';
import { contentBytes, contentText, type BodyKind } from './text';
import type { Content } from './events';

/** Elements that run, load or lead somewhere. */
const REMOVED = 'script, noscript, iframe, frame, object, embed, applet, portal, base, link, meta, template, audio, video, source, track, svg, math';
/** Attributes that load, lead somewhere or run. */
const ADDRESSES = ['src', 'srcset', 'href', 'action', 'formaction', 'background', 'poster', 'ping', 'data', 'srcdoc', 'xlink:href', 'manifest', 'longdesc', 'cite'];
const SECURITY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** The markup with nothing left that asks for anything. The parser's document is inert: it runs and loads nothing. */
function harmless(markup: string): string {
  const parsed = new DOMParser().parseFromString(markup, 'text/html');
  for (const one of parsed.querySelectorAll(REMOVED)) one.remove();
  for (const one of parsed.querySelectorAll('*')) {
    for (const { name, value } of [...one.attributes]) {
      const isPicture = name === 'src' && /^data:image\/(png|jpeg|gif|webp)[;,]/i.test(value);
      if (name.startsWith('on') || (ADDRESSES.includes(name) && !isPicture)) one.removeAttribute(name);
    }
  }
  return parsed.documentElement.outerHTML;
}

/** The body in a frame, or as a picture. */
export function previewFrame(content: Content, type: string, charset: string, kind: BodyKind): HTMLElement {
  if (kind === 'image') {
    const media = /^image\/[a-z]+/i.exec(type)?.[0] ?? 'image/png';
    const base64 = content.base64 ?? btoa(String.fromCharCode(...contentBytes(content).subarray(0, 60_000)));
    return h('img', { class: 'picture', alt: 'The picture of the response', src: `data:${media};base64,${base64}` });
  }
  const markup = harmless(contentText(content, charset).text);
  // The empty sandbox and the policy hold even if something was overlooked above.
  const page = `<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${SECURITY}"><meta http-equiv="x-dns-prefetch-control" content="off">${markup}`;
  const frame = h('iframe', { class: 'preview', sandbox: '', referrerpolicy: 'no-referrer', title: 'Preview of the response, without scripts and network', srcdoc: page });
  return h('div', {}, h('p', { class: 'soft hint' }, 'Without scripts, forms, links and network: style sheets and pictures of other files are missing.'), frame);
}
