import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Assistant } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Icon } from '../parts/icon.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { AssistantForm } from './assistant-form.tsx';
import { ASSISTANTS } from './use-assistants.ts';

/** The agent under names, with its own instructions and limits. */
export function AssistantsPage() {
  const { data, error, refetch } = useQuery(ASSISTANTS);
  const [opened, setOpened] = useState<Assistant>();
  const [creating, setCreating] = useState(false);
  // The address may name one.
  const linked = useLocation({ select: ({ hash }) => hash });
  const navigate = useNavigate();
  const shown = opened ?? data?.assistants.find(({ id }) => id === linked);
  const close = () => {
    setOpened(undefined);
    setCreating(false);
    if (linked !== '') void navigate({ to: '/assistants', replace: true });
  };
  return (
    <Page
      title={t`Assistants`}
      about={t`The agent under a name, with instructions and limits of its own.`}
      actions={
        <Button icon="add" onClick={() => setCreating(true)}>
          <Trans>Create an assistant</Trans>
        </Button>
      }
    >
      <Listed
        rows={data?.assistants}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading assistants`}
        empty={
          <EmptyState icon="users" title={t`No assistants yet`}>
            <Trans>Create one for work that you give the agent often, such as research or replies to customers.</Trans>
          </EmptyState>
        }
      >
        {(assistants) => (
          <Rows label={t`Assistants`} rows={assistants} keyOf={({ id }) => id} onOpen={setOpened}>
            {(row) => <AssistantRow assistant={row} />}
          </Rows>
        )}
      </Listed>
      {(creating || shown) && <AssistantForm key={shown?.id} assistant={shown} onClose={close} />}
    </Page>
  );
}

function AssistantRow({
  assistant: { name, description, model, tools, for: whom },
}: {
  readonly assistant: Assistant;
}) {
  const count = tools?.length;
  return (
    <>
      <Icon name="users" />
      <span className="min-w-0 flex-1 basis-full sm:basis-60">
        <span className="block truncate font-medium">{name}</span>
        <span className="line-clamp-2 break-words text-meta text-soft">{description}</span>
      </span>
      <span className="text-meta text-soft">{model ?? t`default model`}</span>
      <span className="text-meta text-soft">{count === undefined ? t`all tools` : t`tools: ${count}`}</span>
      <span className="text-meta text-soft">{whom === 'everyone' ? t`for everyone` : t`for you`}</span>
    </>
  );
}
