import { table } from '../../scripts/reference/markdown.ts';
import LOAD from '../results/load.json' with { type: 'json' };
import STORED from '../results/stored.json' with { type: 'json' };
import STREAMS from '../results/streams.json' with { type: 'json' };

/*
 * What an installation needs, as a spreadsheet: cells to change, cells that benchmarks have measured, and a table computed from both.
 * Change an assumption and run `npm run simulate -- --sizes`, which writes the tables into docs/operate/scale.md.
 */

export const ASSUMPTIONS = {
  turnsADay: assume('turns of a person in a day', 20),
  busiestHour: assume('share of a day in its busiest hour, in percent', 10),
  answerSeconds: assume('seconds that a model takes for an answer', 10),
  itemsPerTurn: assume('items of a turn: message, answer, and a call with its output in every second turn', 3),
  busyCores: assume('load of a core in the busiest hour, in percent', 50),
  turnsPerReplica: assume('turns of a replica at a time (a limit of the program)', 500),
  lostReplicas: assume('replicas that may be lost without a queue, in percent', 30),
  connectionsPerReplica: assume('connections of a busy replica ([replicas](replicas.md#sizing))', 6),
  postgresMemory: assume('memory of PostgreSQL for each of its cores, in GB', 4),
  usersPerCell: assume('users of a cell', 1_000_000),
  keptDays: assume('days that threads are kept', 365),
  corePrice: assume('price of a core, in USD a month', 25),
  memoryPrice: assume('price of 1 GB of memory, in USD a month', 3),
  storagePrice: assume('price of 1 GB of storage, in USD a month', 0.12),
} as const;

const busiestRate = LOAD.rates.at(-1) ?? { per_second: 0, cpu_ms: { node: 0, postgres: 0 } };

/** The one cost of a turn: mixed traffic at the highest rate of the load test, in ms of CPU time. */
export const COST = busiestRate.cpu_ms;

const MEASURED = [
  ['CPU of a turn in Node, in ms', COST.node, 'load.json'],
  ['CPU of a turn in PostgreSQL, in ms', COST.postgres, 'load.json'],
  ['memory of a replica with 500 turns, in MB', STREAMS.results.resident_mb, 'streams.json'],
  ['bytes of an item with its share of threads and indexes', bytesPerItem(), 'stored.json'],
] as const;

type Size = ReturnType<typeof sizeOf>;

/** What so many users need. The users of more than one cell need that cell several times. */
export function sizeOf(users: number) {
  const cells = Math.ceil(users / ASSUMPTIONS.usersPerCell.value);
  const cell = sizeOfCell(users / cells);
  const all = (name: keyof typeof cell) => cell[name] * cells;
  const money =
    all('cores') * ASSUMPTIONS.corePrice.value +
    all('memory') * ASSUMPTIONS.memoryPrice.value +
    all('storage') * ASSUMPTIONS.storagePrice.value;
  return {
    cells,
    turnsPerSecond: all('turnsPerSecond'),
    turnsAtATime: all('turnsAtATime'),
    nodeCores: all('nodeCores'),
    postgresCores: all('postgresCores'),
    cores: all('cores'),
    replicas: all('replicas'),
    memory: all('memory'),
    connections: all('connections'),
    storage: all('storage'),
    money,
  };
}

function sizeOfCell(users: number) {
  const a = ASSUMPTIONS;
  const turnsADay = users * a.turnsADay.value;
  const turnsPerSecond = (turnsADay * a.busiestHour.value) / 100 / 3600;
  const turnsAtATime = turnsPerSecond * a.answerSeconds.value;
  const coresFor = (milliseconds: number) => (turnsPerSecond * milliseconds) / 1000 / (a.busyCores.value / 100);
  const [nodeCores, postgresCores] = [coresFor(COST.node), coresFor(COST.postgres)];
  const room = a.turnsPerReplica.value * (1 - a.lostReplicas.value / 100);
  // A replica does its work in one thread, so it uses one core at most; two are there for availability.
  const replicas = Math.max(2, Math.ceil(turnsAtATime / room), Math.ceil(nodeCores));
  const memory = (replicas * STREAMS.results.resident_mb) / 1000 + Math.ceil(postgresCores) * a.postgresMemory.value;
  const storage = (turnsADay * a.keptDays.value * a.itemsPerTurn.value * bytesPerItem()) / 1e9;
  const connections = replicas * a.connectionsPerReplica.value;
  const cores = nodeCores + postgresCores;
  return { turnsPerSecond, turnsAtATime, nodeCores, postgresCores, cores, replicas, memory, connections, storage };
}

function bytesPerItem(): number {
  return (Number.parseFloat(STORED.size) * 1e9) / STORED.items;
}

/** The three tables of docs/operate/scale.md, by the names of their places on the page. */
export function renderSizes(): Record<'measured' | 'assumed' | 'sizes', string> {
  const rows = Object.values(ASSUMPTIONS).map(({ what, value }) => [what, count(value)]);
  return {
    measured: table([
      ['measured', 'value', 'file'],
      ...MEASURED.map(([what, value, file]) => [what, short(value), `[${file}](../../bench/results/${file})`]),
    ]),
    assumed: table([['assumed', 'value'], ...rows]),
    sizes: table([['computed', ...USERS.map(nameOf)], ...COLUMNS.map(renderRow)]),
  };
}

const USERS = [10_000, 1_000_000, 100_000_000];

const COLUMNS: readonly (readonly [string, (size: Size) => string])[] = [
  ['cells', ({ cells }) => count(cells)],
  ['turns per second in the busiest hour', ({ turnsPerSecond }) => short(turnsPerSecond)],
  ['turns at a time', ({ turnsAtATime }) => short(turnsAtATime)],
  ['cores for Node', ({ nodeCores }) => short(nodeCores)],
  ['cores for PostgreSQL', ({ postgresCores }) => short(postgresCores)],
  ['cores together', ({ cores }) => short(cores)],
  ['replicas', ({ replicas }) => count(replicas)],
  ['connections to PostgreSQL', ({ connections }) => count(connections)],
  ['memory', ({ memory }) => `${short(memory)} GB`],
  ['storage of threads', ({ storage }) => (storage < 1000 ? `${short(storage)} GB` : `${short(storage / 1000)} TB`)],
  ['money in a month, without models', ({ money }) => `${short(money)} USD`],
];

const renderRow = ([title, show]: (typeof COLUMNS)[number]) => [title, ...USERS.map((users) => show(sizeOf(users)))];

const nameOf = (users: number) =>
  users < 1e6 ? `${users / 1000} thousand users` : `${users / 1e6} million user${users === 1e6 ? 's' : 's'}`;

const count = (value: number) => value.toLocaleString('en-US');
/** One decimal for small values, otherwise none. */
const short = (value: number) =>
  value.toLocaleString('en-US', {
    minimumFractionDigits: value < 100 ? 1 : 0,
    maximumFractionDigits: value < 100 ? 1 : 0,
  });

function assume(what: string, value: number) {
  return { what, value } as const;
}

/** The page with these tables below their marks, `<!-- computed: NAME -->`. */
export function writeSizes(page: string): string {
  return Object.entries(renderSizes()).reduce(
    (text, [name, rendered]) =>
      text.replace(
        new RegExp(`(<!-- computed: ${name} -->\n\n)(?:\\|.*\n)*\n*`),
        (_, mark: string) => `${mark}${rendered}\n\n`,
      ),
    page,
  );
}
