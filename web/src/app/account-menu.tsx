import { t } from '@lingui/core/macro';
import { useNavigate } from '@tanstack/react-router';
import { use } from 'react';
import { client } from '../client/client.ts';
import { download } from '../client/files.ts';
import { sessionKey } from '../client/session-key.ts';
import { IconButton } from '../parts/button.tsx';
import { Menu } from '../parts/menu.tsx';
import { chooseTheme, useThemeChoice } from '../theme/theme.ts';
import { useServices } from './services.ts';
import { SidebarContext } from './sidebar-toggle.tsx';

/** How it looks, and the way out. */
export function AccountMenu() {
  const { me } = useServices();
  const navigate = useNavigate();
  const { openShortcuts } = use(SidebarContext);
  const choice = useThemeChoice();
  const signOut = () =>
    void client.call('POST /logout').then(() => {
      sessionKey.drop();
      location.assign('/');
    });
  return (
    <Menu
      trigger={<IconButton icon="more" label={t`Theme and account of ${me.name}`} />}
      entries={[
        { words: t`Light`, icon: 'sun', chosen: choice === 'light', onChoose: () => chooseTheme('light') },
        { words: t`Dark`, icon: 'moon', chosen: choice === 'dark', onChoose: () => chooseTheme('dark') },
        { words: t`System`, icon: 'model', chosen: choice === 'system', onChoose: () => chooseTheme('system') },
        { words: t`Settings`, icon: 'edit', onChoose: () => void navigate({ to: '/settings' }) },
        { words: t`Shortcuts (?)`, icon: 'inspect', onChoose: openShortcuts },
        { words: t`API reference`, icon: 'log', onChoose: () => location.assign('/docs') },
        { words: t`Download my data`, icon: 'export', onChoose: () => void download('/api/me/export') },
        { words: t`Sign out`, icon: 'export', onChoose: signOut },
      ]}
    />
  );
}
