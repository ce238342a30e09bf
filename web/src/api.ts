// Requests to the page's own server.

import { authorization, forgetSecret } from './secret';

/** Sends a request with the secret; an error has the text of the server. */
export async function request(method: string, path: string, body?: BodyInit, type = 'application/json'): Promise<Response> {
  const init: RequestInit = { method, headers: { 'Content-Type': type, ...authorization() }, credentials: 'omit' };
  if (body !== undefined) init.body = body;
  const response = await fetch(path, init);
  if (response.ok) return response;
  if (response.status === 401) forgetSecret();
  const { error } = (await response.json()) as { error?: string };
  throw new Error(error ?? `the server returned status ${response.status}`);
}

/** The same with JSON. */
export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await request(method, path, body === undefined ? undefined : JSON.stringify(body));
  return (await response.json()) as T;
}
