import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { query } from './query.ts';

/** A stand-in for a chat platform that can fail. */
export type FaultyPlatform = {
  readonly port: number;
  /** The body that adds the account. */
  readonly account: { readonly channel: string } & Readonly<Record<string, unknown>>;
  /** Sends a message to the account; `twice`: the platform delivers it twice. */
  say(person: number, text: string, twice?: boolean): void;
  /** The texts that a person sees. */
  shownTo(person: number): readonly string[];
  shown(): readonly string[];
  /** Plans a few failures: limits, lost answers, or cut lines. */
  trouble(kind: 'limits' | 'lost answers' | 'cut lines'): void;
  /** Updates that were not acknowledged. */
  pending(): number;
  /** How many placeholders may be left over. */
  readonly mostOrphans: (kills: number) => number;
  report(): string;
  close(): Promise<void>;
};

const KILLS = rounds(2, 300);
const MESSAGES = rounds(40, 5000);
const PEOPLE = rounds(4, 40);
const TROUBLES = ['limits', 'lost answers', 'cut lines'] as const;

/** Kills replicas while people write. */
export function testChatFaults(start: () => Promise<FaultyPlatform>): void {
  let cluster: Cluster;
  let platform: FaultyPlatform;

  beforeAll(async () => {
    platform = await start();
    cluster = await startCluster({ env: { STAND_IN_PORT: String(platform.port), CHAT_RATE_PER_MINUTE: '1000000' } });
  });

  afterAll(async () => {
    await cluster.close();
    await platform.close();
  });

  test(
    'messages survive kills, limits and cut lines: one turn each, and each answer is shown once',
    async () => {
      const first = await cluster.start();
      await cluster.start();
      const body = JSON.stringify(platform.account);
      expect((await first.request('/api/channels', { method: 'POST', body })).status).toBe(201);
      for (let person = 0; person < PEOPLE; person++) {
        const made = await first.request('/api/channels/codes', { method: 'POST' });
        const { code } = (await made.json()) as { code: string };
        platform.say(person, `/start ${code}`);
        await waitFor('the link', async () => platform.shownTo(person).some((text) => /is connected/.test(text)));
      }

      const words: string[] = [];
      const perKill = Math.ceil(MESSAGES / KILLS);
      const began = performance.now();
      for (let kill = 0; kill < KILLS; kill++) {
        platform.trouble(TROUBLES[kill % TROUBLES.length] ?? 'limits');
        for (let each = 0; each < perKill && words.length < MESSAGES; each++) {
          const word = `answer-${words.length}`;
          platform.say(words.length % PEOPLE, `say ${word}`, each % 7 === 0);
          words.push(word);
        }
        await sleep(Math.random() * 800);
        const [victim] = cluster.replicas; // the oldest, so that each of the first ones dies, also the one that receives
        const another = cluster.start();
        await victim?.kill();
        await another;
      }
      await waitFor('all updates', async () => (await openWork()) === 0, 120_000 + KILLS * 1000);
      const seconds = (performance.now() - began) / 1000;

      const shown = platform.shown();
      expect(shown.filter((text) => text.includes('answer-')).toSorted()).toEqual(words.toSorted());
      const [turns] = await query<{ count: string; turns: string }>(
        cluster,
        `select count(*), count(distinct turn_id) as turns from chat_inbox where turn_id is not null`,
      );
      expect(turns).toEqual({ count: String(MESSAGES), turns: String(MESSAGES) });
      const [made] = await query<{ count: string }>(
        cluster,
        `select count(*) from turns where channel = '${platform.account.channel}'`,
      );
      expect(made?.count).toBe(String(MESSAGES));
      const orphans = shown.filter((text) => text === '…').length;
      console.log(
        `${MESSAGES} messages, ${KILLS} kills in ${seconds.toFixed(0)} s: ${orphans} placeholders were left, ${platform.report()}`,
      );
      expect(orphans).toBeLessThanOrEqual(platform.mostOrphans(KILLS));
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
    return Number(row?.count) + platform.pending();
  }
}
