import { Suspense } from 'react';
import { useTakesAgainAt } from '../client/send.ts';
import { lazyPart } from '../parts/lazy-part.ts';

const SentLater = lazyPart(() => import('../failures/sent-later.tsx').then((module) => module.SentLater));

/** Above the composer of a new thread: when the service takes messages again, if it has refused one. */
export function SentLaterNote() {
  const takesAgainAt = useTakesAgainAt();
  if (takesAgainAt === undefined) return null;
  return (
    <p className="column text-meta text-soft">
      <Suspense>
        <SentLater at={takesAgainAt} />
      </Suspense>
    </p>
  );
}
