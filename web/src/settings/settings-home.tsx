import { t } from '@lingui/core/macro';
import { Navigate } from '@tanstack/react-router';
import { SettingsIndex } from '../app/settings-index.tsx';
import { Page } from '../parts/page.tsx';

/** On a phone the index is a page; elsewhere it is beside the first one. */
export function SettingsHome() {
  if (matchMedia('(width >= 800px)').matches) return <Navigate to="/settings/general" replace />;
  return (
    <Page title={t`Settings`}>
      <div className="-mx-2">
        <SettingsIndex />
      </div>
    </Page>
  );
}
