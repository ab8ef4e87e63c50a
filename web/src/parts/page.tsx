import { t } from '@lingui/core/macro';
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SidebarToggle } from '../app/sidebar-toggle.tsx';
import { Icon } from './icon.tsx';
import { useTitle } from './use-title.ts';

/** A page beside the chat: a title, what can be done, and a column that scrolls. */
export function Page({
  title,
  about,
  actions,
  children,
}: {
  readonly title: string;
  readonly about?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  useTitle(title);
  const isInSettings = useLocation({ select: ({ pathname }) => /^\/settings(\/|$)/.test(pathname) });
  return (
    // Positioned, so that hidden texts inside of it don't make the document longer than the screen.
    <main className="relative h-full min-w-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex max-w-page flex-col gap-7 p-4 pb-8 md:px-10 md:pt-10 md:pb-14">
        <header className="flex flex-wrap items-end gap-x-4 gap-y-3">
          <div className="min-w-0 flex-1 basis-64">
            <div className="flex items-center gap-2 max-md:-ms-2">
              {isInSettings && <BackFromSettings />}
              <div className={isInSettings ? 'max-md:hidden md:contents' : 'contents'}>
                <SidebarToggle />
              </div>
              <h1 className="min-w-0 break-words text-title">{title}</h1>
            </div>
            {about && <p className="mt-1 max-w-[62ch] text-soft">{about}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2 max-md:w-full">{actions}</div>}
        </header>
        {children}
      </div>
    </main>
  );
}

/** On a phone, the index of the settings is a page, and the way out of them. */
function BackFromSettings() {
  const isIndex = useLocation({ select: ({ pathname }) => pathname === '/settings' });
  return (
    <Link
      to={isIndex ? '/' : '/settings'}
      aria-label={isIndex ? t`Leave the settings` : t`All settings`}
      className="grid size-target place-items-center rounded text-soft hover:bg-hover hover:text-ink md:hidden"
    >
      <Icon name="back" />
    </Link>
  );
}
