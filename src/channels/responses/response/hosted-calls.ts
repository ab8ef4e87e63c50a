import { z } from 'zod';
import { hexFromUuid, type ItemId, type WorkspaceId } from '#domain/ids.ts';
import { cut } from '#domain/text/cut.ts';
import { type FunctionCallBody, type FunctionCallOutputBody, type NewItem, textOf } from '#domain/thread/item.ts';
import { isEnded, type Turn } from '#domain/thread/turn.ts';
import { workspaceOfTurn } from '#domain/workspace/version.ts';
import { CONTAINER_ID, formatContainerFileId, formatContainerId } from '../../model-api/container-id.ts';
import { type HostedTool, isViewOf } from '../request/hosted-tools.ts';
import { argumentsOf } from './call-arguments.ts';
import { type FileSearchCall, renderFileSearch } from './file-search-calls.ts';
import { echoOf } from './response-echo.ts';
import { renderWebSearch, type WebSearchCall } from './web-search-calls.ts';

/** Enough to show to a person. The model has read the whole output. */
const MAX_OUTPUT = 65_536;

const containerId = z.string().regex(CONTAINER_ID);

export const codeCallId = z.string().regex(/^ci_[0-9a-f]{32}$/);
export const shellOutputId = z.string().regex(/^sho_[0-9a-f]{32}$/);

/** Code that ran on the files of a container. */
export const codeInterpreterCall = z
  .strictObject({
    id: codeCallId,
    type: z.literal('code_interpreter_call'),
    status: z.enum(['in_progress', 'interpreting', 'completed', 'incomplete']),
    code: z.string(),
    container_id: containerId,
    outputs: z
      .array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('logs'), logs: z.string() }),
          z.strictObject({ type: z.literal('image'), url: z.string().describe('A path of this service.') }),
        ]),
      )
      .nullable()
      .describe('null without `include: ["code_interpreter_call.outputs"]`.'),
  })
  .meta({ id: 'CodeInterpreterCall', description: 'Only for requests with the hosted tool `code_interpreter`.' });

/** A command that ran on the files of a container. */
export const shellCall = z
  .strictObject({
    id: z.string().regex(/^sh_[0-9a-f]{32}$/),
    type: z.literal('shell_call'),
    status: z.enum(['in_progress', 'completed']),
    call_id: z.string().min(1),
    action: z.strictObject({
      commands: z.array(z.string()),
      timeout_ms: z.int().nullable(),
      max_output_length: z.null(),
    }),
    environment: z.strictObject({ type: z.literal('container_reference'), container_id: containerId }),
  })
  .meta({ id: 'ShellCall', description: 'Only for requests with the hosted tool `shell`.' });

export const shellResult = z
  .strictObject({
    stdout: z.string().describe('Everything that was printed, and what the service says about it.'),
    stderr: z.literal(''),
    outcome: z.discriminatedUnion('type', [
      z.strictObject({ type: z.literal('exit'), exit_code: z.int() }),
      z.strictObject({ type: z.literal('timeout') }),
    ]),
  })
  .meta({ id: 'ShellResult' });

export const shellCallOutput = z
  .strictObject({
    id: shellOutputId,
    type: z.literal('shell_call_output'),
    status: z.enum(['in_progress', 'completed']),
    call_id: z.string().min(1),
    max_output_length: z.null(),
    output: z.array(shellResult).max(1),
  })
  .meta({ id: 'ShellCallOutput' });

export type CodeInterpreterCall = z.infer<typeof codeInterpreterCall>;
export type ShellCall = z.infer<typeof shellCall>;
export type ShellCallOutput = z.infer<typeof shellCallOutput>;
type Call = NewItem & FunctionCallBody;
type Output = NewItem & FunctionCallOutputBody;

/** What a response shows of hosted tools. */
export type HostedView = {
  readonly tools: readonly HostedTool[];
  readonly outputs: boolean;
  readonly sources: boolean;
  readonly results: boolean;
  readonly container: WorkspaceId;
};

/** undefined for a request without hosted tools. */
export function hostedViewOf(turn: Turn): HostedView | undefined {
  const { hosted } = echoOf(turn);
  if (!hosted) return undefined;
  const { sources = false, results = false } = hosted;
  return { ...hosted, sources, results, container: workspaceOfTurn(turn) };
}

