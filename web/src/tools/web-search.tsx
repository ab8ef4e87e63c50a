import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { SearchChange, SearchSetting, SearchTestResult } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { ChoiceField, TextField } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Problem } from '../parts/problem.tsx';
import { StatusMark } from '../parts/status-mark.tsx';

/** The search engine of the agent: which one, how to get one, and whether it answers. */
export function WebSearch() {
  const [editing, setEditing] = useState(false);
  const { data } = useQuery({ queryKey: ['search'], queryFn: () => client.call('GET /api/settings/search') });
  const test = useMutation({ mutationFn: () => client.call('POST /api/settings/search/test', { body: {} }) });
  const { changed, remove } = useRemoval();
  if (!data) return null;
  return (
    <section aria-label={t`Web search`} className="flex flex-col gap-3 card px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <h2 className="min-w-0 flex-1 basis-52 font-semibold">
          <Trans>Web search</Trans>
        </h2>
        <StatusMark mark={data.engine ? 'done' : 'idle'} words={describeEngine(data)} />
        <div className="flex flex-wrap gap-2">
          {data.engine && (
            <Button disabled={test.isPending} onClick={() => test.mutate()}>
              <Trans>Test</Trans>
            </Button>
          )}
          <Button onClick={() => setEditing(!editing)}>{data.engine ? t`Change` : t`Set up`}</Button>
          {data.source === 'stored' && (
            <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
              <Trans>Remove</Trans>
            </Button>
          )}
        </div>
      </div>
      {!data.engine && <HowToGetOne />}
      <div role="status" className="break-words text-meta">
        {test.data && <Tested result={test.data} />}
      </div>
      {test.error && <Problem error={test.error} />}
      {remove.error && <Problem error={remove.error} />}
      {editing && (
        <SearchForm
          setting={data}
          onDone={async () => {
            setEditing(false);
            await changed();
            test.mutate();
          }}
          onCancel={() => setEditing(false)}
        />
      )}
    </section>
  );
}

function useRemoval() {
  const queries = useQueryClient();
  const changed = () => Promise.all(['search', 'tools'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
  const remove = useMutation({ mutationFn: () => client.call('DELETE /api/settings/search'), onSuccess: changed });
  return { changed, remove };
}

const NAMES = { searxng: 'SearXNG', brave: 'Brave', tavily: 'Tavily', exa: 'Exa' } as const;

function describeEngine({ engine, source }: SearchSetting): string {
  if (!engine) return t`no engine`;
  const name = NAMES[engine];
  return source === 'environment' ? t`${name}, from the environment` : name;
}

function HowToGetOne() {
  return (
    <p className="break-words text-meta text-soft">
      <Trans>
        The agent has no search yet. Run SearXNG beside the service, which needs no key, or get a key: Tavily has a free
        one without a card, Brave and Exa have monthly credit.
      </Trans>
    </p>
  );
}

function Tested({ result }: { readonly result: SearchTestResult }) {
  const silent = result.failed.join(', ');
  if (result.error !== null) return <p className="text-failed">{result.error}</p>;
  return (
    <>
      {result.hits.length === 0 && <Trans>It answers, and found nothing.</Trans>}
      <ul>
        {result.hits.map(({ title, url }) => (
          <li key={url} className="truncate">
            {title} <span className="text-soft">{url}</span>
          </li>
        ))}
      </ul>
      {silent !== '' && (
        <p className="text-soft">
          <Trans>Did not answer: {silent}</Trans>
        </p>
      )}
    </>
  );
}

type FormProps = {
  readonly setting: SearchSetting;
  readonly onDone: () => Promise<void>;
  readonly onCancel: () => void;
};

function SearchForm({ setting, onDone, onCancel }: FormProps) {
  const [engine, setEngine] = useState(setting.engine ?? 'searxng');
  const [safe, setSafe] = useState(setting.safe);
  const [fields, setFields] = useState({
    base_url: setting.base_url ?? '',
    api_key: '',
    language: setting.language ?? '',
    country: setting.country ?? '',
    only: setting.only.join(', '),
    not: setting.not.join(', '),
  });
  const put = useMutation({
    mutationFn: (body: SearchChange) => client.call('PUT /api/settings/search', { body }),
    onSuccess: onDone,
  });
  const field = (name: keyof typeof fields) => ({
    value: fields[name],
    onChange: (event: { target: { value: string } }) => setFields({ ...fields, [name]: event.target.value }),
  });
  return (
    <Form
      className="grid items-start gap-3 md:grid-cols-2"
      onSubmit={() => put.mutate({ engine, safe, ...changeOf(fields, engine === 'searxng') })}
    >
      <ChoiceField
        label={t`Engine`}
        choices={(['searxng', 'brave', 'tavily', 'exa'] as const).map((value) => ({ value, words: NAMES[value] }))}
        value={engine}
        onChoose={setEngine}
      />
      {engine === 'searxng' ? (
        <TextField
          label={t`Address`}
          hint={t`It may be in your own network, such as http://searxng:8080.`}
          type="url"
          required
          {...field('base_url')}
        />
      ) : (
        <TextField
          label={t`Key`}
          hint={t`It is stored encrypted and never shown again.`}
          type="password"
          autoComplete="off"
          required={!(setting.has_key && setting.engine === engine)}
          {...field('api_key')}
        />
      )}
      <ChoiceField
        label={t`Safe search`}
        choices={[
          { value: 'off', words: t`off` },
          { value: 'moderate', words: t`moderate` },
          { value: 'strict', words: t`strict` },
        ]}
        value={safe}
        onChoose={setSafe}
      />
      <TextField label={t`Language (optional)`} hint={t`A code such as en.`} {...field('language')} />
      <TextField label={t`Country (optional)`} hint={t`A code such as DE.`} {...field('country')} />
      <TextField label={t`Only these hosts (optional)`} hint={t`Separated by commas.`} {...field('only')} />
      <TextField label={t`Never these hosts (optional)`} hint={t`Separated by commas.`} {...field('not')} />
      <div className="md:col-span-2">{put.error && <Problem error={put.error} />}</div>
      <div className="flex gap-2">
        <Button type="submit" look="act" disabled={put.isPending}>
          <Trans>Save</Trans>
        </Button>
        <Button onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
      </div>
    </Form>
  );
}

type Fields = Record<'base_url' | 'api_key' | 'language' | 'country' | 'only' | 'not', string>;

function changeOf(fields: Fields, isServer: boolean): Omit<SearchChange, 'engine' | 'safe'> {
  const [address, key] = [fields.base_url.trim(), fields.api_key.trim()];
  return {
    ...(isServer && { base_url: address }),
    ...(!isServer && key && { api_key: key }),
    language: fields.language.trim() || null,
    country: fields.country.trim().toUpperCase() || null,
    only: listOf(fields.only),
    not: listOf(fields.not),
  };
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
