import { expect, test } from 'vitest';
import type { WorkspaceId } from '#domain/ids.ts';
import type { Environment, Strength } from '#sandbox/sandbox.ts';
import { codeTools } from './code-tools.ts';

const environment: Environment = { digest: 'one', python: '3.13.1', libraries: [], programs: [], missing: [] };
const holds: Strength = { rung: 'bubblewrap', layers: ['network'], environment };

test('the tools come, change and go with the sandbox, and an approval applies to its environment', async () => {
  let strength: Strength = { rung: 'none', layers: [], why: 'It is not installed.' };
  const sandboxes = { strength: async () => strength, open: () => Promise.reject(new Error('not asked')) };
  const current = codeTools(sandboxes, async () => 4);
  expect(await current()).toEqual([]);

  strength = holds;
  const tools = await current();
  expect(tools.map(({ definition, revision }) => [definition.name, revision])).toEqual([
    ['reborn_shell', 'one'],
    ['reborn_python', 'one'],
  ]);
  expect(await tools[0]?.state?.({ userId: 'ann' }, 'w' as WorkspaceId)).toBe('4');
  strength = { ...holds };
  expect(await current()).toBe(tools);

  strength = { ...holds, environment: { ...environment, digest: 'two' } };
  expect((await current()).map(({ revision }) => revision)).toEqual(['two', 'two']);
  strength = { ...holds, layers: [], why: 'It has lost the network.' };
  expect(await current()).toEqual([]);
});
