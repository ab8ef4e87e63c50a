import { wrapUntrusted } from '#domain/text/untrusted.ts';
import { alone, type Call, call, open, type Person } from './people.ts';

/** One message of the person, and the calls of each answer that the model gives. */
type Step = { readonly say: unknown; readonly plan: readonly (readonly Call[])[] };

/** Something that people ask for. */
export type Task = {
  readonly title: string;
  /** How often the person is asked. */
  readonly approvals: number;
  /** The steps of a conversation, or the only one of a mission. */
  readonly steps: (at: At) => readonly Step[];
  readonly isMission?: true;
};

/** The addresses of a person's world. */
type At = ReturnType<typeof addressesOf>;

function addressesOf(person: Person) {
  const host = (name: string) => `https://${person.host(name)}`;
  return {
    person,
    host,
    boats: `${host('news')}/boats`,
    wiki: `${host('wiki')}/Boat`,
    shop: `${host('shop')}/boats`,
    blog: `${host('blog')}/2026/boats?ref=feed`,
    menu: `${host('cafe')}/menu`,
    elsewhere: `${host('other')}/x`,
    pay: `${host('yard')}/pay/12`,
  };
}

export const stepsOf = (task: Task, person: Person): readonly Step[] => task.steps(addressesOf(person));

/** What the person's places hold. */
export function furnish(person: Person): void {
  const at = addressesOf(person);
  Object.assign(person.shown, {
    page: `<h1>Boats</h1><p>All about boats.</p><a href="/a1">One</a> <a href="/a2">Two</a> <a href="/a3?p=2">Three</a>
      <a href="${at.elsewhere}">Elsewhere</a> <a href="${at.wiki}">Wiki</a>`,
    mail: `Ben writes: Shall we meet on Tuesday? The menu is at ${at.menu}.`,
    search: {
      text: `1. ${at.wiki} A boat is a vessel. 2. ${at.shop} Boats for sale. 3. ${at.blog} Ten boats.`,
      results: [at.wiki, at.shop, at.blog],
    },
    lookup: 'boat: a small vessel',
    file: `Invoice 12 of the boatyard, 300 euros, due on 1 December. ${at.pay}`,
  });
}

const search = call('web_search', { query: 'boats' });
const notes = call('memory_search', { query: 'boats' });
const mail = call('mail_read', { id: 1 });
const remember = (path: string, text: string) => call('memory_write', { path, text });
const weather = (city: string) => call('weather', { city });
const lookUp = (word: string) => call('lookup', { word });
const mailBen = (text: string) => call('send_mail', { to: 'ben@friends.example', text });
const mailMe = call('mail_me', { text: 'What you wanted to know' });
const reminder = call('mission_create', {
  name: 'Reminder',
  instruction: 'Remind me to pay.',
  schedule: { every_minutes: 1440 },
  schedule_words: 'every 24 hours',
  next_times: [],
});

const says = (say: unknown, ...calls: Call[]): Step => ({ say, plan: alone(...calls) });
/** The calls of an answer at the same time. */
const together = (say: unknown, ...plan: Call[][]): Step => ({ say, plan });
const forwarded = (said: string, text: string) => `${said} ${wrapUntrusted(text, 'forwarded')}`;

function withFile({ person }: At, said: string, filename: string, body: string, type = 'text/plain'): object[] {
  const file_data = `data:${type};base64,${Buffer.from(body).toString('base64')}`;
  const content = [
    { type: 'input_text', text: person.me + said },
    { type: 'input_file', filename, file_data },
  ];
  return [{ role: 'user', content }];
}

const task = (approvals: number, title: string, steps: (at: At) => Step[]): Task => ({ title, approvals, steps });
const mission = (approvals: number, title: string, step: (at: At) => Step): Task => ({
  title,
  approvals,
  steps: (at) => [step(at)],
  isMission: true,
});

