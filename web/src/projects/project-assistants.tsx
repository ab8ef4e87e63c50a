import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { FullProject } from '@reborn-agent/client/api';
import { Link } from '@tanstack/react-router';
import { useAssistants } from '../assistants/use-assistants.ts';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Listing } from '../parts/listing.tsx';
import { Problem } from '../parts/problem.tsx';
import { useChangeProject } from '../threads/use-projects.ts';

type Row = { readonly name: string | null; readonly description: string; readonly model: string | null };

/** Who can answer in the project, and who does in its new threads. */
export function ProjectAssistants({ project: { id, assistant } }: { readonly project: FullProject }) {
  const change = useChangeProject(id);
  const rows: readonly Row[] = [{ name: null, description: t`Without an assistant.`, model: null }, ...useAssistants()];
  return (
    <div className="flex flex-col gap-3">
      <p className="text-soft">
        <Trans>The default answers in new threads of the project. The choice is yours alone.</Trans>
      </p>
      <Listing label={t`Assistants`} rows={rows} keyOf={({ name }) => name ?? ''}>
        {({ name, description, model }) => (
          <>
            <Icon name={name === null ? 'chat' : 'users'} />
            <span className="min-w-0 flex-1 basis-24">
              <span className="block truncate font-medium">{name ?? t`Usual agent`}</span>
              <span className="line-clamp-2 break-words text-meta text-soft">{description}</span>
            </span>
            {model !== null && <span className="text-meta text-soft">{model}</span>}
            {name === assistant ? (
              <span className="badge">
                <Trans>Default</Trans>
              </span>
            ) : (
              <Button look="quiet" disabled={change.isPending} onClick={() => change.mutate({ assistant: name })}>
                <Trans>Make it the default</Trans>
              </Button>
            )}
          </>
        )}
      </Listing>
      {change.error && <Problem error={change.error} />}
      <Link to="/assistants" className="self-start text-meta text-soft hover:text-ink">
        <Trans>Manage assistants</Trans>
      </Link>
    </div>
  );
}
