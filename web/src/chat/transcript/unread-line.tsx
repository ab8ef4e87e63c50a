import { Trans } from '@lingui/react/macro';
import { Button } from '../../parts/button.tsx';
import { useActions } from '../chat-actions.ts';

/** Below a message that was refused while the thread waited for an answer. */
export function UnreadLine({ text }: { readonly text: string | undefined }) {
  const { sendAgain } = useActions();
  return (
    <div className="-mt-3 flex flex-wrap items-center gap-3 pb-7">
      <p className="text-meta text-waiting">
        <Trans>The agent has not read this message.</Trans>
      </p>
      {text !== undefined && (
        <Button icon="retry" onClick={() => sendAgain(text)}>
          <Trans>Send again</Trans>
        </Button>
      )}
    </div>
  );
}
