import type { OpenGate } from '@reborn-agent/client/api';
import { whyNotApprovable } from '@reborn-agent/client/approvable';

/** Which of the keys mean something at this gate. What is for the program that asked can't be answered by a person. */
export function keysOf({ kind, call }: OpenGate): readonly ('y' | 'a' | 'n')[] {
  if (kind === 'approval') return whyNotApprovable(call) === undefined ? ['y', 'a', 'n'] : ['n'];
  if (kind === 'auth') return ['y', 'n'];
  return kind === 'pairing' ? ['n'] : [];
}
