import type { Assistant } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { client } from '../client/client.ts';

export const ASSISTANTS = {
  queryKey: ['assistants'],
  queryFn: () => client.call('GET /api/assistants'),
  staleTime: 30_000,
};

/** The assistants that the person can choose, one of each name: their own one hides the one for everyone. */
export function useAssistants(): readonly Assistant[] {
  const { data } = useQuery(ASSISTANTS);
  return chosenOf(data?.assistants ?? []);
}

export function chosenOf(assistants: readonly Assistant[]): Assistant[] {
  const own = new Set(assistants.filter((each) => each.for === 'me').map(({ name }) => name));
  return assistants.filter((each) => each.for === 'me' || !own.has(each.name));
}

/** A message that begins with `@name` is for that assistant, if there is one. */
export function findMention(
  message: string,
  assistants: readonly Pick<Assistant, 'name'>[],
): { readonly assistant: string; readonly message: string } | undefined {
  const [, name, rest = ''] = /^@([a-z\d-]+)\s+([\s\S]+)$/i.exec(message) ?? [];
  const found = assistants.find((each) => each.name === name?.toLowerCase());
  return found && { assistant: found.name, message: rest };
}
