// What the applications share: a server with sessions, and pages. Nothing but Node.

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';

export const random = (bytes) => randomBytes(bytes).toString('hex');
export const sha256 = (text) => createHash('sha256').update(text).digest('base64url');

/** A page with the usual static files, which a plan should not have. */
export const page = (title, body) => `<!doctype html><html><head><meta charset="utf-8"><title>${title}</title><link rel="stylesheet" href="/style.css"><script src="/script.js"></script></head><body><h1>${title}</h1>${body}<img src="/image.png" alt=""></body></html>`;

const STATIC = {
  '/style.css': ['text/css', 'h1 { color: navy }'],
  '/script.js': ['text/javascript', 'const app = {};'],
  '/image.png': ['image/png', Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')],
};

class Request {
  constructor(request, body) {
    this.method = request.method;
    this.url = new URL(request.url, 'http://app');
    this.path = this.url.pathname;
    this.headers = request.headers;
    this.body = body;
    this.cookies = Object.fromEntries((request.headers.cookie ?? '').split(/; */).filter(Boolean).map((cookie) => cookie.split('=')));
  }

  get form() { return new URLSearchParams(this.body.toString()); }
  get json() { return JSON.parse(this.body.toString()); }
}

/** A refusal of a value that is not the one of this session: what a plan without variables gets. */
export class Refused extends Error {
  constructor(what, status = 403) {
    super(what);
    this.status = status;
  }
}

export function check(fact, what, status = 403) {
  if (!fact) throw new Refused(what, status);
}

/**
 * Serves an application, which answers `route(request, session)` with `[status, type, body, headers]`. Prints its address.
 * A session begins with a request without a cookie of one. With TLS where TLS_KEY and TLS_CERT name files.
 */
export function serve(route) {
  const sessions = new Map();
  const answer = async (incoming, response) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const request = new Request(incoming, Buffer.concat(chunks));
    let headers = {};
    let session = sessions.get(request.cookies.sid);
    if (STATIC[request.path]) {
      const [type, body] = STATIC[request.path];
      return response.writeHead(200, { 'content-type': type, 'cache-control': 'max-age=3600' }).end(body);
    }
    if (!session) {
      const sid = random(16);
      session = {};
      sessions.set(sid, session);
      headers = { 'set-cookie': `sid=${sid}; Path=/; HttpOnly` };
    }
    try {
      const [status, type, body, more] = await route(request, session);
      response.writeHead(status, { 'content-type': type, ...headers, ...more }).end(body);
    } catch (error) {
      const status = error.status ?? 500;
      console.error(`${request.method} ${request.url.pathname}: ${status} ${error.message}`);
      response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(`${error.message}\n`);
    }
    return undefined;
  };
  const { TLS_KEY, TLS_CERT } = process.env;
  const server = TLS_KEY
    ? https.createServer({ key: readFileSync(TLS_KEY), cert: readFileSync(TLS_CERT) }, answer)
    : http.createServer(answer);
  server.keepAliveTimeout = 60_000;
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
    console.log(`${TLS_KEY ? 'https' : 'http'}://127.0.0.1:${server.address().port}/`);
  });
}

export const html = (title, body, headers) => [200, 'text/html; charset=utf-8', page(title, body), headers];
export const json = (value, status = 200, headers = {}) => [status, 'application/json', JSON.stringify(value), headers];
export const redirect = (location) => [302, 'text/html', '', { location }];
export const missing = () => { throw new Refused('no such page', 404); };
