import OpenAI from 'openai';
import { expect } from 'vitest';
import { journey } from '../../support/journey.ts';
import { type Service, TOKEN } from '../../support/service.ts';

const test = journey().override('settings', { SANDBOX: 'off', RESPONSES_HOSTED_TOOLS: 'code_interpreter,web_search' });

const connect = (service: Service) => new OpenAI({ baseURL: `${service.url}/v1`, apiKey: TOKEN, maxRetries: 0 });

test('a service that runs no code says so', async ({ service }) => {
  const { responses } = connect(service);
  const tools = [{ type: 'code_interpreter' as const, container: { type: 'auto' as const } }];
  await expect(responses.create({ model: 'm', input: 'hi', tools })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('it has no sandbox'),
  });
});

test('a service without a search engine says so', async ({ service }) => {
  const { responses, chat } = connect(service);
  const refused = { status: 400, message: expect.stringContaining('no search engine') };
  const tools = [{ type: 'web_search' as const }];
  await expect(responses.create({ model: 'm', input: 'hi', tools })).rejects.toMatchObject({
    ...refused,
    code: 'invalid_tool',
    param: 'tools[0].type',
  });
  const messages = [{ role: 'user' as const, content: 'hi' }];
  await expect(chat.completions.create({ model: 'm', messages, web_search_options: {} })).rejects.toMatchObject({
    ...refused,
    param: 'web_search_options',
  });
});
