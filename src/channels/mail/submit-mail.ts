import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setImmediate as nextRound } from 'node:timers/promises';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { ChatFailed } from '#agent/chats/chat-port.ts';
import type { Composed } from './compose-mail.ts';
import { piecesOf } from './mail-pieces.ts';
import { domainOf, type LookUp, type MailSettings, tlsFor } from './mail-settings.ts';

/** In all; shorter than the claim on a message, so that no attempt outlives it. */
const TIMEOUT_MS = 12_000;

type Letter = Pick<Composed, 'to' | 'read'>;

/**
 * Hands a mail to the SMTP server, once. The account itself gets a copy, in the same transaction: so the mailbox shows later whether
 * the server has accepted a mail whose answer was lost. A mail that the person can't get is not completed, because its copy would
 * look like success.
 */
export async function submitMail(settings: MailSettings, lookUp: LookUp, { to, read }: Letter): Promise<void> {
  await withConnection(settings, lookUp, async (connection) => {
    const envelope: Envelope = { from: settings.address, to: [to, settings.address] };
    const content = Readable.from(
      (async function* () {
        if (envelope.rejected?.includes(to)) throw new Error('The server refuses the recipient.');
        yield* oneEachRound(read());
      })(),
      { highWaterMark: 1 },
    );
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    connection.send(envelope, content, (error) => (error ? reject(refusalIn(envelope, to) ?? error) : resolve()));
    await promise;
  });
}

/** Encoding and sending a large mail at once would hold up everything else in this process. */
async function* oneEachRound(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const chunk of content)
    for (const piece of piecesOf(chunk)) {
      yield piece;
      await nextRound();
    }
}

/** Whether the server accepts the user and the password. */
export const checkSubmission = (settings: MailSettings, lookUp: LookUp): Promise<void> =>
  withConnection(settings, lookUp, async () => {});

/** The connection fills in what the server has answered. */
type Envelope = {
  from: string;
  to: string[];
  rejected?: string[];
  rejectedErrors?: (Error & { recipient?: string })[];
};

const refusalIn = ({ rejectedErrors = [] }: Envelope, to: string) =>
  rejectedErrors.find(({ recipient }) => recipient === to);

async function withConnection(
  settings: MailSettings,
  lookUp: LookUp,
  act: (connection: SMTPConnection) => Promise<void>,
): Promise<void> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  ended.catch(() => {});
  const timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS);
  let connection: SMTPConnection | undefined;
  try {
    connection = await connect(settings, lookUp);
    connection.on('error', reject);
    await Promise.race([run(connection, settings, act), ended]);
  } catch (error) {
    throw toFailure(error);
  } finally {
    clearTimeout(timer);
    connection?.close();
  }
}

async function connect(settings: MailSettings, lookUp: LookUp): Promise<SMTPConnection> {
  const { host, port, security } = settings.smtp;
  const [address] = await lookUp(host, { isPrivate: settings.private_network });
  const { default: Connection } = await import('nodemailer/lib/smtp-connection'); // few installations need it
  return new Connection({
    host: address,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    servername: host,
    tls: tlsFor(host),
    name: domainOf(settings.address),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    maxResponseSize: 64 * 1024,
    logger: false,
  });
}

async function run(
  connection: SMTPConnection,
  { user, password }: MailSettings,
  act: (connection: SMTPConnection) => Promise<void>,
): Promise<void> {
  const connected = once(connection, 'connect');
  connection.connect();
  await connected;
  const { promise: signedIn, resolve, reject } = Promise.withResolvers<void>();
  connection.login({ user, pass: password }, (error) => (error ? reject(error) : resolve()));
  await signedIn;
  await act(connection);
}

type SmtpError = Error & { readonly responseCode?: number; readonly response?: string; readonly command?: string };

/** Without an answer of the server, the outcome is unknown: nodemailer reports a lost answer like a failed connection. */
function toFailure(given: unknown): ChatFailed {
  if (given instanceof ChatFailed) return given;
  const error = (given instanceof Error ? given : new Error(String(given))) as SmtpError;
  const { responseCode: status, command = '' } = error;
  const said = `SMTP: ${(error.response ?? error.message).slice(0, 300)}`;
  if (status === undefined || status < 500) return failed({ outcome: 'failed', error: said, ...statusOf(status) });
  // A server that does not relay for this account refuses everyone. That can be put right, and it says nothing about the person.
  if (command.startsWith('RCPT') && /\b5\.7\.\d|relay/i.test(said))
    return failed({ outcome: 'refused', error: said, status });
  if (command.startsWith('RCPT')) return failed({ outcome: 'gone', error: said, status });
  // A wrong password can be put right without a loss.
  if (/^(?:AUTH|EHLO|HELO|STARTTLS|CONN|MAIL)/.test(command)) return failed({ outcome: 'failed', error: said, status });
  return failed({ outcome: 'refused', error: said, status });
}

const failed = (result: ChatFailed['result']) => new ChatFailed(result, { field: 'smtp' });

const statusOf = (status: number | undefined) => (status === undefined ? {} : { status });
