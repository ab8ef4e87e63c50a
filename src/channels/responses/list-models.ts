import { PLACEHOLDER_MODEL } from './render-response.ts';
import type { WireModels } from './wire-list.ts';

/** What client libraries list: the default under the service's own name, and every named route. */
export function listModels(routes: readonly string[]): WireModels {
  const data = [PLACEHOLDER_MODEL, ...routes.filter((name) => name !== PLACEHOLDER_MODEL)].map((id) => ({
    id,
    object: 'model' as const,
    created: 0,
    owned_by: 'reborn',
  }));
  return { object: 'list', data };
}
