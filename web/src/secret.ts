// The secret of the address, for this page alone. Cookies are shared by all ports of a host, so a server under test beside the page would
// get one: the secret goes into a header of the page's own requests instead. It stays in the storage of the tab, which belongs to one
// origin with its port and ends with the tab; a further tab of the same origin gets it from one that is open.

const NAME = 'swell-secret';

/** Milliseconds in which another tab answers. */
const ANSWER_MS = 300;

type Message = { kind: 'ask' } | { kind: 'secret'; secret: string };

let secret: string | null = null;

/** Header lines of a request. */
export function authorization(): Record<string, string> {
  return secret ? { Authorization: `Bearer ${secret}`, 'X-Swell-Client': 'page' } : {};
}

/** Finds the secret: in the address, which loses it, in this tab's storage, or in another tab. */
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

/** The server does not know it: it is that of an earlier run at this address. */
export function forgetSecret(): void {
  secret = null;
  try {
    sessionStorage.removeItem(NAME);
  } catch {
    // Without a storage nothing is stored.
  }
}

function stored(): string | null {
  try {
    return sessionStorage.getItem(NAME);
  } catch {
    // Storage is switched off: the whole address is needed again after a reload.
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
