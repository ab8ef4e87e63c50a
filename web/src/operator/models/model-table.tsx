import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ModelProvider, ProviderModel } from '@reborn-agent/client/api';
import { useState } from 'react';
import { formatNumber, formatPrice, formatTokens } from '../../format/number.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { wordsOf } from '../../parts/error-words.ts';
import { Filter } from '../../parts/filter.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Section } from '../../parts/section.tsx';
import { Switch } from '../../parts/switch.tsx';
import { AddModel } from './add-model.tsx';
import { ModelDetails } from './model-details.tsx';
import { useChangeModel } from './use-provider-models.ts';

/** So many models that are off are shown at once: OpenRouter alone lists some hundreds. */
const PAGE = 50;

type Props = { readonly models: readonly ProviderModel[]; readonly providers: readonly ModelProvider[] };

/** All models of all providers, each once: the default, the switch, and what is known about it. */
export function ModelTable({ models, providers }: Props) {
  const [text, setText] = useState('');
  const [shown, setShown] = useState(PAGE);
  const [opened, setOpened] = useState<ProviderModel>();
  const [adding, setAdding] = useState(false);
  const first = useFirstOrder(models);
  const change = useChangeModel();
  const titleOf = (model: ProviderModel) =>
    providers.find(({ name }) => name === model.provider)?.title ?? model.provider ?? 'Reborn';
  const q = text.trim().toLowerCase();
  const found = first.filter((model) => `${model.name} ${titleOf(model)}`.toLowerCase().includes(q));
  const rows = found.slice(0, shown);
  const on = formatNumber(models.filter((model) => model.on).length);
  return (
    <Section
      title={t`2 Models`}
      note={t`${on} of ${formatNumber(models.length)} on`}
      beside={
        <>
          {models.length > 5 && <Filter label={t`Filter`} value={text} onChange={setText} />}
          {providers.length > 0 && (
            <Button icon="add" onClick={() => setAdding(true)}>
              <Trans>By name</Trans>
            </Button>
          )}
        </>
      }
    >
      {change.error && (
        <p role="alert" className="text-meta text-failed">
          {wordsOf(change.error)}
        </p>
      )}
      {models.length === 0 ? (
        <EmptyState icon="model" title={t`No models yet`}>
          <Trans>Add a provider above. Its models appear here.</Trans>
        </EmptyState>
      ) : (
        <div className="card overflow-hidden">
          <table aria-label={t`Models`} className="rows-table">
            <Heads />
            <tbody>
              {rows.map((model) => (
                <Row
                  key={keyOf(model)}
                  model={model}
                  provider={titleOf(model)}
                  onChange={(wanted) => change.mutate({ model, change: wanted })}
                  onOpen={() => setOpened(model)}
                />
              ))}
            </tbody>
          </table>
          {found.length === 0 && (
            <p className="p-3.5 text-soft">
              <Trans>No models match “{text.trim()}”.</Trans>
            </p>
          )}
          {found.length > rows.length && (
            <Button look="quiet" className="w-full" onClick={() => setShown(found.length)}>
              {plural(found.length - rows.length, { one: 'Show # more', other: 'Show # more' })}
            </Button>
          )}
        </div>
      )}
      {opened && <ModelDetails model={opened} provider={titleOf(opened)} onClose={() => setOpened(undefined)} />}
      {adding && <AddModel providers={providers} onClose={() => setAdding(false)} />}
    </Section>
  );
}

const Heads = () => (
  <thead>
    <tr>
      <th className="w-11">
        <span className="sr-only">
          <Trans>Default</Trans>
        </span>
      </th>
      <th>
        <Trans>Model</Trans>
      </th>
      <th className="max-md:hidden">
        <Trans>Provider</Trans>
      </th>
      <th className="figure max-md:hidden">
        <Trans>Context</Trans>
      </th>
      <th className="figure max-md:hidden">
        <Trans>In, per 1M</Trans>
      </th>
      <th className="figure max-md:hidden">
        <Trans>Out, per 1M</Trans>
      </th>
      <th className="figure">
        <Trans>On</Trans>
      </th>
    </tr>
  </thead>
);

type RowProps = {
  readonly model: ProviderModel;
  readonly provider: string;
  readonly onChange: (change: { on?: boolean; default?: true }) => void;
  readonly onOpen: () => void;
};

function Row({ model, provider, onChange, onOpen }: RowProps) {
  const { name, price } = model;
  const context = formatNumber(model.context_tokens);
  const shortContext = formatTokens(model.context_tokens);
  const isFree = price?.input_usd_per_million === 0 && price.output_usd_per_million === 0;
  const words = (usd: number) => (isFree ? t`free` : formatPrice(usd));
  const input = price ? words(price.input_usd_per_million) : undefined;
  const output = price ? words(price.output_usd_per_million) : undefined;
  return (
    <tr className={model.on ? '' : 'text-soft'}>
      <td>
        <button
          type="button"
          aria-pressed={model.default}
          aria-label={model.default ? t`${name} is the default model` : t`Make ${name} the default model`}
          title={model.default ? t`Default model` : t`Make it the default`}
          disabled={model.default}
          onClick={() => onChange({ default: true })}
          className={`grid size-6 place-items-center rounded-sm touch:size-target ${model.default ? 'text-ink' : 'text-edge hover:text-ink'}`}
        >
          <Icon name="star" className={model.default ? 'fill-current!' : ''} />
        </button>
      </td>
      <td className="max-w-0 w-full">
        <span className="flex items-center gap-2">
          <button type="button" onClick={onOpen} className="min-w-0 truncate text-start hover:underline" title={name}>
            <span className="exact">{name}</span>
          </button>
          {model.default && <Badge words={t`default`} />}
        </span>
        <span className="block break-words text-meta text-soft md:hidden">
          {[
            provider,
            t`${shortContext} context`,
            ...(input && output ? [isFree ? input : t`${input} in, ${output} out`] : []),
          ].join(', ')}
        </span>
      </td>
      <td className="max-w-40 truncate text-soft max-md:hidden" title={provider}>
        {provider}
      </td>
      <td className="figure max-md:hidden">{context}</td>
      <td className="figure max-md:hidden">
        {input ?? (
          <button type="button" className="link text-soft" onClick={onOpen}>
            <Trans>set price</Trans>
          </button>
        )}
      </td>
      <td className="figure max-md:hidden">{output ?? '–'}</td>
      <td className="figure">
        <Switch
          label={t`${name} can be chosen`}
          checked={model.on}
          disabled={model.default || model.provider === null}
          onChange={(on) => onChange({ on })}
        />
      </td>
    </tr>
  );
}

/** Those that are on come first. A row stays where it is when it is switched, until models come or go. */
function useFirstOrder(models: readonly ProviderModel[]): ProviderModel[] {
  const ids = models.map(keyOf).toSorted().join('\n');
  const [kept, setKept] = useState(() => ({ ids, order: orderOf(models) }));
  if (kept.ids !== ids) setKept({ ids, order: orderOf(models) });
  return models.toSorted((one, other) => (kept.order.get(keyOf(one)) ?? 0) - (kept.order.get(keyOf(other)) ?? 0));
}

const orderOf = (models: readonly ProviderModel[]): ReadonlyMap<string, number> =>
  new Map(models.toSorted((one, other) => rank(one) - rank(other)).map((model, at) => [keyOf(model), at]));

const keyOf = ({ provider, name }: ProviderModel) => `${provider ?? ''} ${name}`;

const rank = (model: ProviderModel) => (model.default ? 0 : model.on ? 1 : 2);
