import { expect, onTestFinished, test } from 'vitest';
import { freshHome } from '../support/fresh-home.ts';
import { runReborn } from '../support/run-reborn.ts';
import { SETTINGS } from '../support/service.ts';

test('reborn ask names the address of a model that could not be reached, the reason, and that it asks again', async () => {
  const home = await freshHome();
  onTestFinished(() => home.remove());
  const model = { LLM_PROVIDER: 'openai-compatible', LLM_MODEL: 'local', LLM_BASE_URL: 'http://127.0.0.1:1/v1' };
  const env = { ...SETTINGS, ...home.env, ...model, LLM_TRIES: '2', LLM_RETRY_SECS: '1' };
  const { code, stdout, stderr } = await runReborn(['ask', 'hello'], { env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^reborn: The model could not be reached: the connection was refused\. Trying again in [12] s\.\n/,
  );
  expect(stderr).toMatch(/\nreborn: The model could not be reached: the connection was refused\.\n/);
  expect(stderr).toContain('The address is http://127.0.0.1:1/v1. `reborn doctor` checks it.');
});
