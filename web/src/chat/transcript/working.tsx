import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Trouble, TurnState } from '@reborn-agent/client/thread-state';
import { useEffect, useState } from 'react';
import { formatDuration } from '../../format/time.ts';
import { wordsOfFailure } from '../../parts/error-words.ts';
import { RunningRing } from '../../parts/running-ring.tsx';
import { Speaker } from './speaker.tsx';

type WorkingProps = {
  readonly turn: TurnState;
  readonly first: boolean;
  /** Whether it waits for a replica with a free place. */
  readonly waits: boolean;
};

/** A turn that runs and says nothing yet, with the time it has taken. */
export function Working({ turn, first, waits }: WorkingProps) {
  const began = turn.startedAt === undefined ? undefined : Date.parse(turn.startedAt);
  return (
    <div className="pb-7">
      {first && <Speaker name="Reborn" />}
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
      {turn.trouble && (
        <p className="text-meta text-soft" role="status">
          {wordsOfFailure({ code: 'model_error', message: turn.trouble.message })} <NextTry trouble={turn.trouble} />
        </p>
      )}
    </div>
  );
}

function NextTry({ trouble: { next, dueAt } }: { readonly trouble: Trouble }) {
  const seconds = Math.ceil((dueAt - useNow()) / 1000);
  if (next === undefined) return seconds > 0 ? t`Asking again in ${seconds} s.` : t`Asking again.`;
  return seconds > 0 ? t`Asking ${next} instead in ${seconds} s.` : t`Asking ${next} instead.`;
}

export function Elapsed({ since }: { readonly since: number | undefined }) {
  const now = useNow();
  return since === undefined ? null : <span className="tabular-nums">{formatDuration(now - since)}</span>;
}

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, []);
  return now;
}
