import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ModelProvider, ModelProviderPreset } from '@reborn-agent/client/api';
import { useEffect, useState } from 'react';
import { formatAgo } from '../../format/time.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { wordsOf } from '../../parts/error-words.ts';
import { Section } from '../../parts/section.tsx';
import { ProviderForm } from './provider-form.tsx';
import { useCheckProvider } from './use-provider-models.ts';

type Props = { readonly providers: readonly ModelProvider[]; readonly presets: readonly ModelProviderPreset[] };

/** What the form is open for: a preset, a self-hosted server, or a provider whose key or address changes. */
type Edited = { readonly preset?: ModelProviderPreset | undefined; readonly provider?: ModelProvider };

export function Providers({ providers, presets }: Props) {
  const [edited, setEdited] = useState<Edited>();
  const unused = presets.filter(({ title }) => !providers.some((provider) => provider.title === title));
  return (
    <Section title={t`1 Providers`}>
      {providers.length > 0 && (
        <ul aria-label={t`Providers`} className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,224px),1fr))] gap-2">
          {providers.map((provider) => (
            <ProviderCard
              key={provider.name}
              provider={provider}
              onEdit={() => setEdited({ provider, preset: presets.find(({ name }) => name === provider.name) })}
            />
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        {unused.map((preset) => (
          <Button key={preset.name} icon="add" onClick={() => setEdited({ preset })}>
            {preset.title}
          </Button>
        ))}
        <Button icon="add" onClick={() => setEdited({})}>
          <Trans>Own server</Trans>
        </Button>
      </div>
      {edited && <ProviderForm {...edited} onClose={() => setEdited(undefined)} />}
    </Section>
  );
}

const STALE_MS = 3_600_000;

function ProviderCard({ provider, onEdit }: { readonly provider: ModelProvider; readonly onEdit: () => void }) {
  const { mutate: check, isPending, error } = useCheckProvider(provider.name);
  const checkedAt = provider.check?.checked_at;
  useEffect(() => {
    if (checkedAt === undefined || Date.now() - Date.parse(checkedAt) > STALE_MS) check();
  }, [checkedAt, check]);
  const { title, key_source: source } = provider;
  const isBad = provider.check?.state === 'key_refused' || provider.check?.state === 'unreachable';
  return (
    <li
      aria-label={title}
      className={`card flex min-h-28 min-w-0 flex-col gap-0.5 p-3.5 ${isBad ? 'border-failed/45' : ''}`}
    >
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <span aria-hidden="true" className="grid size-7 place-items-center rounded bg-ink text-label text-paper">
          {title[0]?.toUpperCase()}
        </span>
        <h3 className="min-w-0 flex-1 truncate font-semibold" title={title}>
          {title}
        </h3>
        <State provider={provider} isPending={isPending} />
      </div>
      <p role="status" className={`break-words text-meta ${isBad || error ? 'text-failed' : 'text-soft'}`}>
        {error ? wordsOf(error) : <About provider={provider} />}
      </p>
      <div className="mt-auto flex flex-wrap gap-x-3 gap-y-1 pt-2 text-meta font-medium">
        <button type="button" className="link" disabled={isPending} onClick={() => check()}>
          <Trans>Check again</Trans>
        </button>
        {source !== 'environment' && provider.stored && (
          <button type="button" className="link" onClick={onEdit}>
            {source === null ? t`Change` : t`Replace key`}
          </button>
        )}
      </div>
    </li>
  );
}

function State({ provider: { check }, isPending }: { readonly provider: ModelProvider; readonly isPending: boolean }) {
  if (isPending) return <Badge words={t`checking`} />;
  switch (check?.state) {
    case 'works':
      return <Badge look="good" words={t({ message: 'works', context: 'a provider' })} />;
    case 'key_refused':
      return <Badge look="bad" words={t`key refused`} />;
    case 'unreachable':
      return <Badge look="bad" words={t`not reachable`} />;
    case 'no_list':
      return <Badge look="waits" words={t`no list`} />;
    default:
      return null;
  }
}

/** What it said last, and where its key is from. */
function About({
  provider: { title, check, base_url: address, key_source: source, variable },
}: {
  readonly provider: ModelProvider;
}) {
  const when = check ? formatAgo(check.checked_at) : '';
  if (check?.state === 'key_refused')
    return t`${title} refused the key ${when}. Its models do not answer until it works.`;
  if (check?.state === 'unreachable') return t`${title} did not answer ${when}. Is it running?`;
  if (check?.state === 'no_list') return t`It lists no models. Add them by name.`;
  const where = source === 'environment' ? t`key from ${variable ?? 'LLM_API_KEY'}` : address && new URL(address).host;
  const count = check && plural(check.models, { one: '# model', other: '# models' });
  return [count, where !== title && where].filter(Boolean).join(', ');
}
