// Written by `npm run reference` from the route definitions of the service. Do not edit.

/** Unknown fields are ignored. */
export type CreateResponse = {
  /** A hint for routing, at most 256 bytes; no whitespace around it, no control characters. */
  readonly model: string;
  readonly input: string | readonly ({
    readonly type?: 'message' | null;
    readonly role: 'user' | 'assistant' | 'system' | 'developer';
    readonly content: string | readonly ({
      readonly type: 'input_text' | 'output_text' | 'text';
      readonly text: string;
    } | {
      readonly type: 'input_image';
      readonly image_url: string;
    } | {
      readonly type: 'input_file';
      readonly file_data: string;
      readonly filename?: unknown;
    })[];
  } | {
    readonly type: 'function_call';
    readonly call_id: string;
    readonly name: string;
    readonly arguments: string;
  } | {
    readonly type: 'function_call_output';
    readonly call_id: string;
    readonly output: string | readonly ({
      readonly type: 'input_text' | 'output_text' | 'text';
      readonly text: string;
    } | {
      readonly type: 'input_image';
      readonly image_url: string;
    } | {
      readonly type: 'input_file';
      readonly file_data: string;
      readonly filename?: unknown;
    })[];
  } | {
    readonly type: 'item_reference';
    readonly id: string;
  } | {
    readonly type: 'reasoning';
  })[];
  /** Continues the thread of that response. */
  readonly previous_response_id?: string | null;
  /** Answer with server-sent events. */
  readonly stream?: boolean | null;
  /** Answer at once, with status queued. */
  readonly background?: boolean | null;
  readonly temperature?: number | null;
  /** Stands ahead of the message, and stays in the thread with it. */
  readonly instructions?: string | null;
  /** What the model should know besides, at most 10,240 bytes of JSON. */
  readonly x_context?: Readonly<Record<string, unknown>> | null;
  /** Functions that the caller runs, at most 16,384 bytes of canonical JSON. Names are unique. */
  readonly tools?: readonly ({
    readonly type: 'function';
    readonly name: string;
    readonly description?: string | null;
    /** A JSON Schema. */
    readonly parameters?: Readonly<Record<string, unknown>> | null;
    readonly strict?: boolean | null;
  })[] | null;
  /** Kept, and shown again with the response. */
  readonly metadata?: Readonly<Record<string, unknown>> | null;
};

export type Response = {
  readonly id: string;
  readonly object: 'response';
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly status: 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled' | 'incomplete';
  readonly background: boolean;
  readonly error: Failure | null;
  readonly incomplete_details: {
    readonly reason: 'max_output_tokens';
  } | null;
  readonly instructions: string | null;
  readonly max_output_tokens: null;
  readonly max_tool_calls: null;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** As asked for by a create, and `reborn` everywhere else. */
  readonly model: string;
  readonly output: readonly OutputItem[];
  readonly parallel_tool_calls: true;
  readonly presence_penalty: 0;
  readonly frequency_penalty: 0;
  readonly previous_response_id: string | null;
  readonly prompt_cache_key: null;
  readonly reasoning: null;
  readonly safety_identifier: null;
  readonly service_tier: 'default';
  readonly store: true;
  readonly temperature: number;
  readonly text: {
    readonly format: {
      readonly type: 'text';
    };
  };
  readonly tool_choice: 'auto';
  readonly tools: readonly Tool[];
  readonly top_logprobs: 0;
  readonly top_p: 1;
  readonly truncation: 'disabled';
  readonly usage: Usage;
};

export type Failure = {
  readonly code: 'model_error' | 'model_not_configured' | 'tool_error' | 'turn_timeout' | 'approval_required' | 'authentication_required' | 'pairing_required' | 'tool_output_missing' | 'previous_response_not_found' | 'max_rounds' | 'budget_exceeded' | 'interrupted' | 'internal_error';
  readonly message: string;
  readonly type: 'invalid_request_error' | 'server_error';
};

export type OutputItem = OutputMessage | FunctionCall;

export type OutputMessage = {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly status: 'completed' | 'incomplete';
  readonly content: readonly OutputText[];
};

export type OutputText = {
  readonly type: 'output_text';
  readonly text: string;
  readonly annotations: readonly never[];
  readonly logprobs: readonly never[];
};

export type FunctionCall = {
  readonly id: string;
  readonly type: 'function_call';
  readonly status: 'completed';
  readonly call_id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
};

export type Tool = {
  readonly type: 'function';
  readonly name: string;
  readonly description: string | null;
  readonly parameters: Readonly<Record<string, unknown>> | null;
  readonly strict: boolean | null;
};

export type Usage = {
  readonly input_tokens: number;
  readonly input_tokens_details: {
    readonly cached_tokens: number;
  };
  readonly output_tokens: number;
  readonly output_tokens_details: {
    readonly reasoning_tokens: number;
  };
  readonly total_tokens: number;
  /** null when the price is unknown. */
  readonly cost: Cost | null;
};

export type Cost = {
  readonly total_usd: string;
  readonly input_usd: string;
  readonly output_usd: string;
  readonly currency: 'USD';
};

