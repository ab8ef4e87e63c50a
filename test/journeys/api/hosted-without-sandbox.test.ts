import OpenAI from 'openai';
import { expect } from 'vitest';
import { journey } from '../../support/journey.ts';
import { TOKEN } from '../../support/service.ts';

const test = journey().override('settings', { SANDBOX: 'off', RESPONSES_HOSTED_TOOLS: 'code_interpreter' });

test('a service that runs no code says so', async ({ service }) => {
  const { responses } = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: TOKEN, maxRetries: 0 });
  const tools = [{ type: 'code_interpreter' as const, container: { type: 'auto' as const } }];
  await expect(responses.create({ model: 'm', input: 'hi', tools })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('it has no sandbox'),
  });
});
