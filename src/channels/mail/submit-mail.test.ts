import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { afterEach, expect, test } from 'vitest';
import { ChatFailed, type ChatMessage } from '#agent/chats/chat-port.ts';
import { watchLoop } from '../../../test/support/watch-loop.ts';
import { composeMail } from './compose-mail.ts';
import type { MailSettings } from './mail-settings.ts';
import { submitMail } from './submit-mail.ts';

let server: Server;
afterEach(() => server.close());

/** An SMTP server that answers so to one recipient. Returns the commands it got. */
async function startServer(refused: string, answer: string) {
  const commands: string[] = [];
  server = createServer((socket) => {
    let isContent = false;
    const say = (line: string) => socket.write(`${line}\r\n`);
    say('220 mail.example');
    socket.on('error', () => {});
    createInterface(socket).on('line', (line) => {
      if (isContent && line !== '.') return;
      commands.push(line);
      if (line.startsWith('EHLO')) return say('250-mail.example\r\n250 AUTH PLAIN');
      if (line.startsWith('AUTH')) return say('235 2.7.0 Welcome');
      if (line.startsWith(`RCPT TO:<${refused}>`)) return say(answer);
      if (line === 'DATA') {
        isContent = true;
        return say('354 Go ahead');
      }
      isContent = false;
      return say('250 2.0.0 OK');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { commands, port: (server.address() as AddressInfo).port };
}

const settingsFor = (port: number): MailSettings => ({
  address: 'agent@agent.example',
  authserv_id: 'mail.example',
  user: 'agent',
  password: 'secret',
  imap: { host: 'mail.example', port: 1, security: 'none' },
  smtp: { host: 'mail.example', port, security: 'none' },
  private_network: true,
});

async function submitTo(port: number): Promise<ChatFailed['result'] | 'sent'> {
  const read = () => Readable.from([Buffer.from('Subject: Hello\r\n\r\nHello.\r\n')]);
  const letter = { to: 'ann@example.com', read };
  try {
    await submitMail(settingsFor(port), async () => ['127.0.0.1'], letter);
    return 'sent';
  } catch (error) {
    if (error instanceof ChatFailed) return error.result;
    throw error;
  }
}

test('the person and the account get the mail in one transaction', async () => {
  const { port, commands } = await startServer('nobody@example.com', '');
  expect(await submitTo(port)).toBe('sent');
  expect(commands.filter((line) => line.startsWith('RCPT'))).toEqual([
    'RCPT TO:<ann@example.com>',
    'RCPT TO:<agent@agent.example>',
  ]);
});

test.for([
  ['550 5.7.1 Relaying denied', 'refused'],
  ['554 relay access denied', 'refused'],
  ['550 5.1.1 No such user', 'gone'],
  ['451 4.7.1 Try again later', 'failed'],
] as const)(
  'when the server answers "%s" to the recipient, the delivery is %s and no copy is made',
  async ([answer, outcome]) => {
    const { port, commands } = await startServer('ann@example.com', answer);
    expect(await submitTo(port)).toMatchObject({ outcome, status: Number(answer.slice(0, 3)) });
    expect(commands).not.toContain('.');
  },
);

/** An SMTP server that keeps the bytes of the mail, without looking at its lines. */
async function startKeeper() {
  const { promise, resolve } = Promise.withResolvers<Buffer[]>();
  server = createServer((socket) => {
    const content: Buffer[] = [];
    let isContent = false;
    let end = '';
    const say = (line: string) => socket.write(`${line}\r\n`);
    const receive = (data: Buffer) => {
      content.push(data);
      end = (end + data.toString('latin1', Math.max(0, data.length - 5))).slice(-5);
      if (end !== '\r\n.\r\n') return;
      isContent = false;
      say('250 2.0.0 OK');
      resolve(content);
    };
    const answer = (command: string) => {
      isContent = command === 'DATA\r\n';
      if (isContent) return say('354 Go ahead');
      if (command.startsWith('AUTH')) return say('235 2.7.0 Welcome');
      return say('250 AUTH PLAIN');
    };
    socket.on('error', () => {});
    socket.on('data', (data: Buffer) => (isContent ? receive(data) : answer(data.toString('latin1'))));
    say('220 mail.example');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, received: promise };
}

test('a mail with a file of 20 MB arrives complete, and holds up nothing else meanwhile', {
  timeout: 60_000,
}, async () => {
  const bytes = Buffer.alloc(20_000_000, 'A line of the file, whose length divides nothing.\n');
  const files = [{ name: 'a.bin', mediaType: 'application/octet-stream', bytes }];
  const message = { markdown: 'See the file.\n\n.profile is hidden', files };
  const compose = (sent: ChatMessage) =>
    composeMail({ chat: 'ann@example.com', message: sent, key: 'k', account: 'agent@agent.example' });
  await compose({ markdown: 'The first mail loads the composer.' });
  const shares: number[] = []; // of the longest round in all of them
  while (shares.length < 3 && !shares.some((share) => share < 0.2)) {
    const { port, received } = await startKeeper();
    const loop = watchLoop();
    await submitMail(settingsFor(port), async () => ['127.0.0.1'], await compose(message));
    const { longest, total } = loop.stop();
    shares.push(longest / total);
    server.close();

    const sent = Buffer.concat(await received).toString('latin1');
    expect(sent).toContain('\r\n..profile is hidden\r\n');
    const [, encoded = ''] = sent.split(/Content-Disposition: attachment; filename=a\.bin\r\n\r\n/);
    const lines = bytes.toString('base64').match(/.{1,76}/g) ?? [];
    // Not `toBe`: a difference would print both.
    expect(encoded.startsWith(`${lines.join('\r\n')}\r\n--`)).toBe(true);
    expect(sent).toMatch(/--\r\n\.\r\n$/);
  }
  expect(Math.min(...shares)).toBeLessThan(0.2);
});
