import { z } from 'zod';
import type { WorkspaceId } from '#domain/ids.ts';
import type { Call, Sandboxes, Strength } from '#sandbox/sandbox.ts';
import type { Owner } from '#store/connection.ts';
import type { ToolPlace } from '../../registry.ts';
import type { JudgeCall, Tool, ToolFlow } from '../../tool.ts';
import { textTool } from '../json-tool.ts';
import { parseArguments } from '../parse-arguments.ts';
import type { CodeNetwork } from './network.ts';
import { runCode } from './run-code.ts';

/**
 * Without network, code changes nothing but versions that can be undone, and sends nothing. So it runs in every situation. Its output
 * always has the origin of the workspace: code that prints a file must not make its text look like the service's own.
 */
const FLOW: ToolFlow = { reads: { private: true, foreign: true }, from: 'file', runs: 'always', inert: true };

const LONGEST_S = 600;
const USUAL_S = 60;

const timeout = z.int().min(1).max(LONGEST_S).describe(`${USUAL_S} when left out, at most ${LONGEST_S}.`).optional();

const title = z.string().max(100).describe('For the user, such as Compare the suppliers.').optional();

export type CodeTools = {
  /** None while no code may run: asked at each turn, because the sandbox can come and go. */
  readonly current: () => Promise<readonly Tool[]>;
  /** The same tools with network, in a thread whose owner allows it; otherwise none. */
  readonly ofThread: (owner: Owner, place: ToolPlace) => Promise<readonly Tool[]>;
};

type Parts = {
  readonly sandboxes: Pick<Sandboxes, 'strength' | 'open'>;
  readonly versionOf: (owner: Owner, workspace: WorkspaceId) => Promise<number>;
  readonly network?: CodeNetwork | undefined;
};

/**
 * The tools that run code. An approval applies to one version of the files and one list of hosts, and every approval, also "always",
 * to one environment.
 */
export function createCodeTools({ sandboxes, versionOf, network }: Parts): CodeTools {
  let made: { readonly by: string; readonly tools: readonly Tool[] } | undefined;

  /** Undefined while no code may run. */
  async function findStrength(): Promise<Strength | undefined> {
    const strength = await sandboxes.strength();
    return strength.why === undefined && strength.environment ? strength : undefined;
  }

  function make(strength: Strength, way?: ThreadNetwork): Tool[] {
    const state: Tool['state'] = async (owner, workspace) =>
      [await versionOf(owner, workspace), ...(way?.network.hosts ?? [])].join(' ');
    const options = { sandboxes, strength, way };
    const revision = strength.environment?.digest;
    return [shellTool(options), pythonTool(options)].map((tool) => ({ ...tool, ...(revision && { revision }), state }));
  }

  return {
    async current() {
      const strength = await findStrength();
      if (!strength) return [];
      const by = `${strength.environment?.digest} ${strength.layers.join()}`;
      if (made?.by !== by) made = { by, tools: make(strength) };
      return made.tools;
    },
    async ofThread(owner, { thread, workspace }) {
      const strength = network && (await findStrength());
      if (!strength || !(await network.isAllowed(owner, thread))) return [];
      return make(strength, { network, hasFiles: async () => (await versionOf(owner, workspace)) > 0 });
    },
  };
}

/** They can have a policy even while no code runs. */
export const CODE_TOOLS = ['reborn_shell', 'reborn_python'].map((name) => ({
  name,
  level: 'allow' as const,
  flow: FLOW,
}));

/** `hasFiles`: whether there are files that code could send. */
type ThreadNetwork = { readonly network: CodeNetwork; hasFiles(): Promise<boolean> };

type Options = {
  readonly sandboxes: Pick<Sandboxes, 'open'>;
  readonly strength: Strength;
  readonly way: ThreadNetwork | undefined;
};

const shellTool = ({ sandboxes, strength, way }: Options): Tool => {
  const parameters = z.strictObject({
    title,
    command: z.string().min(1).max(100_000).describe('Such as sort data.csv | head.'),
    timeout_s: timeout,
    ...networkParameter(way),
  });
  return {
    ...textTool({
      name: 'reborn_shell',
      description: `Runs a command with bash in /workspace, where the files of this conversation are. What it changes there is kept as a new version; nothing else is. It ${describeNetwork(way)}, and starts anew each time. Besides the usual programs: ${programsOf(strength)}.`,
      parameters,
      flow: FLOW,
      act: ({ command, timeout_s: seconds = USUAL_S, network }, _, context) => {
        const call: Call = { kind: 'shell', command, timeoutMs: seconds * 1000 };
        return runCode(sandboxes, strength, call, context, network ? way?.network : undefined);
      },
    }),
    flowOfCall: flowWith(way),
  };
};

const pythonTool = ({ sandboxes, strength, way }: Options): Tool => {
  const parameters = z.strictObject({
    title,
    code: z.string().min(1).max(100_000),
    timeout_s: timeout,
    reset: z.boolean().describe('Starts a new interpreter.').optional(),
    ...networkParameter(way),
  });
  return {
    ...textTool({
      name: 'reborn_python',
      description: `Runs Python ${strength.environment?.python} in /workspace, where the files of this conversation are, and shows the output and the value of the last expression. Variables are usually kept for the next call; files always are, as a new version. Pictures that it writes are shown to the user. It ${describeNetwork(way)}${way ? '' : ', so no pip'}. Libraries: ${librariesOf(strength)}.`,
      parameters,
      flow: FLOW,
      act: ({ code, timeout_s: seconds = USUAL_S, reset = false, network }, _, context) => {
        const call: Call = { kind: 'python', code, timeoutMs: seconds * 1000, reset };
        return runCode(sandboxes, strength, call, context, network ? way?.network : undefined);
      },
    }),
    flowOfCall: flowWith(way),
  };
};

/** The parameter exists only where it can be used. */
const networkParameter = (way: ThreadNetwork | undefined): { network?: z.ZodOptional<z.ZodBoolean> } =>
  way
    ? { network: z.boolean().describe('Lets it reach the hosts above. The user may be asked first.').optional() }
    : {};

function describeNetwork(way: ThreadNetwork | undefined): string {
  if (!way) return 'has no network';
  return `has no network unless network is true: then https to ${way.network.hosts.join(', ')} and to nothing else`;
}

/**
 * A call with network can send what the model has read and the files of the thread, and that can't be undone. It runs without a question
 * only while there is neither text by others nor anything private. Where there is no network, such a call is refused by its
 * parameters, but one that a crash has interrupted must not look as if it had sent nothing.
 */
function flowWith(way: ThreadNetwork | undefined): (argumentsJson: string) => ToolFlow | undefined {
  const judge: JudgeCall = async (_json, { situation, hasPrivate }) =>
    situation !== 'clean' || hasPrivate || (await way?.hasFiles()) ? 'asks' : 'runs';
  const flow: ToolFlow = way
    ? { reads: FLOW.reads, from: 'file', runs: judge, irreversible: true, hosts: way.network.hosts }
    : { ...FLOW, irreversible: true };
  return (argumentsJson) => (wantsNetwork(argumentsJson) ? flow : undefined);
}

export function wantsNetwork(argumentsJson: string): boolean {
  const given = parseArguments(z.looseObject({ network: z.literal(true) }), argumentsJson);
  return 'value' in given;
}

const librariesOf = ({ environment }: Strength): string =>
  environment?.libraries.map(({ name, version }) => `${name} ${version}`.trim()).join(', ') || 'none';

const programsOf = ({ environment }: Strength): string =>
  [...(environment?.programs ?? []), 'python3 with the libraries of reborn_python'].join(', ');
