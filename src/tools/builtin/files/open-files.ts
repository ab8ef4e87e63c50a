import { NotFound } from '#domain/errors.ts';
import type { Workspace } from '#domain/workspace/version.ts';
import type { ToolContext, ToolFlow } from '../../tool.ts';
import type { OpenWorkspace } from '../../workspace-port.ts';

/** Of tools that read the files of a thread. */
export const FILE_FLOW: ToolFlow = { reads: { private: true }, from: 'file', runs: 'always', inert: true };

/** The files, whose origin becomes that of the output. */
export async function openFiles(context: ToolContext): Promise<Workspace> {
  const workspace = await workspaceOf(context).open();
  context.onReads?.({ private: workspace.files.size > 0, foreign: workspace.isForeign });
  return workspace;
}

export function workspaceOf({ workspace }: ToolContext): OpenWorkspace {
  if (!workspace) throw new NotFound('There are no files here: this call belongs to no conversation.');
  return workspace;
}
