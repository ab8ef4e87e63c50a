import { t } from '@lingui/core/macro';
import { IconButton } from '../../parts/button.tsx';
import { useActions } from '../chat-actions.ts';
import type { VersionPosition } from './rows.ts';

/** Arrows between the versions of a message, such as "2 / 3". */
export function VersionArrows({ versions }: { readonly versions: readonly VersionPosition[] }) {
  return versions.map((position) => <Arrows key={position.of} position={position} />);
}

function Arrows({ position }: { readonly position: VersionPosition }) {
  const { show, isIdle } = useActions();
  const { of, number, count, previous, next } = position;
  return (
    <fieldset
      className="flex shrink-0 items-center"
      aria-label={of === 'message' ? t`Versions of this message` : t`Answers`}
    >
      <IconButton
        icon="back"
        label={of === 'message' ? t`Previous version` : t`Previous answer`}
        disabled={!isIdle || previous === null}
        onClick={() => previous && show(previous)}
      />
      <span className="text-meta tabular-nums whitespace-nowrap text-soft">
        {number} / {count}
      </span>
      <IconButton
        icon="right"
        label={of === 'message' ? t`Next version` : t`Next answer`}
        disabled={!isIdle || next === null}
        onClick={() => next && show(next)}
      />
    </fieldset>
  );
}
