import GROWTH from '../../bench/results/growth.json' with { type: 'json' };
import LOAD from '../../bench/results/load.json' with { type: 'json' };
import PEERS from '../../bench/results/peers.json' with { type: 'json' };
import SIMULATION from '../../bench/results/simulation.json' with { type: 'json' };
import STORED from '../../bench/results/stored.json' with { type: 'json' };
import TURNS from '../../bench/results/turns.json' with { type: 'json' };
import YEAR from '../../bench/results/year.json' with { type: 'json' };
import type { Chart } from './draw-chart.ts';

/** OpenClaw needs so much more that the others could not be seen beside it. */
const COMPARABLE = PEERS.runs.at(-1)?.peers.filter(({ name }) => name !== 'OpenClaw') ?? [];

/** The charts of docs/trust/benchmarks.md and docs/operate/scale.md by the names of their files, from what the benchmarks saved. */
export const CHARTS: Readonly<Record<string, Chart>> = {
  'chart-turns': {
    title: 'CPU time of a turn, Node and PostgreSQL together',
    unit: 'ms',
    axis: 'turns at once',
    kind: 'bars',
    labels: TURNS.turns.map(({ at_once: atOnce }) => String(atOnce)),
    series: [
      { name: 'Reborn', values: TURNS.turns.map(({ ours }) => ours.cpu) },
      { name: 'by hand, storing nothing', values: TURNS.turns.map(({ hand }) => hand.cpu) },
    ],
  },
  'chart-peers': {
    title: 'CPU time of a turn in other agent servers',
    unit: 'ms',
    axis: 'turns at once',
    kind: 'bars',
    labels: COMPARABLE[0]?.turns.map(({ atOnce }) => String(atOnce)) ?? [],
    series: COMPARABLE.map(({ name, turns }) => ({ name, values: turns.map(({ cpu }) => cpu) })),
  },
  'chart-load': {
    title: 'Time to the first text, beside mixed traffic on two cores',
    unit: 'ms',
    axis: 'requests per second',
    kind: 'lines',
    labels: LOAD.rates.map(({ per_second: rate }) => String(rate)),
    series: (['p50', 'p95', 'p99'] as const).map((name) => ({
      name,
      values: LOAD.rates.map(({ first_text_ms: first }) => first[name]),
    })),
  },
  'chart-load-cpu': {
    title: 'CPU time of a turn falls with the rate',
    unit: 'ms',
    axis: 'requests per second',
    kind: 'bars',
    labels: LOAD.rates.map(({ per_second: rate }) => String(rate)),
    series: (['node', 'postgres'] as const).map((part) => ({
      name: part === 'node' ? 'Node' : 'PostgreSQL',
      values: LOAD.rates.map(({ cpu_ms: cpu }) => cpu[part]),
    })),
  },
  'chart-stored': {
    title: `Time with ${(STORED.threads / 1e6).toFixed(1)} million threads stored, p95`,
    unit: 'ms',
    axis: 'what a user does',
    kind: 'bars',
    labels: ['first page', 'search', 'turn', 'stream'],
    series: (['empty', 'full'] as const).map((state) => ({
      name: state === 'empty' ? 'before' : 'after',
      values: (['page', 'search', 'turn', 'stream'] as const).map((name) => STORED[state][name].p95),
    })),
  },
  'chart-growth': {
    title: 'Median time of the same act, as a multiple of that in an empty database',
    unit: 'times',
    axis: 'million items stored',
    kind: 'lines',
    labels: GROWTH.sizes.map(({ items }) => String(items / 1e6)),
    series: (['page', 'search', 'turn', 'stream'] as const).map((name) => ({
      name: name === 'page' ? 'first page' : name,
      values: GROWTH.sizes.map((size) => size[name].p50 / (GROWTH.sizes[0]?.[name].p50 ?? 1)),
    })),
  },
  'chart-year': {
    title: 'Size of the home folder, threads kept for 30 days',
    unit: 'MB',
    axis: 'simulated day',
    kind: 'bars',
    labels: YEAR.sizes.map(({ day }) => String(day)),
    series: [{ name: '200 threads a day', values: YEAR.sizes.map(({ megabytes }) => megabytes) }],
  },
  'chart-simulated-load': {
    title: 'Simulated: how long a message waits for its model call',
    unit: 'ms',
    axis: `turns per second, PostgreSQL with ${SIMULATION.cell.postgresCores} cores`,
    kind: 'lines',
    labels: SIMULATION.rising_load.map(({ turns_per_second: rate }) => rate.toFixed(0)),
    series: (['p50', 'p99'] as const).map((name) => ({
      name,
      values: SIMULATION.rising_load.map(({ wait }) => wait[name]),
    })),
  },
  'chart-simulated-losses': {
    title: 'Simulated: takeover after a loss of replicas',
    unit: 'seconds',
    axis: `replicas lost, of ${SIMULATION.cell.replicas}`,
    kind: 'bars',
    labels: SIMULATION.lost_replicas.map(({ killed }) => String(killed)),
    series: [
      { name: 'turns of the lost, p99', values: SIMULATION.lost_replicas.map(({ takeover }) => takeover.p99 / 1000) },
      {
        name: 'new messages, p99',
        values: SIMULATION.lost_replicas.map(({ new_messages: messages }) => messages.p99 / 1000),
      },
    ],
  },
};
