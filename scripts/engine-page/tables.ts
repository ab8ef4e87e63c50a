import type { Contender } from '../../bench/engines/contender.ts';
import type { Gates, LateWriter, Order } from '../../bench/engines/measure.ts';

export type EngineRun = {
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly loadAverage: { readonly before: number; readonly after: number };
  readonly node: string;
  readonly postgres: string;
  readonly seconds: number;
  readonly rounds: number;
  readonly kills: number;
  readonly engines: readonly EngineResult[];
};

type Described = 'name' | 'version' | 'released' | 'licence' | 'secondStatefulPart' | 'settings';

type EngineResult = Pick<Contender, Described> & {
  readonly turns: readonly {
    readonly atOnce: number;
    readonly cpu: number;
    readonly timesBare: number;
    readonly lowest: number;
    readonly highest: number;
  }[];
  readonly takeover?: {
    readonly byItself: boolean;
    readonly turns: number;
    readonly p50: number;
    readonly longest: number;
  };
  readonly order?: Order;
  readonly lateWriter?: LateWriter;
  readonly gates?: Gates | null;
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const isEngine = ({ takeover }: EngineResult): boolean => takeover !== undefined;

export function renderRun({ date, commit, machine, loadAverage, node, postgres, rounds, kills, ...run }: EngineRun) {
  return [
    `The run of ${date} at ${commit}, on ${machine} with Node ${node} and PostgreSQL`,
    `${postgres}. Each engine ran ${run.seconds} s at each level, ${rounds} times, and the engines alternated; ${kills} workers of each were killed. Other work used the same cores meanwhile: the load`,
    `average was ${loadAverage.before.toFixed(0)} at the start and ${loadAverage.after.toFixed(0)} at the end. So compare the ratios, not the milliseconds.`,
  ].join('\n');
}

/** CPU time against bare SQL, with the lowest and the highest round, and the time to take over. */
export function renderCosts({ engines }: EngineRun): string {
  const [bare] = engines;
  const levels = bare?.turns.map(({ atOnce }) => `${atOnce} at once`) ?? [];
  const rows = engines.map(({ name, turns, takeover }) => [
    name,
    ...turns.map(({ cpu, timesBare, lowest, highest }) =>
      takeover ? `${timesBare.toFixed(1)} × (${lowest.toFixed(1)}–${highest.toFixed(1)})` : `${cpu.toFixed(1)} ms`,
    ),
    takeover ? `${seconds(takeover.p50)}${takeover.byItself ? '' : ', after a restart'}` : '',
    takeover ? seconds(takeover.longest) : '',
  ]);
  return renderTable(['engine', ...levels, 'takeover, p50', 'longest'], rows);
}

export function renderFacts({ engines }: EngineRun): string {
  const rows = engines
    .filter(isEngine)
    .map(({ name, version, released, licence, secondStatefulPart, order, lateWriter, settings }) => [
      name,
      order?.isKept ? 'kept' : 'not kept',
      lateWriter?.isRefused ? `refused, after ${seconds(lateWriter.tookOverMs)}` : 'writes',
      secondStatefulPart ?? 'no',
      licence,
      `${version} (${released})`,
      settings,
    ]);
  return renderTable(
    ['engine', 'order of a thread', 'late writer', 'second stateful part', 'licence', 'version', 'settings'],
    [...rows, ...READ],
  );
}

/** Their servers can't be installed from a package registry alone, so only their documentation was read. */
const READ = [
  [
    'Temporal (read, not run)',
    'possible, with a workflow for each thread',
    'not checked',
    'its server, on its own database',
    'MIT',
    '1.32.2',
    'its server comes as a container',
  ],
  [
    'Hatchet (read, not run)',
    'not checked',
    'not checked',
    'its engine and API; the state is in PostgreSQL',
    'MIT',
    '0.107.2',
    'its server comes as a container',
  ],
  [
    'Inngest (read, not run)',
    'possible, with a limit of one by key',
    'not checked',
    'its server, with SQLite or PostgreSQL and Redis',
    'SSPL (server), Apache-2.0 (SDK)',
    '1.45.1',
    'its npm package downloads the server from elsewhere',
  ],
];

export function renderGates({ engines }: EngineRun): string {
  const rows = engines
    .filter(isEngine)
    .map(({ name, gates }) =>
      gates
        ? [
            name,
            `${gates.openCpu.toFixed(1)} ms`,
            `${gates.idleCpuBefore.toFixed(0)} → ${gates.idleCpu.toFixed(0)} ms`,
            `${gates.memoryBefore.toFixed(0)} → ${gates.memory.toFixed(0)} MB`,
            `${(gates.bytes / 1000).toFixed(1)} kB`,
            `${gates.answerMs.toFixed(0)} ms`,
          ]
        : [name, 'has no waits', '', '', '', ''],
    );
  const head = ['engine', 'CPU to open one', 'CPU in a second of waiting', 'memory', 'storage of one', 'answer to end'];
  return renderTable(head, rows);
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}
