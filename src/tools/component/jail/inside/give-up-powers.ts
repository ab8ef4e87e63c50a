import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';

/**
 * Called by a thread before it reads anything of a guest, for the case that a guest breaks out of its realm. The right
 * to start threads goes first: a thread can be started without `--permission`. Signals and
 * priorities are not under it at all.
 */
export function giveUpPowers(): void {
  const { permission } = process as unknown as { permission?: { drop?(scope: string): void } };
  if (!permission?.drop)
    throw new Error('Tools need a Node that can drop permissions: run the service on Node 26.10 or later.');
  for (const scope of ['worker', 'fs', 'net', 'child', 'addon', 'wasi', 'inspector']) permission.drop(scope);
  Reflect.deleteProperty(os, 'setPriority');
  syncBuiltinESMExports();
  for (const power of POWERS) Reflect.deleteProperty(process, power);
  for (const name of ['fetch', 'WebSocket', 'EventSource', 'BroadcastChannel'])
    Reflect.deleteProperty(globalThis, name);
}

const POWERS = [
  'kill',
  '_kill',
  'abort',
  'dlopen',
  'binding',
  '_linkedBinding',
  'execve',
  'getBuiltinModule',
  'report',
];
