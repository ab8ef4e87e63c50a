import { expect, test } from 'vitest';
import { attachedAs } from './attached-as.ts';

const named = (title: string) => attachedAs(title, 'thread-1', 'md').replace('attachment; ', '');

test('a download is named after the title, in plain letters and in its own', () => {
  expect(named('Supplier costs in March')).toBe(
    `filename="supplier-costs-in-march.md"; filename*=UTF-8''supplier-costs-in-march.md`,
  );
  expect(named('Brønnøysund: året / 2026?')).toBe(
    `filename="brnnysund-aret-2026.md"; filename*=UTF-8''${encodeURIComponent('brønnøysund-året-2026.md')}`,
  );
  expect(named('費用')).toBe(`filename="thread-1.md"; filename*=UTF-8''${encodeURIComponent('費用.md')}`);
});

test('nothing in a title leaves the name or leads to a folder', () => {
  expect(named('"; x="../../etc\r\npasswd')).toBe(`filename="x-etc-passwd.md"; filename*=UTF-8''x-etc-passwd.md`);
  expect(named('…')).toBe(`filename="thread-1.md"; filename*=UTF-8''thread-1.md`);
});

test('a long title is cut between words, and one long word where it must be', () => {
  expect(named('word '.repeat(100))).toContain(`filename="${'word-'.repeat(16).slice(0, -1)}.md"`);
  expect(named('x'.repeat(300))).toContain(`filename="${'x'.repeat(80)}.md"`);
});
