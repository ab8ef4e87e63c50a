import type { UserId } from '#domain/principal.ts';
import { FOREIGN_AND_PRIVATE } from '#domain/thread/origin.ts';
import type { Egress } from '#egress/egress.ts';
import type { RateLimit, RateUse } from '#store/spending/rate-windows.ts';
import type { ToolRow } from '#store/tools/tools.ts';
import type { Credentials } from '../auth/credentials.ts';
import { paramsProblem } from '../params-problem.ts';
import type { Tool, ToolContext, ToolFlow } from '../tool.ts';
import { type Capabilities, isRepeatable, reachesNothing } from './capabilities/capabilities.ts';
import { parseCapabilities } from './capabilities/parse-capabilities.ts';
import { createToolHttp, type ToolHttp } from './http/tool-http.ts';
import { type ComponentFiles, DEFAULT_LIMITS, type JailLimits, type Log } from './jail/jail-call.ts';
import { type JailAnswer, JailFailure, type Jails } from './jail/jails.ts';

export type ComponentHost = {
  readonly jails: Jails;
  readonly egress: Pick<Egress, 'send'>;
  readonly credentials: Credentials;
  readonly takeUse: (key: string, limit: RateLimit) => Promise<RateUse>;
  readonly loadFiles: (hash: string) => Promise<ComponentFiles>;
  /** Secrets were read for a call. */
  readonly onSecretsUsed: (owner: UserId, toolName: string, names: readonly string[]) => Promise<void>;
  /** A tool tried to send a secret in a call of `owner`. The owner's calls of this tool are blocked until an operator has checked it. */
  readonly onLeak: (owner: UserId, toolName: string, secretName: string) => Promise<void>;
  /** Log lines of a tool after its call, and of the host about the tool. */
  readonly onLog: (toolName: string, log: Log) => void;
};

/** An installed component as a tool of the agent. It can reach only what its capabilities grant. */
export function createComponentTool(row: ToolRow, host: ComponentHost): Tool {
  const capabilities = parseCapabilities(row.capabilities);
  const { auth, card } = capabilities;
  const rights = componentRights(row);
  const { repeatable } = rights;
  const definition = { name: row.name, description: row.description, parameters: row.parameters, strict: null };

  return {
    definition,
    ...rights,
    revision: row.revision,
    ...(card && { card }),
    needsSignIn: async (owner) =>
      auth !== undefined && !(await host.credentials.exists({ auth, owner, secretName: auth.secretName })),
    quarantineLeft: () => host.jails.quarantineLeft(row.name),
    async call(params, context) {
      const problem = paramsProblem(params);
      if (problem) return renderError(problem);
      try {
        return await callComponent(row, capabilities, host, params || '{}', context);
      } catch (error) {
        // Its process died, and the outcome is unknown: only a call that just reads is repeated.
        if (!isCrash(error) || !repeatable || context.signal.aborted) return toOutput(error);
        return callComponent(row, capabilities, host, params || '{}', context).catch(toOutput);
      }
    },
  };
}

/** What a tool may do without a question, by its methods and by what the operator said of this version. */
export function componentRights({ capabilities, reads }: Pick<ToolRow, 'capabilities' | 'reads'>) {
  const granted = parseCapabilities(capabilities);
  const repeatable = isRepeatable(granted);
  const level = repeatable ? 'allow' : 'ask';
  const flow = reachesNothing(granted) ? ONLY_COMPUTES : reads && repeatable ? ONLY_READS : undefined;
  return { repeatable, level, ...(flow && { flow }) } as const;
}

/** It can send nothing to anyone. Its output is by its author, and tells nothing but what it was given. */
const ONLY_COMPUTES: ToolFlow = { reads: { foreign: true }, runs: 'always', inert: true };

/** The operator trusts it with what it is asked. Its output is as foreign as before. */
const ONLY_READS: ToolFlow = { reads: FOREIGN_AND_PRIVATE, runs: 'always' };

async function callComponent(
  { name, hash }: ToolRow,
  capabilities: Capabilities,
  host: ComponentHost,
  params: string,
  { owner: caller, secretsOf: owner, signal, traceparent, onStopped }: ToolContext,
): Promise<string> {
  const { auth } = capabilities;
  const used: string[] = [];
  const stop = new AbortController();
  const ending = AbortSignal.any([signal, stop.signal]);
  const warn = (message: string) => host.onLog(name, { level: 'warn', message });
  const http = await createToolHttp({
    toolName: name,
    capabilities,
    egress: host.egress,
    takeUse: host.takeUse,
    async secretFor(secretName) {
      const secret = await host.credentials.resolve({ auth, owner, secretName });
      if (secret) used.push(secretName);
      return secret?.reveal();
    },
    onWarning: warn,
    async onLeak(secretName) {
      await host.onLeak(caller.userId, name, secretName);
      stop.abort(new Error('The tool tried to send a secret.'));
    },
    signal: ending,
    traceparent,
  });
  if (used.length > 0) await host.onSecretsUsed(owner.userId, name, used);
  const component = { name, hash, load: () => host.loadFiles(hash) };
  try {
    const answer = await host.jails.call(component, {
      params,
      host: http,
      limits: limitsOf(capabilities),
      signal: ending,
    });
    flush(answer.logs);
    return http.leaked() === undefined ? renderAnswer(answer, http, name) : renderError(leakedFrom(name));
  } catch (error) {
    if (error instanceof JailFailure) {
      flush(error.logs);
      onStopped?.(error.reason);
    }
    if (stop.signal.aborted && !signal.aborted) return renderError(leakedFrom(name));
    throw error;
  }

  function flush(logs: readonly Log[]): void {
    for (const log of logs) host.onLog(name, log);
  }
}

function renderAnswer({ result }: JailAnswer, http: ToolHttp, name: string): string {
  const failure = http.failure();
  if (failure !== undefined) throw new Error(`The host of ${name} failed.`, { cause: failure });
  if ('output' in result) return result.output;
  const missing = http.missing();
  const hint = missing && ` The secret "${missing}" is not set: run \`reborn tool setup ${name}\`.`;
  return renderError(result.error + (hint ?? ''));
}

/** The model reads the errors of a tool. Any other error is a bug. */
function toOutput(error: unknown): string {
  if (error instanceof JailFailure) return renderError(error.message);
  throw error;
}

const isCrash = (error: unknown) => error instanceof JailFailure && error.reason === 'crashed';

const leakedFrom = (name: string) =>
  `The call was ended: ${name} tried to send one of its secrets itself. It is forbidden until the operator allows it again.`;

const renderError = (error: string) => JSON.stringify({ error });

function limitsOf({ limits }: Capabilities): JailLimits {
  return {
    ...DEFAULT_LIMITS,
    memoryBytes: limits.memoryMb * 1024 * 1024,
    cpuMs: limits.cpuSecs * 1000,
    wallMs: limits.wallSecs * 1000,
  };
}
