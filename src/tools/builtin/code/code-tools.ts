import { z } from 'zod';
import type { WorkspaceId } from '#domain/ids.ts';
import type { Sandboxes, Strength } from '#sandbox/sandbox.ts';
import type { Tool, ToolContext, ToolFlow } from '../../tool.ts';
import { textTool } from '../json-tool.ts';
import { type CodeCall, runCode } from './run-code.ts';

/**
 * Without network, code changes nothing but versions that can be undone, and sends nothing. So it runs in every situation. Its output
 * always has the origin of the workspace: code that prints a file must not make its text look like the service's own.
 */
const FLOW: ToolFlow = { reads: { private: true, foreign: true }, from: 'file', runs: 'always', inert: true };

const LONGEST_S = 600;
const USUAL_S = 60;

const timeout = z.int().min(1).max(LONGEST_S).describe(`${USUAL_S} when left out, at most ${LONGEST_S}.`).optional();

const title = z.string().max(100).describe('For the user, such as Compare the suppliers.').optional();

/**
 * The tools that run code, as long as some may run: asked at each turn, because the sandbox can come and go. An approval applies to one
 * version of the files, and every approval, also "always", to one environment.
 */
export function codeTools(
  sandboxes: Pick<Sandboxes, 'strength' | 'open'>,
  versionOf: (owner: ToolContext['owner'], workspace: WorkspaceId) => Promise<number>,
): () => Promise<readonly Tool[]> {
  let made: { readonly by: string; readonly tools: readonly Tool[] } | undefined;

  function make(strength: Strength, digest: string): readonly Tool[] {
    const state: Tool['state'] = async (owner, workspace) => String(await versionOf(owner, workspace));
    return [shellTool, pythonTool].map((tool) => ({ ...tool(sandboxes, strength), revision: digest, state }));
  }

  return async () => {
    const strength = await sandboxes.strength();
    if (strength.why !== undefined || !strength.environment) return [];
    const { digest } = strength.environment;
    const by = `${digest} ${strength.layers.join()}`;
    if (made?.by !== by) made = { by, tools: make(strength, digest) };
    return made.tools;
  };
}

/** They can have a policy even while no code runs. */
export const CODE_TOOLS = ['reborn_shell', 'reborn_python'].map((name) => ({
  name,
  level: 'allow' as const,
  flow: FLOW,
}));

const shellTool = (sandboxes: Pick<Sandboxes, 'open'>, strength: Strength): Tool =>
  textTool({
    name: 'reborn_shell',
    description: `Runs a command with bash in /workspace, where the files of this conversation are. What it changes there is kept as a new version; nothing else is. It has no network, and starts anew each time. Besides the usual programs: ${programsOf(strength)}.`,
    parameters: z.strictObject({
      title,
      command: z.string().min(1).max(100_000).describe('Such as sort data.csv | head.'),
      timeout_s: timeout,
    }),
    flow: FLOW,
    act: ({ command, timeout_s: seconds = USUAL_S }, _, context) =>
      runCode(sandboxes, strength, { kind: 'shell', command, timeoutMs: seconds * 1000 }, context),
  });

const pythonTool = (sandboxes: Pick<Sandboxes, 'open'>, strength: Strength): Tool =>
  textTool({
    name: 'reborn_python',
    description: `Runs Python ${strength.environment?.python} in /workspace, where the files of this conversation are, and shows the output and the value of the last expression. Variables are usually kept for the next call; files always are, as a new version. Pictures that it writes are shown to the user. It has no network, so no pip. Libraries: ${librariesOf(strength)}.`,
    parameters: z.strictObject({
      title,
      code: z.string().min(1).max(100_000),
      timeout_s: timeout,
      reset: z.boolean().describe('Starts a new interpreter.').optional(),
    }),
    flow: FLOW,
    act: ({ code, timeout_s: seconds = USUAL_S, reset = false }, _, context) => {
      const call: CodeCall = { kind: 'python', code, timeoutMs: seconds * 1000, reset };
      return runCode(sandboxes, strength, call, context);
    },
  });

const librariesOf = ({ environment }: Strength): string =>
  environment?.libraries.map(({ name, version }) => `${name} ${version}`.trim()).join(', ') || 'none';

const programsOf = ({ environment }: Strength): string =>
  [...(environment?.programs ?? []), 'python3 with the libraries of reborn_python'].join(', ');
