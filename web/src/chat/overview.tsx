import { t } from '@lingui/core/macro';
import type { ListedMission, OpenGate, Thread } from '@reborn-agent/client/api';
import { outlineArguments } from '@reborn-agent/client/format';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { RelativeTime } from '../parts/relative-time.tsx';
import { useThreads } from '../threads/use-threads.ts';

const MOST = 3;
/** The service reports changes of threads; missions and questions are read again. */
const REFRESH_MS = 15_000;

/** What waits for the person, which missions are due next, and the newest threads. An empty section is left out. */
export function Overview() {
  const { me } = useServices();
  const gates = useQuery({
    queryKey: ['gates'],
    queryFn: () => client.call('GET /api/gates', { query: { limit: 100 } }),
    refetchInterval: REFRESH_MS,
  });
  const missions = useQuery({
    queryKey: ['missions'],
    queryFn: () => client.call('GET /api/missions'),
    refetchInterval: REFRESH_MS,
  });
  const threads = useThreads({ q: '', archived: false, channel: 'chat' });

  const waiting =
    gates.data?.gates.filter((gate) => gate.user_id === me.user_id && gate.kind !== 'external-tool') ?? [];
  const recent = threads.data?.pages[0]?.threads.toSorted((a, b) => b.updated_at.localeCompare(a.updated_at)) ?? [];
  return (
    <div className="mt-7 flex flex-col gap-7">
      <Section title={t`Waits for you`} rows={waiting.slice(0, MOST)}>
        {(gate) => <GateLink key={gate.id} gate={gate} />}
      </Section>
      <Section title={t`Next missions`} rows={dueNext(missions.data?.missions ?? [])}>
        {(mission) => <MissionLink key={mission.id} mission={mission} />}
      </Section>
      {/* On wide screens the sidebar lists them. */}
      <div className="md:hidden">
        <Section title={t`Recent threads`} rows={recent.slice(0, MOST)}>
          {(thread) => <ThreadLink key={thread.id} thread={thread} />}
        </Section>
      </div>
    </div>
  );
}

type Due = ListedMission & { readonly next_due_at: string };

function dueNext(missions: readonly ListedMission[]): readonly Due[] {
  return missions
    .filter((mission): mission is Due => mission.state === 'active' && mission.next_due_at !== null)
    .toSorted((a, b) => a.next_due_at.localeCompare(b.next_due_at))
    .slice(0, MOST);
}

function Section<T>({
  title,
  rows,
  children,
}: {
  readonly title: string;
  readonly rows: readonly T[];
  readonly children: (row: T) => ReactNode;
}) {
  if (rows.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className="font-semibold">{title}</h2>
      <ul className="card mt-2 divide-y divide-line overflow-hidden">{rows.map(children)}</ul>
    </section>
  );
}

const ROW = 'flex min-h-11 items-center gap-3 px-3.5 hover:bg-hover focus-visible:-outline-offset-2';

function GateLink({ gate: { thread_id: threadId, kind, call, created_at: since } }: { readonly gate: OpenGate }) {
  const words = kind === 'auth' ? t`${call.name} needs a sign-in` : `${call.name} ${outlineArguments(call.arguments)}`;
  return (
    <li>
      <Link to="/threads/$threadId" params={{ threadId }} className={ROW}>
        <span className="min-w-0 flex-1 truncate">{words}</span>
        <Time time={since} />
      </Link>
    </li>
  );
}

function MissionLink({ mission }: { readonly mission: Due }) {
  return (
    <li>
      <Link to="/missions" className={ROW}>
        <span className="min-w-0 flex-1 truncate">{mission.name}</span>
        <Time time={mission.next_due_at} />
      </Link>
    </li>
  );
}

function ThreadLink({ thread }: { readonly thread: Thread }) {
  return (
    <li>
      <Link to="/threads/$threadId" params={{ threadId: thread.id }} className={ROW}>
        <span className="min-w-0 flex-1 truncate">{thread.title || t`Untitled`}</span>
        <Time time={thread.updated_at} />
      </Link>
    </li>
  );
}

const Time = ({ time }: { readonly time: string }) => (
  <span className="text-meta text-soft">
    <RelativeTime time={time} />
  </span>
);
