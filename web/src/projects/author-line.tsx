import { t } from '@lingui/core/macro';
import type { ProjectNote } from '@reborn-agent/client/api';
import { RelativeTime } from '../parts/relative-time.tsx';

type Written = Pick<ProjectNote, 'written_by' | 'updated_at'>;

/** Who wrote a text of a project, when, and what that means to the reader. */
export function AuthorLine({ written: { written_by: by, updated_at: at } }: { readonly written: Written }) {
  return (
    <p className="text-meta text-soft">
      <span className="font-medium text-ink">{authorWords(by)}</span> <RelativeTime time={at} />
      {!by.you && ` ${t`It counts as text by others: after reading it, the agent asks before it acts.`}`}
    </p>
  );
}

export function authorWords({ you, name }: Written['written_by']): string {
  if (you) return t`Written by you`;
  return name === null ? t`Written by somebody who is gone` : t`Written by ${name}`;
}
