import type { OpenGate } from '@reborn-agent/client/api';
import { whyNotApprovable } from '@reborn-agent/client/approvable';

/** Which of the keys mean something at this gate. What is for the program that asked can't be answered by a person. */
export function keysOf({ kind, call, always }: OpenGate): readonly ('y' | 'a' | 'n')[] {
  if (kind === 'approval') {
    if (whyNotApprovable(call) !== undefined) return ['n'];
    return always ? ['y', 'a', 'n'] : ['y', 'n'];
  }
  if (kind === 'auth' || kind === 'input') return ['y', 'n'];
  return kind === 'pairing' ? ['n'] : [];
}
