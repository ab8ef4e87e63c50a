import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMrkdwn } from '../../../test/support/slack/parse-mrkdwn.ts';
import { readText } from './read-text.ts';
import { escapeMrkdwn, renderMrkdwn, splitForSlack } from './render-mrkdwn.ts';

test.each([
  ['**bold**, *italic*, ~~gone~~ and `code`', '*bold*, _italic_, ~gone~ and `code`'],
  ['# Title\n- one\n  - two', '*Title*\n• one\n  • two'],
  ['> said\n> twice\n\nmore', '> said\n> twice\n\nmore'],
  ['**bold with *italic* inside**, ***both***', '*bold with _italic_ inside*, _*both*_'],
  ['# **Bold** title', '*Bold title*'],
  ['`` `x` `` and <https://a.example/x>', '`ˋxˋ` and <https://a.example/x|https://a.example/x>'],
  ['> a\n> > b', '> a\n> &gt; b'],
  ['```ts\nlet a = 1 < 2;\n```', '```\nlet a = 1 &lt; 2;\n```'],
  ['| a | b |\n| - | - |', '```\n| a | b |\n| - | - |\n```'],
  ['[docs](https://example.com/a?b=1&c=2)', '<https://example.com/a?b=1&amp;c=2|docs>'],
])('%j is rendered as %j', (markdown, mrkdwn) => {
  expect(renderMrkdwn(markdown)).toBe(mrkdwn);
});

test.each([
  ['<!channel> <@U1> <!subteam^S1>', '&lt;!channel&gt; &lt;@U1&gt; &lt;!subteam^S1&gt;'],
  ['@here and @everyone', '@\u2060here and @\u2060everyone'],
  ['[bank.com](https://evil.example/)', 'bank.com (https://evil.example/)'],
  ['[Log in](https://bank.com@evil.example/)', 'Log in (evil.example)'],
  ['[a](https://evil.example/|bank.com>)', '<https://evil.example/%7Cbank.com%3E|a>'],
  ['[x](javascript:alert)', 'x (javascript:alert)'],
  ['[<!here>](https://a.example)', '<https://a.example/|&lt;!here&gt;>'],
  ['````\n```\n*Approved*\n````', '```\n`\u2060`\u2060`\n*Approved*\n```'],
  ['&lt;!here&gt;', '&amp;lt;!here&amp;gt;'],
])('the trick %j becomes %j', (markdown, mrkdwn) => {
  expect(renderMrkdwn(markdown)).toBe(mrkdwn);
});

const marks = fc.constantFrom(
  '**',
  '*',
  '`',
  '```\n',
  '<',
  '>',
  '&',
  '|',
  '<!channel>',
  '<@U1>',
  '[',
  '](https://a.example)',
  '\n',
  ' ',
);
const texts = fc
  .array(fc.oneof(marks, fc.string({ unit: 'grapheme', maxLength: 5 })), { maxLength: 60 })
  .map((parts) => parts.join(''));

test('no text pings anyone, and each piece fits into a section', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 120 }), (text, times) => {
      for (const piece of splitForSlack(text.repeat(times))) {
        const mrkdwn = renderMrkdwn(piece);
        expect(parseMrkdwn(mrkdwn).pings).toEqual([]);
        expect(mrkdwn.length).toBeLessThanOrEqual(2990);
      }
    }),
    { numRuns: 60 },
  );
});

test.each([
  ['<@U0BOT> what is <https://a.example/?b=1&amp;c|this page>?', 'what is this page (https://a.example/?b=1&c)?'],
  ['<https://a.example> &lt;b&gt; &amp;amp;', 'https://a.example <b> &amp;'],
  ['<@U2|bob> in <#C1|general>, <!here>, <!subteam^S1|@team>', '@bob in #general, @here, @team'],
  ['<mailto:a@b.example|a@b.example>', 'a@b.example'],
])('%j was typed as %j', (given, typed) => {
  expect(readText(given, 'U0BOT')).toBe(typed);
});

test('any typed text is read back', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(readText(escapeMrkdwn(text), 'U0BOT')).toBe(text.trim());
    }),
  );
});
