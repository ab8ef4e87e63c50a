import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { useServices } from '../app/services.ts';
import { useActions } from '../chat/chat-actions.ts';
import { modelWith, nameOf, useModels } from '../models/use-models.ts';
import { Button } from '../parts/button.tsx';
import { AskForMore } from './ask-for-more.tsx';
import type { SettingsPage } from './ways.ts';

const PAGES = {
  key: '/settings/models',
  server: '/settings/models',
  models: '/settings/models',
  users: '/settings/users',
  missions: '/missions',
} as const satisfies Record<SettingsPage, string>;

const labels = (): Readonly<Record<SettingsPage, string>> => ({
  key: t`Check the key`,
  server: t`Check the server`,
  models: t`Open the models`,
  users: t`Change the limit`,
  missions: t`Open the missions`,
});

/** Leads to where the cause can be removed. Only operators may see the pages of the service. */
export function SettingsWay({ to }: { readonly to: SettingsPage }) {
  const { me } = useServices();
  if (me.role !== 'operator' && to !== 'missions') return to === 'users' ? <AskForMore /> : null;
  return (
    <Link
      to={PAGES[to]}
      className="inline-flex min-h-target items-center rounded border border-rule bg-raised px-3 py-1 text-interface font-medium shadow-rest hover:bg-hover"
    >
      {labels()[to]}
    </Link>
  );
}

/** Lets another model answer: the first one that can, and is not the one that was asked. */
export function OtherModel({ onChoose }: { readonly onChoose: (id: string) => void }) {
  const { answering } = useActions();
  const { data } = useModels();
  const current = data && modelWith(data.models, answering ?? data.chosen);
  const other = data?.models.find(
    ({ name, provider, problem }) => problem === null && (name !== current?.name || provider !== current.provider),
  );
  if (!other) return null;
  const name = nameOf(other);
  return (
    <Button onClick={() => onChoose(other.id)}>
      <Trans>Answer with {name}</Trans>
    </Button>
  );
}
