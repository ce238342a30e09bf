// A shop: form login, an id in the path of a redirect, a token in a script, and orders by JSON.

import { check, html, json, missing, random, redirect } from '../site.mjs';

export function route(request, session) {
  const { method, path } = request;
  if (method === 'GET' && path === '/') {
    session.csrf = random(20);
    return html('Login', `<form method="post" action="/login"><input type="hidden" name="csrf_token" value="${session.csrf}"><input name="user" id="user"><input name="password" type="password" id="password"><button id="go">Go</button></form>`);
  }
  if (method === 'POST' && path === '/login') {
    check(request.form.get('csrf_token') === session.csrf, 'wrong csrf_token');
    session.bearer = random(24);
    session.view = random(12);
    return redirect(`/home;v=${session.view}`);
  }
  if (path.startsWith('/home;v=')) {
    check(path === `/home;v=${session.view}`, 'wrong view');
    return html('Home', `<button id="order">Order</button><script>
      window.token = "${session.bearer}";
      const call = (path, options = {}) => fetch(path, { ...options, headers: { 'content-type': 'application/json', authorization: 'Bearer ' + token } }).then((answer) => answer.json());
      document.getElementById('order').onclick = async () => {
        const { items } = await call('/api/items');
        const { order } = await call('/api/orders', { method: 'POST', body: JSON.stringify({ item: items[1].id, qty: 2 }) });
        await call('/api/orders/' + order.id);
        document.title = 'Ordered';
      };
    </script>`);
  }
  if (path.startsWith('/api/')) {
    check(session.bearer && request.headers.authorization === `Bearer ${session.bearer}`, 'wrong token', 401);
    if (method === 'GET' && path === '/api/items') {
      session.items = [random(6), random(6), random(6)];
      return json({ items: session.items.map((id, index) => ({ id, name: `thing ${index}` })) });
    }
    if (method === 'POST' && path === '/api/orders') {
      check(session.items.includes(request.json.item), 'no such item', 422);
      session.order = crypto.randomUUID();
      return json({ order: { id: session.order, qty: request.json.qty } }, 201);
    }
    check(path === `/api/orders/${session.order}`, 'no such order', 404);
    return json({ id: session.order, state: 'new' });
  }
  return missing();
}

export async function drive(tab) {
  await tab.title('Login');
  await tab.type('#user', 'alice');
  await tab.type('#password', 's3cret-Pass');
  await tab.click('#go');
  await tab.title('Home');
  await tab.click('#order');
  await tab.title('Ordered');
}