export type StreamEvent = {
  readonly type: 'response.created';
  readonly sequence_number: number;
  readonly response: Response;
} | {
  readonly type: 'response.in_progress';
  readonly sequence_number: number;
  readonly response: Response;
} | {
  readonly type: 'response.output_item.added';
  readonly sequence_number: number;
  readonly output_index: number;
  readonly item: EmptyMessage | FunctionCall;
} | {
  readonly type: 'response.content_part.added';
  readonly sequence_number: number;
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: 0;
  readonly part: OutputText;
} | {
  readonly type: 'response.output_text.delta';
  readonly sequence_number: number;
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: 0;
  readonly delta: string;
  readonly logprobs: readonly never[];
} | {
  readonly type: 'response.output_text.done';
  readonly sequence_number: number;
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: 0;
  readonly text: string;
  readonly logprobs: readonly never[];
} | {
  readonly type: 'response.content_part.done';
  readonly sequence_number: number;
  readonly item_id: string;
  readonly output_index: number;
  readonly content_index: 0;
  readonly part: OutputText;
} | {
  readonly type: 'response.output_item.done';
  readonly sequence_number: number;
  readonly output_index: number;
  readonly item: OutputItem;
} | {
  readonly type: 'response.completed';
  readonly sequence_number: number;
  readonly response: Response;
} | {
  readonly type: 'response.incomplete';
  readonly sequence_number: number;
  readonly response: Response;
} | {
  readonly type: 'response.failed';
  readonly sequence_number: number;
  readonly response: Response;
};

export type EmptyMessage = {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly status: 'in_progress';
  readonly content: readonly never[];
};

export type Error = {
  readonly error: {
    /** What is wrong, and what to do about it. */
    readonly message: string;
    readonly type: 'invalid_request_error';
    readonly code: 'invalid_request' | 'invalid_tool' | 'no_pending_call' | 'call_id_mismatch' | 'tool_output_missing' | 'previous_response_not_found' | 'body_too_large';
    /** The field that is wrong, or null when it is the whole request. */
    readonly param: string | null;
  } | {
    /** What is wrong, and what to do about it. */
    readonly message: string;
    readonly type: 'authentication_error';
    readonly code: 'invalid_secret';
    /** The field that is wrong, or null when it is the whole request. */
    readonly param: string | null;
  } | {
    /** What is wrong, and what to do about it. */
    readonly message: string;
    readonly type: 'permission_error';
    readonly code: 'operator_only' | 'cross_site' | 'unknown_host';
    /** The field that is wrong, or null when it is the whole request. */
    readonly param: string | null;
  } | {
    /** What is wrong, and what to do about it. */
    readonly message: string;
    readonly type: 'not_found_error';
    readonly code: 'not_found';
    /** The field that is wrong, or null when it is the whole request. */
    readonly param: string | null;
  } | {
    /** What is wrong, and what to do about it. */
    readonly message: string;
    readonly type: 'conflict_error';
    readonly code: 'idempotency_mismatch' | 'thread_busy' | 'thread_full' | 'already_exists';
    /** The field that is wrong, or null when it is the whole request. */
    readonly param: string | null;
  } | {
    /** What is wrong, and what to do about it. */
    readonly message: string;
    readonly type: 'rate_limit_error';
    readonly code: 'rate_limited';
    /** The field that is wrong, or null when it is the whole request. */
    readonly param: string | null;
  } | {
    /** What is wrong, and what to do about it. */
    readonly message: string;
    readonly type: 'server_error';
    readonly code: 'internal_error';
    /** The field that is wrong, or null when it is the whole request. */
    readonly param: string | null;
  };
};

