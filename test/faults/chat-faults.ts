import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ShownFile } from '../support/chats/chat-server.ts';
import { randomMoment } from '../support/random-moment.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { query } from './query.ts';

type Texts = readonly string[] | Promise<readonly string[]>;

/** A chat platform that can fail: a stand-in, or servers of which the lines can be cut. */
export type FaultyPlatform = {
  /** Of a stand-in for the internet. */
  readonly port?: number;
  /** The body that adds the account. */
  readonly account: { readonly channel: string } & Readonly<Record<string, unknown>>;
  /** Sends a message to the account; `twice`: the platform delivers it twice. */
  say(person: number, text: string, twice?: boolean): unknown;
  sendFile(person: number, file: ShownFile, words: string): unknown;
  /** The files that a person has got from the account. */
  filesOf(person: number): readonly ShownFile[] | Promise<readonly ShownFile[]>;
  /** The texts that a person sees. */
  shownTo(person: number): Texts;
  shown(): Texts;
  /** Plans a few failures: limits, lost answers, or cut lines. */
  trouble(kind: 'limits' | 'lost answers' | 'cut lines'): unknown;
  /** Refuses what is meant for a person, for so long or until it is lifted. */
  limit(person: number, seconds: number): { refusals(): number; lift(): void };
  /** How many seconds a limit of ten minutes is waited for at least before the next try, and how many tries it sees then. */
  readonly patience: { readonly seconds: number; readonly tries: number };
  /** Updates that were not acknowledged. */
  pending(): number;
  /** How many placeholders may be left over. */
  readonly mostOrphans: (kills: number) => number;
  report(): string;
  close(): Promise<void>;
};

const KILLS = rounds(2, 300);
const MESSAGES = rounds(40, 5000);
const FILES = rounds(16, 400);
const PEOPLE = rounds(4, 40);
const TROUBLES = ['limits', 'lost answers', 'cut lines'] as const;
const LIMIT_SECONDS = 600;
/** Messages that are not answered yet when the next replica is killed. */
const MOST_OPEN = 60;

