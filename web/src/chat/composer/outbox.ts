import { ApiError } from '@reborn-agent/client';
import type { ChatAccepted, ChatRequest } from '@reborn-agent/client/api';
import { client } from '../../client/client.ts';
import type { Attachment } from './attachments.ts';

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
export async function sendLetter(letter: Letter, pause: (ms: number) => Promise<void> = sleep): Promise<ChatAccepted> {
  const key = crypto.randomUUID();
  const body: ChatRequest = {
    message: letter.message,
    ...(letter.threadId !== undefined && { thread_id: letter.threadId }),
    ...(letter.attachments.length > 0 && { attachments: letter.attachments }),
  };
  for (;;) {
    try {
      return await client.call('POST /api/chat/send', { body, idempotencyKey: key });
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 0 && error.status !== 503)) throw error;
      await pause(PAUSE_MS);
    }
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
