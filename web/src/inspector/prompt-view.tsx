import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { TurnInspection } from '@reborn-agent/client/api';
import { ReadableJson } from '../chat/transcript/readable-json.tsx';
import { Icon } from '../parts/icon.tsx';

/** What was asked of the model. Prompts are not stored, so this one is made again from what is. */
export function PromptView({ turn: { prompt, summary } }: { readonly turn: TurnInspection }) {
  return (
    <details className="group border-t border-line pt-4">
      <summary className="flex items-center gap-2 font-semibold">
        <Icon name="right" className="transition-transform group-open:rotate-90" />
        <Trans>The prompt, rebuilt from what is stored</Trans>
      </summary>
      <div className="mt-3 flex flex-col gap-3">
        {summary && (
          <p className="text-meta text-soft">
            <Trans>
              A summary by {summary.model} stands in it for everything up to turn {summary.through_seq}, which stays in
              the thread.
            </Trans>
          </p>
        )}
        <Said role="system" text={prompt.system} />
        {prompt.messages.map((message, index) => (
          <Said key={index} role={message.role} text={message.text || JSON.stringify(message.calls ?? [])} />
        ))}
        <p className="text-meta text-soft">
          {prompt.tools.length === 0
            ? t`No tools were offered.`
            : t`Tools offered: ${prompt.tools.map(({ name }) => name).join(', ')}`}
        </p>
      </div>
    </details>
  );
}

function Said({ role, text }: { readonly role: string; readonly text: string }) {
  return (
    <div>
      <p className="text-meta text-soft">{role}</p>
      <ReadableJson text={text} />
    </div>
  );
}
