import { Link } from '@tanstack/react-router';
import { Page } from '../parts/page.tsx';
import { Problem } from '../parts/problem.tsx';

export function FailedPage({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  return (
    <Page title="Something failed" about="The rest of the app still works.">
      <Problem error={error} onRetry={reset} />
    </Page>
  );
}

export function MissingPage() {
  return (
    <Page title="No such page" about="The address may be mistyped, or what it showed was deleted.">
      <Link to="/" className="text-ember underline">
        Go to the chat
      </Link>
    </Page>
  );
}
