import type { PageDocument } from './document';
import type { Page } from './main';

/** The live view of a run. */
export async function startLive(_show: (doc: PageDocument) => Page): Promise<void> {
  throw new Error('there is no data in this page');
}