/** The hosted tool that a call is shown as. */
export const hostedToolOf = (view: HostedView | undefined, { name, external }: Call): HostedTool | undefined =>
  external ? undefined : view?.tools.find((tool) => isViewOf(tool, name));

type HostedItem = CodeInterpreterCall | ShellCall | ShellCallOutput | WebSearchCall | FileSearchCall;

/** The calls of hosted tools and their outputs, by the items that they are shown for. Other items are not in it. */
export function renderHosted(turn: Turn, made: readonly NewItem[]): ReadonlyMap<ItemId, HostedItem | undefined> {
  const view = hostedViewOf(turn);
  const shown = new Map<ItemId, HostedItem | undefined>();
  if (!view) return shown;
  const outputs = made.filter((item) => item.type === 'function_call_output');
  for (const call of made) {
    const tool = call.type === 'function_call' ? hostedToolOf(view, call) : undefined;
    if (call.type !== 'function_call' || !tool) continue;
    // the first output answers the first call
    const output = outputs.find(({ id, callId }) => callId === call.callId && !shown.has(id));
    const status = output ? 'completed' : isEnded(turn) ? 'incomplete' : 'in_progress';
    shown.set(call.id, renderHostedCall(view, tool, call, status, output));
    if (output) shown.set(output.id, tool === 'shell' ? renderShellOutput(output) : undefined);
  }
  return shown;
}

function renderHostedCall(
  view: HostedView,
  tool: HostedTool,
  call: Call,
  status: 'completed' | 'incomplete' | 'in_progress',
  output: Output | undefined,
): HostedItem {
  if (tool === 'shell') return renderShell(view, call, 'completed');
  if (tool === 'file_search') return renderFileSearch(view, call, status, output);
  return tool === 'web_search' ? renderWebSearch(view, call, status, output) : renderCode(view, call, status, output);
}

export function renderCode(
  { container, outputs }: HostedView,
  call: Call,
  status: CodeInterpreterCall['status'],
  output?: Output,
): CodeInterpreterCall {
  return {
    id: `ci_${hexFromUuid(call.id)}`,
    type: 'code_interpreter_call',
    status,
    code: textIn(call, 'code'),
    container_id: formatContainerId(container),
    outputs: outputs && output ? renderOutputs(container, output) : null,
  };
}

function renderOutputs(container: WorkspaceId, { output }: Output): NonNullable<CodeInterpreterCall['outputs']> {
  const pictures = output.flatMap((part) =>
    part.type === 'image' && part.filename !== undefined ? [part.filename] : [],
  );
  return [
    { type: 'logs', logs: cut(textOf(output), MAX_OUTPUT) },
    ...pictures.map((path) => ({ type: 'image' as const, url: contentUrl(container, path) })),
  ];
}

const contentUrl = (container: WorkspaceId, path: string) =>
  `/v1/containers/${formatContainerId(container)}/files/${formatContainerFileId(container, path)}/content`;

export const renderShell = ({ container }: HostedView, call: Call, status: ShellCall['status']): ShellCall => ({
  id: `sh_${hexFromUuid(call.id)}`,
  type: 'shell_call',
  status,
  call_id: call.callId,
  action: { commands: [textIn(call, 'command')], timeout_ms: timeoutOf(call), max_output_length: null },
  environment: { type: 'container_reference', container_id: formatContainerId(container) },
});

export const renderShellOutput = ({ id, callId, output, ran }: Output): ShellCallOutput => ({
  id: `sho_${hexFromUuid(id)}`,
  type: 'shell_call_output',
  status: 'completed',
  call_id: callId,
  max_output_length: null,
  output: [
    {
      stdout: cut(textOf(output), MAX_OUTPUT),
      stderr: '',
      // 126: it could not be run
      outcome: ran?.outcome === 'timeout' ? { type: 'timeout' } : { type: 'exit', exit_code: ran?.exitCode ?? 126 },
    },
  ],
});

/** A field of the arguments, as the model wrote them. */
function textIn(call: Call, name: string): string {
  const value = argumentsOf(call)[name];
  return typeof value === 'string' ? value : '';
}

function timeoutOf(call: Call): number | null {
  const seconds = argumentsOf(call)['timeout_s'];
  return Number.isInteger(seconds) ? Number(seconds) * 1000 : null;
}
