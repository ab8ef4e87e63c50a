import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from 'vitest';
import { ChatFailed } from '#agent/chats/chat-port.ts';
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
  const letter = { to: 'ann@example.com', raw: Buffer.from('Subject: Hello\r\n\r\nHello.\r\n') };
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
