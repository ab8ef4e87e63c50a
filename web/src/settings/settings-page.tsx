import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { download } from '../client/files.ts';
import { DEFAULT_MODEL, nameOf, useChooseDefault, useModels } from '../models/use-models.ts';
import { Button } from '../parts/button.tsx';
import { Facts } from '../parts/facts.tsx';
import { ChoiceField } from '../parts/field.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { chooseTheme, type ThemeChoice, useThemeChoice } from '../theme/theme.ts';
import { ChatApps } from './chat-apps.tsx';
import { Instructions } from './instructions.tsx';
import { Sessions } from './sessions.tsx';
import { SharedThreads } from './shared-threads.tsx';
import { ShortcutList } from './shortcuts.tsx';
import { Templates } from './templates.tsx';
import { Tokens } from './tokens.tsx';

/** What a person sets for themselves. */
export function SettingsPage() {
  const { me } = useServices();
  return (
    <Page title="Settings" about="What you set here is for you alone.">
      <Section title="Profile">
        <Facts
          facts={[
            ['Name', me.name],
            ['Email', me.email ?? 'none'],
            ['Role', me.role],
            ['ID', me.user_id],
          ]}
        />
        <p className="text-s text-soft">The operator changes names and roles under Users.</p>
      </Section>
      <Section title="Custom instructions">
        <Instructions />
      </Section>
      <Section title="Chat">
        <ChatPreferences />
      </Section>
      <Section title="Prompt templates">
        <Templates />
      </Section>
      <Section title="Appearance">
        <Appearance />
      </Section>
      {me.user_id !== 'operator' && (
        <Section title="Access">
          <Tokens userId="me" />
        </Section>
      )}
      <Section title="Signed-in browsers">
        <Sessions />
      </Section>
      <Section title="Chat apps">
        <ChatApps />
      </Section>
      {me.sharing && (
        <Section title="Shared threads">
          <SharedThreads />
        </Section>
      )}
      <Section title="Your data">
        <DataExport />
      </Section>
      <Section title="Keyboard shortcuts">
        <ShortcutList />
      </Section>
    </Page>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-3 rounded border border-line bg-raised p-4">
      <h2 className="text-l font-semibold">{title}</h2>
      {children}
    </section>
  );
}

function ChatPreferences() {
  const { me } = useServices();
  const queries = useQueryClient();
  const { data } = useModels();
  const choose = useChooseDefault();
  const titles = useMutation({
    mutationFn: (generate: boolean) => client.call('PATCH /api/me', { body: { generate_titles: generate } }),
    onSuccess: (changed) => queries.setQueryData(['me'], changed),
  });
  const models = data?.models ?? [];
  const chosen = models.some(({ id }) => id === data?.chosen) ? data?.chosen : null;
  const error = choose.error ?? titles.error;
  return (
    <>
      <div className="max-w-96">
        <ChoiceField
          label="Model of new threads"
          choices={models.map((model) => ({
            value: model.id,
            words: model.id === DEFAULT_MODEL ? `${nameOf(model)} (default)` : nameOf(model),
          }))}
          value={chosen ?? DEFAULT_MODEL}
          onChoose={(id) => choose.mutate(id)}
        />
      </div>
      <label className="flex items-center gap-2 text-m">
        <input
          type="checkbox"
          checked={titles.isPending ? titles.variables : me.preferences.generate_titles}
          disabled={titles.isPending}
          onChange={(event) => titles.mutate(event.target.checked)}
        />
        A model writes the titles of new threads
      </label>
      {error && <Problem error={error} />}
    </>
  );
}

function Appearance() {
  const choice = useThemeChoice();
  return (
    <fieldset className="flex flex-wrap gap-4">
      <legend className="sr-only">Theme</legend>
      {THEMES.map(({ value, words }) => (
        <label key={value} className="flex items-center gap-2">
          <input type="radio" name="theme" checked={choice === value} onChange={() => chooseTheme(value)} />
          {words}
        </label>
      ))}
    </fieldset>
  );
}

const THEMES: readonly { readonly value: ThemeChoice; readonly words: string }[] = [
  { value: 'system', words: 'System' },
  { value: 'light', words: 'Light' },
  { value: 'dark', words: 'Dark' },
];

function DataExport() {
  const save = useMutation({ mutationFn: () => download('/api/me/export') });
  return (
    <>
      <p>Everything that is stored about you, as lines of JSON.</p>
      {save.error && <Problem error={save.error} />}
      <Button icon="export" className="self-start" disabled={save.isPending} onClick={() => save.mutate()}>
        Download my data
      </Button>
    </>
  );
}
