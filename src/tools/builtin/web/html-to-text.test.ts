// @module-tag slow
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { htmlToText } from './html-to-text.ts';

const read = (html: string) => htmlToText(html, new URL('https://example.com/dir/page'));

test('a page is read as its title, headings, paragraphs, lists, tables and links', () => {
  const { title, text } = read(`<!doctype html><html><head><title> A &amp; B
    </title><style>p { color: red }</style><script>if (a < b) alert("<p>no</p>")</script></head><body>
    <h1>News</h1><p>First   <b>paragraph</b>,
    see <a href="../about?x=1&amp;y=2">about us</a>.<p>Second.<br>New line
    <ul><li>one<li>two <a href="#top">up</a></ul>
    <table><tr><th>a<th>b<tr><td>1</td><td>2</td></tr></table>
    <pre>x
  y</pre><img src="https://evil.example/p.png?d=1" alt="A cat">&copy; 2026 &#x1F600;&#39;</body></html>`);

  expect(title).toBe('A & B');
  expect(text).toBe(`# News

First paragraph, see about us (https://example.com/about?x=1&y=2).

Second.
New line
- one
- two up

a | b
1 | 2
x
  y
[image: A cat]© 2026 😀'`);
});

test.each([
  ['scripts', '<script>HIDDEN</script>'],
  ['scripts with a tag in a string', '<script>"</p>HIDDEN"; </scripty>HIDDEN</script >'],
  ['styles', '<STYLE>HIDDEN</style>'],
  ['comments', '<!-- HIDDEN <p>HIDDEN</p> -->'],
  ['comments that are not closed', 'x<!-- HIDDEN'],
  ['templates', '<template><p>HIDDEN</template>'],
  ['pictures', '<svg><text>HIDDEN</text></svg>'],
  ['hidden elements', '<div hidden>HIDDEN<p>HIDDEN</p></div>'],
  ['elements that screen readers skip', '<span aria-hidden="true">HIDDEN</span>'],
  ['elements without display', '<div style="color:red; DISPLAY : none">HIDDEN<div>HIDDEN</div>HIDDEN</div>'],
  ['transparent elements', '<div style="opacity:0">HIDDEN</div>'],
  ['tiny letters', "<div style='font-size:0px'>HIDDEN</div>"],
  ['letters off the screen', '<div style="position:absolute;left:-9999px">HIDDEN</div>'],
  ['attributes', '<p data-x="HIDDEN" title=HIDDEN>y</p>'],
  ['elements too deep for anyone', `${'<div>'.repeat(300)}HIDDEN<div></div><div hidden>HIDDEN</div>HIDDEN`],
  ['tags that never end', 'x<a href="HIDDEN'],
  ['values of fields', '<input type="hidden" value="HIDDEN"><textarea>HIDDEN</textarea>'],
])('%s are not read', (_what, html) => {
  const { text } = read(`<p>before</p>${html}`);
  expect(text).toContain('before');
  expect(text).not.toContain('HIDDEN');
});

test.each([
  ['white text', '<span style="color:#fff">HIDDEN</span>'],
  [
    'text that a style sheet hides',
    '<style>@media print{.b{display:none}}.a,p.c{display:none}</style><b class="x a">HIDDEN</b>',
  ],
  ['a paragraph of a hidden class', '<style>p.c { opacity: 0 }</style><p class="c">HIDDEN</p>'],
  ['nearly white text', '<font color="#fefefe">HIDDEN</font>'],
  [
    'text in the colour of its cell',
    '<div style="background:#123456"><p style="color: rgb(18, 52, 86)">HIDDEN</p></div>',
  ],
])('on a white background, %s is not read', (_what, html) => {
  const shown = htmlToText(
    `<p>before</p>${html}<p style="background:black;color:white">after</p>`,
    new URL('https://x.test'),
    {
      background: 'white',
    },
  );
  expect(shown.text).toContain('before');
  expect(shown.text).toContain('after');
  expect(shown.text).not.toContain('HIDDEN');
});

test('the text after a hidden element is read again', () => {
  expect(read('<div hidden>x<div>y</div></div><p>seen</p>').text).toBe('seen');
  expect(read('<p hidden>x<p>seen').text).toBe('seen');
  expect(read('<ul><li hidden>x<li>seen</ul>').text).toBe('- seen');
});

test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '#here', ''])(
  'a link to %j is only its text',
  (href) => {
    expect(read(`<a href="${href}">go</a>`).text).toBe('go');
  },
);

test('any bytes are read without an error', () => {
  const part = fc.constantFrom(
    '<',
    '>',
    '</',
    '<!--',
    '-->',
    '"',
    "'",
    '=',
    ' ',
    'a',
    'p',
    'script',
    'title',
    '&',
    '#',
    'x',
    ';',
    '/',
    'hidden',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      expect(typeof read(parts.join('')).text).toBe('string');
    }),
    { numRuns: 2000 },
  );
});

test.each([
  '<div>',
  '<a href="x">',
  '<a b="',
  '</p>',
  '<p',
  '<!--',
  '<',
  '&amp;',
  '<script>',
  '<a =',
  '<b c d e f',
  '<table><tr><td>',
  '<li>x',
  '\n \n ',
  '<a <',
])('a megabyte of %s takes no more than two seconds of computing', (piece) => {
  const html = piece.repeat(Math.ceil(1_000_000 / piece.length));
  const began = process.cpuUsage();
  read(html);
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(2_000);
});
