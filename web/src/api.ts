// Requests to the live page's own server.

import { authorization, forgetSecret } from './secret';

/** Sends a request; an error has the text of the server. */
export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method, headers: { 'Content-Type': 'application/json', ...authorization() }, credentials: 'omit' };
  if (body !== undefined) init.body = JSON.stringify(body);
  const response = await fetch(path, init);
  const answer = (await response.json()) as T & { error?: string };
  if (response.status === 401) forgetSecret();
  if (!response.ok) throw new Error(answer.error ?? `the server returned status ${response.status}`);
  return answer;
}
