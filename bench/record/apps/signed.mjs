// Requests that the page signs: no recorder can know how, so the plan must say what it does not know.

import { createHmac } from 'node:crypto';
import { check, html, json, missing, random } from '../site.mjs';

export function route(request, session) {
  const { method, path, headers } = request;
  if (method === 'GET' && path === '/') {
    session.key = random(32);
    session.seen = new Set();
    return html('Signed', `<button id="send">Send</button><script>
      const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
      const bytes = (text) => new TextEncoder().encode(text);
      document.getElementById('send').onclick = async () => {
        const key = await crypto.subtle.importKey('raw', bytes('${session.key}'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
        const body = JSON.stringify({ amount: 7 });
        const time = String(Date.now());
        const signature = hex(await crypto.subtle.sign('HMAC', key, bytes(time + body)));
        const answer = await fetch('/api/transfers', { method: 'POST', headers: { 'content-type': 'application/json', 'x-request-ts': time, 'x-signature': signature }, body });
        if (answer.ok) document.title = 'Sent';
      };
    </script>`);
  }
  if (method === 'POST' && path === '/api/transfers') {
    const wanted = createHmac('sha256', session.key ?? '').update(headers['x-request-ts'] + request.body).digest('hex');
    check(headers['x-signature'] === wanted, 'wrong x-signature', 401);
    check(!session.seen.has(wanted), 'sent before', 409);
    session.seen.add(wanted);
    return json({ ok: true }, 201);
  }
  return missing();
}

export async function drive(tab) {
  await tab.title('Signed');
  await tab.click('#send');
  await tab.title('Sent');
}
