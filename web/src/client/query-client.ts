import { QueryClient } from '@tanstack/react-query';
import { RequestFailed } from './request.ts';

/** Asks again only where asking again can help. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (count, error) => isPassing(error) && count < 5,
        retryDelay: (count) => Math.min(500 * 2 ** count, 5000),
      },
    },
  });
}

function isPassing(error: unknown): boolean {
  return error instanceof RequestFailed && (error.status === 0 || error.status >= 500);
}
