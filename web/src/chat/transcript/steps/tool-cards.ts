import type { CallCard } from '@reborn-agent/client/api';
import type { ShownCall } from '@reborn-agent/client/call-card';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../../client/client.ts';

const FRESH_MS = 300_000;

/** How the tools say what their calls do; undefined until that is known. */
export function useToolCards(): ReadonlyMap<string, CallCard | undefined> | undefined {
  const { data, isError } = useQuery({
    queryKey: ['tools'],
    queryFn: () => client.call('GET /api/tools'),
    staleTime: FRESH_MS,
    select: cardsOf,
  });
  return isError ? NONE : data;
}

const NONE: ReadonlyMap<string, CallCard> = new Map();

const cardsOf = ({ tools }: { readonly tools: readonly { readonly name: string; readonly card?: CallCard }[] }) =>
  new Map(tools.map(({ name, card }) => [name, card]));

/** A call with the words of its tool. */
export const withCard = (
  { name, arguments: json }: Pick<ShownCall, 'name' | 'arguments'>,
  cards: ReadonlyMap<string, CallCard | undefined>,
): ShownCall => ({ name, arguments: json, card: cards.get(name) });
