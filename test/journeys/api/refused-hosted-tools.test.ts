import { expect } from 'vitest';
import { journey } from '../../support/journey.ts';

const test = journey().override('settings', { SANDBOX: 'auto' });

test('hosted tools are refused unless the operator names them', async ({ service }) => {
  const searches = ['web_search', 'web_search_2025_08_26', 'web_search_preview'].map((type) => ({ type }));
  for (const tool of [{ type: 'code_interpreter', container: { type: 'auto' } }, { type: 'shell' }, ...searches]) {
    const body = JSON.stringify({ model: 'm', input: 'say hi', tools: [tool] });
    const answer = await service.request('/v1/responses', { method: 'POST', body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      error: {
        code: 'invalid_tool',
        param: 'tools[0].type',
        message: 'Only tools of type "function" are accepted.',
      },
    });
  }
});

test('web_search_options are ignored unless the operator names the search', async ({ service }) => {
  const messages = [{ role: 'user', content: 'recite' }];
  const options = { search_context_size: 5, user_location: { type: 'approximate', approximate: { city: 'Lund' } } };
  const body = JSON.stringify({ model: 'm', messages, web_search_options: options });
  const answer = await service.request('/v1/chat/completions', { method: 'POST', body });
  expect(answer.status).toBe(200);
  expect(await answer.text()).not.toContain('Lund');
});
