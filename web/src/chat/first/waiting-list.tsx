import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { LimitRequestList, OpenGate } from '@reborn-agent/client/api';
import type { Part } from '@reborn-agent/client/call-card';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { client } from '../../client/client.ts';
import { Button } from '../../parts/button.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { RelativeTime } from '../../parts/relative-time.tsx';
import { titleOf } from '../../threads/thread-title.ts';
import { CallSentence } from '../gates/call-sentence.tsx';
import { sentenceOf } from '../gates/gate-sentence.ts';

/** More are shown when they are asked for. */
const MOST = 5;

type Props = {
  readonly waiting: readonly OpenGate[];
  /** For operators: who asks for a higher limit. */
  readonly requests: LimitRequestList['requests'];
};

/** What waits for the person, each with the thread that it belongs to; nothing when nothing waits. */
export function WaitingList({ waiting, requests }: Props) {
  const [isWhole, setWhole] = useState(false);
  const count = waiting.length + requests.length;
  if (count === 0) return null;
  const shown = isWhole ? waiting : waiting.slice(0, MOST);
  return (
    <section aria-label={t`Waits for you`} className="flex flex-col gap-2">
      <ul className="card divide-y divide-line overflow-hidden">
        {shown.map((gate) => (
          <Waiting key={gate.id} gate={gate} />
        ))}
        {requests.map((request) => (
          <AsksForMore key={request.user_id} request={request} />
        ))}
      </ul>
      {shown.length < waiting.length && (
        <Button className="self-center" onClick={() => setWhole(true)}>
          <Trans>Show all {count}</Trans>
        </Button>
      )}
    </section>
  );
}

function Waiting({ gate }: { readonly gate: OpenGate }) {
  const { thread_id: threadId } = gate;
  const { data: thread } = useQuery({
    queryKey: ['thread', threadId],
    queryFn: () => client.call('GET /api/threads/{id}', { params: { id: threadId } }),
  });
  return (
    <li>
      <Link to="/threads/$threadId" params={{ threadId }} className={ROW}>
        <Line icon={iconOf(gate)} about={thread && titleOf(thread)} at={gate.created_at}>
          <CallSentence parts={withoutMark(sentenceOf(gate, true))} />
        </Line>
      </Link>
    </li>
  );
}

function AsksForMore({
  request: { user_id: id, name, asked_at: at },
}: {
  readonly request: Props['requests'][number];
}) {
  return (
    <li>
      <Link to="/settings/users" hash={id} className={ROW}>
        <Line icon="users" about={t`Users and roles`} at={at}>
          <Trans>{name} asks for a higher limit</Trans>
        </Line>
      </Link>
    </li>
  );
}

const ROW = 'group flex min-h-14 items-center gap-3 px-3.5 py-2 hover:bg-hover focus-visible:-outline-offset-2';

type LineProps = {
  readonly icon: IconName;
  readonly children: ReactNode;
  /** Where it comes from. */
  readonly about: string | undefined;
  readonly at: string;
};

const Line = ({ icon, children, about, at }: LineProps) => (
  <>
    <span className="grid size-9 shrink-0 place-items-center rounded bg-waiting-wash text-waiting">
      <Icon name={icon} />
    </span>
    <span className="min-w-0 flex-1">
      <span className="line-clamp-2 font-medium break-words md:line-clamp-1">{children}</span>
      <span className="flex gap-2 text-meta text-soft">
        <span className="truncate">{about}</span>
        <RelativeTime time={at} />
      </span>
    </span>
    <span className="hidden min-h-7 items-center rounded-sm border border-rule bg-raised px-2 text-meta font-medium shadow-rest group-hover:bg-hover md:inline-flex">
      <Trans>Review</Trans>
    </span>
    <Icon name="right" className="text-soft md:hidden" />
  </>
);

/** In a list, the question is a line. */
const withoutMark = (parts: readonly Part[]): readonly Part[] =>
  parts.map((part, at) => (at === parts.length - 1 ? { ...part, text: part.text.replace(/[?.]$/, '') } : part));

function iconOf({ kind, call: { name } }: OpenGate): IconName {
  if (kind === 'auth') return 'key';
  if (kind === 'input') return 'chat';
  return BY_TOOL.find(([tools]) => tools.test(name))?.[1] ?? 'shield';
}

const BY_TOOL: readonly (readonly [RegExp, IconName])[] = [
  [/^mission_/, 'clock'],
  [/^memory_/, 'memory'],
  [/^reborn_(?:shell|python)$/, 'code'],
  [/^reborn_web_/, 'search'],
  [/^reborn_(?:file|document)_/, 'file'],
];
