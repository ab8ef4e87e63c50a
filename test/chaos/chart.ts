import type { Report } from './run-chaos.ts';
import { FAULTS } from './schedule.ts';

const WIDTH = 960;
const HEIGHT = 420;
const LEFT = 56;
const RIGHT = 16;
const COLOURS = ['#2563eb', '#16a34a', '#d97706', '#9333ea', '#dc2626', '#0891b2'];
/** Lines have no more points, so that the picture of an hour stays small. */
const MOST_SAMPLES = 480;
const PLACES = ['replica', 'database', 'model'] as const;

/** The memory of each replica and the accepted turns over time, with a mark for each fault. */
export function drawChart({ seed, seconds, turns, faults, samples: all, breaches }: Report): string {
  const every = Math.ceil(all.length / MOST_SAMPLES);
  const samples = all.filter((_, index) => index % every === 0);
  const end = Math.max(seconds, samples.at(-1)?.at ?? 0, 1);
  const x = (at: number) => LEFT + (at / end) * (WIDTH - LEFT - RIGHT);
  const memory = area(48, 190, Math.max(100, ...samples.flatMap((sample) => sample.memory.map(({ mb }) => mb ?? 0))));
  const rates = samples.slice(1).map((sample, index) => {
    const before = samples[index];
    const span = sample.at - (before?.at ?? 0) || 1;
    return { at: sample.at, rate: (sample.accepted - (before?.accepted ?? 0)) / span };
  });
  const rate = area(240, 340, Math.max(1, ...rates.map((each) => each.rate)));
  const slots = samples[0]?.memory.length ?? 0;
  const lines = Array.from({ length: slots }, (_, slot) =>
    // A new process begins a new line.
    [...Map.groupBy(samples, ({ memory: each }) => each[slot]?.pid).values()].map((same) =>
      polyline(
        same.flatMap(({ at, memory: each }) => {
          const mb = each[slot]?.mb;
          return typeof mb === 'number' ? [[x(at), memory.y(mb)] as const] : [];
        }),
        COLOURS[slot % COLOURS.length] ?? 'black',
      ),
    ),
  ).flat();
  const done = faults.filter(({ outcome }) => outcome === 'done');
  const marks = Map.groupBy(done, ({ fault, slot }) => {
    const row = PLACES.indexOf(FAULTS[fault]);
    return `fill="${row === 0 ? COLOURS[slot % COLOURS.length] : '#6b7280'}" transform="translate(0 ${360 + row * 14})"`;
  });
  const bars = [...marks].map(([place, same]) => {
    const path = same.map(({ at, ms }) => {
      const width = round(Math.max(2, x(ms / 1000) - LEFT));
      return `M${round(x(at / 1000))} 0h${width}v10h-${width}z`;
    });
    return `<path ${place} opacity="0.7" d="${path.join('')}"/>`;
  });
  const title = `Seed ${seed}: ${seconds} s, ${turns} turns, ${done.length} faults, ${breaches.length} violations`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="11">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    `<text x="${LEFT}" y="20" font-size="14">${title}</text>`,
    `<text x="${LEFT}" y="40">Memory of each replica (MB)</text>`,
    ...memory.grid(),
    ...lines,
    `<text x="${LEFT}" y="232">Accepted turns per second</text>`,
    ...rate.grid(),
    polyline(
      rates.map((each) => [x(each.at), rate.y(each.rate)] as const),
      '#111827',
    ),
    ...PLACES.map((place, row) => `<text x="4" y="${369 + row * 14}">${place}</text>`),
    ...bars,
    `<text x="${LEFT}" y="${HEIGHT - 4}">0 s</text>`,
    `<text x="${WIDTH - RIGHT}" y="${HEIGHT - 4}" text-anchor="end">${Math.round(end)} s</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function area(top: number, bottom: number, most: number) {
  const y = (value: number) => bottom - (value / most) * (bottom - top);
  const grid = () =>
    [0, 0.5, 1].flatMap((share) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(y(share * most))}" y2="${round(y(share * most))}" stroke="#e5e7eb"/>`,
      `<text x="${LEFT - 6}" y="${round(y(share * most) + 4)}" text-anchor="end">${Math.round(share * most)}</text>`,
    ]);
  return { y, grid };
}

const polyline = (points: readonly (readonly [number, number])[], colour: string): string =>
  `<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ')}"/>`;

const round = (value: number): number => Math.round(value * 10) / 10;
