import { expect } from 'vitest';
import { journey } from '../../support/journey.ts';

const test = journey().override('settings', { SANDBOX: 'auto' });

test('hosted tools are refused unless the operator names them', async ({ service }) => {
  for (const tool of [{ type: 'code_interpreter', container: { type: 'auto' } }, { type: 'shell' }]) {
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
