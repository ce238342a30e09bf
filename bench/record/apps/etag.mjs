// Changes of a document are accepted only with the version that was read, in the header If-Match.

import { check, html, json, missing, random } from '../site.mjs';

export function route(request, session) {
  const { method, path, headers } = request;
  if (method === 'GET' && path === '/') {
    return html('Editor', `<button id="save">Save</button><script>
      document.getElementById('save').onclick = async () => {
        for (const text of ['first', 'second']) {
          const read = await fetch('/api/document', { cache: 'no-store' });
          await read.json();
          const saved = await fetch('/api/document', { method: 'PUT', headers: { 'content-type': 'application/json', 'if-match': read.headers.get('etag') }, body: JSON.stringify({ text }) });
          if (saved.status !== 204) throw new Error(saved.status);
        }
        document.title = 'Saved';
      };
    </script>`);
  }
  if (path === '/api/document') {
    const etag = () => ({ etag: `"${session.version}"` });
    if (method === 'GET') {
      session.version ??= random(10);
      return json({ text: session.text ?? '' }, 200, etag());
    }
    check(headers['if-match'] === `"${session.version}"`, 'wrong if-match', 412);
    session.version = random(10);
    session.text = request.json.text;
    return [204, 'application/json', '', etag()];
  }
  return missing();
}

export async function drive(tab) {
  await tab.title('Editor');
  await tab.click('#save');
  await tab.title('Saved');
}
