import { t } from '@lingui/core/macro';
import { useNavigate } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { useAssistants } from './use-assistants.ts';

type Props = {
  /** Who answers next; null for the usual agent. */
  readonly chosen: string | null;
  readonly onChoose: (name: string | null) => void;
};

/** Shows who answers next, and changes it. */
export function AssistantPicker({ chosen, onChoose }: Props) {
  const assistants = useAssistants();
  const navigate = useNavigate();
  const words = chosen ?? t`Usual agent`;
  if (assistants.length === 0 && chosen === null) return null;
  return (
    <Menu
      trigger={
        <button
          type="button"
          aria-label={t`Assistant: ${words}`}
          title={t`Choose an assistant`}
          className="inline-flex min-h-target min-w-0 max-w-full items-center gap-1 rounded px-1 text-meta text-soft hover:bg-hover hover:text-ink"
        >
          <span className="min-w-0 truncate">{words}</span>
          <Icon name="down" className="size-3" />
        </button>
      }
      entries={[
        { words: t`Usual agent`, icon: 'chat', chosen: chosen === null, onChoose: () => onChoose(null) },
        ...assistants.map(({ name }) => ({
          words: name,
          icon: 'users' as const,
          chosen: name === chosen,
          onChoose: () => onChoose(name),
        })),
        { words: t`Manage assistants`, icon: 'edit', onChoose: () => void navigate({ to: '/assistants' }) },
      ]}
    />
  );
}
