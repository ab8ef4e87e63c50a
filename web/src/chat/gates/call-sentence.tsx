import { i18n } from '@lingui/core';
import type { Part, Reader } from '@reborn-agent/client/call-card';
import { formatLocales } from '../../format/number.ts';

/** How this person reads the words of a card. */
export const reader = (): Reader => ({ language: i18n.locale, locales: formatLocales() });

/** A sentence about a call. Values are isolated: they may be written in another direction. */
export function CallSentence({ parts }: { readonly parts: readonly Part[] }) {
  return parts.map(({ kind, text }, at) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change places
    const key = at;
    if (kind === 'words') return text;
    if (kind === 'strong') return <strong key={key}>{text}</strong>;
    return (
      <bdi key={key} className={kind === 'exact' ? 'exact break-all' : ''}>
        {text}
      </bdi>
    );
  });
}
