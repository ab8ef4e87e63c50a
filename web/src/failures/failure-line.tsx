import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { TurnFailure } from '@reborn-agent/client/api';
import { useActions } from '../chat/chat-actions.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { sentencesOf } from './failure-words.ts';
import { waysOf } from './ways.ts';
import { OtherModel, SettingsWay } from './ways-out.tsx';

type Props = {
  readonly failure: TurnFailure | undefined;
  readonly turnId: string;
  readonly asked: string | undefined;
};

/** Why a turn failed, and what helps. An answer to the message that was asked replaces the attempt. */
export function FailureLine({ failure, turnId, asked }: Props) {
  const { inspect, askAgain, askShorter, isIdle } = useActions();
  const { fact, next } = failure ? sentencesOf(failure) : noReason();
  const ways = waysOf(failure);
  const canAsk = asked !== undefined && isIdle;
  return (
    <div role="alert" className="wash mb-7 flex flex-wrap items-start gap-3 bg-failed-wash">
      <Icon name="warning" className="mt-2 text-failed" />
      <p className="min-w-0 flex-1 basis-60 break-words py-1">
        <strong className="font-medium">{fact}</strong>
        {next !== undefined && ` ${next}`}
      </p>
      <div className="flex flex-wrap gap-2">
        {ways.settings && <SettingsWay to={ways.settings} />}
        {canAsk && ways.again && (
          <Button icon="retry" onClick={() => askAgain(asked)}>
            <Trans>Try again</Trans>
          </Button>
        )}
        {canAsk && ways.shorter && (
          <Button onClick={() => askShorter(asked)}>
            <Trans>Summarise earlier messages</Trans>
          </Button>
        )}
        {canAsk && ways.other && <OtherModel onChoose={(model) => askAgain(asked, model)} />}
        <Button look="quiet" icon="inspect" onClick={() => inspect(turnId)}>
          <Trans>Inspect</Trans>
        </Button>
      </div>
    </div>
  );
}

const noReason = (): { readonly fact: string; readonly next?: string } => ({
  fact: t`The turn failed, and left no reason.`,
  next: t`Inspect it, or look into the state of the service.`,
});
