import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';

export function FailedPage({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  return (
    <Page title={t`Something failed`} about={t`The rest of the app still works.`}>
      <Problem error={error} onRetry={reset} />
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
