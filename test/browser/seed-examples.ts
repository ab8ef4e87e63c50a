import { type ItemBody, text } from '#domain/thread/item.ts';
import { said, seedThread } from './seed-thread.ts';
import type { startStage } from './stage.ts';

type Stage = Awaited<ReturnType<typeof startStage>>;

/** An installation that was used for a while, for pictures and for checks of every page. */
export async function seedExamples(stage: Stage) {
  const { home } = stage;
  const tour = await seedThread(home, { title: 'A weekend in Oslo', minutesAgo: 12, pinned: true, turns: TOUR });
  const failed = await seedThread(home, { title: 'Invoices of March', minutesAgo: 55, turns: FAILED });
  const drawn = await seedThread(home, { title: 'How far a ball flies', minutesAgo: 70, turns: DRAWN });
  for (const [index, title] of TITLES.entries())
    await seedThread(home, {
      title,
      minutesAgo: 90 + index * 1700,
      turns: [{ asked: title, made: [{ body: said('Done.') }] }],
    });
  const [turn] = await home.query<{ id: string }>('select id from turns where thread_id = $1 order by seq limit 1', [
    tour,
  ]);
  const send = (method: string, path: string, body: object) =>
    stage.service.request(path, { method, body: JSON.stringify(body) });
  for (const user of USERS) await send('POST', '/api/users', user);
  for (const [path, note] of NOTES) await send('PUT', `/api/memory/${encodeURIComponent(path)}`, { text: note });
  await home.query(FOLDERS);
  for (const skill of SKILLS) await send('POST', '/api/skills', skill);
  await home.query(USAGE_DAYS);
  await home.query(CHANNELS);
  return { tour, failed, drawn, turn: turn?.id ?? '' };
}

const call = (callId: string, name: string, json: object): ItemBody => ({
  type: 'function_call',
  callId,
  name,
  arguments: JSON.stringify(json),
  external: false,
});

const output = (callId: string, json: object): ItemBody => ({
  type: 'function_call_output',
  callId,
  output: [text(JSON.stringify(json))],
});

const ANSWER = `Saturday is the better day for the islands; take an umbrella on Sunday.

| day | weather | wind | rain |
| --- | --- | --- | --- |
| Saturday | sunny, 19 °C | 3 m/s | 0 mm |
| Sunday | showers, 14 °C | 8 m/s | 6 mm |

## Saturday

1. **Ferry to Hovedøya** from Aker Brygge at 10:05.
2. Lunch at the harbour, then the [Opera roof](https://operaen.no).
3. Swim at Sørenga if the water has its 18 °C.

To put both days into your calendar:

\`\`\`ts
const days = ['2026-05-16', '2026-05-17'];
for (const day of days) {
  await calendar.add({ day, title: 'Oslo', allDay: true }); // two entries
}
\`\`\`
`;

const TOUR = [
  {
    asked: 'Plan a weekend in Oslo for two. We like water and good food, and do not want to drive.',
    attempts: 2,
    made: [
      { body: call('c1', 'weather', { place: 'Oslo', days: 5 }), seconds: 1.2 },
      {
        body: output('c1', {
          place: 'Oslo',
          days: [
            { day: 'Sat', high: 19 },
            { day: 'Sun', high: 14 },
          ],
        }),
        seconds: 0.8,
      },
      { body: call('c2', 'search', { query: 'ferries Hovedøya timetable' }), seconds: 0.6 },
      { body: output('c2', { results: 4 }), seconds: 1.1 },
      { body: call('c3', 'search', { query: 'Sørenga water temperature' }), seconds: 0.4, attempt: 1 },
      { body: output('c3', { results: 2 }), seconds: 0.5, attempt: 1 },
      { body: said(ANSWER), seconds: 4, attempt: 1 },
    ],
  },
  {
    asked: 'Which of it works with a pram?',
    made: [
      {
        body: said('All of it. The ferry has a ramp, and the Opera roof has a path without stairs on its south side.'),
        seconds: 2,
      },
    ],
  },
];

const FAILED = [
  {
    asked: 'Sort the invoices of March by customer.',
    status: 'failed' as const,
    failure: { code: 'model_error' as const, message: 'The model refused the key. Check it under Operator, Models.' },
    made: [],
  },
];

export const DRAWN_ANSWER = `Without drag, the range depends on the speed $v$ and the angle $\\theta$:[^1]

\\[
R = \\frac{v^2 \\sin 2\\theta}{g}, \\qquad v = \\sqrt{v_x^2 + v_y^2}
\\]

| angle | range at 20 m/s |
| ----: | --------------: |
| 30°   | 35.3 m          |
| 45°   | 40.8 m          |

\`\`\`mermaid
flowchart LR
  throw[Throw at 45°] --> up[Rises for 1.4 s] --> top{Highest point} --> down[Falls] --> land[Lands after 40.8 m]
\`\`\`

\`\`\`html
<!doctype html>
<body style="font: 16px system-ui; padding: 24px; background: #fdf6ec">
  <h1 style="margin: 0">40.8 m</h1>
  <p>at 45° and 20 m/s</p>
  <svg viewBox="0 0 400 120" width="400"><path d="M0 120 Q 200 -100 400 120" fill="none" stroke="#b4501e" stroke-width="3"/></svg>
</body>
\`\`\`

![The throw, seen from the side](https://pictures.example/throw.png)

[^1]: With $g = 9.81$ m/s².
`;

