/** What the terminal reads of the gateway's answers; see its OpenAPI document for all of it. */
export type WireUsage = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cost_usd: string | null;
};

export type WirePart = { readonly type: string; readonly text?: string; readonly filename?: string | null };

export type WireItem = {
  readonly id: string;
  readonly turn_id?: string;
  readonly usage?: WireUsage | null;
  readonly created_at?: string;
} & (
  | {
      readonly type: 'message';
      readonly role: 'user' | 'assistant' | 'system' | 'developer';
      readonly content: readonly WirePart[];
      readonly status: 'completed' | 'incomplete';
    }
  | {
      readonly type: 'function_call';
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
      readonly started_at?: string | null;
      readonly ended_at?: string | null;
    }
  | { readonly type: 'function_call_output'; readonly call_id: string; readonly output: readonly WirePart[] }
);

export type WireFailure = { readonly code: string; readonly message: string };

export type WireTurnEvent =
  | { readonly type: 'turn-started'; readonly items: readonly WireItem[] }
  | { readonly type: 'item-added'; readonly item: WireItem }
  | { readonly type: 'text-delta'; readonly item_id: string; readonly delta: string }
  | { readonly type: 'item-done'; readonly item: WireItem; readonly written: boolean }
  | { readonly type: 'model-failed'; readonly model: string; readonly message: string; readonly next: string }
  | {
      readonly type: 'turn-ended';
      readonly status: string;
      readonly failure: WireFailure | null;
      readonly usage: WireUsage;
    };

export type WireGate = {
  readonly id: string;
  readonly thread_id: string;
  /** Who asked; told by the list only. */
  readonly user_id?: string;
  /** What `always` would cover; told by the list only. */
  readonly always?: readonly string[];
  readonly kind: 'external-tool' | 'approval' | 'auth' | 'pairing';
  readonly call: { readonly call_id: string; readonly name: string; readonly arguments: string };
};

export type WireThread = {
  readonly id: string;
  readonly title: string;
  readonly status: 'idle' | 'running' | 'waiting';
  readonly usage: WireUsage;
  readonly updated_at: string;
};

export type NumberedTurnEvent = {
  readonly thread_id: string;
  readonly turn_id: string;
  readonly sequence: number;
  readonly event: WireTurnEvent;
};

export type ServerMessage =
  | ({ readonly type: 'turn-event' } & NumberedTurnEvent)
  | { readonly type: 'gate'; readonly gate: WireGate }
  | { readonly type: 'thread'; readonly thread_id: string; readonly thread: WireThread | null }
  | { readonly type: 'resubscribe'; readonly thread_id: string }
  | { readonly type: 'error'; readonly error: { readonly message: string } }
  | { readonly type: 'accepted' | 'pong' | 'job' };

export type WireAccepted = { readonly thread_id: string; readonly turn_id: string; readonly response_id: string };

export type GateAnswer = {
  readonly answer: 'approve' | 'always' | 'deny';
  /** Why it was denied, for the model. */
  readonly reason?: string;
  /** Answers a pairing: whose secrets the webhook user may use. */
  readonly user_id?: string;
};

export const textOf = (parts: readonly WirePart[]): string =>
  parts.map((part) => part.text ?? `[${part.filename ?? part.type}]`).join('');
