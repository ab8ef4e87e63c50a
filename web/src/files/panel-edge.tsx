import { t } from '@lingui/core/macro';
import type { KeyboardEvent, RefObject } from 'react';
import { LEAST_WIDTH, type Panel } from './use-panel.ts';

const STEP = 32;

/** The edge of the panel, which is dragged or moved with the arrow keys. */
export function PanelEdge({ panel, box }: { readonly panel: Panel; readonly box: RefObject<HTMLElement | null> }) {
  const { width, setWidth } = panel;
  const most = () => Math.round((box.current?.parentElement?.clientWidth ?? Number.POSITIVE_INFINITY) * 0.7);
  const set = (next: number) => setWidth(Math.round(Math.max(LEAST_WIDTH, Math.min(next, most()))));
  const isMirrored = () => document.dir === 'rtl';
  const drag = (x: number) => {
    const place = box.current?.getBoundingClientRect();
    if (place) set(isMirrored() ? x - place.left : place.right - x);
  };
  const onKey = (event: KeyboardEvent) => {
    const direction = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
    if (direction) set(width + direction * (isMirrored() ? -STEP : STEP));
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={t`Width of the panel`}
      aria-valuenow={width}
      aria-valuemin={LEAST_WIDTH}
      tabIndex={0}
      onKeyDown={onKey}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => event.buttons === 1 && drag(event.clientX)}
      className="absolute inset-y-0 -start-1 z-2 w-2 cursor-col-resize touch-none max-lg:hidden hover:bg-hover"
    />
  );
}
