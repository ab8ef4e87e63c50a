export type Mark = 'running' | 'waiting' | 'done' | 'failed' | 'idle';

const COLOURS: Record<Mark, string> = {
  running: 'bg-running animate-pulse',
  waiting: 'bg-waiting',
  done: 'bg-done',
  failed: 'bg-failed',
  idle: 'border border-edge',
};

/** A dot and a word: the state is never shown by colour alone. */
export function StatusMark({ mark, words }: { readonly mark: Mark; readonly words: string }) {
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap text-s text-soft">
      <span className={`size-2 rounded-full ${COLOURS[mark]}`} />
      {words}
    </span>
  );
}
