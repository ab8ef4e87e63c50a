/** How a tool is described to the model. */
export type ToolDefinition = {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of the arguments; null when the caller gave none. */
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly strict: boolean | null;
};

/** One call of a tool, as the model wrote it. */
export type ToolCall = {
  readonly callId: string;
  readonly name: string;
  /** JSON text, exactly as the model wrote it. */
  readonly arguments: string;
};

/** Whether a call can run: at once, after an approval, or never. */
export type ToolLevel = (typeof TOOL_LEVELS)[number];

export const TOOL_LEVELS = ['allow', 'ask', 'never'] as const;