const DRAWN = [{ asked: 'How far does a ball fly? Show me why.', made: [{ body: said(DRAWN_ANSWER), seconds: 5 }] }];

const TITLES = [
  'Rewrite the release notes',
  'Why is the build slow since Tuesday?',
  'Birthday mail to Ann',
  'A title that is far too long, because someone pasted half a page of text into the very first message of the thread',
  'Compare three note apps',
  'SQL: running totals per customer',
];

const USERS = [
  { name: 'Ann Berg', email: 'ann@example.com', role: 'operator' },
  { name: 'Bob Costa', email: 'bob@example.com', role: 'member' },
  { name: 'Cleo Dufour', role: 'member' },
];

const NOTES = [
  ['people/ann', 'Ann prefers mails before noon, and writes invoices on the last Friday of the month.'],
  ['preferences', 'Short answers. Metric units. No meetings on Thursdays.'],
  ['travel/oslo', 'Booked: Hotel Bristol, 16 to 18 May, two people. The reservation number is in the mail of 2 April.'],
  ['work/release-notes', 'Group by customer benefit, newest first; no internal ticket numbers.'],
] as const;

const skill = (name: string, description: string, words: string) => ({
  path: 'SKILL.md',
  text: `---\nname: ${name}\ndescription: ${description}\n---\n${words}\n`,
});

const SKILLS = [
  {
    files: [
      skill(
        'release-notes',
        'How we write release notes. Read it before writing or changing any.',
        `Write for someone who uses the product and never saw the code.

## Order

1. New features.
2. Changes that need action.
3. Fixes.

## Words

- The present tense, one line each, no ticket numbers.
- A **breaking change** says so first:

\`\`\`md
- **Breaking:** \`--force\` is gone; use \`--yes\`.
\`\`\`
`,
      ),
      { path: 'examples/2026-04.md', text: '# April\n\n- Threads can be pinned.\n' },
    ],
  },
  {
    files: [skill('tone-of-voice', 'How the company speaks to customers: short, plain, never sorry twice.', 'Short.')],
    for: 'everyone',
  },
  {
    files: [skill('expense-report', 'Which receipts count, who signs, and where the form is filed.', 'Ask Ann.')],
    for: 'everyone',
  },
];

/** One folder has two threads. */
const FOLDERS = `
  with made as (
    insert into folders (user_id, id, name)
    values ('operator', gen_random_uuid(), 'Work'), ('operator', gen_random_uuid(), 'Home') returning id, name
  )
  update threads set folder_id = (select id from made where name = 'Work')
  where user_id = 'operator' and title in ('Compare three note apps', 'SQL: running totals per customer')`;

/** They have no credentials, so the service does not poll them. */
const CHANNELS = `
  insert into chat_accounts (id, channel, remote_id, name, mode, groups, received_at, last_error, failed_at)
  values
    ('00000000-0000-7000-8000-000000000001', 'telegram', '1', 'oslo_office_bot', 'webhook', true, now(), null, null),
    ('00000000-0000-7000-8000-000000000002', 'slack', '2', 'reborn', 'webhook', false, now(), null, null),
    ('00000000-0000-7000-8000-000000000003', 'mail', '3', 'agent@example.com', 'polling', false, null,
      'imap.example.com refuses the password.', now())`;

/** Six weeks of two models, with weekends and a bad day. */
const USAGE_DAYS = `
  insert into usage_days (user_id, day, provider, model, part, calls, errors, unpriced_calls, input_tokens,
    cached_input_tokens, output_tokens, cost_usd, milliseconds)
  select 'operator', day, provider, model, 0, calls, case when ago = 9 then calls / 3 else calls / 40 end, 0,
    calls * 2400, calls * 800, calls * 310, calls * price, calls * (pace + (ago * 37) % 400)
  from (
    select (now() at time zone 'utc')::date - ago as day, ago, provider, model, price, pace,
      (case when extract(isodow from now() - make_interval(days => ago)) > 5 then 8 else 38 end + (ago * 17 + pace) % 21) as calls
    from generate_series(0, 41) as ago,
      (values ('anthropic', 'claude-sonnet-4-5', 0.0119, 2100), ('openai', 'gpt-5-mini', 0.0013, 900)) as models (provider, model, price, pace)
  ) as days`;
