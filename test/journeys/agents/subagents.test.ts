import { expect } from 'vitest';
import { journey } from '../../support/journey.ts';

const test = journey().override('settings', { AGENT_DEPTH: '1', AGENT_CHILDREN_AT_ONCE: '3' });

const use = (task: string, more: object = {}) => `use reborn_agent_run ${JSON.stringify({ task, ...more })}`;

test('a run gets the reports of its children, which work at the same time, and is one response', async ({
  service,
  model,
  home,
}) => {
  const response = await service.ask([use('say one'), use('say two'), use('say three')].join('\n'));

  expect(response).toMatchObject({ status: 'completed' });
  const prompt = model.seen.findLast(({ messages }) => messages[1]?.text.startsWith('use reborn_agent_run'));
  const reports = prompt?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
  expect(reports?.map((text) => /one|two|three/.exec(text)?.[0])).toEqual(['one', 'two', 'three']);
  const rows = await home.query(`
    select state, outcome, tokens_used::integer as tokens, delivered_at is not null as delivered from delegations`);
  expect(rows).toEqual(
    Array.from({ length: 3 }, () => ({ state: 'ended', outcome: 'completed', tokens: 15, delivered: true })),
  );
});
