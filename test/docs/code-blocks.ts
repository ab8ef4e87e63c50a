import type { Page } from './pages.ts';

/** A fenced block of a page, with the note in the comment before it. */
export type CodeBlock = {
  readonly page: string;
  /** The line of its opening fence. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** `not run: reason`, `file: name` for a block that the reader saves, or `from: path` for a quotation. */
  readonly note?: { readonly kind: 'not run' | 'file' | 'from'; readonly text: string };
};

export function findBlocks({ path, text }: Page): CodeBlock[] {
  return [...text.matchAll(FENCE)].map(({ index, groups }) => {
    const before = text.slice(0, index);
    const note = NOTE.exec(before)?.groups;
    const indent = groups?.['indent'] ?? '';
    return {
      page: path,
      line: before.split('\n').length,
      language: groups?.['language'] ?? '',
      code: (groups?.['code'] ?? '').replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      ...(note && { note: { kind: note['kind'] as 'not run', text: note['text'] ?? '' } }),
    };
  });
}

const FENCE = /^(?<indent> *)```(?<language>[\w-]*)[^\n]*\n(?<code>.*?)^\k<indent>``` *$/gms;
const NOTE = /<!-- (?<kind>not run|file|from): (?<text>[^>]*?) -->\s*$/;
