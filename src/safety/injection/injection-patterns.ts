import { RESERVED_PREFIXES } from '#domain/tool/reserved-names.ts';
import { createOverrideSearch } from './override-search.ts';
import { OVERRIDES } from './override-words.ts';

export type InjectionPattern = {
  readonly name: string;
  /** Every gap is bounded and none is nested, so the search time is linear in the length of the text. */
  readonly pattern: Pick<RegExp, 'test'>;
  /** Matched against the text as written, in lower case; otherwise against its plain letters. */
  readonly asWritten?: true;
};

/** The gap between two words of one instruction; a new sentence ends it. */
const NEAR = '[^.!?]{0,40}?';

const MODEL = String.raw`(?:ai|llm|a\.i\.|language model|chat ?bot|gpt|claude|gemini)(?: (?:assistant|agent|model|system|tool)s?)?s?`;
const READER = String.raw`(?:${MODEL}|assistants?|agents?)`;
const PERSON = String.raw`(?:user|owner|operator|human|customer|admin|administrator|account holder)`;
const PRIVATE = String.raw`(?:api[ _-]?keys?|passwords?|passphrases?|secrets?|access tokens?|tokens?|credentials?|private keys?|system prompt|conversations?|chat history|chat log|message history|memory|memories|notes|environment variables)`;

const word = (name: string, source: string): InjectionPattern => ({
  name,
  pattern: new RegExp(String.raw`(?<![\p{L}\p{N}_])(?:${source})(?![\p{L}\p{N}_])`, 'u'),
});

const mark = (name: string, pattern: RegExp): InjectionPattern => ({ name, pattern, asWritten: true });

/** Phrases of texts that were written to make a model obey. */
export const INJECTION_PATTERNS: readonly InjectionPattern[] = [
  ...OVERRIDES.map((words) => ({ name: 'override', pattern: createOverrideSearch(words) })),
  // A new role without rules.
  word(
    'role',
    `you are (?:now|no longer)${NEAR}(?:unrestricted|unfiltered|jailbroken|dan|developer mode|root|a different|an? (?:ai|assistant|agent|model)|bound|restricted)`,
  ),
  word(
    'role',
    `(?:enter|enable|activate|switch to)${NEAR}(?:developer|debug|admin|god|maintenance|unrestricted|jailbreak) mode`,
  ),
  word(
    'role',
    String.raw`do anything now|from now on,? you (?:will|must|shall|are)|your new (?:role|task|goal|objective|instructions?|system prompt) (?:is|are)`,
  ),
  word(
    'new-orders',
    String.raw`new (?:system )?(?:instructions?|directives?|orders)(?: (?:from|for|follow|begin)|:)|(?:updated|revised|real|actual|true) (?:system )?(?:instructions?|prompt|directives?)(?: (?:is|are|follow)|:)`,
  ),
  word(
    'new-orders',
    `(?:important|urgent|critical|mandatory|system) (?:system )?(?:instruction|directive|override|notice to|message for)s?`,
  ),
  // It addresses an AI reader.
  word(
    'addressed',
    `(?:note|message|instructions?|attention|notice|reminder|hello|hey|dear|hi)[,:]? (?:to |for |all |any |the |every ){0,3}${READER}`,
  ),
  word('addressed', `(?:if|when|as|since|because) you(?: are|'re)? (?:reading this as )?(?:an? |the )?${MODEL}`),
  word(
    'addressed',
    `${READER} (?:reading|processing|parsing|summari[sz]ing|visiting|accessing|that reads?|who reads?|must|should now|shall|are (?:required|instructed|ordered) to)`,
  ),
  // Hiding something from the user.
  word(
    'secrecy',
    `(?:do not|don't|never|without) (?:tell|telling|inform|informing|mention|mentioning|notify|notifying|alert|alerting|ask|asking|show|showing|reveal|revealing|disclose|disclosing)${NEAR}${PERSON}`,
  ),
  word('secrecy', `(?:hide|conceal|keep) (?:this|it|these)${NEAR}from the ${PERSON}`),
  // A claim of consent.
  word(
    'approval',
    `${PERSON}s? (?:has|have|had)?${NEAR}(?:already |explicitly |pre-?)?(?:approved|authori[sz]ed|confirmed|consented|granted|agreed|signed off)`,
  ),
  word(
    'approval',
    String.raw`(?:approval|permission|authori[sz]ation|consent|confirmation)(?: (?:is|was|has been|status)){0,2}[: ]{1,2}(?:already )?(?:granted|given|approved|received|not (?:needed|required|necessary)|unnecessary|waived|bypassed)`,
  ),
  word(
    'approval',
    String.raw`no (?:further )?(?:approval|permission|confirmation|consent|authori[sz]ation)s? (?:is |are )?(?:needed|required|necessary)|pre-?approved|(?:skip|bypass|disable|ignore)${NEAR}(?:approvals?|confirmations?|safety checks?|safety|guard ?rails?|permissions?)`,
  ),
  // Data to send, and where to.
  word(
    'exfiltration',
    `(?:send|post|forward|upload|exfiltrate|leak|e-?mail|transmit|submit|append|deliver|copy|encode|include|embed|put|attach)${NEAR}${PRIVATE}${NEAR}(?:to|at|in|into|as|via|on)`,
  ),
  word(
    'exfiltration',
    `(?:reveal|print|repeat|show|output|disclose|dump|list|give me|tell me|write out)${NEAR}(?:your|the|all|any|every|user'?s?)${NEAR}(?:system prompt|hidden instructions|initial instructions|api[ _-]?keys?|passwords?|credentials?|secrets|access tokens?)`,
  ),
  // Foreign text has no reason to name a built-in tool.
  word('tool-name', `(?:${RESERVED_PREFIXES.join('|')})[a-z]{2,30}(?:_[a-z]{2,30})?`),
  word(
    'tool-order',
    `(?:call|use|invoke|run|trigger|execute)${NEAR}(?:tools?|function calls?)${NEAR}(?:to|with|now|immediately|and)`,
  ),
  // Markup from inside a prompt.
  mark(
    'prompt-marks',
    /<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id|begin_of_text)\b[^|\n]{0,20}\|>/,
  ),
  mark(
    'prompt-marks',
    /\[\/?inst\]|<<\/?sys>>|<\/?(?:system|assistant|user|human|function_calls?|function_results?|tool_calls?|tool_results?|tool_response|invoke)(?:[\s:_-][^<>\n]{0,60})?>/,
  ),
  mark(
    'prompt-marks',
    /(?:^|\\n|\\r)[\s#>*`_=-]{0,12}(?:system|assistant|developer|user|human|operator)(?: (?:message|prompt|instruction|note|override))?s?[\s*_`]{0,4}:[\s*_`]/m,
  ),
  mark(
    'prompt-marks',
    /(?:begin|end|start)[ _-](?:of[ _-])?(?:system|untrusted|trusted|user|admin)[ _-](?:prompt|message|instructions?|data|input|content)/,
  ),
  { name: 'prompt-marks', pattern: /[<\\/&;] {0,3}\/? ?untrusted[ _-]{0,3}data/ },
];
