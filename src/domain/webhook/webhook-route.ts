/** How the events of a sender that can't shape its body become messages. Its secret is kept elsewhere, encrypted. */
export type WebhookRoute = {
  readonly name: string;
  readonly verifier: VerifierKind;
  /** Where a shared secret is sent; null for the usual header. */
  readonly header: string | null;
  /** The webhook user in whose name the events are taken. */
  readonly webhookUser: string;
  /** A template over the event's JSON. */
  readonly message: string;
  /** A template for the conversation to continue; null begins a new one with each event. */
  readonly conversation: string | null;
  /** The name of the shared assistant that answers; null for the usual agent. */
  readonly assistant: string | null;
};

export const VERIFIER_KINDS = ['github', 'stripe', 'standard-webhooks', 'shared-secret'] as const;
export type VerifierKind = (typeof VERIFIER_KINDS)[number];
