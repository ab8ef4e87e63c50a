import { t } from '@lingui/core/macro';
import { Link } from '@tanstack/react-router';

const TABS = ['instructions', 'files', 'notes', 'assistants', 'members', 'settings'] as const;

/** What is shown instead of the threads. */
export type ProjectTab = (typeof TABS)[number];

export const isProjectTab = (given: string | undefined): given is ProjectTab => TABS.some((tab) => tab === given);

/** The parts of a project. */
export function ProjectTabs({ id }: { readonly id: string }) {
  const active = { activeOptions: { exact: true }, activeProps: { 'aria-current': 'page' } } as const;
  return (
    <nav aria-label={t`Project`} className="segments min-w-0">
      <Link to="/projects/$projectId" params={{ projectId: id }} {...active}>{t`Threads`}</Link>
      {TABS.map((tab) => (
        <Link key={tab} to="/projects/$projectId/$tab" params={{ projectId: id, tab }} {...active}>
          {words()[tab]}
        </Link>
      ))}
    </nav>
  );
}

const words = (): Readonly<Record<ProjectTab, string>> => ({
  instructions: t`Instructions`,
  files: t`Files`,
  notes: t`Notes`,
  assistants: t`Assistants`,
  members: t`Members`,
  settings: t`Settings`,
});
