import { Trans } from '@lingui/react/macro';
import { Button } from './button.tsx';
import type { Pages } from './use-more-pages.ts';

/** Below a list that has more pages; nothing when it has none. */
export function ShowMore({ pages: { hasNextPage, isFetchingNextPage, fetchNextPage } }: { readonly pages: Pages }) {
  if (!hasNextPage) return null;
  return (
    <Button className="self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      <Trans>Show more</Trans>
    </Button>
  );
}
