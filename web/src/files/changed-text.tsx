import { Trans } from '@lingui/react/macro';
import { Icon } from '../parts/icon.tsx';
import { Changes } from './changes.tsx';
import { diffLines } from './diff.ts';

type Props = { readonly text: string; readonly before: string | undefined };

/** What a version of a text has changed, folded; a first one, or one after a deletion, is shown whole. */
export function ChangedText({ text, before }: Props) {
  return (
    <details className="group min-w-0">
      <summary className="mb-2 flex w-fit items-center gap-2 text-meta text-soft hover:text-ink">
        <Icon name="right" className="transition-transform group-open:rotate-90" />
        {before ? <Trans>What changed</Trans> : <Trans>The text</Trans>}
      </summary>
      {before ? (
        <Changes lines={diffLines(before, text)} />
      ) : (
        <p className="whitespace-pre-wrap break-words text-reading">{text}</p>
      )}
    </details>
  );
}
