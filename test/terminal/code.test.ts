import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startChatService } from './chat-service.ts';
import { openTerminal } from './tmux.ts';

const CODE = "```ts\nconst a = 'b'; // c\n```\n\n```diff\n-old\n+new\n```\n\nThe end.";

let chat: Awaited<ReturnType<typeof startChatService>>;

beforeAll(async () => {
  chat = await startChatService({ answer: (message) => (message === 'code' ? { pieces: [CODE] } : undefined) });
});
afterAll(() => chat.close());

async function showCode(env: Record<string, string>): Promise<string> {
  const terminal = await openTerminal({ env: { ...chat.env, ...env } });
  onTestFinished(() => terminal.close());
  await terminal.sees('live');
  await terminal.type('code');
  await terminal.press('Enter');
  await terminal.sees('The end.');
  return terminal.styled();
}

test("code and diffs have the terminal's colours", async () => {
  const shown = await showCode({});
  expect(shown).toContain("\x1b[35mconst\x1b[39m a = \x1b[32m'b'\x1b[39m; \x1b[2m// c");
  expect(shown).toContain('\x1b[31m-old');
  expect(shown).toContain('\x1b[32m+new');
});

test('with NO_COLOR, they have none', async () => {
  const shown = await showCode({ NO_COLOR: '1' });
  expect(shown).toContain("const a = 'b'; \x1b[2m// c");
  expect(shown).toMatch(/-old\n\s+\+new/);
  // oxlint-disable-next-line no-control-regex -- these are what it is about
  expect(shown).not.toMatch(/\x1b\[(?:\d+;)*3[0-7]/);
});
