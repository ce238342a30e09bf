// Shows the document that the page holds, or the live view of a run.

import { unpack } from './data';
import { startLive } from './live';
import { showRun } from './run';
import { showError } from './shell';
import { showStudy } from './study';

async function start(): Promise<void> {
  const packed = document.getElementById('data');
  if (!packed) return startLive(showRun);
  const doc = await unpack(packed.textContent ?? '');
  if (doc.kind === 'run') showRun(doc);
  else showStudy(doc);
}

start().catch(showError);
