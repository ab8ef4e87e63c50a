import { Trans } from '@lingui/react/macro';
import type { AgentTool } from '@reborn-agent/client/api';
import { Icon } from '../parts/icon.tsx';

/** What a tool may do, a sentence each; the dangerous ones are marked. */
export function Capabilities({
  name,
  sentences,
}: {
  readonly name: string;
  readonly sentences: AgentTool['capabilities'];
}) {
  if (sentences.length === 0)
    return (
      <p className="text-soft">
        <Trans>{name} can reach nothing outside of itself.</Trans>
      </p>
    );
  return (
    <ul className="flex flex-col gap-2">
      {sentences.map(({ text, dangerous }) => (
        <li key={text} className="flex items-start gap-2">
          <Icon name={dangerous ? 'warning' : 'check'} className={`mt-1 ${dangerous ? 'text-waiting' : 'text-soft'}`} />
          <span className="min-w-0 break-words">
            {text}
            {dangerous && (
              <span className="text-waiting">
                {' '}
                <Trans>(may change something, or sends a secret)</Trans>
              </span>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
