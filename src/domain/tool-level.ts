/** Whether a call may be made: at once, once somebody has approved it, or not at all. */
export type ToolLevel = (typeof TOOL_LEVELS)[number];

export const TOOL_LEVELS = ['allow', 'ask', 'never'] as const;
