import { NO_USAGE } from '#domain/usage.ts';
import type { Tool } from '../../tool.ts';

/** Shortly before the limit, pages are requested one by one: those that were requested ahead are not counted yet. */
const SPARE_PAGES = 8;

/** Counts the pages that are opened, and refuses more than a user may open in a day. `judgeAddress` asks long before that. */
export function limitPages(tool: Tool, most: number): Tool {
  return {
    ...tool,
    async prepare(argumentsJson, context) {
      const use = await context.webUse?.();
      if ((use?.today.pages ?? 0) + SPARE_PAGES <= most) await tool.prepare?.(argumentsJson, context);
    },
    async call(argumentsJson, context) {
      if (tool.source?.(argumentsJson) === undefined) return tool.call(argumentsJson, context); // it reads what is stored
      const startedAt = performance.now();
      if (((await context.webUse?.())?.today.pages ?? 0) >= most) {
        context.onReads?.({});
        return JSON.stringify({
          error: `Not opened: ${most} pages were opened for the user today, which is the limit. Answer with what you have, and say so.`,
        });
      }
      const output = await tool.call(argumentsJson, context);
      const milliseconds = performance.now() - startedAt;
      context.onCost?.({ provider: 'web', model: 'page', usage: NO_USAGE, milliseconds, failed: false });
      return output;
    },
  };
}
