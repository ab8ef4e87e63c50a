import type { freshHome } from './fresh-home.ts';

/** Changes accounts behind the back of the service. Row-level security hides them from other queries of tests. */
export async function changeIdentities(
  home: Pick<Awaited<ReturnType<typeof freshHome>>, 'query'>,
  statement: string,
): Promise<void> {
  await home.query(`begin; set local app.identities = 'on'; ${statement}; commit`);
}
