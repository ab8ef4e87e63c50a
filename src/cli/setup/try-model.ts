import { text } from '#domain/thread/item.ts';
import { ModelCallAborted } from '#models/model.ts';
import type { ModelRoute } from '#models/model-route.ts';

const PATIENCE_MS = 30_000;

/** A real, small call; what the model said, or the reason why it didn't, as a sentence. */
export async function tryModel(route: ModelRoute): Promise<{ said: string } | { failure: string }> {
  const prompt = {
    system: 'This is a test of the connection.',
    messages: [{ role: 'user' as const, content: [text('Answer with the one word: ready')] }],
    tools: [],
    temperature: null,
  };
  try {
    const { createModel } = await import('#models/provider/create-model.ts');
    const { text: said } = await createModel(route).ask(prompt, () => {}, AbortSignal.timeout(PATIENCE_MS));
    return { said };
  } catch (error) {
    if (error instanceof ModelCallAborted)
      return { failure: `The model did not answer within ${PATIENCE_MS / 1000} s.` };
    return { failure: explain(error, route) };
  }
}

/** Turns keep the address from callers; the operator needs it, and the reason. */
function explain(error: unknown, { baseUrl }: ModelRoute): string {
  if (!(error instanceof Error)) return String(error);
  const code = innermostCode(error);
  if (code === undefined) return error.message;
  const address = baseUrl === undefined ? '' : ` The address is ${baseUrl}.`;
  return `${error.message} The reason is ${code}.${address}`;
}

/** Such as ECONNREFUSED, from the error that caused all others. */
function innermostCode(error: Error): string | undefined {
  const within = error.cause instanceof Error ? innermostCode(error.cause) : undefined;
  return within ?? ('code' in error && /^E[A-Z_]+$/.test(String(error.code)) ? String(error.code) : undefined);
}
