import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Suspense } from 'react';
import { useTakesAgainAt } from '../../client/send.ts';
import { lazyPart } from '../../parts/lazy-part.ts';
import { Speaker } from './speaker.tsx';

const SentLater = lazyPart(() => import('../../failures/sent-later.tsx').then((module) => module.SentLater));

/** A sent message, until the service reports it. `isNext`: no other is sent before it. */
export function PendingMessage({ text, isNext }: { readonly text: string; readonly isNext: boolean }) {
  const takesAgainAt = useTakesAgainAt();
  return (
    <div className="pb-4">
      <Speaker name={t`You`} />
      <div className="yours hang waits">
        <p dir="auto" className="whitespace-pre-wrap break-words">
          {text}
        </p>
        <p className="text-meta">
          {isNext && takesAgainAt !== undefined ? (
            <Suspense>
              <SentLater at={takesAgainAt} />
            </Suspense>
          ) : (
            <Trans>Sending</Trans>
          )}
        </p>
      </div>
    </div>
  );
}
