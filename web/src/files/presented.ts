import type { Output, ThreadState } from '@reborn-agent/client/thread-state';
import type { CallEntry } from '@reborn-agent/client/turn-entries';
import type { TurnState } from '@reborn-agent/client/turn-state';

/** A file as it was when the agent showed it. */
export type PresentedFile = {
  readonly path: string;
  readonly bytes: number;
  readonly isPicture: boolean;
  /** When it was shown. */
  readonly at: number;
};

export const isPresenting = ({ name }: CallEntry): boolean => name === 'reborn_file_present';

/** The files of a call that shows some. A picture has no name in the output, so names come from the arguments. */
export function presentedFiles(call: CallEntry, output: Output | undefined): PresentedFile[] {
  if (!output || !isPresenting(call)) return [];
  const parts = output.parts.filter((part) => part.type !== 'text');
  if (parts.length === 0) return []; // a call that failed may have any arguments
  const paths = pathsIn(call.arguments);
  return parts.flatMap((part, index) => {
    const path = part.type === 'file' ? (part.filename ?? paths[index]) : paths[index];
    return path === undefined ? [] : [{ path, bytes: part.bytes, isPicture: part.type === 'image', at: output.at }];
  });
}

/** The first file that a turn has shown so far. */
export function firstPresented(turn: TurnState | undefined, outputs: ThreadState['outputs']): string | undefined {
  const calls = turn?.entries.filter((entry) => entry.kind === 'call') ?? [];
  return calls.flatMap((call) => presentedFiles(call, outputs.get(call.callId)))[0]?.path;
}

/** As the service stores them: without the folder of all files, and without steps that lead nowhere. */
function pathsIn(json: string): string[] {
  const { paths = [] } = JSON.parse(json) as { readonly paths?: readonly string[] };
  return paths.map((path) =>
    path
      .replace(/^\/workspace\//, '')
      .split('/')
      .filter((step) => step !== '' && step !== '.')
      .join('/')
      .normalize('NFC'),
  );
}
