import type { LimitRequestList } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { useServices } from './services.ts';

const REFRESH_MS = 60_000;

/** Who asks for a higher limit. Only operators can answer. */
export function useLimitRequests(): LimitRequestList['requests'] {
  const { me } = useServices();
  const { data } = useQuery({
    queryKey: ['limit-requests'],
    queryFn: () => client.call('GET /api/limits/requests'),
    refetchInterval: REFRESH_MS,
    enabled: me.role === 'operator',
  });
  return data?.requests ?? NONE;
}

const NONE: LimitRequestList['requests'] = [];
