// A page that signs in by JSON, keeps its token in localStorage, and sends it with each call.

import { check, html, json, missing, random } from '../site.mjs';

export function route(request, session) {
  const { method, path } = request;
  if (method === 'GET' && path === '/') {
    return html('Notes', `<input id="user"><input id="password" type="password"><button id="go">Sign in</button><script>
      const call = (path, options = {}) => fetch(path, { ...options, headers: { 'content-type': 'application/json', authorization: 'Bearer ' + localStorage.token } }).then((answer) => answer.json());
      document.getElementById('go').onclick = async () => {
        const body = JSON.stringify({ user: document.getElementById('user').value, password: document.getElementById('password').value });
        const signed = await (await fetch('/api/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json();
        localStorage.token = signed.access_token;
        const notes = await call('/api/notes');
        const made = await call('/api/notes', { method: 'POST', body: JSON.stringify({ folder: notes.folders[1].id, text: 'a "note" with \\\\ and \${braces}' }) });
        await call('/api/notes/' + made.note.id);
        await call('/api/notes/' + made.note.id, { method: 'DELETE' });
        document.title = 'Done';
      };
    </script>`);
  }
  if (method === 'POST' && path === '/api/session') {
    check(request.json.password, 'no password');
    const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
    session.token = `${part({ alg: 'HS256' })}.${part({ sub: request.json.user, jti: random(8) })}.${random(24)}`;
    return json({ token_type: 'Bearer', access_token: session.token, expires_in: 3600 });
  }
  if (path.startsWith('/api/')) {
    check(session.token && request.headers.authorization === `Bearer ${session.token}`, 'wrong token', 401);
    if (method === 'GET' && path === '/api/notes') {
      session.folders = [random(6), random(6)];
      return json({ folders: session.folders.map((id, index) => ({ id, name: `folder ${index}` })) });
    }
    if (method === 'POST' && path === '/api/notes') {
      check(session.folders.includes(request.json.folder), 'no such folder', 422);
      check(request.json.text === 'a "note" with \\ and ${braces}', 'the text is not what was typed', 422);
      session.note = crypto.randomUUID();
      return json({ note: { id: session.note } }, 201);
    }
    check(path === `/api/notes/${session.note}`, 'no such note', 404);
    return json({ id: session.note });
  }
  return missing();
}

export async function drive(tab) {
  await tab.title('Notes');
  await tab.type('#user', 'alice');
  await tab.type('#password', 's3cret-Pass');
  await tab.click('#go');
  await tab.title('Done');
}
