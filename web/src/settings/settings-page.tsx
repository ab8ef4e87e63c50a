import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { chooseLanguage, LANGUAGE_NAMES, type LanguageChoice, useLanguageChoice } from '../language/language.ts';
import { DEFAULT_MODEL, nameOf, useChooseDefault, useModels } from '../models/use-models.ts';
import { Facts } from '../parts/facts.tsx';
import { ChoiceField } from '../parts/field.tsx';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';
import { chooseTheme, type ThemeChoice, useThemeChoice } from '../theme/theme.ts';
import { BusyPreference } from './busy-preference.tsx';
import { ChatApps } from './chat-apps.tsx';
import { Instructions } from './instructions.tsx';
import { Pairings } from './pairings.tsx';
import { Sessions } from './sessions.tsx';
import { SharedThreads } from './shared-threads.tsx';
import { ShortcutList } from './shortcuts.tsx';
import { StandingApprovals } from './standing-approvals.tsx';
import { Templates } from './templates.tsx';
import { Tokens } from './tokens.tsx';
import { YourData } from './your-data.tsx';

/** What a person sets for themselves. */
export function SettingsPage() {
  const { me } = useServices();
  return (
    <Page title={t`Settings`} about={t`What you set here is for you alone.`}>
      <Section title={t`Profile`}>
        <Facts
          facts={[
            [t`Name`, me.name],
            [t`Email`, me.email ?? t`none`],
            [t`Role`, me.role === 'operator' ? t`operator` : t`member`],
            [
              t`ID`,
              <span key="id" className="exact">
                {me.user_id}
              </span>,
            ],
          ]}
        />
        <p className="text-meta text-soft">
          <Trans>The operator changes names and roles under Users.</Trans>
        </p>
      </Section>
      <Section title={t`Custom instructions`}>
        <Instructions />
      </Section>
      <Section title={t`Chat`}>
        <ChatPreferences />
      </Section>
      <Section title={t`Prompt templates`}>
        <Templates />
      </Section>
      <Section title={t`Standing approvals`}>
        <StandingApprovals />
        <Pairings userId={me.user_id} />
      </Section>
      <Section title={t`Appearance`}>
        <Appearance />
      </Section>
      {me.user_id !== 'operator' && (
        <Section title={t`Access`}>
          <Tokens userId="me" />
        </Section>
      )}
      <Section title={t`Signed-in browsers`}>
        <Sessions />
      </Section>
      <Section title={t`Notifications`}>
        <p>
          <Trans>What you are told about, and on which devices, is on its own page.</Trans>{' '}
          <Link to="/notifications" className="link">
            <Trans>Open notifications</Trans>
          </Link>
        </p>
      </Section>
      <Section title={t`Chat apps`}>
        <ChatApps />
      </Section>
      {me.sharing && (
        <Section title={t`Shared threads`}>
          <SharedThreads />
        </Section>
      )}
      <Section title={t`Your data`}>
        <YourData />
      </Section>
      <Section title={t`Keyboard shortcuts`}>
        <ShortcutList />
      </Section>
    </Page>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-2">
      <h2 className="font-semibold">{title}</h2>
      <div className="card flex flex-col gap-3 p-4">{children}</div>
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
          label={t`Model of new threads`}
          choices={models.map((model) => ({
            value: model.id,
            words: model.id === DEFAULT_MODEL ? t`${nameOf(model)} (default)` : nameOf(model),
          }))}
          value={chosen ?? DEFAULT_MODEL}
          onChoose={(id) => choose.mutate(id)}
        />
      </div>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={titles.isPending ? titles.variables : me.preferences.generate_titles}
          disabled={titles.isPending}
          onChange={(event) => titles.mutate(event.target.checked)}
        />
        <Trans>A model writes the titles of new threads</Trans>
      </label>
      <BusyPreference />
      {error && <Problem error={error} />}
    </>
  );
}

function Appearance() {
  const choice = useThemeChoice();
  const language = useLanguageChoice();
  return (
    <>
      <fieldset className="flex flex-wrap gap-4">
        <legend className="sr-only">
          <Trans>Theme</Trans>
        </legend>
        {themes().map(({ value, words }) => (
          <label key={value} className="flex items-center gap-2">
            <input type="radio" name="theme" checked={choice === value} onChange={() => chooseTheme(value)} />
            {words}
          </label>
        ))}
      </fieldset>
      <div className="max-w-96">
        <ChoiceField
          label={t`Language`}
          choices={languages()}
          value={language}
          onChoose={(chosen) => void chooseLanguage(chosen)}
        />
      </div>
    </>
  );
}

const languages = (): readonly { readonly value: LanguageChoice; readonly words: string }[] => [
  { value: 'browser', words: t`Language of the browser` },
  ...LANGUAGE_NAMES,
];

const themes = (): readonly { readonly value: ThemeChoice; readonly words: string }[] => [
  { value: 'system', words: t`System` },
  { value: 'light', words: t`Light` },
  { value: 'dark', words: t`Dark` },
];
