import { expect, test } from 'vitest';
import { renderMailHtml } from './mail-html.ts';

test.each([
  ['**bold** and `code`', '<b>bold</b> and <code>code</code>'],
  ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
  ['[text](https://example.com/?a=1&b=2)', '<a href="https://example.com/?a=1&amp;b=2">text</a>'],
  ['```html\n<b>"\n```', '<pre>&lt;b&gt;&quot;</pre>'],
])('%j becomes safe HTML', (markdown, html) => {
  expect(renderMailHtml(markdown)).toBe(`<div style="white-space:pre-wrap">${html}</div>`);
});

test.each([
  '![x](https://evil.test/pixel.png)',
  '[bank.example](https://evil.test)',
  '[x](javascript:alert(1))',
  '[x](data:text/html,x)',
  '<img src=x onerror=alert(1)>',
  '[a](https://e.test/"onmouseover="x)',
])('%s loads nothing and runs nothing', (markdown) => {
  const html = renderMailHtml(markdown);
  expect(html).not.toMatch(/<img|<script|href="(?:javascript|data):|" ?on\w+=/i);
});

test('a link whose text names another host shows its address', () => {
  expect(renderMailHtml('[bank.example](https://evil.test)')).toContain('(https://evil.test/)');
});
