// The secret from the address, used by this page only. All ports of a host share cookies, so a server under test on the same host would
// receive a cookie; the page sends the secret in a header instead. The secret is stored in the tab's session storage, which belongs to one
// origin including its port, and ends with the tab. Another tab of the same origin gets it from an open one.

const NAME = 'swell-secret';

/** Milliseconds to wait for a response from another tab. */
const ANSWER_MS = 300;

type Message = { kind: 'ask' } | { kind: 'secret'; secret: string };

let secret: string | null = null;

/** Header lines of a request. */
export function authorization(): Record<string, string> {
  return secret ? { Authorization: `Bearer ${secret}`, 'X-Swell-Client': 'page' } : {};
}

/** Finds the secret in the address, which is then cleaned, in this tab's storage, or in another tab. */
export async function findSecret(): Promise<void> {
  const channel = new BroadcastChannel(NAME);
  const given = new URLSearchParams(location.hash.slice(1)).get('t');
  if (given) history.replaceState(null, '', location.pathname);
  secret = given ?? stored() ?? (await fromAnotherTab(channel));
  if (secret) store(secret);
  channel.onmessage = (message: MessageEvent<Message>) => {
    if (message.data.kind === 'ask' && secret) channel.postMessage({ kind: 'secret', secret } satisfies Message);
  };
}

/** The server rejected the secret: it belongs to an earlier run at this address. */
export function forgetSecret(): void {
  secret = null;
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // Storage is unavailable.
  }
}

function stored(): string | null {
  try {
    return sessionStorage.getItem(NAME);
  } catch {
    // Storage is off: after a reload the full address is needed again.
    return null;
  }
}

function store(found: string): void {
  try {
    sessionStorage.setItem(NAME, found);
  } catch {
    // As above.
  }
}

function fromAnotherTab(channel: BroadcastChannel): Promise<string | null> {
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(null), ANSWER_MS);
    channel.onmessage = (message: MessageEvent<Message>) => {
      if (message.data.kind !== 'secret') return;
      clearTimeout(late);
      resolve(message.data.secret);
    };
    channel.postMessage({ kind: 'ask' } satisfies Message);
  });
}
