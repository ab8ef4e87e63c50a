import type { ImapFlow } from 'imapflow';
import { ChatFailed } from '#agent/chats/chat-port.ts';
import { type LookUp, type MailSettings, tlsFor } from './mail-settings.ts';
import { MOST_BYTES } from './read-mail.ts';

/** How long one call waits for mail: shorter than the lease of the replica that watches. */
const WAIT_MS = 20_000;
const CONNECT_MS = 8000;

/** A connection to the server of an account, with its inbox open. */
export async function openImap(settings: MailSettings, lookUp: LookUp): Promise<ImapFlow> {
  const { host, port, security } = settings.imap;
  const [address] = await lookUp(host, { isPrivate: settings.private_network });
  const { ImapFlow: Client } = await import('imapflow'); // few installations need it
  const client = new Client({
    ...(address !== undefined && { host: address }),
    port,
    secure: security === 'tls',
    doSTARTTLS: security === 'starttls',
    servername: host,
    tls: tlsFor(host),
    auth: { user: settings.user, pass: settings.password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: WAIT_MS * 2,
    maxLineLength: 1024 * 1024,
    maxLiteralSize: MOST_BYTES + 1024,
    maxResponseSize: MOST_BYTES + 1024 * 1024,
  });
  // A pending command gets the error; without a listener, the process would end.
  client.on('error', () => {});
  await client.connect();
  await client.mailboxOpen('INBOX');
  return client;
}

/** Waits until the server reports new mail. Each call renews IDLE; without it, each call is a poll. */
export async function waitForMail(client: ImapFlow, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const end = () => resolve();
  const timer = setTimeout(end, WAIT_MS);
  signal.addEventListener('abort', end, { once: true });
  client.once('exists', end);
  client.once('close', end);
  client.idle().catch(end);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
    client.off('exists', end);
    client.off('close', end);
  }
}

export async function findSentFolder(client: ImapFlow): Promise<string | undefined> {
  return (await client.list()).find(({ specialUse }) => specialUse === '\\Sent')?.path;
}

/** A failure of the server or on the way to it. */
export function toFailure(error: unknown): ChatFailed {
  if (error instanceof ChatFailed) return error;
  const isRefused = error instanceof Error && 'authenticationFailed' in error && error.authenticationFailed === true;
  const said =
    error instanceof Error && 'responseText' in error && typeof error.responseText === 'string'
      ? error.responseText
      : error instanceof Error
        ? error.message
        : String(error);
  const reason = isRefused ? 'the server refuses the user name or the password' : said.slice(0, 300);
  return new ChatFailed({ outcome: 'failed', error: `IMAP: ${reason}` });
}
