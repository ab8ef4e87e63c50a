import { AGENT_IDENTITY, type Note, USER_IDENTITY } from '#domain/note.ts';
import type { UserId } from '#domain/principal.ts';
import { block, escapeTags } from '#domain/text/block.ts';
import { cut } from '#domain/text/cut.ts';

/** The identity of the agent and of its user, as far as notes describe them. */
export type IdentityNotes = { readonly agent: string | undefined; readonly user: string | undefined };

export const NO_IDENTITY: IdentityNotes = { agent: undefined, user: undefined };

/** Every prompt contains them. */
const MAX_LENGTH = 8000;

/** From the owner's identity notes and the operator's, whose `identity/agent` is the default for all users. */
export function identityFor(
  { userId }: { readonly userId: UserId },
  notes: readonly (Pick<Note, 'path' | 'text'> & { readonly userId: UserId })[],
): IdentityNotes {
  const own = notes.filter((note) => note.userId === userId);
  const textAt = (wanted: string, among = own) => among.find(({ path }) => path === wanted)?.text;
  return { agent: textAt(AGENT_IDENTITY) ?? textAt(AGENT_IDENTITY, [...notes]), user: textAt(USER_IDENTITY) };
}

/** The identity notes as the end of a system prompt; '' when there are none. */
export function identityBlock({ agent, user }: IdentityNotes): string {
  const parts = [
    agent && `This is who you are. Where it differs from the above, it holds:\n${fit(agent)}`,
    // The agent may have written this note itself, influenced by untrusted content, so it must not count as an instruction.
    user && `This is what you know about the person you work for:\n${block('user-context', fit(user))}`,
  ];
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n');
}

function fit(text: string): string {
  return escapeTags(cut(text.trim(), MAX_LENGTH).toWellFormed());
}
