import { expect, test } from 'vitest';
import { paneToSvg } from '../../scripts/pictures/pane-to-svg.ts';

const textsOf = (pane: string) => paneToSvg(pane, 20, 'x').match(/<text .*<\/text>/g) ?? [];

test("a pane's text is drawn at its column, with its colour and weight, until another one is set", () => {
  const [first = '', second = '', third = ''] = textsOf('ab\x1b[1;31mbold\x1b[0m\n\x1b[2mfaint <&>');
  expect(first).toMatch(/x="16" .*fill="#e9e4dc">ab</);
  expect(second).toMatch(/x="32.8" .*textLength="33.6".*fill="#e5705f" font-weight="700">bold</);
  expect(third).toMatch(/opacity="0.62">faint\u00a0&lt;&amp;&gt;</);
});

test('wide letters take two columns, and what is reversed gets a ground', () => {
  const svg = paneToSvg('漢字\x1b[7mx\x1b[27m', 20, 'x');
  expect(svg).toContain('<rect x="49.6" y="44" width="8.4" height="20" fill="#e9e4dc"/>');
  expect(svg).toMatch(/x="49.6" .*fill="#211e1b">x</);
});
