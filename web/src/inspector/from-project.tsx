import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { TurnInspection } from '@reborn-agent/client/api';
import { Link } from '@tanstack/react-router';
import { Section } from '../parts/section.tsx';

/** What the project of the thread adds to the prompt. */
export function FromProject({ project }: { readonly project: NonNullable<TurnInspection['project']> }) {
  return (
    <Section
      title={t`From the project ${project.name}`}
      beside={
        <Link to="/projects/$projectId" params={{ projectId: project.id }} className="text-meta link">
          <Trans>Open the project</Trans>
        </Link>
      }
    >
      {project.by_others && (
        <p className="text-meta text-soft">
          <Trans>Another person wrote the instructions. They count as text by others.</Trans>
        </p>
      )}
      {project.text === '' ? (
        <p className="text-soft">
          <Trans>It adds nothing: it has no instructions, files or notes.</Trans>
        </p>
      ) : (
        <p className="whitespace-pre-wrap break-words rounded bg-sunken p-3">{project.text}</p>
      )}
    </Section>
  );
}
