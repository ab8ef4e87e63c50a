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
  const name = of === 'message' ? 'version' : 'answer';
  return (
    <fieldset className="flex items-center" aria-label={of === 'message' ? 'Versions of this message' : 'Answers'}>
      <IconButton
        icon="back"
        label={`Previous ${name}`}
        disabled={!isIdle || previous === null}
        onClick={() => previous && show(previous)}
      />
      <span className="text-s tabular-nums text-soft">
        {number} / {count}
      </span>
      <IconButton
        icon="right"
        label={`Next ${name}`}
        disabled={!isIdle || next === null}
        onClick={() => next && show(next)}
      />
    </fieldset>
  );
}
