// Form login with a token against forged requests, and a page that only users see.

import { check, html, missing, random, redirect } from '../site.mjs';

export function route(request, session) {
  const { method, path } = request;
  if (method === 'GET' && path === '/') {
    session.token = random(20);
    return html('Sign in', `<form method="post" action="/login"><input type="hidden" name="csrf_token" value="${session.token}"><input name="user" id="user"><input name="password" id="password" type="password"><button id="go">Sign in</button></form>`);
  }
  if (method === 'POST' && path === '/login') {
    check(request.form.get('csrf_token') === session.token, 'wrong csrf_token');
    session.user = request.form.get('user');
    return redirect('/account');
  }
  check(session.user, 'not signed in', 401);
  if (method === 'GET' && path === '/account') {
    session.change = random(12);
    return html('Account', `<form method="post" action="/account/name"><input type="hidden" name="change_id" value="${session.change}"><input name="name" id="name"><button id="save">Save</button></form>`);
  }
  if (method === 'POST' && path === '/account/name') {
    check(request.form.get('change_id') === session.change, 'wrong change_id');
    return html('Saved', '<p>Saved.</p>');
  }
  return missing();
}

export async function drive(tab) {
  await tab.title('Sign in');
  await tab.type('#user', 'alice');
  await tab.type('#password', 's3cret-Pass');
  await tab.click('#go');
  await tab.title('Account');
  await tab.type('#name', 'Alice B');
  await tab.click('#save');
  await tab.title('Saved');
}
