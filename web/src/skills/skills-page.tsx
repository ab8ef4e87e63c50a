import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../client/client.ts';
import { ConnectorTabs } from '../mcp/connector-tabs.tsx';
import { Button } from '../parts/button.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Filter } from '../parts/filter.tsx';
import { Listed } from '../parts/listed.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { StatusMark } from '../parts/status-mark.tsx';
import { AddSkill } from './add-skill.tsx';
import { SkillDrawer } from './skill-drawer.tsx';
import { type ListedSkill, sources } from './skill-sources.ts';

/** What the agent can read up on. */
export function SkillsPage() {
  const [text, setText] = useState('');
  const [opened, setOpened] = useState<ListedSkill>();
  const [adding, setAdding] = useState(false);
  const { data, error, refetch } = useQuery({ queryKey: ['skills'], queryFn: () => client.call('GET /api/skills') });
  const shown = data?.skills.filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(text.trim().toLowerCase()),
  );
  return (
    <Page
      title={t`Skills`}
      about={t`How you want things done. The agent reads what fits.`}
      actions={
        <>
          <Filter label={t`Search the skills`} value={text} onChange={setText} />
          <Button icon="add" onClick={() => setAdding(true)}>
            <Trans>Add a skill</Trans>
          </Button>
        </>
      }
    >
      <ConnectorTabs />
      <Listed
        rows={shown}
        error={error}
        onRetry={() => void refetch()}
        label={t`Loading skills`}
        empty={
          <EmptyState icon="skill" title={text ? t`No skill fits` : t`No skills yet`}>
            {text
              ? t`Try other words.`
              : t`A skill is a text that says how to go about something, such as your release notes. Add one, and the agent reads it when it fits.`}
          </EmptyState>
        }
      >
        {(skills) => (
          <Rows label={t`Skills`} rows={skills} keyOf={({ source, name }) => `${source} ${name}`} onOpen={setOpened}>
            {(skill) => <SkillRow skill={skill} />}
          </Rows>
        )}
      </Listed>
      {opened && <SkillDrawer skill={opened} onClose={() => setOpened(undefined)} />}
      {adding && <AddSkill onClose={() => setAdding(false)} />}
    </Page>
  );
}

function SkillRow({ skill }: { readonly skill: ListedSkill }) {
  return (
    <>
      <span className="min-w-0 flex-1 basis-full sm:basis-60">
        <span className="block truncate font-medium">{skill.name}</span>
        <span className="line-clamp-2 break-words text-meta text-soft">{skill.description}</span>
      </span>
      {skill.hidden && <StatusMark mark="idle" words={t`not used`} />}
      <span className="text-meta text-soft">{sources()[skill.source]}</span>
    </>
  );
}
