import { plural, t } from '@lingui/core/macro';
import { type ThreadFile, useFileList } from './use-files.ts';

/** What is known about the text of a file in its newest version; nothing for a file without one, such as a picture. */
export function useDocument(threadId: string, path: string) {
  const { data } = useFileList(threadId);
  return data?.files.find((file) => file.path === path)?.document;
}

/** The same in words. */
export function useDocumentWords(threadId: string, path: string): string | undefined {
  const document = useDocument(threadId, path);
  return document ? wordsOfDocument(document) : undefined;
}

/** What its card has room for, if there is no text to search: the panel says all of it. */
export function useBriefDocumentWords(threadId: string, path: string): string | undefined {
  const state = useDocument(threadId, path)?.state;
  if (state === 'waiting') return t`Text is being read`;
  return state === 'failed' ? t`No readable text` : undefined;
}

function wordsOfDocument({ state, reason, pages, empty_pages: scans }: NonNullable<ThreadFile['document']>): string {
  if (state === 'waiting') return t`Its text is being read.`;
  if (state === 'failed') return t`Its text can’t be read: ${reason ?? ''}`;
  const readable = plural(pages, {
    one: 'Its text can be searched: # page.',
    other: 'Its text can be searched: # pages.',
  });
  if (scans === 0) return readable;
  return `${readable} ${plural(scans, { one: '# page has no text, such as a scan.', other: '# pages have no text, such as scans.' })}`;
}
