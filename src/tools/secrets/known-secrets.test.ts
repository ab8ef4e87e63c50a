import { expect, test } from 'vitest';
import { createKnownSecrets } from './known-secrets.ts';
import type { Secrets } from './secrets.ts';

test("texts are not searched for a local model's key that is an ordinary word", async () => {
  const stored: Record<string, string> = { 'model.local': 'ollama', 'model.cloud': 'sk-12345678', pin: '123456' };
  const vault = { find: async (name: string) => ({ reveal: () => stored[name] }) };
  const secrets = {
    list: async (holder: unknown) => (holder === 'everyone' ? Object.keys(stored).map((name) => ({ name })) : []),
    inVault: async (_holder: unknown, act: (opened: typeof vault) => Promise<unknown>) => act(vault),
  } as unknown as Pick<Secrets, 'list' | 'inVault'>;

  const { values } = await createKnownSecrets(secrets, new Map())({ userId: 'ann' });
  expect([...values]).toEqual([
    ['model.cloud', 'sk-12345678'],
    ['pin', '123456'],
  ]);
});
