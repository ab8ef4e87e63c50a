import type { OpenGate } from '@reborn-agent/client/api';
import { useQuery } from '@tanstack/react-query';
import { client } from '../client/client.ts';
import { useServices } from './services.ts';

const REFRESH_MS = 15_000;

/** The gates that wait for this person, newest first; undefined until they are known. */
export function useWaiting(): readonly OpenGate[] | undefined {
  const { me } = useServices();
  const { data } = useQuery({
    queryKey: ['gates'],
    queryFn: () => client.call('GET /api/gates', { query: { limit: 100 } }),
    refetchInterval: REFRESH_MS,
  });
  return data?.gates.filter((gate) => gate.user_id === me.user_id && gate.kind !== 'external-tool');
}
