// The pages of kept runs: the list, and by the path of the address a report, a comparison or a trend.

import { findSecret } from '../secret';
import { showError } from '../shell';
import { bar } from './bar';
import { showList } from './list';
import { showComparison, showReport } from './show';
import { showTrend } from './trend';

async function start(): Promise<void> {
  await findSecret();
  const query = new URLSearchParams(location.search);
  switch (location.pathname) {
    case '/run': return showReport(query);
    case '/compare': return showComparison(query);
    case '/trend': return showTrend(query);
    default: return showList();
  }
}

start().catch((error: unknown) => {
  showError(error);
  if (location.pathname !== '/') document.getElementById('app')?.prepend(bar());
});
