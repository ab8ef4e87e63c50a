import { BOT, startBotApi } from '../support/telegram/bot-api.ts';
import { createPerson } from '../support/telegram/person.ts';
import { testChatFaults } from './chat-faults.ts';

testChatFaults(async () => {
  const telegram = await startBotApi();
  const people = new Map<number, ReturnType<typeof createPerson>>();
  const personAt = (index: number) => {
    const person = people.get(index) ?? createPerson(1000 + index, `P${index}`);
    people.set(index, person);
    return person;
  };
  return {
    port: telegram.port,
    account: { channel: 'telegram', token: BOT.token },
    say: (person, text, twice = false) => {
      const update = personAt(person).say(telegram, text);
      if (twice) telegram.updates.push(update);
    },
    sendFile: (person, file, words) => personAt(person).sendFile(telegram, file, words),
    filesOf: (person) => telegram.in(personAt(person).id).flatMap(({ file }) => file ?? []),
    shownTo: (person) => telegram.in(personAt(person).id).map(({ text }) => text),
    shown: () => telegram.messages.map(({ text }) => text),
    trouble: (kind) => {
      telegram.failNoMore(); // otherwise they pile up while no replica lives long enough to see them
      if (kind === 'limits')
        telegram.fail(/^(sendMessage|editMessage(Text|Media))$/, { status: 429, retryAfter: 1 }, 3);
      if (kind === 'lost answers') telegram.fail(/^editMessage(Text|Media)$/, 'lost', 2);
      if (kind === 'cut lines') telegram.fail(/^(getUpdates|sendMessage)$/, 'cut', 2);
    },
    limit: (person, seconds) => telegram.limit(String(personAt(person).id), seconds),
    patience: { seconds: 540, tries: 0 },
    pending: () => telegram.updates.length,
    mostOrphans: (kills) => kills * 4 + 4,
    report: () => `${telegram.conflicts.length} polls collided`,
    close: () => telegram.close(),
  };
});
