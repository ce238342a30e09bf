// OAuth with an authorization code and PKCE: the application and the authorization server in one.

import { check, html, missing, random, redirect, sha256 } from '../site.mjs';

const grants = new Map();

export function route(request, session) {
  const { method, path, url } = request;
  const query = url.searchParams;
  if (method === 'GET' && path === '/') {
    return html('Application', '<a id="login" href="/login">Sign in</a>');
  }
  if (method === 'GET' && path === '/login') {
    session.state = random(16);
    session.verifier = random(32);
    const challenge = sha256(session.verifier);
    return redirect(`/authorize?response_type=code&client_id=web&redirect_uri=%2Fcallback&state=${session.state}&code_challenge=${challenge}&code_challenge_method=S256`);
  }
  if (method === 'GET' && path === '/authorize') {
    const request_id = random(18);
    session.grant = { request_id, state: query.get('state'), challenge: query.get('code_challenge') };
    return html('Consent', `<form method="post" action="/authorize"><input type="hidden" name="request_id" value="${request_id}"><input name="user" id="user"><button id="allow">Allow</button></form>`);
  }
  if (method === 'POST' && path === '/authorize') {
    check(request.form.get('request_id') === session.grant?.request_id, 'wrong request_id');
    const code = random(24);
    grants.set(code, session.grant);
    return redirect(`/callback?code=${code}&state=${session.grant.state}`);
  }
  if (method === 'GET' && path === '/callback') {
    const grant = grants.get(query.get('code'));
    grants.delete(query.get('code'));
    check(grant, 'wrong code');
    check(query.get('state') === session.state, 'wrong state');
    check(sha256(session.verifier) === grant.challenge, 'wrong verifier');
    session.access = random(20);
    return redirect('/home');
  }
  if (method === 'GET' && path === '/home') {
    check(session.access, 'not signed in', 401);
    return html('Home', `<script>fetch('/api/me', { headers: { authorization: 'Bearer ${session.access}' } }).then((answer) => answer.json()).then((me) => { document.title = 'Hello ' + me.user; });</script>`);
  }
  if (method === 'GET' && path === '/api/me') {
    check(request.headers.authorization === `Bearer ${session.access}`, 'wrong token', 401);
    return [200, 'application/json', '{"user":"alice"}'];
  }
  return missing();
}

export async function drive(tab) {
  await tab.title('Application');
  await tab.click('#login');
  await tab.title('Consent');
  await tab.type('#user', 'alice');
  await tab.click('#allow');
  await tab.title('Hello alice');
}
