import { QueryClient } from '@tanstack/react-query';
import { RequestFailed } from './request.ts';

/** Asks again only where asking again can help. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (count, error) => isPassing(error) && count < 2,
        retryDelay: (count) => 500 * 2 ** count,
        // By then the page says what is wrong, and that it tries again.
        refetchInterval: ({ state }) => (isPassing(state.error) ? 5000 : false),
      },
    },
  });
}

function isPassing(error: unknown): boolean {
  return error instanceof RequestFailed && (error.status === 0 || error.status >= 500);
}
