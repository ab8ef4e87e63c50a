import { z } from 'zod';
import { budgetIn, RESEARCH_BUDGET } from '#domain/search/web-use.ts';
import { RESEARCH } from '#domain/tool/reserved-names.ts';
import type { Tool, ToolFlow } from '../tool.ts';
import { parseArguments } from './parse-arguments.ts';
import { shortSchemaOf } from './short-schema.ts';

const parameters = z.strictObject({
  questions: z
    .array(z.string().trim().min(1).max(300))
    .min(1)
    .max(7)
    .describe('The plan: three to seven questions whose answers make up the report.'),
  searches: z.int().min(1).max(RESEARCH_BUDGET.searches).describe('How many searches are needed at most.').optional(),
  pages: z.int().min(1).max(RESEARCH_BUDGET.pages).describe('How many pages are needed at most.').optional(),
});

/** Its output is the service's own words. */
const FLOW: ToolFlow = { reads: {}, runs: 'always' };

/**
 * `reborn_research`: asks the person once for the openings of a whole research. The call itself does nothing: `readWebUse` finds it
 * among the calls of the run that have started, and it starts only with an approval.
 */
export function researchTool(isOffered: () => Promise<boolean>): Tool {
  return {
    definition: {
      name: RESEARCH,
      description:
        'Asks the user once to approve a plan of research with its budget of searches and pages. Read the skill `research` first. Call it before the first search, alone.',
      parameters: shortSchemaOf(parameters),
      strict: null,
    },
    repeatable: true,
    level: 'ask',
    flow: FLOW,
    flowOfCall: (argumentsJson) => ({ ...FLOW, grants: budgetIn(argumentsJson) }),
    isOffered,
    async call(argumentsJson) {
      const given = parseArguments(parameters, argumentsJson);
      if ('error' in given) return JSON.stringify(given);
      const { searches, pages } = budgetIn(argumentsJson);
      return `The user has approved the plan: ${searches} searches and ${pages} pages for this message. Results of searches are opened without a question within it, unless private data was read. Links on pages ask once for their site.`;
    },
  };
}