export type InputItems = {
  readonly object: 'list';
  readonly data: readonly InputItem[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
};

export type InputItem = InputMessage | OutputItem | FunctionCallOutput;

export type InputMessage = {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'user' | 'system' | 'developer';
  readonly status: 'completed';
  readonly content: readonly ({
    readonly type: 'input_text';
    readonly text: string;
  } | {
    readonly type: 'input_image';
    readonly detail: 'auto';
    readonly image_url: string;
  } | {
    readonly type: 'input_file';
    readonly file_data: string;
    readonly filename?: string;
  })[];
};

export type FunctionCallOutput = {
  readonly id: string;
  readonly type: 'function_call_output';
  readonly status: 'completed';
  readonly call_id: string;
  readonly output: string;
};

export type Models = {
  readonly object: 'list';
  readonly data: readonly {
    readonly id: string;
    readonly object: 'model';
    readonly created: number;
    readonly owned_by: string;
  }[];
};

export type ThreadList = {
  readonly threads: readonly Thread[];
  readonly next_cursor: string | null;
};

export type Thread = {
  readonly id: string;
  /** The title it was given, or the first words of its first message. May be empty. */
  readonly title: string;
  readonly renamed: boolean;
  readonly pinned: boolean;
  readonly archived: boolean;
  /** `waiting`: a gate is open until somebody answers it. */
  readonly status: 'idle' | 'running' | 'waiting';
  /** The beginning of the newest message. May be empty. */
  readonly preview: string;
  /** What its finished turns used. */
  readonly usage: Spent;
  readonly created_at: string;
  /** When its newest turn was accepted. */
  readonly updated_at: string;
};

export type Spent = {
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  readonly cost_usd: string | null;
};

export type ThreadChange = {
  /** null or an empty text restores the default title. */
  readonly title?: string | null;
  readonly pinned?: boolean;
  readonly archived?: boolean;
};

export type ForkRequest = {
  /** The new thread gets every item before this one, or all items if this is left out. */
  readonly before_item_id?: string | null;
};

export type ItemList = {
  readonly items: readonly ThreadItem[];
  /** `before` of the previous page; null at the start of the thread. */
  readonly next_before: string | null;
};

export type ThreadItem = {
  readonly id: string;
  readonly turn_id: string;
  /** The turn's number in the thread. */
  readonly turn_seq: number;
  /** The item's number in its turn. */
  readonly position: number;
  /** The attempt that wrote it; null for an item of the input. */
  readonly attempt: number | null;
  /** What the model call used; set on the first item of each answer. */
  readonly usage: Spent | null;
  readonly created_at: string;
  readonly type: 'message';
  readonly role: 'user' | 'assistant' | 'system' | 'developer';
  readonly content: readonly ItemPart[];
  readonly status: 'completed' | 'incomplete';
} | {
  readonly id: string;
  readonly turn_id: string;
  /** The turn's number in the thread. */
  readonly turn_seq: number;
  /** The item's number in its turn. */
  readonly position: number;
  /** The attempt that wrote it; null for an item of the input. */
  readonly attempt: number | null;
  /** What the model call used; set on the first item of each answer. */
  readonly usage: Spent | null;
  readonly created_at: string;
  readonly type: 'function_call';
  readonly call_id: string;
  readonly name: string;
  /** JSON text, exactly as the model wrote it; `{}` if the call is blocked. */
  readonly arguments: string;
  /** Whether the caller runs it, not the service. */
  readonly external: boolean;
  /** Why the service refused to run it. `leak`: the arguments held a stored secret. */
  readonly blocked?: 'leak';
  /** When its tool was started. */
  readonly started_at: string | null;
  /** When its output was written. */
  readonly ended_at: string | null;
} | {
  readonly id: string;
  readonly turn_id: string;
  /** The turn's number in the thread. */
  readonly turn_seq: number;
  /** The item's number in its turn. */
  readonly position: number;
  /** The attempt that wrote it; null for an item of the input. */
  readonly attempt: number | null;
  /** What the model call used; set on the first item of each answer. */
  readonly usage: Spent | null;
  readonly created_at: string;
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: readonly ItemPart[];
};

export type ItemPart = {
  readonly type: 'text';
  readonly text: string;
} | {
  readonly type: 'image';
  readonly media_type: string;
  readonly bytes: number;
  readonly url: string | null;
} | {
  readonly type: 'file';
  readonly filename: string | null;
  readonly media_type: string;
  readonly bytes: number;
  readonly url: string | null;
};

export type ThreadExport = {
  readonly version: 1;
  readonly thread: Thread;
  readonly items: readonly ThreadItem[];
  /** The bytes of images and files in base64, by the `url` of their part. */
  readonly attachments: Readonly<Record<string, string>>;
};

export type TurnInspection = {
  readonly id: string;
  readonly response_id: string;
  readonly thread_id: string;
  readonly seq: number;
  readonly status: 'queued' | 'running' | 'waiting' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  readonly channel: 'responses' | 'gateway' | 'webhook';
  /** The requested model route; null for the default. */
  readonly model: string | null;
  readonly failure: {
    readonly code: string;
    readonly message: string;
  } | null;
  readonly usage: Spent;
  /** How many times it was started; more than 1 after a crash or a handover. */
  readonly attempts: number;
  /** The replica that runs it now. */
  readonly replica: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly items: readonly ThreadItem[];
  readonly spans: readonly ({
    readonly kind: 'wait' | 'attempt' | 'model' | 'retry' | 'tool' | 'gate';
    readonly label: string;
    readonly attempt: number | null;
    /** null when it was not recorded. */
    readonly started_at: string | null;
    readonly ended_at: string | null;
    /** The items it produced. */
    readonly item_ids: readonly string[];
    readonly usage: Spent | null;
  })[];
  readonly gate: {
    readonly id: string;
    readonly kind: 'external-tool' | 'approval' | 'auth' | 'pairing';
    readonly call: {
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    };
    readonly created_at: string;
    readonly answered_at: string | null;
  } | null;
  readonly prompt: {
    readonly rebuilt: true;
    readonly system: string;
    readonly messages: readonly ({
      readonly role: 'system' | 'user' | 'assistant' | 'tool';
      readonly text: string;
      readonly calls?: readonly {
        readonly call_id: string;
        readonly name: string;
        readonly arguments: string;
      }[];
      readonly call_id?: string;
    })[];
    readonly tools: readonly ({
      readonly name: string;
      readonly description: string | null;
      readonly parameters: unknown;
    })[];
    readonly temperature: number | null;
  };
  /** The summary in the prompt; null when the prompt had the whole thread. */
  readonly summary: {
    readonly text: string;
    /** The last turn it covers. */
    readonly through_seq: number;
    /** The last item of that turn it covers. */
    readonly through_position: number;
    /** The turn that wrote it. */
    readonly turn_id: string;
    readonly provider: string;
    readonly model: string;
    readonly usage: Spent;
    readonly created_at: string;
  } | null;
  readonly superseded: readonly {
    readonly attempt: number;
    readonly text: string;
  }[];
};

export type ChatRequest = {
  readonly message: string;
  readonly thread_id?: string | null;
  /** The name of a model route. The default model answers when it is unknown or left out. */
  readonly model?: string | null;
  readonly attachments?: readonly ({
    readonly name?: string | null;
    readonly media_type: string;
    readonly data: string;
  })[] | null;
};

export type ChatReply = {
  readonly thread_id: string;
  readonly response_id: string;
  readonly status: 'queued' | 'running' | 'waiting' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  readonly message: string;
  readonly error?: {
    readonly code: string;
    readonly message: string;
  };
  readonly gate?: {
    readonly id: string;
    readonly kind: 'external-tool' | 'approval' | 'auth' | 'pairing';
    readonly call: {
      readonly call_id: string;
      readonly name: string;
      readonly arguments: string;
    };
  };
};

export type ChatAccepted = {
  readonly thread_id: string;
  readonly response_id: string;
  readonly turn_id: string;
  readonly status: 'queued';
};

export type GateList = {
  readonly gates: readonly OpenGate[];
  readonly next_cursor: string | null;
};

export type OpenGate = {
  readonly id: string;
  /** The owner of the thread. */
  readonly user_id: string;
  readonly thread_id: string;
  readonly turn_id: string;
  readonly kind: 'external-tool' | 'approval' | 'auth' | 'pairing';
  readonly call: {
    readonly call_id: string;
    readonly name: string;
    readonly arguments: string;
  };
  /** For an approval, the calls that `always` would approve: one line for each argument. */
  readonly always?: readonly string[];
  readonly created_at: string;
};

export type GateAnswer = {
  /** `approve` runs the call, `always` also approves similar calls in future, `deny` refuses it. */
  readonly answer: 'approve' | 'always' | 'deny';
  /** Why the call is denied. The model reads it. */
  readonly reason?: string | null;
  /** For a pairing: the user whose secrets the webhook user may use. */
  readonly user_id?: string | null;
};

export type ApprovalList = {
  readonly approvals: readonly {
    readonly id: string;
    readonly user_id: string;
    readonly tool: string;
    /** The arguments it covers, one line for each value. */
    readonly shape: readonly string[];
    readonly created_at: string;
  }[];
};

export type PairingList = {
  readonly pairings: readonly {
    /** The webhook user. */
    readonly user_id: string;
    /** The user whose secrets it may use. */
    readonly paired_user_id: string;
    readonly created_at: string;
  }[];
};

export type JobList = {
  readonly jobs: readonly ({
    readonly id: string;
    readonly user_id: string;
    readonly thread_id: string;
    readonly status: 'queued' | 'running' | 'completed';
    readonly error: {
      readonly code: string;
      readonly message: string;
    } | null;
    readonly waiting_on: string | null;
    readonly conversation_id: string | null;
    readonly metadata: Readonly<Record<string, unknown>> | null;
    readonly created_at: string;
    readonly completed_at: string | null;
    readonly callback: {
      readonly url: string;
      readonly status: 'pending' | 'delivered' | 'dead';
      readonly attempts: number;
      readonly last_error: string | null;
      readonly next_attempt_at: string | null;
    } | null;
  })[];
  readonly next_cursor: string | null;
};

export type MemoryResults = {
  readonly results: readonly {
    readonly path: string;
    /** For a long note, the part that matches. */
    readonly text: string;
    /** Higher is better; 0 when nothing was searched for. */
    readonly score: number;
    readonly updated_at: string;
  }[];
};

export type Note = {
  readonly path: string;
  readonly text: string;
  readonly created_at: string;
  readonly updated_at: string;
};

export type NoteText = {
  readonly text: string;
};

export type SkillList = {
  readonly skills: readonly ({
    readonly name: string;
    readonly description: string;
    readonly source: 'me' | 'everyone' | 'folder';
    /** Whether another skill of the same name takes precedence. */
    readonly hidden: boolean;
  })[];
};

export type SkillAdd = {
  readonly text?: string | null;
  readonly files?: readonly {
    readonly path: string;
    readonly text: string;
  }[] | null;
  readonly for?: 'me' | 'everyone';
  /** Needed when the name exists already. */
  readonly replace?: boolean;
};

export type Skill = {
  readonly name: string;
  readonly description: string;
  readonly source: 'me' | 'everyone' | 'folder';
  /** `SKILL.md` comes first. */
  readonly files: readonly {
    readonly path: string;
    readonly text: string;
  }[];
};

export type ToolList = {
  readonly tools: readonly AgentTool[];
};

export type AgentTool = {
  readonly name: string;
  readonly description: string | null;
  readonly source: 'builtin' | 'installed';
  readonly version: string | null;
  /** JSON Schema of its arguments. */
  readonly parameters: unknown;
  /** Empty for a builtin tool. */
  readonly capabilities: readonly {
    readonly text: string;
    readonly dangerous: boolean;
  }[];
  readonly auth: {
    readonly secret_name: string;
    readonly display_name: string | null;
    readonly instructions: string | null;
    readonly setup_url: string | null;
    readonly token_hint: string | null;
    readonly oauth: boolean;
  } | null;
  /** Whether it lacks a credential of the caller. */
  readonly needs_sign_in: boolean;
  /** Until when this replica refuses its calls, because it crashed too often. */
  readonly quarantined_until: string | null;
  /** The secrets that its setup asks for. */
  readonly secrets: readonly {
    readonly name: string;
    readonly prompt: string;
    readonly optional: boolean;
    /** Whether it is stored for the caller or for everyone. */
    readonly stored: boolean;
  }[];
  readonly installed_at: string | null;
  readonly updated_at: string | null;
};

export type ToolInstall = {
  readonly name: string;
  readonly wasm: string;
  readonly capabilities?: string | null;
  readonly dry_run?: boolean;
  /** Needed when the name exists already. */
  readonly replace?: boolean;
};

export type ToolPreview = {
  readonly name: string;
  readonly description: string;
  readonly version: string | null;
  readonly hash: string;
  readonly capabilities: readonly {
    readonly text: string;
    readonly dangerous: boolean;
  }[];
  readonly warnings: readonly string[];
  /** The hash of the installed tool of this name. */
  readonly replaces: string | null;
  readonly installed: boolean;
};

export type ToolSecret = {
  readonly name: string;
  readonly value: string;
  readonly for?: 'me' | 'everyone';
};

export type SignInBegun = {
  readonly url: string;
};

export type SignInAnswer = {
  readonly state: string;
  readonly code: string;
};

export type Me = {
  readonly user_id: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: 'operator' | 'member';
  readonly version: string;
  readonly model: {
    readonly provider: string;
    readonly name: string;
    readonly demo: boolean;
    /** The size of its context window. */
    readonly context_tokens: number;
  };
  readonly single_sign_on: boolean;
  readonly limits: {
    readonly sends_per_minute: number;
    readonly body_bytes: number;
    readonly attachments: number;
    readonly attachment_bytes: number;
  };
};

export type NewUser = {
  readonly name: string;
  readonly email?: string | null;
  readonly role: 'operator' | 'member';
};

export type User = {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly role: 'operator' | 'member';
  readonly created_at: string;
  readonly limits: SpendingLimits;
};

export type SpendingLimits = {
  /** null: not limited. */
  readonly tokens_per_day: number | null;
  /** null: not limited. If both are null, the default limits apply. */
  readonly usd_per_day: number | null;
};

export type UserList = {
  readonly users: readonly User[];
  readonly next_cursor: string | null;
};

export type NewToken = {
  readonly name: string;
  /** When the token stops working. Left out: never. */
  readonly expires_at?: string | null;
};

export type CreatedToken = {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly token: string;
};

export type TokenList = {
  readonly tokens: readonly ({
    readonly id: string;
    readonly name: string;
    readonly created_at: string;
    readonly expires_at: string | null;
    readonly last_used_at: string | null;
  })[];
};

export type SessionList = {
  readonly sessions: readonly ({
    readonly id: string;
    /** How the browser signed in. */
    readonly method: 'token' | 'code' | 'oidc';
    readonly created_at: string;
    readonly last_seen_at: string;
    readonly expires_at: string;
  })[];
};

export type SignInLink = {
  /** Opens a page that asks for confirmation and then signs the browser in. It works once. */
  readonly url: string;
  readonly expires_at: string;
};

export type Settings = {
  /** Set by the environment. */
  readonly default_model: {
    readonly provider: 'openai' | 'anthropic' | 'google' | 'openai-compatible' | 'demo';
    readonly name: string;
    readonly base_url?: string | null;
    /** The routes to try, in this order, when this model fails. `default` is the default model. */
    readonly fallback?: readonly string[] | null;
    /** Whether a key was found. */
    readonly key_set: boolean;
  };
  readonly providers: readonly {
    readonly name: string;
    readonly key_set: boolean;
  }[];
  readonly model_routes: Readonly<Record<string, {
    readonly provider: 'openai' | 'anthropic' | 'google' | 'openai-compatible' | 'demo';
    readonly name: string;
    readonly base_url?: string | null;
    /** The routes to try, in this order, when this model fails. `default` is the default model. */
    readonly fallback?: readonly string[] | null;
  }>>;
};

export type SettingsChange = {
  /** Replaces all model routes. */
  readonly model_routes?: Readonly<Record<string, {
    readonly provider: 'openai' | 'anthropic' | 'google' | 'openai-compatible' | 'demo';
    readonly name: string;
    readonly base_url?: string | null;
    /** The routes to try, in this order, when this model fails. `default` is the default model. */
    readonly fallback?: readonly string[] | null;
  }>>;
};

export type ModelTest = {
  /** A stored model route. */
  readonly route?: string | null;
  /** A model that is not stored yet. If both are left out, the default model. */
  readonly model?: {
    readonly provider: 'openai' | 'anthropic' | 'google' | 'openai-compatible' | 'demo';
    readonly name: string;
    readonly base_url?: string | null;
    /** The routes to try, in this order, when this model fails. `default` is the default model. */
    readonly fallback?: readonly string[] | null;
  } | null;
};

export type ModelTestResult = {
  readonly ok: boolean;
  readonly provider: string;
  readonly model: string;
  /** The answer of the model, or what to do. */
  readonly message: string;
  readonly milliseconds: number;
};

export type UsageReport = {
  readonly usage: readonly {
    readonly day: string;
    readonly user_id: string;
    readonly provider: string;
    readonly model: string;
    readonly calls: number;
    readonly errors: number;
    readonly input_tokens: number;
    readonly cached_tokens: number;
    readonly output_tokens: number;
    /** Without the calls whose price is unknown. */
    readonly cost_usd: string;
    readonly unpriced_calls: number;
    /** The average duration of a call. */
    readonly latency_ms: number;
  }[];
};

export type AuditList = {
  readonly entries: readonly ({
    readonly id: string;
    readonly at: string;
    /** The id of the user who made the change, or `operator`. */
    readonly actor: string;
    readonly action: string;
    readonly subject: string | null;
    readonly detail: Readonly<Record<string, unknown>>;
  })[];
  readonly next_cursor: string | null;
};

export type ServiceStatus = {
  readonly status: 'ok';
  readonly version: string;
  readonly uptime_seconds: number;
  readonly model: {
    readonly provider: string;
    readonly name: string;
    readonly demo: boolean;
  };
  readonly channels: {
    readonly terminal: boolean;
    readonly gateway: boolean;
    readonly webhook: boolean;
  };
  readonly database: {
    readonly kind: 'embedded' | 'external';
    readonly version: string;
  };
  readonly replicas: number;
  readonly queue: {
    readonly queued: number;
    readonly running: number;
  };
  readonly tools: number;
  /** The caller's threads; for operators, everyone's. */
  readonly threads: number;
};

export type ReplicaList = {
  readonly replicas: readonly ({
    readonly id: string;
    readonly started_at: string;
    /** Turns it is running. */
    readonly running: number;
    /** Its model settings; null for an older version. */
    readonly model: string | null;
    /** Whether it is the replica that answered. */
    readonly self: boolean;
  })[];
  readonly queue: {
    readonly queued: number;
    readonly running: number;
    /** Threads with an open gate. */
    readonly waiting: number;
    /** How long the oldest queued turn has waited. */
    readonly oldest_seconds: number | null;
  };
};

export type ClientMessage = {
  readonly type: 'subscribe';
  readonly id?: string;
  readonly thread_id: string;
  readonly after?: {
    readonly turn_id: string;
    readonly sequence?: number;
  } | null;
} | {
  readonly type: 'unsubscribe';
  readonly id?: string;
  readonly thread_id: string;
} | {
  readonly message: string;
  readonly thread_id?: string | null;
  /** The name of a model route. The default model answers when it is unknown or left out. */
  readonly model?: string | null;
  readonly attachments?: readonly ({
    readonly name?: string | null;
    readonly media_type: string;
    readonly data: string;
  })[] | null;
  readonly type: 'send';
  readonly id?: string;
} | {
  readonly type: 'cancel';
  readonly id?: string;
  readonly turn_id: string;
} | {
  /** `approve` runs the call, `always` also approves similar calls in future, `deny` refuses it. */
  readonly answer: 'approve' | 'always' | 'deny';
  /** Why the call is denied. The model reads it. */
  readonly reason?: string | null;
  /** For a pairing: the user whose secrets the webhook user may use. */
  readonly user_id?: string | null;
  readonly type: 'gate';
  readonly id?: string;
  readonly gate_id: string;
} | {
  readonly type: 'ping';
  readonly id?: string;
};

export type ServerMessage = {
  readonly type: 'turn-event';
  readonly thread_id: string;
  readonly turn_id: string;
  readonly sequence: number;
  readonly event: TurnEvent;
} | {
  readonly type: 'thread';
  /** null: the thread was deleted. */
  readonly thread: Thread | null;
  readonly thread_id: string;
} | {
  readonly type: 'gate';
  readonly gate: OpenGate;
} | {
  readonly type: 'job';
  readonly job: {
    readonly id: string;
    readonly user_id: string;
    readonly thread_id: string;
    readonly status: 'queued' | 'running' | 'completed';
    readonly error: {
      readonly code: string;
      readonly message: string;
    } | null;
    readonly waiting_on: string | null;
    readonly conversation_id: string | null;
    readonly metadata: Readonly<Record<string, unknown>> | null;
    readonly created_at: string;
    readonly completed_at: string | null;
    readonly callback: {
      readonly url: string;
      readonly status: 'pending' | 'delivered' | 'dead';
      readonly attempts: number;
      readonly last_error: string | null;
      readonly next_attempt_at: string | null;
    } | null;
  };
} | {
  readonly type: 'accepted';
  readonly id?: string;
  readonly thread_id: string;
  readonly turn_id: string;
  readonly response_id: string;
} | {
  readonly type: 'resubscribe';
  readonly thread_id: string;
} | {
  readonly type: 'pong';
  readonly id?: string;
} | {
  readonly type: 'error';
  readonly id?: string;
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string | null;
    readonly param: string | null;
    /** Seconds to wait, when there were too many sends. */
    readonly retry_after?: number;
  };
};

