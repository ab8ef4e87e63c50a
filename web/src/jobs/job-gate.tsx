import type { GateAnswer, GateList, OpenGate } from '@reborn-agent/client/api';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { GateCard } from '../chat/gates/gate-card.tsx';
import { client } from '../client/client.ts';
import { Problem } from '../parts/problem.tsx';

/** What a job waits for, answered by an operator: a webhook user can't open this app. */
export function JobGate({ threadId, onAnswered }: { readonly threadId: string; readonly onAnswered: () => void }) {
  const queries = useQueryClient();
  const { data: gate, error } = useQuery({ queryKey: ['gates', threadId], queryFn: () => findGate(threadId) });
  const answer = useMutation({
    mutationFn: ({ id, given }: { id: string; given: GateAnswer }) =>
      client.call('POST /api/gates/{id}', { params: { id }, body: given }),
    onSuccess: async () => {
      queries.removeQueries({ queryKey: ['gates'] });
      await queries.invalidateQueries({ queryKey: ['jobs'] });
      onAnswered();
    },
  });
  const problem = error ?? answer.error;
  return (
    <div className="mt-5">
      {problem && <Problem error={problem} />}
      {gate && (
        <GateCard gate={gate} onAnswer={(given) => answer.mutateAsync({ id: gate.id, given }).then(ignore, ignore)} />
      )}
    </div>
  );
}

/** `answer.error` has what went wrong. */
const ignore = () => {};

/** Null if it was answered in the meantime. */
async function findGate(threadId: string): Promise<OpenGate | null> {
  for (let cursor: string | undefined; ; ) {
    const page: GateList = await client.call('GET /api/gates', {
      query: { limit: 100, cursor },
    });
    const found = page.gates.find((gate) => gate.thread_id === threadId);
    if (found || page.next_cursor === null) return found ?? null;
    cursor = page.next_cursor;
  }
}
