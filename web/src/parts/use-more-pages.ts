import { useEffect } from 'react';

export type Pages = {
  readonly data: { readonly pages: readonly unknown[] } | undefined;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
};

/** Pages up to here load automatically; further pages load on request. */
const MOST_PAGES = 20;

/** Reads on while something is searched for: a filter that leaves out what is on a later page would lie. */
export function useMorePages(
  searching: boolean,
  { data, hasNextPage, isFetchingNextPage, fetchNextPage }: Pages,
): void {
  const wanted = searching && hasNextPage && !isFetchingNextPage && (data?.pages.length ?? 0) < MOST_PAGES;
  useEffect(() => {
    if (wanted) void fetchNextPage();
  }, [wanted, fetchNextPage]);
}
