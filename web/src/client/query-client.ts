import { ApiError } from '@reborn-agent/client';
import { QueryClient } from '@tanstack/react-query';

/** Repeats a query only where another try can succeed. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (count, error) => isServerSide(error) && count < 2,
        retryDelay: (count) => 500 * 2 ** count,
        // By then the page shows the error, and says that it tries again.
        refetchInterval: ({ state }) => (isServerSide(state.error) ? 5000 : false),
      },
    },
  });
}

function isServerSide(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status >= 500);
}
