/** The first turns of threads that this page has begun, by thread: one can end before the thread's page sees it run. */
const begun = new Map<string, string>();

type Accepted = { readonly thread_id: string; readonly turn_id: string };

export const noteBegun = ({ thread_id: threadId, turn_id: turnId }: Accepted) => begun.set(threadId, turnId);

export const begunTurn = (threadId: string): string | undefined => begun.get(threadId);

export const forgetBegun = (threadId: string) => begun.delete(threadId);
