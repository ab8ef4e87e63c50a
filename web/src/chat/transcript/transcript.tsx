import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PendingMessage } from './pending-message.tsx';
import { RowView } from './row-view.tsx';
import type { Row } from './rows.ts';

type Props = {
  readonly rows: readonly Row[];
  /** The row to begin with; empty for the end. */
  readonly target: string;
  /** The row that is being edited. */
  readonly edited: string | undefined;
  /** What was sent and is not part of the thread yet. */
  readonly pending: readonly string[];
  readonly hasOlder: boolean;
  readonly loadingOlder: boolean;
  readonly onOlder: () => void;
};

/** The rows of a thread. Only those near the screen are in the page. It stays at the end until the person scrolls up. */
export function Transcript({ rows, target, edited, pending, hasOlder, loadingOlder, onOlder }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [away, setAway] = useState(false);
  const count = rows.length + pending.length;
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => 120,
    getItemKey: (index) => rows[index]?.id ?? `pending ${index}`,
    overscan: 4,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: 80,
    paddingStart: 24,
    paddingEnd: 24,
  });

  useEffect(() => {
    virtualizer.scrollToEnd();
  }, [virtualizer]);

  const targetIndex = target === '' ? -1 : rows.findIndex(({ id }) => id === target);
  const isTargetKnown = targetIndex >= 0;
  const scrollToTarget = useEffectEvent(() => virtualizer.scrollToIndex(targetIndex, { align: 'start' }));
  useEffect(() => {
    if (target !== '' && isTargetKnown) scrollToTarget();
  }, [target, isTargetKnown]);

  const showEdited = useEffectEvent(() =>
    virtualizer.scrollToIndex(
      rows.findIndex(({ id }) => id === edited),
      { align: 'auto' },
    ),
  );
  useEffect(() => {
    if (edited !== undefined) showEdited();
  }, [edited]);

  // A message that was just sent is shown, wherever the person has scrolled to.
  const sent = useRef(pending.length);
  useEffect(() => {
    if (pending.length > sent.current) virtualizer.scrollToEnd();
    sent.current = pending.length;
  }, [pending.length, virtualizer]);

  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    setAway(box.scrollHeight - box.scrollTop - box.clientHeight > 200);
    if (box.scrollTop < 1200 && hasOlder && !loadingOlder) onOlder();
  };

  return (
    <div className="fades min-h-0 flex-1">
      <div
        ref={scroller}
        onScroll={onScroll}
        role="log"
        aria-label={t`Conversation`}
        aria-live="off"
        tabIndex={0}
        className="h-full overflow-y-auto overflow-x-hidden [overflow-anchor:none]"
      >
        <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((item) => {
            const row = rows[item.index];
            return (
              <div
                key={item.key}
                data-index={item.index}
                ref={virtualizer.measureElement}
                className="column absolute inset-x-0 top-0"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <div
                  className={
                    isTargetKnown && item.index === targetIndex
                      ? 'rounded bg-waiting-wash shadow-[0_0_0_8px_var(--waiting-wash)]'
                      : ''
                  }
                >
                  {row ? (
                    <MemoRow row={row} />
                  ) : (
                    <PendingMessage
                      text={pending[item.index - rows.length] ?? ''}
                      isNext={item.index === rows.length}
                    />
                  )}
                </div>
              </div>
            );
          })}
        </div>
      </div>
      {away && (
        <Button
          className="absolute bottom-3 left-1/2 z-2 -translate-x-1/2 shadow-float"
          onClick={() => virtualizer.scrollToEnd()}
        >
          <Icon name="down" /> <Trans>Jump to latest</Trans>
        </Button>
      )}
    </div>
  );
}

const MemoRow = memo(RowView, (one, other) => sameRow(one.row, other.row));

/** Rows are rebuilt for every change; what they show mostly stays the same. */
function sameRow(one: Row, other: Row): boolean {
  if (one.kind === 'steps' && other.kind === 'steps')
    return (
      one.first === other.first &&
      one.by === other.by &&
      one.followed === other.followed &&
      one.steps.length === other.steps.length &&
      one.steps.every((step, index) => {
        const counterpart = other.steps[index];
        return (
          step.call === counterpart?.call &&
          step.output === counterpart.output &&
          step.waits === counterpart.waits &&
          step.subagents === counterpart.subagents
        );
      })
    );
  if (one.kind === 'working')
    return (
      other.kind === 'working' &&
      one.turn.id === other.turn.id &&
      one.turn.trouble === other.turn.trouble &&
      one.first === other.first &&
      one.by === other.by &&
      one.waits === other.waits
    );
  if ('entry' in one && 'entry' in other)
    return (
      one.kind === other.kind &&
      one.entry === other.entry &&
      firstOf(one) === firstOf(other) &&
      byOf(one) === byOf(other) &&
      newestOf(one) === newestOf(other) &&
      versionOf(one) === versionOf(other) &&
      tookWords(one) === tookWords(other)
    );
  if (one.kind === 'gate' && other.kind === 'gate') return one.gate === other.gate;
  if (one.kind === 'queued' && other.kind === 'queued')
    return one.queued === other.queued && one.atGate === other.atGate && one.gate === other.gate;
  if (one.kind === 'day' && other.kind === 'day') return one.words === other.words;
  return one.kind === other.kind && one.id === other.id;
}

const firstOf = (row: Row) => 'first' in row && row.first;

const byOf = (row: Row) => ('by' in row ? row.by : undefined);

const newestOf = (row: Row) => row.kind === 'answer' && row.newest;

const tookWords = (row: Row) =>
  row.kind === 'answer' && row.took ? `${row.took.ms} ${row.took.usd} ${row.took.tokens}` : '';

const versionOf = (row: Row) =>
  'versions' in row ? row.versions.map(({ number, previous, next }) => `${previous} ${number} ${next}`).join() : '';
