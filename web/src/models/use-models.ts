import { t } from '@lingui/core/macro';
import type { OfferedModel } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { formatDollars, formatLocales, formatTokens } from '../format/number.ts';

/** The id of the installation's default model. */
export const DEFAULT_MODEL = 'default';

export const useModels = () =>
  useQuery({ queryKey: ['models'], queryFn: () => client.call('GET /api/models'), staleTime: 30_000 });

/** Makes a model the person's default for new threads. */
export function useChooseDefault() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      client.call('PATCH /api/me', { body: { default_model: id === DEFAULT_MODEL ? null : id } }),
    onSuccess: (me) => {
      queries.setQueryData(['me'], me);
      return queries.invalidateQueries({ queryKey: ['models'] });
    },
  });
}

/** The model with this id, or whose route has this name. An id that is not known is answered by the default model. */
export const modelWith = (models: readonly OfferedModel[], id: string | null): OfferedModel | undefined =>
  models.find((model) => model.id === id || model.route === id) ?? models.find((model) => model.id === DEFAULT_MODEL);

/** What a model is called: its route, or for the default model its own name. */
export const nameOf = (model: OfferedModel) => (model.id === DEFAULT_MODEL ? model.name : model.id);

/** Context, price and what it sees, in one line. */
export function factsOf({ context_tokens: context, price, reads }: OfferedModel): string[] {
  const size = t`${formatTokens(context)} context`;
  return [size, priceOf(price), ...(reads === null ? [] : [readsOf(reads)])];
}

function priceOf(price: OfferedModel['price']): string {
  if (price === null) return t`price unknown`;
  const { input_usd_per_million: input, output_usd_per_million: output } = price;
  return input === 0 && output === 0 ? t`free` : t`${dollars(input)} in, ${dollars(output)} out per 1M tokens`;
}

const dollars = (usd: number) => formatDollars(usd, true);

function readsOf(reads: NonNullable<OfferedModel['reads']>): string {
  if (reads.length === 0) return t`text only`;
  const kinds = reads.map((kind) => (kind === 'pdf' ? t`PDFs` : t`images`));
  return new Intl.ListFormat(formatLocales()).format(kinds);
}
