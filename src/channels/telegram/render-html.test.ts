import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHtml } from '../../../test/support/telegram/parse-html.ts';
import { renderHtml } from './render-html.ts';
import { createTelegramPort } from './telegram-port.ts';

const telegram = createTelegramPort(() => Promise.reject(new Error('No requests are made here.')));
const split = (markdown: string) => telegram.split(markdown);

test.each([
  ['**bold**, *italic*, ~~gone~~ and `code`', '<b>bold</b>, <i>italic</i>, <s>gone</s> and <code>code</code>'],
  ['# Title\n- one\n  - two', '<b>Title</b>\n• one\n  • two'],
  ['> said\n> twice\n\nmore', '<blockquote>said\ntwice</blockquote>\n\nmore'],
  ['*a **b** c*, ***both***', '<i>a <b>b</b> c</i>, <i><b>both</b></i>'],
  ['# **Bold** title', '<b>Bold title</b>'],
  ['`` `x` `` and [a](https://x.example/a_(b))', '<code>`x`</code> and <a href="https://x.example/a_(b)">a</a>'],
  ['[**b**](https://x.example) https://a.example/a_b_', '<a href="https://x.example/">b</a> https://a.example/a_b_'],
  ['1. one\n1. two\n   - [x] sub\n\n   more', '1. one\n2. two\n  • ☑ sub\n\n  more'],
  ['> a\n> > b', '<blockquote>a\n&gt; b</blockquote>'],
  ['a [x][1]\n\n[1]: https://a.example', 'a [x][1]\n\n[1]: https://a.example'],
  [`${'- '.repeat(9)}deep`, `${'• '.repeat(8)}- deep`],
  ['*'.repeat(12), '———'],
  ['```ts\nlet a = 1 < 2;\n```', '<pre><code class="language-ts">let a = 1 &lt; 2;</code></pre>'],
  ['```\nopen **end**', '<pre>open **end**</pre>'],
  ['| a | b |\n| - | - |\n| 1 | 2 |', '<pre>| a | b |\n| - | - |\n| 1 | 2 |</pre>'],
  ['2 * 3 * 4, snake_case_name', '2 * 3 * 4, snake_case_name'],
  ['\\*not bold\\*', '*not bold*'],
  ['**never closed', '**never closed'],
])('%j is rendered as %j', (markdown, html) => {
  expect(renderHtml(markdown)).toBe(html);
});

test.each([
  ['[docs](https://example.com/a?b=1&c=2)', '<a href="https://example.com/a?b=1&amp;c=2">docs</a>'],
  ['[example.com](https://example.com/x)', '<a href="https://example.com/x">example.com</a>'],
  ['[bank.com](https://evil.example/)', 'bank.com (https://evil.example/)'],
  ['[Log in](https://bank.com@evil.example/)', 'Log in (evil.example)'],
  ['[run](javascript:alert(1))', 'run (javascript:alert(1))'],
  ['[user](tg://user?id=1)', 'user (user)'],
  ['![pixel](https://evil.example/?q=secret)', '<a href="https://evil.example/?q=secret">pixel</a>'],
  ['<a href="https://evil.example">bank</a>', '&lt;a href=&quot;https://evil.example&quot;&gt;bank&lt;/a&gt;'],
  ['ask @everyone now', 'ask @\u2060everyone now'],
])('the trick %j becomes %j', (markdown, html) => {
  expect(renderHtml(markdown)).toBe(html);
});

const marks = fc.constantFrom(
  '**',
  '*',
  '_',
  '`',
  '```\n',
  '~~',
  '[',
  '](https://a.example)',
  '<b>',
  '&',
  '\n',
  '> ',
  '- ',
  ' ',
  'word',
  '|',
  '\\',
  '😀',
);
const texts = fc
  .array(fc.oneof(marks, fc.string({ unit: 'grapheme', maxLength: 5 })), { maxLength: 60 })
  .map((parts) => parts.join(''));

test('any text is rendered to HTML that Telegram can parse, and is never split beyond its limit', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 120 }), (text, times) => {
      for (const piece of split(text.repeat(times))) {
        const parsed = parseHtml(renderHtml(piece));
        expect(parsed).toHaveProperty('text');
        expect('text' in parsed ? parsed.text.length : 0).toBeLessThanOrEqual(4096);
      }
    }),
    { numRuns: 60 },
  );
});

test('a split loses no words, and closes and opens code blocks', () => {
  const words = Array.from({ length: 3000 }, (_, index) => `word${index}`);
  expect(split(words.join(' ')).join(' ').split(' ')).toEqual(words);
  const pieces = split(`\`\`\`ts\n${words.join('\n')}\n\`\`\``);
  for (const piece of pieces) expect(piece).toMatch(/^```ts\n[\s\S]*\n```$/);
  expect(pieces.flatMap((piece) => piece.split('\n').slice(1, -1))).toEqual(words);
});
