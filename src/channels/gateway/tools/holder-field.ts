import { z } from 'zod';
import type { McpHolder } from '#agent/administration/mcp/mcp-access.ts';
import type { Principal } from '#domain/principal.ts';

/** Whose server, secret or sign-in it is. */
export const whom = z.string().min(1).max(200).describe('`me`, `everyone` or, by an operator, the id of a user.');
export const holderField = whom.default('me');

export function holder(principal: Principal, given: string): McpHolder {
  if (given === 'me') return principal;
  return given === 'everyone' ? given : { userId: given };
}
