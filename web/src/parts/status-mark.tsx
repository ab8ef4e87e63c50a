import { RunningRing } from './running-ring.tsx';

export type Mark = 'running' | 'waiting' | 'done' | 'failed' | 'idle';

const COLOURS: Record<Exclude<Mark, 'running'>, string> = {
  waiting: 'bg-waiting',
  done: 'bg-done',
  failed: 'bg-failed',
  idle: 'border border-edge',
};

/** A dot and a word: the state is never shown by colour alone. */
export function StatusMark({ mark, words }: { readonly mark: Mark; readonly words: string }) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap text-meta text-soft">
      {mark === 'running' ? <RunningRing /> : <span className={`dot ${COLOURS[mark]}`} />}
      {words}
    </span>
  );
}
