import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useNavigate } from '@tanstack/react-router';
import { use } from 'react';
import { client } from '../client/client.ts';
import { sessionKey } from '../client/session-key.ts';
import { Icon } from '../parts/icon.tsx';
import { Menu } from '../parts/menu.tsx';
import { chooseTheme, useThemeChoice } from '../theme/theme.ts';
import { ConnectionDot } from './connection-dot.tsx';
import { useServices } from './services.ts';
import { SidebarContext } from './sidebar-toggle.tsx';

/** Who is signed in, how the connection is, and the way to the settings and out. */
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
    <div className="relative shrink-0 border-t border-line p-2">
      <Menu
        trigger={
          <button
            type="button"
            className="flex min-h-10 w-full items-center gap-3 rounded p-1 text-start hover:bg-hover data-popup-open:bg-hover"
          >
            <span
              aria-hidden="true"
              className="grid size-7 shrink-0 place-items-center rounded-full bg-hover text-label font-semibold"
            >
              {me.name[0]?.toUpperCase()}
            </span>
            <span className="mb-5 min-w-0 flex-1 truncate font-medium">
              {me.name}
              <span className="sr-only">
                , <Trans>account and settings</Trans>
              </span>
            </span>
            <Icon name="more" className="text-soft" />
          </button>
        }
        entries={[
          { words: t`Settings`, icon: 'filter', onChoose: () => void navigate({ to: '/settings' }) },
          { words: t`Light`, icon: 'sun', chosen: choice === 'light', onChoose: () => chooseTheme('light') },
          { words: t`Dark`, icon: 'moon', chosen: choice === 'dark', onChoose: () => chooseTheme('dark') },
          { words: t`System`, icon: 'model', chosen: choice === 'system', onChoose: () => chooseTheme('system') },
          { words: t`Shortcuts (?)`, icon: 'inspect', onChoose: openShortcuts },
          { words: t`Sign out`, icon: 'export', onChoose: signOut },
        ]}
      />
      <div className="pointer-events-none absolute bottom-3 start-13">
        <ConnectionDot />
      </div>
    </div>
  );
}
