import { DEFAULT_LIMITS, type Sandboxes } from '#sandbox/sandbox.ts';
import { createSandboxes, NO_SANDBOXES } from '#sandbox/sandboxes.ts';
import type { Base } from './base.ts';

/** Where code of the agent runs. The machine is probed while other parts are opened, and no one waits for it before the first turn. */
export function openSandboxes({
  config,
  parts,
  undo,
  onError,
}: Pick<Base, 'config' | 'parts' | 'undo' | 'onError'>): Sandboxes {
  const { enabled, requires, runners } = config.sandbox;
  if (!enabled) return NO_SANDBOXES;
  const limits = { ...DEFAULT_LIMITS, workspaceBytes: config.workspaces.workspaceBytes };
  const sandboxes = createSandboxes({ requires, runners, limits, ...parts.sandboxes });
  undo.defer(() => sandboxes.close());
  if (parts.turns !== 0) sandboxes.strength().catch(onError);
  return sandboxes;
}
