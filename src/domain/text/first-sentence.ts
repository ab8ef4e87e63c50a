import { cut } from './cut.ts';

const LONGEST = 200;

/** What an answer begins with, for lists: without the marks of Markdown, in one line. Empty if there are no words. */
export function firstSentence(answer: string): string {
  const line = answer
    .slice(0, 10_000)
    .split(/\r?\n/)
    .map((each) => each.trim())
    .filter((each) => !/^(?:```|---|[\s:|-]*$)/.test(each))
    .map(withoutMarks)
    .find((each) => /[\p{L}\p{N}]/u.test(each));
  if (line === undefined) return '';
  const [first] = new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(line);
  return cut((first?.segment ?? line).trim(), LONGEST);
}

const withoutMarks = (line: string): string =>
  line
    .replace(/^(?:#{1,6}\s+|>\s*|[-*+]\s+|\d+[.)]\s+)+/, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__|\*|`)(.+?)\1/g, '$2')
    .replace(/[\s\p{Control}]+/gu, ' ')
    .trim();
