import { t } from '@lingui/core/macro';
import { useEffect, useRef } from 'react';
import { IconButton } from '../../parts/button.tsx';
import { useActions } from '../chat-actions.ts';
import type { VersionPosition } from './rows.ts';

/** Arrows between the versions of a message, such as "2 / 3". */
export function VersionArrows({ versions, turnId }: Props) {
  return versions.map((position) => <Arrows key={position.of} position={position} turnId={turnId} />);
}

type Props = {
  readonly versions: readonly VersionPosition[];
  /** The turn that shows this version. */
  readonly turnId: string;
};

/** The arrow that was pressed, and the turn that it leads to: there it has the focus again, since the whole row is replaced. */
let pressed: { readonly of: VersionPosition['of']; readonly to: string; readonly arrow: 0 | 1 } | undefined;

function Arrows({ position, turnId }: { readonly position: VersionPosition; readonly turnId: string }) {
  const { show, isIdle } = useActions();
  const { of, number, count, previous, next } = position;
  const box = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (pressed?.of !== of || pressed.to !== turnId) return;
    const arrows = [...(box.current?.querySelectorAll('button') ?? [])];
    const [same, other] = pressed.arrow === 0 ? arrows : arrows.toReversed();
    (same?.disabled ? other : same)?.focus({ preventScroll: true });
    pressed = undefined;
  }, [of, turnId]);
  const go = (to: string | null, arrow: 0 | 1) => {
    if (to === null) return;
    pressed = { of, to, arrow };
    show(to);
  };
  return (
    <fieldset
      ref={box}
      className="flex shrink-0 items-center"
      aria-label={of === 'message' ? t`Versions of this message` : t`Answers`}
    >
      <IconButton
        icon="back"
        label={of === 'message' ? t`Previous version` : t`Previous answer`}
        disabled={!isIdle || previous === null}
        onClick={() => go(previous, 0)}
      />
      <span className="text-meta tabular-nums whitespace-nowrap text-soft">
        {number} / {count}
      </span>
      <IconButton
        icon="right"
        label={of === 'message' ? t`Next version` : t`Next answer`}
        disabled={!isIdle || next === null}
        onClick={() => go(next, 1)}
      />
    </fieldset>
  );
}