export type TurnEvent = {
  readonly type: 'turn-started';
  readonly seq: number;
  readonly channel: string;
  readonly created_at: string;
  readonly items: readonly ThreadItem[];
} | {
  readonly type: 'item-added';
  readonly item: BareItem;
} | {
  readonly type: 'text-delta';
  readonly item_id: string;
  readonly delta: string;
} | {
  readonly type: 'item-done';
  readonly item: BareItem;
  readonly written: boolean;
} | {
  readonly type: 'model-failed';
  readonly model: string;
  readonly message: string;
  readonly next: string;
  readonly wait_ms: number;
  readonly failed_at: string;
} | {
  readonly type: 'turn-ended';
  readonly status: 'queued' | 'running' | 'waiting' | 'completed' | 'incomplete' | 'failed' | 'cancelled';
  readonly failure: {
    readonly code: string;
    readonly message: string;
  } | null;
  readonly usage: Spent;
  readonly ended_at: string;
};

export type BareItem = {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'user' | 'assistant' | 'system' | 'developer';
  readonly content: readonly ItemPart[];
  readonly status: 'completed' | 'incomplete';
} | {
  readonly id: string;
  readonly type: 'function_call';
  readonly call_id: string;
  readonly name: string;
  /** JSON text, exactly as the model wrote it; `{}` if the call is blocked. */
  readonly arguments: string;
  /** Whether the caller runs it, not the service. */
  readonly external: boolean;
  /** Why the service refused to run it. `leak`: the arguments held a stored secret. */
  readonly blocked?: 'leak';
} | {
  readonly id: string;
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: readonly ItemPart[];
};

