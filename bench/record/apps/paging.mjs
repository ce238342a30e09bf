// Pages of a list, where the link to the next has a value that only the server can make.

import { check, html, missing, random } from '../site.mjs';

export function route(request, session) {
  const { method, path, url } = request;
  if (method !== 'GET') return missing();
  if (path === '/') {
    session.page = 0;
  } else if (path === '/list') {
    check(url.searchParams.get('cursor') === session.cursor, 'wrong cursor');
    session.page += 1;
  } else if (path.startsWith('/items/')) {
    check(path === `/items/${session.item}`, 'no such item', 404);
    return html('Item', '<p>The item.</p>');
  } else {
    return missing();
  }
  session.cursor = random(15);
  session.item = random(5);
  return html(`List ${session.page}`, `<ul><li><a id="item" href="/items/${session.item}">An item</a></li></ul><a id="next" rel="next" href="/list?size=10&amp;cursor=${session.cursor}">Next</a>`);
}

export async function drive(tab) {
  for (const number of [0, 1, 2]) {
    await tab.title(`List ${number}`);
    if (number < 2) await tab.click('#next');
  }
  await tab.click('#item');
  await tab.title('Item');
}
