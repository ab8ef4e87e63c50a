import { z } from 'zod';
import { NotFound } from '#domain/errors.ts';
import { PLACEHOLDER_MODEL } from './response-object.ts';

export const modelObject = z
  .strictObject({
    id: z.string().min(1),
    object: z.literal('model'),
    created: z.int().min(0),
    owned_by: z.string().min(1),
  })
  .meta({ id: 'Model' });

/** The models that a request can name. */
export const modelList = z
  .strictObject({ object: z.literal('list'), data: z.array(modelObject) })
  .meta({ id: 'Models' });

type ModelList = z.infer<typeof modelList>;

export function findModel(routes: readonly string[], id: string): ModelList['data'][number] {
  const found = listModels(routes).data.find((model) => model.id === id);
  if (!found) throw new NotFound('This model does not exist. GET /models lists all models.');
  return found;
}

/** The default model has the name of the service. */
export function listModels(routes: readonly string[]): ModelList {
  const data = [PLACEHOLDER_MODEL, ...routes.filter((name) => name !== PLACEHOLDER_MODEL)].map((id) => ({
    id,
    object: 'model' as const,
    created: 0,
    owned_by: 'reborn',
  }));
  return { object: 'list', data };
}
