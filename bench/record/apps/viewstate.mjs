// Pages like those of ASP.NET Web Forms: the state of a page is in its hidden fields.

import { randomBytes } from 'node:crypto';
import { check, html, missing } from '../site.mjs';

const state = (session) => {
  // Base64 with the characters that forms encode.
  session.view = `/wEP${randomBytes(90).toString('base64')}+/=`;
  session.event = `${randomBytes(30).toString('base64')}/+==`;
  return `<input type="hidden" name="__VIEWSTATE" id="__VIEWSTATE" value="${session.view}"><input type="hidden" name="__EVENTVALIDATION" value="${session.event}">`;
};

const form = (session, body) => `<form method="post" action="/Order.aspx">${state(session)}${body}</form>`;

export function route(request, session) {
  const { method, path } = request;
  if (method === 'GET' && (path === '/' || path === '/Order.aspx')) {
    return html('Order', form(session, '<input name="ctl00$Quantity" id="quantity"><button name="ctl00$Next" value="Next" id="next">Next</button>'));
  }
  if (method === 'POST' && path === '/Order.aspx') {
    check(request.form.get('__VIEWSTATE') === session.view, 'wrong __VIEWSTATE');
    check(request.form.get('__EVENTVALIDATION') === session.event, 'wrong __EVENTVALIDATION');
    if (request.form.has('ctl00$Next')) {
      return html('Confirm', form(session, '<button name="ctl00$Confirm" value="Yes" id="confirm">Confirm</button>'));
    }
    return html('Ordered', '<p>Thank you.</p>');
  }
  return missing();
}

export async function drive(tab) {
  await tab.title('Order');
  await tab.type('#quantity', '3');
  await tab.click('#next');
  await tab.title('Confirm');
  await tab.click('#confirm');
  await tab.title('Ordered');
}
