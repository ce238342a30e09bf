// Which charts of the target are in sight. Pure.

/** Titles of charts on processors, and on memory: the first of each that was read is in sight. */
const FIRST = [['Target: processor time', 'Target: processors in use'], ['Target: memory', 'Target: memory of the machine']];

/** What is in sight of charts with these titles; the others are folded. */
export function inSight(titles: string[]): string[] {
  const found = FIRST.flatMap((some) => some.find((title) => titles.includes(title)) ?? []);
  return found.length > 0 ? found : titles.slice(0, FIRST.length);
}
