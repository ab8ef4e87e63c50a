import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Thread, ThreadChange } from '@reborn-agent/client/api';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { wordsOf } from '../parts/error-words.ts';
import { useDeleteThreads } from './delete-threads.ts';
import { MoveThreads } from './move-threads.tsx';
import { titleOf } from './thread-title.ts';
import { useManyThreads } from './use-threads.ts';

/** The threads with a box each, and what can be done with the checked ones. */
export function SelectThreads({
  threads,
  archived,
  onDone,
}: {
  readonly threads: readonly Thread[];
  readonly archived: boolean;
  readonly onDone: () => void;
}) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [moving, setMoving] = useState(false);
  const many = useManyThreads();
  const remove = useDeleteThreads();
  const ids = threads.flatMap(({ id }) => (chosen.has(id) ? [id] : []));
  const isAll = ids.length === threads.length && ids.length > 0;
  const toggle = (id: string) => setChosen((before) => before.symmetricDifference(new Set([id])));
  const act = (change: ThreadChange) => many.mutate({ ids, change }, { onSuccess: onDone });
  const removeChosen = () => {
    remove(threads.filter(({ id }) => chosen.has(id)));
    onDone();
  };
  return (
    <div
      role="group"
      aria-label={t`Select threads`}
      className="flex min-h-0 flex-1 flex-col"
      onKeyDown={(event) => event.key === 'Escape' && onDone()}
    >
      <div className="flex items-center gap-2 px-4 pb-2 text-meta text-soft">
        <label className="flex flex-1 items-center gap-2">
          <input
            type="checkbox"
            checked={isAll}
            onChange={() => setChosen(new Set(isAll ? [] : threads.map(({ id }) => id)))}
          />
          {ids.length === 0 ? t`All` : plural(ids.length, { one: '# thread', other: '# threads' })}
        </label>
        <Button look="quiet" onClick={onDone}>
          <Trans>Done</Trans>
        </Button>
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto px-2">
        {threads.map((thread) => (
          <li key={thread.id}>
            <label className="flex min-h-target cursor-pointer items-center gap-2 rounded px-2 py-1 hover:bg-hover">
              <input type="checkbox" checked={chosen.has(thread.id)} onChange={() => toggle(thread.id)} />
              <span className="min-w-0 flex-1 truncate">{titleOf(thread)}</span>
            </label>
          </li>
        ))}
      </ul>
      {many.error && <p className="px-4 text-meta text-failed">{wordsOf(many.error)}</p>}
      <div className="flex gap-2 px-4 py-2">
        <Button disabled={ids.length === 0 || many.isPending} onClick={() => act({ archived: !archived })}>
          {archived ? t`Restore` : t`Archive`}
        </Button>
        <Button disabled={ids.length === 0 || many.isPending} onClick={() => setMoving(true)}>
          <Trans>Move</Trans>
        </Button>
        <Button look="danger" disabled={ids.length === 0 || many.isPending} onClick={removeChosen}>
          <Trans>Delete</Trans>
        </Button>
      </div>
      {moving && <MoveThreads ids={ids} onClose={() => setMoving(false)} onMoved={onDone} />}
    </div>
  );
}
