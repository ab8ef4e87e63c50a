import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMailPerson, type MailPerson } from '../support/mail/mail-person.ts';
import { hasMailServers, type MailServers, startMailServers } from '../support/mail/mail-servers.ts';
import { type SmtpProxy, startSmtpProxy } from '../support/mail/smtp-proxy.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Cluster, rounds, startCluster } from './cluster.ts';
import { query } from './query.ts';

const AGENT = 'agent@reborn.test';
const KILLS = rounds(2, 300);
const MESSAGES = rounds(40, 5000);
const ADDRESSES = Array.from({ length: rounds(4, 40) }, (_, index) => `person-${index}@example.test`);

let cluster: Cluster;
let servers: MailServers;
let line: SmtpProxy;
let people: MailPerson[];

beforeAll(async () => {
  if (!hasMailServers) return;
  servers = await startMailServers([AGENT, ...ADDRESSES]);
  line = await startSmtpProxy(servers.smtpPort);
  people = ADDRESSES.map((address) => createMailPerson(servers, address, AGENT));
  cluster = await startCluster({ env: { CHAT_RATE_PER_MINUTE: '1000000' } });
});

afterAll(async () => {
  if (!hasMailServers) return;
  await cluster.close();
  await line.close();
  await servers.close();
});

test.skipIf(!hasMailServers)(
  'mail survives kills, lost answers and servers that restart: one turn each, and each answer arrives once',
  async () => {
    const first = await cluster.start();
    await cluster.start();
    const asked = servers.channel(AGENT);
    const body = JSON.stringify({ ...asked, smtp: { ...asked.smtp, port: line.port } });
    expect((await first.request('/api/channels', { method: 'POST', body })).status).toBe(201);
    for (const person of people) {
      const made = await first.request('/api/channels/codes', { method: 'POST' });
      const { code } = (await made.json()) as { code: string };
      await person.say(code, 'Link');
      await person.got(/is connected/);
    }

    const words: string[] = [];
    const perKill = Math.ceil(MESSAGES / KILLS);
    const began = performance.now();
    for (let kill = 0; kill < KILLS; kill++) {
      line.lose(kill % 2 === 0 ? 2 : 1);
      for (let each = 0; each < perKill && words.length < MESSAGES; each++) {
        const word = `answer-${words.length}`;
        await sayTwiceSometimes(people[words.length % people.length], word, each % 7 === 0);
        words.push(word);
      }
      if (kill % 5 === 1) await servers.restartImap();
      await sleep(Math.random() * 800);
      const victim = [...cluster.replicas][kill % cluster.replicas.size];
      const another = cluster.start();
      await victim?.kill();
      await another;
    }
    await waitFor('all work', async () => (await openWork()) === 0, 180_000 + KILLS * 2000);
    const expected = words.toSorted();
    await waitFor('all answers', async () => (await answers()).length >= expected.length, 60_000);
    const seconds = (performance.now() - began) / 1000;
    console.log(
      `${MESSAGES} mails, ${KILLS} kills, ${line.lost()} lost answers in ${seconds.toFixed(0)} s: ${(await answers()).length} answers`,
    );

    expect((await answers()).toSorted()).toEqual(expected);
    const [turns] = await query<{ count: string; turns: string }>(
      cluster,
      `select count(*), count(distinct turn_id) as turns from chat_inbox where turn_id is not null`,
    );
    expect(turns).toEqual({ count: String(MESSAGES), turns: String(MESSAGES) });
    const [made] = await query<{ count: string }>(cluster, `select count(*) from turns where channel = 'mail'`);
    expect(made?.count).toBe(String(MESSAGES));
  },
  300_000 + KILLS * 60_000,
);

/** Servers that miss an answer deliver a mail again. */
async function sayTwiceSometimes(person: MailPerson | undefined, word: string, isTwice: boolean): Promise<void> {
  const raw = [
    `From: ${person?.address}`,
    `To: ${AGENT}`,
    `Subject: ${word}`,
    `Message-ID: <${word}@example.test>`,
    '',
    `say ${word}`,
  ].join('\r\n');
  await person?.sendRaw(raw);
  if (isTwice) await person?.sendRaw(raw);
}

/** What is in the mailboxes of the people, as often as it is there. */
async function answers(): Promise<string[]> {
  const inboxes = await Promise.all(people.map((person) => person.inbox()));
  return inboxes.flat().flatMap(({ text }) => /answer-\d+/.exec(text)?.[0] ?? []);
}

async function openWork(): Promise<number> {
  const [row] = await query<{ count: string }>(
    cluster,
    `select (select count(*) from chat_inbox where state = 'new') + (select count(*) from outbox)
       + (select count(*) from deliveries where state in ('pending', 'sending'))
       + (select count(*) from turns where status in ('queued', 'running'))
       + (select greatest(0, ${MESSAGES} - count(*)) from chat_inbox where turn_id is not null) as count`,
  );
  return Number(row?.count);
}
