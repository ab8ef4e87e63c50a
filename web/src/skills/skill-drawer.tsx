import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { Skill } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useServices } from '../app/services.ts';
import { client } from '../client/client.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { Problem } from '../parts/problem.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { AddSkill } from './add-skill.tsx';
import { type ListedSkill, sources } from './skill-sources.ts';

const Markdown = lazyPart(() => import('../chat/markdown/markdown.tsx').then((module) => module.Markdown));

/** A whole skill, as the agent reads it. */
export function SkillDrawer({ skill, onClose }: { readonly skill: ListedSkill; readonly onClose: () => void }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['skill', skill.source, skill.name],
    queryFn: () =>
      client.call('GET /api/skills/{name}', { params: { name: skill.name }, query: { source: skill.source } }),
    gcTime: 0,
  });
  return (
    <Dialog title={skill.name} place="side" onClose={onClose}>
      <div className="flex flex-col gap-7">
        <div>
          <p>{skill.description}</p>
          <p className="text-meta text-soft">
            {sources()[skill.source]}
            {skill.hidden && <>; {t`not used, because a nearer skill has the same name`}</>}
          </p>
        </div>
        {error && <Problem error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton label={t`Loading the skill`} rows={8} />}
        {data?.files.map((file) => (
          <SkillFile key={file.path} file={file} />
        ))}
        {data && <Changes skill={data} onDone={onClose} />}
      </div>
    </Dialog>
  );
}

/** The first is shown at once; the others unfold. */
function SkillFile({ file }: { readonly file: Skill['files'][number] }) {
  return (
    <details open={file.path === 'SKILL.md'} className="group min-w-0">
      <summary className="mb-2 flex w-fit items-center gap-2 break-all font-mono text-meta text-soft hover:text-ink">
        <Icon name="right" className="transition-transform group-open:rotate-90" />
        {file.path}
      </summary>
      {file.path.endsWith('.md') ? (
        <Suspense fallback={<Skeleton label={t`Loading the text`} />}>
          <Markdown text={withoutHead(file.text)} streaming={false} />
        </Suspense>
      ) : (
        <pre className="overflow-x-auto rounded-lg border border-line bg-sunken p-3 font-mono text-meta" tabIndex={0}>
          {file.text}
        </pre>
      )}
    </details>
  );
}

/** Its name and description stand above already. */
const withoutHead = (text: string) => text.replace(/^\ufeff?---\s*?\n[^]*?\n---[^\S\n]*(?:\n|$)/, '');

function Changes({ skill, onDone }: { readonly skill: Skill; readonly onDone: () => void }) {
  const { me } = useServices();
  const queries = useQueryClient();
  const [doing, setDoing] = useState<'edit' | 'remove'>();
  const { source } = skill;
  const remove = useMutation({
    mutationFn: () =>
      client.call('DELETE /api/skills/{name}', {
        params: { name: skill.name },
        query: { for: source === 'everyone' ? 'everyone' : 'me' },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['skills'] });
      onDone();
    },
  });
  if (source === 'folder')
    return (
      <p className="text-meta text-soft">
        <Trans>This skill is in the service's skills folder. Change it there.</Trans>
      </p>
    );
  if (source === 'everyone' && me.role !== 'operator') return null;
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-4">
      {remove.error && <Problem error={remove.error} />}
      <div className="flex flex-wrap justify-between gap-2">
        <Button icon="edit" onClick={() => setDoing('edit')}>
          <Trans>Edit</Trans>
        </Button>
        <Button look="danger" icon="trash" onClick={() => setDoing('remove')}>
          <Trans>Remove the skill</Trans>
        </Button>
      </div>
      {doing === 'edit' && <AddSkill edited={skill} onClose={() => setDoing(undefined)} />}
      {doing === 'remove' && (
        <Confirm
          title={t`Remove ${skill.name}?`}
          action={t`Remove`}
          onConfirm={() => remove.mutate()}
          onClose={() => setDoing(undefined)}
        >
          <Trans>The agent will not read it any more. This cannot be undone.</Trans>
        </Confirm>
      )}
    </div>
  );
}
