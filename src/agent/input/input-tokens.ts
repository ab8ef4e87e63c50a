import type { Principal } from '#domain/principal.ts';
import type { Item } from '#domain/thread/item.ts';
import { positionInput } from '#domain/thread/turn.ts';
import type { Engine } from '#engine/engine.ts';
import { estimateTokens } from '#models/estimate-tokens.ts';
import type { Database } from '#store/connection.ts';
import type { ToolRegistry } from '#tools/registry.ts';
import { recentItems } from '../prompt/history.ts';
import { scaleFrom } from '../prompt/history-tokens.ts';
import { buildPrompt } from '../prompt/prompt.ts';
import { readPromptSetting, type SettingParts } from '../prompt/prompt-setting.ts';
import { readThreadEnd, unstartedTurn } from '../prompt/thread-end.ts';
import { limitTools } from '../work/limit-tools.ts';
import { readWork } from '../work/read-work.ts';
import { chooseWork } from './choose-work.ts';
import { isAnswer, type TurnInput } from './start-turn.ts';

/** Estimates the tokens of the prompt that a turn with this input would begin with. It starts and stores nothing. */
export type CountInputTokens = (owner: Principal, input: TurnInput) => Promise<number>;

export function createInputTokens(
  parts: SettingParts & { readonly db: Database; readonly engine: Engine; readonly tools: ToolRegistry },
): CountInputTokens {
  const { db, engine, tools } = parts;
  return async (owner, input) => {
    const end = await readThreadEnd(db, engine, owner, input);
    const callerTools = input.tools ?? (isAnswer(input) ? end.catalog : []);
    const chosen = await chooseWork(db, owner, input);
    const turn = unstartedTurn(owner, end, { ...input.request, ...chosen, tools: callerTools });
    const work = await readWork(db, owner, turn.request, end.context.project);
    const own = limitTools(await tools.current(owner), { ...end.context, work });
    const offered = tools.defer(own, end.history, input.request);
    const setting = await readPromptSetting(parts, owner, { ...end.context, work }, offered);
    const { summary } = end.context;
    const recent = recentItems([...end.history, ...positionInput(turn, input.items)], summary, turn.seq);
    const estimate = (items: readonly Item[]) => estimateTokens(buildPrompt(turn, items, setting, summary));
    return Math.ceil(estimate(recent) * scaleFrom(recent, summary, estimate));
  };
}
