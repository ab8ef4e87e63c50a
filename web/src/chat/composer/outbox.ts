import { type Attachment, gateway, type NewMessage } from '../../client/gateway.ts';
import { RequestFailed } from '../../client/request.ts';
import type { Accepted } from '../../client/shapes.ts';

export type Letter = {
  readonly message: string;
  readonly attachments: readonly Attachment[];
  readonly threadId?: string;
};

const PAUSE_MS = 1000;

/**
 * Sends until the service has taken it. Every try has the same key, so a message whose answer was lost is not taken
 * twice; a refusal is final.
 */
export async function sendLetter(letter: Letter, pause: (ms: number) => Promise<void> = sleep): Promise<Accepted> {
  const key = crypto.randomUUID();
  const body: NewMessage = {
    message: letter.message,
    ...(letter.threadId !== undefined && { thread_id: letter.threadId }),
    ...(letter.attachments.length > 0 && { attachments: letter.attachments }),
  };
  for (;;) {
    try {
      return await gateway.send(body, key);
    } catch (error) {
      if (!(error instanceof RequestFailed) || (error.status !== 0 && error.status !== 503)) throw error;
      await pause(PAUSE_MS);
    }
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
