import { Trans } from '@lingui/react/macro';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useActions } from '../chat-actions.ts';

type Props = { readonly words: string; readonly turnId: string; readonly asked: string | undefined };

/** Why a turn failed. Trying again replaces the attempt. */
export function FailureLine({ words, turnId, asked }: Props) {
  const { inspect, askAgain, isIdle } = useActions();
  return (
    <div role="alert" className="wash mb-7 flex flex-wrap items-start gap-3 bg-failed-wash">
      <Icon name="warning" className="mt-2 text-failed" />
      <p className="min-w-0 flex-1 basis-60 break-words py-1">{words}</p>
      <div className="flex gap-2">
        {asked !== undefined && isIdle && (
          <Button icon="retry" onClick={() => askAgain(asked)}>
            <Trans>Try again</Trans>
          </Button>
        )}
        <Button look="quiet" icon="inspect" onClick={() => inspect(turnId)}>
          <Trans>Inspect</Trans>
        </Button>
      </div>
    </div>
  );
}
