import type { ItemBody } from '#domain/item.ts';
import { text } from '#domain/item.ts';
import { said, seedThread } from './seed-thread.ts';
import type { startStage } from './stage.ts';

type Stage = Awaited<ReturnType<typeof startStage>>;

/** An installation that was used for a while, for pictures and for checks of every page. */
export async function seedExamples(stage: Stage) {
  const { query } = stage.home;
  const tour = await seedThread(query, { title: 'A weekend in Oslo', minutesAgo: 12, pinned: true, turns: TOUR });
  const failed = await seedThread(query, { title: 'Invoices of March', minutesAgo: 55, turns: FAILED });
  for (const [index, title] of TITLES.entries())
    await seedThread(query, {
      title,
      minutesAgo: 90 + index * 1700,
      turns: [{ asked: title, made: [{ body: said('Done.') }] }],
    });
  const [turn] = await query<{ id: string }>('select id from turns where thread_id = $1 order by seq limit 1', [tour]);
  for (const user of USERS) await stage.service.request('/api/users', { method: 'POST', body: JSON.stringify(user) });
  return { tour, failed, turn: turn?.id ?? '' };
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
      { body: call('c3', 'search', { query: 'Sørenga water temperature' }), seconds: 0.4 },
      { body: output('c3', { results: 2 }), seconds: 0.5 },
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

const TITLES = [
  'Rewrite the release notes',
  'Why is the build slow since Tuesday?',
  'Birthday mail to Ann',
  'A title that goes on and on, because somebody pasted half a page of text into the very first message of the thread',
  'Compare three note apps',
  'SQL: running totals per customer',
];

const USERS = [
  { name: 'Ann Berg', email: 'ann@example.com', role: 'operator' },
  { name: 'Bob Costa', email: 'bob@example.com', role: 'member' },
  { name: 'Cleo Dufour', role: 'member' },
];
