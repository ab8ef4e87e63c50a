import { DEFAULT_LIMITS, type Sandboxes } from '#sandbox/sandbox.ts';
import { createSandboxes, NO_SANDBOXES } from '#sandbox/sandboxes.ts';
import type { Base } from './base.ts';

/** Where code of the agent runs. The machine is probed while other parts are opened. */
export function openSandboxes({ config, undo }: Pick<Base, 'config' | 'undo'>): Sandboxes {
  if (!config.sandbox.enabled) return NO_SANDBOXES;
  const limits = { ...DEFAULT_LIMITS, workspaceBytes: config.workspaces.workspaceBytes };
  const sandboxes = createSandboxes({ requires: config.sandbox.requires, limits });
  undo.defer(() => sandboxes.close());
  return sandboxes;
}
