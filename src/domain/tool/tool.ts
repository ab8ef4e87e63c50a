/** How a tool is described to the model. */
export type ToolDefinition = {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of the arguments; null when the caller gave none. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly strict: boolean | null;
};

/** One use of a tool, as the model asked for it. */
export type ToolCall = {
  readonly callId: string;
  readonly name: string;
  /** JSON text, exactly as the model wrote it. */
  readonly arguments: string;
};

/** Whether a call may be made: at once, once somebody has approved it, or not at all. */
export type ToolLevel = (typeof TOOL_LEVELS)[number];

export const TOOL_LEVELS = ['allow', 'ask', 'never'] as const;
