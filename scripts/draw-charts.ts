import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CHARTS } from './charts/charts.ts';
import { drawChart } from './charts/draw-chart.ts';

/** `npm run charts`: draws the charts of the docs from bench/results, into `docs/pictures`. */
for (const [name, chart] of Object.entries(CHARTS))
  await writeFile(path.join('docs/pictures', `${name}.svg`), drawChart(chart));
