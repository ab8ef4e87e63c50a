const COLOURS = {
  plain: '',
  good: 'bg-done-wash text-done',
  bad: 'bg-failed-wash text-failed',
  waits: 'bg-waiting-wash text-waiting',
} as const;

/** A state in a word or two. */
export function Badge({ look = 'plain', words }: { readonly look?: keyof typeof COLOURS; readonly words: string }) {
  return <span className={`badge ${COLOURS[look]}`}>{words}</span>;
}
