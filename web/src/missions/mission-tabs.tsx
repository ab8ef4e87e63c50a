import { t } from '@lingui/core/macro';
import { Link } from '@tanstack/react-router';

/** What missions have found, and the missions themselves. */
export function MissionTabs() {
  return (
    <nav aria-label={t`Missions`} className="segments self-start">
      {tabs().map(({ to, words }) => (
        <Link key={to} to={to} activeOptions={{ exact: true }} activeProps={{ 'aria-current': 'page' }}>
          {words}
        </Link>
      ))}
    </nav>
  );
}

const tabs = () =>
  [
    { to: '/missions', words: t`Results` },
    { to: '/missions/all', words: t`Missions` },
  ] as const;
