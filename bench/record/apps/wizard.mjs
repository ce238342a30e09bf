// Four steps, each a page of the server with a new id, which is in the path and in a hidden field.

import { check, html, missing, random, redirect } from '../site.mjs';

const STEPS = ['Name', 'Address', 'Payment', 'Confirmation'];

export function route(request, session) {
  const { method, path } = request;
  if (method === 'GET' && path === '/') {
    return html('Welcome', '<form method="post" action="/orders"><button id="next">Begin</button></form>');
  }
  if (method === 'POST' && path === '/orders') {
    session.order = random(8);
    session.step = 0;
    return redirect(`/orders/${session.order}/step`);
  }
  check(session.order && path.startsWith(`/orders/${session.order}/`), 'no such order', 404);
  if (method === 'GET') {
    session.key = random(11);
    return html(STEPS[session.step], `<form method="post" action="/orders/${session.order}/step"><input type="hidden" name="step_key" value="${session.key}"><input type="hidden" name="step" value="${session.step}"><input name="answer" id="answer"><button id="next">Next</button></form>`);
  }
  if (method === 'POST') {
    check(request.form.get('step_key') === session.key, 'wrong step_key');
    check(Number(request.form.get('step')) === session.step, 'wrong step');
    session.step += 1;
    return session.step < STEPS.length ? redirect(`/orders/${session.order}/step`) : html('Complete', '<p>Complete.</p>');
  }
  return missing();
}

export async function drive(tab) {
  await tab.title('Welcome');
  await tab.click('#next');
  for (const step of STEPS) {
    await tab.title(step);
    await tab.type('#answer', `my ${step.toLowerCase()}`);
    await tab.click('#next');
  }
  await tab.title('Complete');
}
