import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Trouble } from '@reborn-agent/client/turn-state';
import { useActions } from '../chat/chat-actions.ts';
import { Button } from '../parts/button.tsx';
import { useNow } from '../parts/use-now.ts';
import { sentencesOf } from './failure-words.ts';
import { OtherModel } from './ways-out.tsx';

type Props = { readonly trouble: Trouble; readonly turnId: string; readonly asked: string | undefined };

/** A model that failed and is asked again: why, and when. */
export function TroubleLine({ trouble, turnId, asked }: Props) {
  const { stopAndAsk } = useActions();
  const seconds = Math.ceil((trouble.dueAt - useNow()) / 1000);
  return (
    <div className="wash mt-2 flex flex-wrap items-start gap-3 bg-waiting-wash">
      <p className="min-w-0 flex-1 basis-60 break-words py-1">
        <strong className="font-medium" role="status">
          {sentencesOf(trouble.failure).fact}
        </strong>{' '}
        {nextTry(trouble, seconds)}
      </p>
      {asked !== undefined && seconds > 0 && (
        <div className="flex flex-wrap gap-2">
          <Button icon="retry" onClick={() => stopAndAsk(turnId, asked)}>
            <Trans>Try now</Trans>
          </Button>
          <OtherModel onChoose={(model) => stopAndAsk(turnId, asked, model)} />
        </div>
      )}
    </div>
  );
}

function nextTry({ next, tries }: Trouble, seconds: number): string {
  if (next !== undefined) return seconds > 0 ? t`Asking ${next} instead in ${seconds} s.` : t`Asking ${next} instead.`;
  if (seconds <= 0) return t`Trying again.`;
  if (!tries) return t`Trying again in ${seconds} s.`;
  const { next: nth, most } = tries;
  return t`Trying again in ${seconds} s, ${nth} of ${most}.`;
}
