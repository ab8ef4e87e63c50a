import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { Alert } from '../parts/alert.tsx';
import { Page } from '../parts/page.tsx';

/** For an error of the page itself. It must be there when nothing more can be loaded. */
export function FailedPage({ reset }: { readonly reset: () => void }) {
  return (
    <Page title={t`Something failed`} about={t`The rest of the app still works.`}>
      <Alert onRetry={reset}>
        <Trans>This part of the page failed. Reload it; if that does not help, look into the log of the service.</Trans>
      </Alert>
    </Page>
  );
}

export function MissingPage() {
  return (
    <Page title={t`No such page`} about={t`The address may be mistyped, or what it showed was deleted.`}>
      <Link to="/" className="link">
        <Trans>Go to the chat</Trans>
      </Link>
    </Page>
  );
}
