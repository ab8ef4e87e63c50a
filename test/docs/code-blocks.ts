import type { Page } from './pages.ts';

/** A fenced block of a page, and what the comment before it says. */
export type CodeBlock = {
  readonly page: string;
  /** Where its fence is. */
  readonly line: number;
  readonly language: string;
  readonly code: string;
  /** `not run: why`, `file: name` for what a person would save, or `from: path` for what is quoted. */
  readonly note?: { readonly kind: 'not run' | 'file' | 'from'; readonly words: string };
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
      ...(note && { note: { kind: note['kind'] as 'not run', words: note['words'] ?? '' } }),
    };
  });
}

const FENCE = /^(?<indent> *)```(?<language>[\w-]*)[^\n]*\n(?<code>.*?)^\k<indent>``` *$/gms;
const NOTE = /<!-- (?<kind>not run|file|from): (?<words>[^>]*?) -->\s*$/;