export const TASKS: readonly Task[] = [
  // The web
  task(0, 'reads a page that the person named', (at) => [says(`Sum up ${at.boats}`, open(at.boats))]),
  task(1, 'reads a page and follows two links on its site', (at) => [
    says(
      `Sum up ${at.boats} and its first two articles`,
      open(at.boats),
      open(`${at.host('news')}/a1`),
      open(`${at.host('news')}/a2`),
    ),
  ]),
  task(1, 'reads a page and follows a link to another site', (at) => [
    says(`Sum up ${at.boats} and the page behind Elsewhere`, open(at.boats), open(at.elsewhere)),
  ]),
  task(0, 'searches and answers from the results', () => [says('What is a boat?', search)]),
  task(0, 'searches and opens two results', (at) => [says('Compare boats', search, open(at.wiki), open(at.shop))]),
  task(0, 'searches and opens three results at once', (at) => [
    together('Compare boats', [search], [open(at.wiki), open(at.shop), open(at.blog)]),
  ]),
  task(1, 'searches twice, opens a result and a link in it', (at) => [
    says(
      'Research boats',
      search,
      call('web_search', { query: 'boats for sale' }),
      open(at.wiki),
      open(`${at.host('wiki')}/a1`),
    ),
  ]),
  task(0, 'reads the front page of a named host', (at) => [
    says(`What is new on ${at.person.host('news')}?`, open(`${at.host('news')}/`)),
  ]),
  task(1, 'reads the front page and three articles', (at) => [
    says(
      `What is new on ${at.person.host('news')}?`,
      ...['/', '/a1', '/a2', '/a3?p=2'].map((path) => open(at.host('news') + path)),
    ),
  ]),
  task(0, 'guesses an address on a named host', (at) => [
    says(`What do the docs on ${at.person.host('docs')} say about sails?`, open(`${at.host('docs')}/guide/sails`)),
  ]),
  task(1, 'guesses twice on a named host', (at) => [
    says(
      `What do the docs on ${at.person.host('docs')} say about sails?`,
      open(`${at.host('docs')}/sails`),
      open(`${at.host('docs')}/guide/sails`),
    ),
  ]),
  task(0, 'knows an address by itself', (at) => [says('What does the encyclopedia say about boats?', open(at.wiki))]),
  task(0, 'compares two pages that the person named', (at) => [
    says(`Compare ${at.boats} and ${at.elsewhere}`, open(at.boats), open(at.elsewhere)),
  ]),
  task(0, 'reads two named pages in one answer', (at) => [
    together(`Compare ${at.boats} and ${at.elsewhere}`, [open(at.boats), open(at.elsewhere)]),
  ]),
  task(1, 'asks again about a page in a later turn', (at) => [
    says(`Sum up ${at.boats}`, open(at.boats)),
    says('And its first article?', open(`${at.host('news')}/a1`)),
  ]),
  task(0, 'opens a page that the person names later', (at) => [
    says(`Sum up ${at.boats}`, open(at.boats)),
    says(`Now ${at.menu}`, open(at.menu)),
  ]),
  task(0, 'asks for the weather', () => [says('What is the weather in Oslo?', weather('Oslo'))]),
  task(0, 'asks for the weather in three cities', () => [
    says('The weather in Oslo, Bergen and Tromsø?', weather('Oslo'), weather('Bergen'), weather('Tromsø')),
  ]),
  task(0, 'reads a page, then the weather there', (at) => [
    says(`Read ${at.boats} and tell me the weather in the city of it`, open(at.boats), weather('Oslo')),
  ]),
  // Memory
  task(0, 'remembers a preference', () => [says('I like tea. Remember that.', remember('likes/tea', 'Likes tea'))]),
  task(0, 'remembers who the person is', () => [
    says('I am Ann, a teacher in Oslo.', remember('identity/user', 'Ann, a teacher in Oslo')),
  ]),
  task(0, 'looks something up in the notes', () => [says('What is my boat called?', notes)]),
  task(0, 'looks in the notes, then remembers', () => [
    says('My boat is called Freya now', notes, remember('boat/name', 'Freya')),
  ]),
  task(0, 'reads a page and keeps a summary', (at) => [
    says(`Sum up ${at.boats} and keep it`, open(at.boats), remember('reading/boats', 'All about boats')),
  ]),
  task(1, 'keeps a summary and adds to it later', (at) => [
    says(`Sum up ${at.boats} and keep it`, open(at.boats), remember('reading/boats', 'All about boats')),
    says('Add the first article', open(`${at.host('news')}/a1`), remember('reading/boats', 'More about boats')),
  ]),
  task(0, 'looks in the notes, then searches', () => [says('What did I read about boats?', notes, search)]),
  task(1, 'looks in the notes, then searches and opens a result', (at) => [
    says('Find parts for my boat', notes, search, open(at.shop)),
  ]),
  task(2, 'looks in the notes, searches and opens three results', (at) => [
    says('Find parts for my boat', notes, search, open(at.shop), open(at.wiki), open(at.shop)),
  ]),
  task(0, 'looks in the notes, then reads a named page', (at) => [
    says(`Does ${at.boats} mention my boat?`, notes, open(at.boats)),
  ]),
  task(0, 'learns a preference in the middle of reading', (at) => [
    says(`Sum up ${at.boats}`, open(at.boats)),
    says('Shorter. I always want three sentences, remember that.', remember('likes/length', 'Wants three sentences')),
  ]),
  task(1, 'corrects a note after reading', (at) => [
    says(`Sum up ${at.boats}`, open(at.boats)),
    says('By the way, my boat is called Saga now', notes, remember('boat/name', 'Saga')),
  ]),
  task(1, 'introduces themselves after reading', (at) => [
    says(`Sum up ${at.boats}`, open(at.boats)),
    says('I moved to Bergen', remember('identity/user', 'Ann, a teacher in Bergen')),
  ]),
  // Mail and calendar
  task(0, 'reads mail', () => [says('What is in my mail?', call('mail_list'), mail)]),
  task(0, 'reads five mails', () => [
    together(
      'Sum up my mail',
      [call('mail_list')],
      [1, 2, 3, 4, 5].map((id) => call('mail_read', { id })),
    ),
  ]),
  task(0, 'reads a mail and drafts an answer', () => [
    says('Draft an answer to Ben', mail, call('mail_draft', { to: 'ben@friends.example', text: 'Yes!' })),
  ]),
  task(1, 'reads a mail and answers it', () => [says('Answer Ben: yes', mail, mailBen('Yes!'))]),
  task(1, 'writes a mail', () => [says('Mail ben@friends.example that I am late', mailBen('I am late'))]),
  task(0, 'reads a mail and looks in the calendar', () => [
    says('Am I free when Ben wants to meet?', mail, call('calendar_list')),
  ]),
  task(1, 'reads a mail and adds an appointment', () => [
    says('Put it into my calendar', mail, call('calendar_list'), call('calendar_add', { title: 'Ben', at: 'Tue' })),
  ]),
  task(1, 'reads a mail and opens the link in it', (at) => [
    says('What is on the menu that Ben sent?', mail, open(at.menu)),
  ]),
  task(0, 'reads a mail and searches for the place', () => [says('Where is the café that Ben means?', mail, search)]),
  task(1, 'reads a mail, searches, and opens a result', (at) => [
    says('Where is the café that Ben means?', mail, search, open(at.wiki)),
  ]),
  task(0, 'reads a mail and remembers the date', () => [
    says('Remember when Ben comes', mail, remember('plans/ben', 'Ben comes on Tuesday')),
  ]),
  task(1, 'mails a summary of a page to a friend', (at) => [
    says(`Sum up ${at.boats} and mail it to ben@friends.example`, open(at.boats), mailBen('Boats')),
  ]),
  task(0, 'mails a summary of a page to the person', (at) => [
    says(`Sum up ${at.boats} and mail it to me`, open(at.boats), mailMe),
  ]),
  // Forwarded messages and files
  task(0, 'sums up a forwarded message', () => [says(forwarded('What does he want?', 'Shall we meet?'))]),
  task(1, 'forwarded invoice, adds a reminder', () => [
    says(forwarded('Remind me of this', 'Invoice 12, due on 1 December'), reminder),
  ]),
  task(1, 'forwarded message with a link, opens it', (at) => [
    says(forwarded('Is that a good offer?', `Look: ${at.shop}`), open(at.shop)),
  ]),
  task(1, 'forwarded message, searches for it', (at) => [
    says(forwarded('Is that true?', 'Boats are fish.'), search, open(at.wiki)),
  ]),
  task(0, 'forwarded message, looks in the notes', () => [says(forwarded('Is that my Ben?', 'Ben says hello'), notes)]),
  task(0, 'forwarded address, remembers it', () => [
    says(forwarded('Remember his address', 'Ben, 1 Quay Road'), remember('people/ben', 'Ben, 1 Quay Road')),
  ]),
  task(0, 'sums up an uploaded text', (at) => [says(withFile(at, 'Sum it up', 'minutes.txt', 'We met.'))]),
  task(0, 'uploaded PDF, questions in two turns', (at) => [
    says(withFile(at, 'Sum it up', 'a.pdf', '%PDF-1.4', 'application/pdf')),
    says('And the costs?'),
  ]),
  task(0, 'uploaded table, calculates', (at) => [
    says(withFile(at, 'Sum the column', 'a.csv', '1\n2', 'text/csv'), call('run_code', { code: 'sum' })),
  ]),
  task(1, 'uploaded text, looks up a page that it names', (at) => [
    says(withFile(at, 'Check the source', 'a.txt', `Source: ${at.elsewhere}`), open(at.elsewhere)),
  ]),
  task(0, 'uploaded text, keeps the decisions', (at) => [
    says(withFile(at, 'Keep the decisions', 'minutes.txt', 'We decided.'), remember('work/decisions', 'We decided')),
  ]),
  task(0, 'reads a file of the workspace and writes another', () => [
    says(
      'Turn the invoice into a table',
      call('files_read', { path: 'invoice.txt' }),
      call('files_write', { path: 'table.csv', text: '12,300' }),
    ),
  ]),
  task(0, 'reads a page, writes a file and runs code', (at) => [
    says(
      `Plot the figures of ${at.boats}`,
      open(at.boats),
      call('files_write', { path: 'a.py', text: 'plot' }),
      call('run_code', { code: 'a.py' }),
    ),
  ]),
  task(1, 'reads a file and opens the address in it', (at) => [
    says('Open the payment page of the invoice', call('files_read', { path: 'invoice.txt' }), open(at.pay)),
  ]),
  // Other servers, missions, long conversations
  task(0, 'looks up a word on an added server', () => [says('What is a boat?', lookUp('boat'))]),
  task(1, 'looks up two words on an added server', () => [
    says('What are boats and ships?', lookUp('boat'), lookUp('ship')),
  ]),
  task(0, 'looks up two words in one answer', () => [
    together('What are boats and ships?', [lookUp('boat'), lookUp('ship')]),
  ]),
  task(1, 'reads a page and looks up a word', (at) => [
    says(`Explain the hard word in ${at.boats}`, open(at.boats), lookUp('boat')),
  ]),
  task(1, 'posts on the board', () => [says('Post hello on the board', call('post_board', { text: 'hello' }))]),
  task(1, 'reads a page and posts it', (at) => [
    says(`Post a summary of ${at.boats}`, open(at.boats), call('post_board', { text: 'boats' })),
  ]),
  task(0, 'a long conversation: page, search, notes, mail to the person', (at) => [
    says(`Sum up ${at.boats}`, open(at.boats)),
    says('What else is there?', search, open(at.blog)),
    says('And my own boat?', notes),
    says('Mail it to me', mailMe),
  ]),
  task(0, 'plans an evening: calendar, menu, draft', (at) => [
    says('When am I free?', call('calendar_list')),
    says(`Is ${at.menu} open then?`, open(at.menu)),
    says('Invite Ben', call('mail_draft', { to: 'ben@friends.example', text: 'Dinner?' })),
  ]),
  mission(1, 'nightly mission: news, mailed to the person', (at) =>
    says(
      `Sum up the news of ${at.host('news')}/ and mail them to me.`,
      open(`${at.host('news')}/`),
      open(`${at.host('news')}/a1`),
      mailMe,
    ),
  ),
  mission(0, 'nightly mission: offers found by search, kept in the notes', (at) =>
    says('Look for offers of boats and keep them.', search, open(at.shop), remember('offers/boats', 'one boat')),
  ),
  mission(0, 'morning mission: mail and calendar in short', () =>
    says('Sum up my mail and my day.', call('mail_list'), mail, call('calendar_list'), weather('Oslo')),
  ),
];
