import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { CHARTS } from '../../scripts/charts/charts.ts';
import { drawChart, roundUp } from '../../scripts/charts/draw-chart.ts';

test.for(Object.keys(CHARTS))('%s shows the results in the repository, and a page shows it', async (name) => {
  const chart = CHARTS[name];
  if (!chart) throw new Error('This chart does not exist.');
  expect(await readFile(`docs/pictures/${name}.svg`, 'utf8')).toBe(drawChart(chart));
  const pages = await Promise.all(
    ['trust/benchmarks', 'operate/scale'].map((page) => readFile(`docs/${page}.md`, 'utf8')),
  );
  expect(pages.join('')).toContain(`](../pictures/${name}.svg)`);
});

test('bars have the height of their values', () => {
  const drawn = drawChart({
    title: 'a < b',
    unit: 'ms',
    axis: 'x',
    kind: 'bars',
    labels: ['one', 'two'],
    series: [{ name: 'first', values: [50, 100] }],
  });
  const heights = Array.from(drawn.matchAll(/<rect [^>]*height="([\d.]+)" rx="2" fill="#3b82f6"/g), ([, height]) =>
    Number(height),
  ).slice(1); // after the legend
  expect(heights[1]).toBe(2 * (heights[0] ?? 0));
  expect(drawn).toContain('a &lt; b');
});

test.for([
  [7, 10],
  [101, 200],
  [201, 250],
  [411, 500],
  [0.3, 0.5],
  [1, 1],
])('an axis for %s ends at %s', ([value, end]) => {
  expect(roundUp(value as number)).toBeCloseTo(end as number);
});
