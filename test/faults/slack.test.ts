import { createPerson } from '../support/slack/person.ts';
import { APP, startWorkspace } from '../support/slack/workspace.ts';
import { testChatFaults } from './chat-faults.ts';

testChatFaults(async () => {
  const slack = await startWorkspace({ retryAfterMs: 1000 });
  const personAt = (index: number) => createPerson(`U${1000 + index}`, `P${index}`);
  return {
    port: slack.port,
    account: { channel: 'slack', token: APP.token, app_token: APP.appToken },
    say: (person, text, twice = false) => {
      const event = personAt(person).say(slack, text);
      if (twice) slack.sockets.deliver('events_api', event);
    },
    sendFile: (person, file, words) => personAt(person).sendFile(slack, file, words),
    filesOf: (person) => slack.in(personAt(person).home).flatMap(({ file }) => file ?? []),
    shownTo: (person) => slack.in(personAt(person).home).map(({ text }) => text),
    shown: () => slack.messages.map(({ text }) => text),
    trouble: (kind) => {
      slack.failNoMore(); // otherwise they pile up while no replica lives long enough to see them
      if (kind === 'limits') slack.fail(/^chat\.(postMessage|update)$/, { status: 429, retryAfter: 1 }, 3);
      if (kind === 'lost answers')
        slack.fail(/^(chat\.(postMessage|update)|files\.completeUploadExternal)$/, 'lost', 2);
      if (kind === 'cut lines') {
        slack.sockets.cut();
        slack.fail(/^(apps\.connections\.open|chat\.postMessage)$/, 'cut', 2);
      }
    },
    limit: (person, seconds) => slack.limit(personAt(person).home, seconds),
    patience: { seconds: 540, tries: 0 },
    pending: () => slack.sockets.waiting.size,
    // A replica that dies while it sends a placeholder leaves one behind only if the search for it fails.
    mostOrphans: () => 0,
    report: () => `${slack.sockets.opened()} sockets were opened`,
    close: () => slack.close(),
  };
});
