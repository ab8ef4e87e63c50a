import { createMailPerson } from '../support/mail/mail-person.ts';
import { hasMailServers, startMailServers } from '../support/mail/mail-servers.ts';
import { startSmtpProxy } from '../support/mail/smtp-proxy.ts';
import { testChatFaults } from './chat-faults.ts';
import { rounds } from './cluster.ts';

const AGENT = 'agent@reborn.test';
const ADDRESSES = Array.from({ length: rounds(4, 40) }, (_, index) => `person-${index}@example.test`);

testChatFaults(async () => {
  const servers = await startMailServers([AGENT, ...ADDRESSES]);
  const line = await startSmtpProxy(servers.smtpPort);
  const people = ADDRESSES.map((address) => createMailPerson(servers, address, AGENT));
  const asked = servers.channel(AGENT);
  let sent = 0;
  let restarts = 0;
  const shownTo = async (person: number) =>
    ((await people[person]?.inbox()) ?? []).map(({ text }) => /answer-\d+/.exec(text)?.[0] ?? text);
  return {
    account: { ...asked, smtp: { ...asked.smtp, port: line.port } },
    say: async (person, text, twice = false) => {
      const { address = '', sendRaw } = people[person] ?? {};
      const id = `m${sent++}`;
      const head = [`From: ${address}`, `To: ${AGENT}`, `Date: ${new Date().toUTCString()}`, `Subject: ${id}`];
      head.push(`Message-ID: <${id}@example.test>`);
      const raw = [...head, '', text].join('\r\n');
      await sendRaw?.(raw);
      if (twice) await sendRaw?.(raw); // a server that missed an answer delivers a mail again
    },
    sendFile: (person, { name, mediaType, bytes }, words) =>
      people[person]?.send({
        subject: `m${sent++}`,
        text: words,
        attachments: [{ filename: name, contentType: mediaType, content: bytes }],
      }),
    filesOf: async (person) => ((await people[person]?.inbox()) ?? []).flatMap(({ files }) => files),
    shownTo,
    shown: async () => (await Promise.all(people.map((_, person) => shownTo(person)))).flat(),
    trouble: async (kind) => {
      line.lose(kind === 'limits' ? 1 : 2);
      if (kind === 'lost answers' && restarts++ % 2 === 0) await servers.restartImap();
    },
    limit: (person, seconds) => {
      const held = line.defer(ADDRESSES[person] ?? '');
      setTimeout(held.lift, seconds * 1000).unref();
      return held;
    },
    patience: { seconds: 0, tries: 3 }, // an SMTP server does not say how long it takes
    pending: () => 0,
    mostOrphans: () => 0,
    report: () => `${line.lost()} answers got lost`,
    close: async () => {
      await line.close();
      await servers.close();
    },
  };
}, hasMailServers);
