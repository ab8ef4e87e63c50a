import { t } from '@lingui/core/macro';
import { Link } from '@tanstack/react-router';

/** The three pages of what the agent can use. */
export function ConnectorTabs() {
  return (
    <nav aria-label={t`What the agent can use`} className="segments self-start">
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
    { to: '/connectors', words: t`Connectors` },
    { to: '/connectors/tools', words: t`Tools` },
    { to: '/connectors/skills', words: t`Skills` },
  ] as const;
