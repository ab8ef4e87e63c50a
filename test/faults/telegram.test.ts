import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BOT, type BotApi, startBotApi } from '../support/telegram/bot-api.ts';
import { createPerson } from '../support/telegram/person.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { query } from './query.ts';

let cluster: Cluster;
let telegram: BotApi;

beforeAll(async () => {
  telegram = await startBotApi();
  const env = { STAND_IN_PORT: String(telegram.port), CHAT_RATE_PER_MINUTE: '1000000' };
  cluster = await startCluster({ env });
});

afterAll(async () => {
  await cluster.close();
  await telegram.close();
});

const KILLS = rounds(2, 300);
const MESSAGES = rounds(40, 5000);
const PEOPLE = Array.from({ length: rounds(4, 40) }, (_, index) => createPerson(1000 + index, `P${index}`));

test(
  'messages survive kills, limits and cut lines: one turn each, and each answer is shown once',
  async () => {
    const first = await cluster.start();
    await cluster.start();
    const body = JSON.stringify({ channel: 'telegram', token: BOT.token });
    expect((await first.request('/api/channels', { method: 'POST', body })).status).toBe(201);
    for (const person of PEOPLE) {
      const made = await first.request('/api/channels/codes', { method: 'POST' });
      const { code } = (await made.json()) as { code: string };
      person.say(telegram, `/start ${code}`);
      await waitFor('the link', async () => telegram.in(person.id).some(({ text }) => /is connected/.test(text)));
    }

    const words: string[] = [];
    const perKill = Math.ceil(MESSAGES / KILLS);
    const began = performance.now();
    for (let kill = 0; kill < KILLS; kill++) {
      if (kill % 3 === 0) telegram.fail(/^(sendMessage|editMessageText)$/, { status: 429, retryAfter: 1 }, 3);
      if (kill % 3 === 1) telegram.fail(/^editMessageText$/, 'lost', 2);
      if (kill % 3 === 2) telegram.fail(/^(getUpdates|sendMessage)$/, 'cut', 2);
      for (let each = 0; each < perKill && words.length < MESSAGES; each++) {
        const word = `answer-${words.length}`;
        const update = PEOPLE[words.length % PEOPLE.length]?.say(telegram, `say ${word}`);
        if (update && each % 7 === 0) telegram.updates.push(update); // delivered twice
        words.push(word);
      }
      await sleep(Math.random() * 800);
      const victim = [...cluster.replicas][kill % cluster.replicas.size];
      const another = cluster.start();
      await victim?.kill();
      await another;
    }
    await waitFor('all updates', async () => (await openWork()) === 0, 120_000 + KILLS * 1000);
    const seconds = (performance.now() - began) / 1000;

    const shown = telegram.messages.map(({ text }) => text);
    expect(shown.filter((text) => text.includes('answer-')).toSorted()).toEqual(words.toSorted());
    const [turns] = await query<{ count: string; turns: string }>(
      cluster,
      `select count(*), count(distinct turn_id) as turns from chat_inbox where turn_id is not null`,
    );
    expect(turns).toEqual({ count: String(MESSAGES), turns: String(MESSAGES) });
    const [made] = await query<{ count: string }>(cluster, `select count(*) from turns where channel = 'telegram'`);
    expect(made?.count).toBe(String(MESSAGES));
    const orphans = shown.filter((text) => text === '…').length;
    console.log(
      `${MESSAGES} messages, ${KILLS} kills in ${seconds.toFixed(0)} s: ${orphans} placeholders were left, ${telegram.conflicts.length} polls collided`,
    );
    expect(orphans).toBeLessThanOrEqual(KILLS * 4 + 4);
  },
  240_000 + KILLS * 60_000,
);

async function openWork(): Promise<number> {
  const [row] = await query<{ count: string }>(
    cluster,
    `select (select count(*) from chat_inbox where state = 'new') + (select count(*) from outbox)
       + (select count(*) from deliveries where state in ('pending', 'sending'))
       + (select count(*) from turns where status in ('queued', 'running')) as count`,
  );
  return Number(row?.count) + telegram.updates.length;
}
