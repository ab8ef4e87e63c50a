import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useLimitRequests } from '../../app/use-limit-requests.ts';
import { useWaiting } from '../../app/use-waiting.ts';
import { client } from '../../client/client.ts';
import { formatDate } from '../../format/time.ts';
import { ResultRow } from '../../missions/result-row.tsx';
import { useNewResults } from '../../missions/use-results.ts';
import { Section } from '../../parts/section.tsx';
import { FirstSteps } from './first-steps.tsx';
import { DemoNote, type Start, Starters } from './starters.tsx';
import { WaitingList } from './waiting-list.tsx';

/** The state before anything else: what waits for the person, what is new, and what they can begin with. */
export function FirstPage(start: Start) {
  const waiting = useWaiting();
  const requests = useLimitRequests();
  const { data: news } = useNewResults();
  const { data: threads } = useQuery({
    queryKey: ['threads', 'newest'],
    queryFn: () => client.call('GET /api/threads', { query: { limit: 1 } }),
  });
  const { data: starters } = useQuery({ queryKey: ['starters'], queryFn: () => client.call('GET /api/starters') });
  if (!waiting || !news || !threads || !starters) return null;
  if (threads.threads.length === 0 && waiting.length + requests.length === 0 && news.unread === 0)
    return <FirstSteps starters={starters.first} {...start} />;
  return (
    <div className="column flex flex-col pt-5 pb-8 md:pt-14">
      <p className="text-meta text-soft">{formatDate(new Date())}</p>
      <h1 className="text-display">{headingOf(waiting.length + requests.length, news.unread)}</h1>
      <div className="mt-4 flex flex-col gap-7">
        <WaitingList waiting={waiting} requests={requests} />
        {news.results.length > 0 && (
          <Section
            title={t`New results`}
            beside={
              <Link to="/missions" className="text-meta text-soft hover:text-ink">
                <Trans>All missions</Trans>
              </Link>
            }
          >
            <ul className="card divide-y divide-line overflow-hidden">
              {news.results.map((result) => (
                <ResultRow key={result.mission_id + result.slot} result={result} />
              ))}
            </ul>
          </Section>
        )}
        <Section title={t`Start something`}>
          <Starters starters={starters.later} {...start} />
        </Section>
      </div>
      <DemoNote />
    </div>
  );
}

function headingOf(waiting: number, news: number): string {
  if (waiting > 0)
    return plural(waiting, {
      one: 'One thing waits for you',
      2: 'Two things wait for you',
      other: '# things wait for you',
    });
  return news > 0 ? plural(news, { one: '# new result', other: '# new results' }) : t`Nothing waits for you`;
}