/** Kills replicas while people write. */
export function testChatFaults(start: () => Promise<FaultyPlatform>, isPossible = true): void {
  let cluster: Cluster;
  let platform: FaultyPlatform;
  let said = 0;

  beforeAll(async () => {
    if (!isPossible) return;
    platform = await start();
    const port = platform.port === undefined ? {} : { STAND_IN_PORT: String(platform.port) };
    const claimSeconds = String(rounds(4, 20));
    cluster = await startCluster({ env: { ...port, CHAT_RATE_PER_MINUTE: '1000000', CLAIM_SECONDS: claimSeconds } });
  });

  afterAll(async () => {
    if (!isPossible) return;
    await cluster.close();
    await platform.close();
  });

  const say = async (person: number, text: string, twice = false) => {
    said++;
    await platform.say(person, text, twice);
  };
  const sees = async (person: number, words: RegExp) => {
    const texts = await platform.shownTo(person);
    return texts.some((text) => words.test(text));
  };
  const replaceOldest = async () => {
    const [victim] = cluster.replicas; // so that each of the first ones dies, also the one that receives
    const another = cluster.start();
    await victim?.kill();
    await another;
  };

  test.skipIf(!isPossible)(
    'messages survive kills, limits and cut lines: one turn each, and each answer is shown once',
    async () => {
      const first = await cluster.start();
      await cluster.start();
      // Each message gets an answer of its own, also when the one before it is still at work.
      const preferred = await first.request('/api/me', { method: 'PATCH', body: '{"when_busy":"queue"}' });
      expect(preferred.status).toBe(200);
      const body = JSON.stringify(platform.account);
      expect((await first.request('/api/channels', { method: 'POST', body })).status).toBe(201);
      for (let person = 0; person < PEOPLE; person++) {
        const made = await first.request('/api/channels/codes', { method: 'POST' });
        const { code } = (await made.json()) as { code: string };
        await platform.say(person, code);
        await waitFor('the link', () => sees(person, /is connected/));
      }

      const words: string[] = [];
      const perKill = Math.ceil(MESSAGES / KILLS);
      const began = performance.now();
      for (let kill = 0; kill < KILLS; kill++) {
        await platform.trouble(TROUBLES[kill % TROUBLES.length] ?? 'limits');
        for (let each = 0; each < perKill && words.length < MESSAGES; each++) {
          const word = `answer-${words.length}`;
          await say(words.length % PEOPLE, `say ${word}`, each % 7 === 0);
          words.push(word);
        }
        await randomMoment(800);
        await replaceOldest();
        // Otherwise all replicas would die before they could do anything.
        await waitFor('the survivors to work', async () => (await openWork()) <= MOST_OPEN, 180_000);
      }
      await waitFor('all updates', async () => (await openWork()) === 0, 180_000 + KILLS * 2000);
      const having = async (part: string) => (await platform.shown()).filter((text) => text.includes(part));
      const answers = () => having('answer-');
      // A turn fails when three replicas have died while they ran it, and its person gets a message.
      const failures = () => having('each time the process that ran it died');
      await waitFor('all answers', async () => (await answers()).length + (await failures()).length >= words.length);
      const seconds = (performance.now() - began) / 1000;

      const interrupted = await query<{ word: string }>(
        cluster,
        `select split_part(body -> 'content' -> 0 ->> 'text', ' ', 2) as word from turns
         join items on items.turn_id = turns.id and position = 0 where failure ->> 'code' = 'interrupted'`,
      );
      const missing = new Set(interrupted.map(({ word }) => word));
      expect((await answers()).toSorted()).toEqual(words.filter((word) => !missing.has(word)).toSorted());
      expect(await failures()).toHaveLength(missing.size);
      expect(missing.size).toBeLessThanOrEqual(KILLS / 10);
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
      const orphans = (await platform.shown()).filter((text) => text === '…').length;
      console.log(
        `${MESSAGES} messages, ${KILLS} kills in ${seconds.toFixed(0)} s: ${missing.size} turns were interrupted too often, ${orphans} placeholders were left, ${platform.report()}`,
      );
      expect(orphans).toBeLessThanOrEqual(platform.mostOrphans(KILLS));
    },
    240_000 + KILLS * 60_000,
  );

  test.skipIf(!isPossible)(
    'files survive kills and lost answers: each one comes in, is presented, and goes out once',
    async () => {
      const expected: string[][] = Array.from({ length: PEOPLE }, () => []);
      for (let index = 0; index < FILES; index++) {
        const person = index % PEOPLE;
        const name = `table-${index}.csv`;
        expected[person]?.push(`${name}: of ${person}`);
        said++;
        const file = { name, mediaType: 'text/csv', bytes: Buffer.from(`of ${person}`) };
        await platform.sendFile(person, file, `use reborn_file_present ${JSON.stringify({ paths: [name] })}\nplease`);
        if (index % (FILES / 4) !== FILES / 4 - 1) continue;
        await platform.trouble('lost answers');
        await randomMoment(800);
        await replaceOldest();
        await waitFor('the survivors to work', async () => (await openWork()) <= MOST_OPEN, 180_000);
      }
      await waitFor('all work', async () => (await openWork()) === 0, 240_000);
      for (let person = 0; person < PEOPLE; person++) {
        const got = (await platform.filesOf(person)).map(({ name, bytes }) => `${name}: ${bytes.toString()}`);
        expect(got.toSorted()).toEqual(expected[person]?.toSorted());
      }
    },
    600_000,
  );

  test.skipIf(!isPossible)(
    'a limit of ten minutes holds up one chat and no other, also after a kill, and the answer is shown once after it',
    async () => {
      const limit = platform.limit(0, LIMIT_SECONDS);
      await say(0, 'say the late one');
      const [held] = await waitFor('the refusal', async () => {
        const found = await heldUp();
        return found.length > 0 ? found : undefined;
      });
      expect(held?.wait).toBeGreaterThan(platform.patience.seconds);
      const refusals = limit.refusals();
      for (const word of ['before', 'after']) {
        for (let person = 1; person < PEOPLE; person++) await say(person, `say ${word} the kill`);
        for (let person = 1; person < PEOPLE; person++)
          await waitFor(`the answers ${word}`, () => sees(person, new RegExp(`${word} the kill$`)), 60_000);
        if (word === 'before') await replaceOldest();
      }
      expect(await sees(0, /the late one/)).toBe(false);
      expect(limit.refusals()).toBeLessThanOrEqual(refusals + platform.patience.tries);

      if (!process.env['ENDURANCE']) {
        limit.lift();
        await passTime();
      }
      await waitFor('the late answer', () => sees(0, /the late one/), 1_200_000);
      await waitFor('all updates', async () => (await openWork()) === 0, 60_000);
      expect((await platform.shownTo(0)).filter((text) => /the late one/.test(text))).toHaveLength(1);
    },
    process.env['ENDURANCE'] ? 1_500_000 : 180_000,
  );

  /** Deliveries that wait after a refusal, and for how many seconds. */
  const heldUp = () =>
    query<{ wait: number }>(
      cluster,
      `select extract(epoch from due_at - now())::float8 as wait from deliveries where state = 'pending' and exists (
         select from delivery_attempts where delivery_id = deliveries.id and outcome in ('limited', 'failed'))`,
    );

  /** What ten minutes do to the outbox, which has no other clock than its rows. */
  async function passTime(): Promise<void> {
    for (const [table, column] of [
      ['deliveries', 'due_at'],
      ['delivery_targets', 'due_at'],
      ['delivery_blocks', 'blocked_until'],
    ])
      await query(cluster, `update ${table} set ${column} = ${column} - interval '${LIMIT_SECONDS * 1.1} seconds'`);
  }

  async function openWork(): Promise<number> {
    const [row] = await query<{ count: string }>(
      cluster,
      `select (select count(*) from chat_inbox where state = 'new') + (select count(*) from outbox)
         + (select count(*) from deliveries where state in ('pending', 'sending'))
         + (select count(*) from turns where status in ('queued', 'running'))
         + (select greatest(0, ${said} - count(*)) from chat_inbox where turn_id is not null) as count`,
    );
    return Number(row?.count) + platform.pending();
  }
}
