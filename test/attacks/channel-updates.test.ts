import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { slackUpdateRoute } from '#channels/slack/update-route.ts';
import { telegramUpdateRoute } from '#channels/telegram/update-route.ts';
import { NotFound, RateLimited } from '#domain/errors.ts';
import { createServer } from '#http/server/server.ts';

const NOW = String(Math.floor(Date.now() / 1000));

async function listen(failuresAllowed = 100) {
  const app = createServer({ maxBodyBytes: 100, log: pino({ level: 'silent' }) });
  let failures = 0;
  const limitGuesses = async () => {
    if (++failures > failuresAllowed) throw new RateLimited(60, 'Too many.');
  };
  const require = (isKnown: boolean) => {
    if (!isKnown) throw new NotFound('This channel does not exist.');
  };
  const accept = vi.fn(async () => {});
  const acceptSigned = vi.fn(async (_channel, _id, { body }: { body: Buffer }) => require(String(body) === 'signed'));
  const requireSecret = async (_channel: string, id: string, secret: string) =>
    require(id === 'known' && secret === 's');
  const requireSigning = async (_channel: string, id: string, isSignable: boolean) =>
    require(id === 'known' && isSignable);
  await app.register(telegramUpdateRoute({ requireSecret, accept }, limitGuesses));
  await app.register(slackUpdateRoute({ requireSigning, acceptSigned }, limitGuesses));
  let parsed = 0;
  app.addHook('preValidation', async () => void parsed++);
  onTestFinished(() => app.close());
  const post = async (url: string, headers: Record<string, string>, body = '{}') =>
    (await app.inject({ method: 'POST', url, headers: { 'content-type': 'application/json', ...headers }, body }))
      .statusCode;
  return { post, accept, acceptSigned, parsed: () => parsed };
}

const SECRET = { 'x-telegram-bot-api-secret-token': 's' };
const SIGNATURE = { 'x-slack-signature': 'v0=00', 'x-slack-request-timestamp': NOW };

test.each([
  ['/channels/telegram/known', {}],
  ['/channels/telegram/known', { 'x-telegram-bot-api-secret-token': 'wrong' }],
  ['/channels/telegram/unknown', SECRET],
  ['/channels/slack/known', {}],
  ['/channels/slack/known', { 'x-slack-request-timestamp': NOW }],
  ['/channels/slack/known', { ...SIGNATURE, 'x-slack-request-timestamp': '1700000000' }],
  ['/channels/slack/unknown', SIGNATURE],
])('a stranger at %s with %j is refused before the body is read', async (url, headers) => {
  const { post, parsed } = await listen();
  expect(await post(url, headers, '[1,')).toBe(404);
  expect(parsed()).toBe(0);
});

test('an update of Telegram has at most 64 KiB', async () => {
  const { post, accept } = await listen();
  const body = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));
  expect(await post('/channels/telegram/known', SECRET, body(64 * 1024))).toBe(204);
  expect(accept).toHaveBeenCalledOnce();
  expect(await post('/channels/telegram/known', SECRET, body(64 * 1024 + 1))).toBe(413);
});

test("failed checks are limited by address, and never a platform's own updates", async () => {
  const { post } = await listen(2);
  expect(await post('/channels/telegram/known', {})).toBe(404);
  expect(await post('/channels/slack/known', SIGNATURE, 'forged')).toBe(404);
  expect(await post('/channels/telegram/unknown', SECRET)).toBe(429);
  expect(await post('/channels/telegram/known', SECRET)).toBe(204);
  expect(await post('/channels/slack/known', SIGNATURE, 'signed')).toBe(200);
});
