// Short names of labels: without the beginning that all or most of them have, as of URLs of one site. Pure.

/** A shorter beginning is no hindrance. */
const LEAST = 8;

/**
 * What all texts begin with, up to a slash or after a space, else the site of most of them; empty if that is short. A slash stays with the
 * rest, so that the rest of a URL is its path.
 */
export function commonBeginning(texts: string[]): string {
  const [first, ...others] = texts;
  if (first === undefined || others.length === 0) return '';
  let end = first.length;
  for (const text of others) {
    let same = 0;
    while (same < end && text[same] === first[same]) same += 1;
    end = same;
    if (end < LEAST) return commonSite(texts);
  }
  // Each rest has at least a character.
  const shortest = texts.reduce((least, text) => Math.min(least, text.length), Infinity);
  const limit = Math.min(end, shortest - 1);
  for (let at = limit; at >= LEAST; at -= 1) {
    const isSlash = at < end && first[at] === '/' && first[at - 1] !== '/' && first[at + 1] !== '/';
    if (isSlash || first[at - 1] === ' ') return first.slice(0, at);
  }
  return commonSite(texts);
}

/** The site of at least half of the texts, if those are URLs. */
function commonSite(texts: string[]): string {
  const times = new Map<string, number>();
  for (const text of texts) {
    const site = /^[a-z]+:\/\/[^/\s]{1,300}(?=\/.)/i.exec(text)?.[0];
    if (site) times.set(site, (times.get(site) ?? 0) + 1);
  }
  const [most] = [...times].sort((a, b) => b[1] - a[1]);
  return most && most[1] > 1 && most[1] * 2 >= texts.length ? most[0] : '';
}
