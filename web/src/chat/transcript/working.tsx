import { Trans } from '@lingui/react/macro';
import type { TurnState } from '@reborn-agent/client/turn-state';
import { Suspense } from 'react';
import { formatDuration } from '../../format/time.ts';
import { lazyPart } from '../../parts/lazy-part.ts';
import { RunningRing } from '../../parts/running-ring.tsx';
import { useNow } from '../../parts/use-now.ts';
import { AgentSpeaker } from './speaker.tsx';
import type { Voice } from './voice.ts';

const TroubleLine = lazyPart(() => import('../../failures/trouble-line.tsx').then((module) => module.TroubleLine));

type WorkingProps = {
  readonly turn: TurnState;
  /** The id of the message that led to it. */
  readonly asked: string | undefined;
  readonly first: boolean;
  readonly by: Voice;
  /** Whether it waits for a replica with a free place. */
  readonly waits: boolean;
};

/** A turn that runs and says nothing yet, with the time it has taken. */
export function Working({ turn, asked, first, by, waits }: WorkingProps) {
  const began = turn.startedAt === undefined ? undefined : Date.parse(turn.startedAt);
  return (
    <div className="pb-7">
      {first && <AgentSpeaker by={by} />}
      <p className="flex items-center gap-2 text-meta text-soft">
        {waits ? <span className="dot bg-waiting" /> : <RunningRing />}
        {waits ? (
          <Trans>
            Waiting for a free place <Elapsed since={began} />
          </Trans>
        ) : (
          <Trans>
            Working <Elapsed since={began} />
          </Trans>
        )}
      </p>
      {!waits && <MayLeave since={began} />}
      {turn.trouble && (
        <Suspense>
          <TroubleLine trouble={turn.trouble} turnId={turn.id} asked={asked} />
        </Suspense>
      )}
    </div>
  );
}

const LONG_MS = 30_000;

/** Says after a while that no one has to wait here. */
function MayLeave({ since }: { readonly since: number | undefined }) {
  const now = useNow();
  if (since === undefined || now - since < LONG_MS) return null;
  return (
    <p className="ps-[18px] text-meta text-soft">
      <Trans>You can leave, it continues.</Trans>
    </p>
  );
}

export function Elapsed({ since }: { readonly since: number | undefined }) {
  const now = useNow();
  return since === undefined ? null : <span className="tabular-nums">{formatDuration(now - since)}</span>;
}