export type WebhookMessage = {
  readonly user_id: string;
  readonly message: string;
  readonly conversation_id?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly callback_url?: string | null;
};

export type JobAccepted = {
  readonly job_id: string;
  readonly status: 'queued' | 'running' | 'completed';
  readonly response?: string;
};

export type Job = {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'completed';
  readonly response?: string;
  readonly error?: {
    readonly code: string;
    readonly message: string;
  };
  readonly waiting_on?: 'external-tool' | 'approval' | 'auth' | 'pairing';
  readonly conversation_id?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  readonly completed_at?: string;
  readonly callback?: {
    readonly url: string;
    readonly status: 'pending' | 'delivered' | 'dead';
    readonly attempts: number;
    readonly last_error?: string;
    readonly next_attempt_at?: string;
  };
};

/** By method and path: the parameters, query and body that a route takes, and its result. */
export type Routes = {
  /** Create a response to a message or a tool result. */
  'POST /api/v1/responses': {
    body: CreateResponse;
    result: Response;
  };
  /** Get a response, or its events. */
  'GET /api/v1/responses/{id}': {
    params: { id: string };
    query?: { stream?: string; starting_after?: string };
    result: Response;
  };
  /** Cancel a response. A finished response stays as it is. */
  'POST /api/v1/responses/{id}/cancel': {
    params: { id: string };
    result: Response;
  };
  /** List the input items of a response. */
  'GET /api/v1/responses/{id}/input_items': {
    params: { id: string };
    query?: { limit?: number; order?: 'asc' | 'desc'; after?: string };
    result: InputItems;
  };
  /** List the models that a request can name. */
  'GET /api/v1/models': {
    result: Models;
  };
  /** List the caller's threads: pinned first, then newest. */
  'GET /api/threads': {
    query?: { q?: string; archived?: 'true' | 'false'; limit?: number; cursor?: string };
    result: ThreadList;
  };
  /** Get a thread. */
  'GET /api/threads/{id}': {
    params: { id: string };
    result: Thread;
  };
  /** Rename, pin or archive a thread. */
  'PATCH /api/threads/{id}': {
    params: { id: string };
    body: ThreadChange;
    result: Thread;
  };
  /** Delete a thread and everything in it. A running turn is stopped. */
  'DELETE /api/threads/{id}': {
    params: { id: string };
    result: undefined;
  };
  /** Start a new thread with the items before a given one. */
  'POST /api/threads/{id}/fork': {
    params: { id: string };
    body?: ForkRequest;
    result: Thread;
  };
  /** List the items of a thread, newest page first. */
  'GET /api/threads/{id}/items': {
    params: { id: string };
    query?: { limit?: number; before?: string };
    result: ItemList;
  };
  /** Get the bytes of an image or a file. */
  'GET /api/threads/{id}/items/{item}/parts/{index}': {
    params: { id: string; item: string; index: number };
    result: undefined;
  };
  /** Download a whole thread as Markdown or JSON. */
  'GET /api/threads/{id}/export': {
    params: { id: string };
    query?: { format?: 'markdown' | 'json' };
    result: ThreadExport;
  };
  /** Get everything known about a turn: its items, attempts, times and prompt. */
  'GET /api/turns/{id}': {
    params: { id: string };
    result: TurnInspection;
  };
  /** Send a message and wait for the answer. */
  'POST /api/chat': {
    body: ChatRequest;
    result: ChatReply;
  };
  /** Send a message without waiting for the answer. */
  'POST /api/chat/send': {
    body: ChatRequest;
    result: ChatAccepted;
  };
  /** List open gates, newest first. */
  'GET /api/gates': {
    query?: { limit?: number; cursor?: string };
    result: GateList;
  };
  /** Get an open gate. */
  'GET /api/gates/{id}': {
    params: { id: string };
    result: OpenGate;
  };
  /** Answer a gate. The thread continues with a new turn. */
  'POST /api/gates/{id}': {
    params: { id: string };
    body: GateAnswer;
    result: ChatAccepted;
  };
  /** List standing approvals. */
  'GET /api/approvals': {
    result: ApprovalList;
  };
  /** Revoke a standing approval. Such calls need approval again. */
  'DELETE /api/approvals/{id}': {
    params: { id: string };
    result: undefined;
  };
  /** List webhook users that may use the secrets of a user. */
  'GET /api/pairings': {
    result: PairingList;
  };
  /** Remove the pairing of a webhook user. */
  'DELETE /api/pairings/{user_id}': {
    params: { user_id: string };
    result: undefined;
  };
  /** List webhook jobs, newest first. */
  'GET /api/jobs': {
    query?: { status?: 'queued' | 'running' | 'completed'; limit?: number; cursor?: string };
    result: JobList;
  };
  /** Search the caller's notes, or list the newest ones. */
  'GET /api/memory': {
    query?: { q?: string; limit?: number };
    result: MemoryResults;
  };
  /** Get a note. */
  'GET /api/memory/{path}': {
    params: { path: string };
    result: Note;
  };
  /** Write a note. An existing note at this path is replaced. */
  'PUT /api/memory/{path}': {
    params: { path: string };
    body: NoteText;
    result: Note;
  };
  /** Delete a note. */
  'DELETE /api/memory/{path}': {
    params: { path: string };
    result: undefined;
  };
  /** List the skills that the agent can read. */
  'GET /api/skills': {
    result: SkillList;
  };
  /** Add a skill for the caller or, as an operator, for everyone. Send `files`, or only the `text` of SKILL.md. */
  'POST /api/skills': {
    body: SkillAdd;
    result: Skill;
  };
  /** Get a skill: from the given source, or the one that takes precedence. */
  'GET /api/skills/{name}': {
    params: { name: string };
    query?: { source?: 'me' | 'everyone' | 'folder' };
    result: Skill;
  };
  /** Remove a skill of the caller or, as an operator, of everyone. */
  'DELETE /api/skills/{name}': {
    params: { name: string };
    query?: { for?: 'me' | 'everyone' };
    result: undefined;
  };
  /** List the agent's tools and what each may do. */
  'GET /api/tools': {
    result: ToolList;
  };
  /** Install a tool. With `dry_run`, only check it and show what it may do. */
  'POST /api/tools': {
    body: ToolInstall;
    result: ToolPreview;
  };
  /** Remove an installed tool. */
  'DELETE /api/tools/{name}': {
    params: { name: string };
    result: undefined;
  };
  /** Store a secret that a tool needs, for the caller or, as an operator, for everyone. */
  'POST /api/tools/{name}/secret': {
    params: { name: string };
    body: ToolSecret;
    result: undefined;
  };
  /** Start an OAuth sign-in to a tool's service. */
  'POST /api/tools/{name}/sign-in': {
    params: { name: string };
    result: SignInBegun;
  };
  /** Finish an OAuth sign-in with the parameters that the provider sent back. */
  'POST /api/tools/{name}/sign-in/finish': {
    params: { name: string };
    body: SignInAnswer;
    result: undefined;
  };
  /** Get the caller, and what an app needs to know at its start. */
  'GET /api/me': {
    result: Me;
  };
  /** Add a user. */
  'POST /api/users': {
    body: NewUser;
    result: User;
  };
  /** List users, oldest first. */
  'GET /api/users': {
    query?: { limit?: number; cursor?: string };
    result: UserList;
  };
  /** Remove a user, with all tokens and sessions. */
  'DELETE /api/users/{id}': {
    params: { id: string };
    result: undefined;
  };
  /** Set how much a user may spend in a day, instead of the default limits. */
  'PUT /api/users/{id}/limits': {
    params: { id: string };
    body: SpendingLimits;
    result: SpendingLimits;
  };
  /** Create a token for a user. */
  'POST /api/users/{id}/tokens': {
    params: { id: string };
    body: NewToken;
    result: CreatedToken;
  };
  /** List a user's tokens. */
  'GET /api/users/{id}/tokens': {
    params: { id: string };
    result: TokenList;
  };
  /** Revoke a token. Every replica refuses it within 5 seconds. */
  'DELETE /api/tokens/{id}': {
    params: { id: string };
    result: undefined;
  };
  /** List the browsers in which a user is signed in. */
  'GET /api/users/{id}/sessions': {
    params: { id: string };
    result: SessionList;
  };
  /** Sign a browser out. Every replica refuses it within 5 seconds. */
  'DELETE /api/sessions/{id}': {
    params: { id: string };
    result: undefined;
  };
  /** Create a link that signs a browser in, once, as the owner of the bearer token. */
  'POST /api/sign-in-links': {
    result: SignInLink;
  };
  /** Get the settings of the installation. */
  'GET /api/settings': {
    result: Settings;
  };
  /** Change the settings of the installation. */
  'PATCH /api/settings': {
    body: SettingsChange;
    result: Settings;
  };
  /** Send a model a short prompt, to see whether it answers. */
  'POST /api/settings/test-model': {
    body?: ModelTest;
    result: ModelTestResult;
  };
  /** List what model calls used, by day (UTC) and model, newest day first. */
  'GET /api/usage': {
    query?: { days?: number };
    result: UsageReport;
  };
  /** List changes to the installation, newest first. */
  'GET /api/audit': {
    query?: { limit?: number; cursor?: string };
    result: AuditList;
  };
  /** Get the state of the service, and how busy it is. */
  'GET /api/status': {
    result: ServiceStatus;
  };
  /** List the replicas, and what is waiting. */
  'GET /api/replicas': {
    result: ReplicaList;
  };
  /** Get metrics for Prometheus. */
  'GET /metrics': {
    result: undefined;
  };
  /** Send a message. It becomes a job. */
  'POST /webhook': {
    body: WebhookMessage;
    result: JobAccepted;
  };
  /** Get a webhook job. */
  'GET /jobs/{job_id}': {
    params: { job_id: string };
    result: Job;
  };
};
