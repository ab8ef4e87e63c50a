import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { Icon } from '../parts/icon.tsx';
import { PlaceList } from './place-list.tsx';
import { ownSettings, serviceSettings } from './places.ts';
import { useServices } from './services.ts';

/** All pages of the settings, in the place of the threads or, on a phone, as a page. */
export function SettingsIndex() {
  const { me } = useServices();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
      <Group label={t`You`}>
        <PlaceList shown={ownSettings(me)} />
      </Group>
      {me.role === 'operator' && (
        <Group label={t`This service`}>
          <PlaceList shown={serviceSettings()} />
        </Group>
      )}
    </div>
  );
}

function Group({ label, children }: { readonly label: string; readonly children: React.ReactNode }) {
  return (
    <section aria-label={label} className="pb-3">
      <h2 className="flex min-h-7 items-center px-2 text-label text-soft">{label}</h2>
      {children}
    </section>
  );
}

/** Leads out of the settings, to where the person was before. */
export function LeaveSettings({ to }: { readonly to: string }) {
  return (
    <Link
      to={to}
      aria-label={t`Leave the settings`}
      className="flex min-h-target items-center gap-2 rounded px-2 text-soft hover:bg-hover hover:text-ink"
    >
      <Icon name="back" />
      <Trans>Settings</Trans>
    </Link>
  );
}
