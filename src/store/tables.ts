import type { Generated, JSONColumnType } from 'kysely';
import type { UserMove } from '#domain/cell/user-move.ts';
import type { ChatAccount, ChatPost } from '#domain/chat/chat.ts';
import type { DelegationOutcome, DelegationState } from '#domain/delegation/delegation.ts';
import type {
  AssistantId,
  AttachmentHash,
  ChatAccountId,
  DeliveryId,
  DeviceId,
  EndpointId,
  GateId,
  ItemId,
  MissionId,
  ProjectId,
  ReplicaId,
  ThreadId,
  TokenId,
  TurnId,
  UploadId,
} from '#domain/ids.ts';
import type { Mission, MissionSettings, Occurrence } from '#domain/mission/mission.ts';
import type { Schedule } from '#domain/mission/schedule.ts';
import type { NoteAuthor, NoteOrigin } from '#domain/note.ts';
import type { Delivery, DeliveryAttempt } from '#domain/notification/delivery.ts';
import type { Endpoint, QuietHours } from '#domain/notification/endpoint.ts';
import type { Notice, NoticeType } from '#domain/notification/notice.ts';
import type { Preferences } from '#domain/preferences.ts';
import type { Role } from '#domain/principal.ts';
import type { RetentionKind } from '#domain/retention.ts';
import type { ItemBody } from '#domain/thread/item.ts';
import type { JobFailure, JobStatus } from '#domain/thread/job.ts';
import type { SeenSource, Situation } from '#domain/thread/origin.ts';
import type { CancelReason, Channel, Failure, Rating, Steers, TurnRequest, TurnStatus } from '#domain/thread/turn.ts';
import type { Answerer } from '#domain/tool/call-decision.ts';
import type { GatedCall, GateFacts, GateKind } from '#domain/tool/gate.ts';
import type { McpDiscovery, McpHeader, McpOAuth, McpOffers, McpTool } from '#domain/tool/mcp-server.ts';
import type { Question, QuestionInput } from '#domain/tool/question.ts';
import type { ToolDefinition } from '#domain/tool/tool.ts';
import type { Usage } from '#domain/usage.ts';
import type { SignInMethod } from '#domain/user.ts';
import type { WebhookRoute } from '#domain/webhook/webhook-route.ts';
import type { MemberRole } from '#domain/work/project.ts';
import type { WorkSettings } from '#domain/work/work-settings.ts';
import type { DocumentKind } from '#domain/workspace/document.ts';
import type { Purpose } from '#domain/workspace/upload.ts';

/** The columns of every table, named as in the domain. */
export type Tables = {
  userMoves: {
    id: string;
    subject: string;
    cell: number;
    state: UserMove['state'] | 'arrived';
    startedAt: Generated<Date>;
  };
  forwards: {
    hash: Buffer;
    subject: string;
    cell: number;
  };
  placements: {
    hash: Buffer;
    cell: number;
  };
  titleRequests: {
    threadId: ThreadId;
    userId: string;
    tries: Generated<number>;
    dueAt: Generated<Date>;
  };
  shares: {
    threadId: ThreadId;
    userId: string;
    hash: Buffer;
    sealedLink: Generated<Buffer | null>;
    throughSeq: number;
    throughPosition: number;
    withTools: boolean;
    withAttachments: boolean;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  delegations: {
    call: ItemId;
    userId: string;
    threadId: ThreadId;
    run: TurnId;
    tree: TurnId;
    childThreadId: ThreadId;
    childRun: TurnId;
    state: DelegationState;
    outcome: DelegationOutcome | null;
    tokensLimit: string;
    usdLimit: number | null;
    tokensUsed: string;
    usdUsed: number;
    startedAt: Date;
    endedAt: Date | null;
    deliveredAt: Date | null;
  };
  ratings: {
    turnId: TurnId;
    threadId: ThreadId;
    userId: string;
    rating: Rating['rating'];
    reason: string | null;
    updatedAt: Generated<Date>;
  };
  folders: {
    userId: string;
    id: ProjectId;
    name: string;
    createdAt: Generated<Date>;
    sharedBy: string | null;
    model: string | null;
    assistant: string | null;
    tokensPerRun: number | null;
    tokensPerDay: number | null;
    usdPerRun: number | null;
    usdPerDay: number | null;
  };
  projectMembers: {
    userId: string;
    projectId: ProjectId;
    member: string;
    role: MemberRole;
    name: string;
    addedAt: Generated<Date>;
  };
  projectNotes: {
    userId: string;
    projectId: ProjectId;
    path: string;
    text: string;
    writtenBy: string | null;
    updatedAt: Generated<Date>;
  };
  uploadedFiles: {
    id: UploadId;
    userId: string;
    filename: string;
    mediaType: string;
    purpose: Purpose;
    sha256: AttachmentHash;
    bytes: number;
    createdAt: Generated<Date>;
  };
  documents: {
    number: Generated<string>;
    userId: string;
    sha256: AttachmentHash;
    kind: DocumentKind;
    extractor: Generated<number>;
    reason: string | null;
    pages: Generated<number>;
    emptyPages: Generated<number>;
    tokens: Generated<number>;
    attempts: Generated<number>;
    dueAt: Generated<Date>;
    createdAt: Generated<Date>;
  };
  promptTemplates: {
    userId: string;
    name: string;
    text: string;
    updatedAt: Generated<Date>;
  };
  preferences: {
    userId: string;
    defaultModel: Generated<string | null>;
    generateTitles: Generated<boolean>;
    whenBusy: Generated<Preferences['whenBusy']>;
    remembers: Generated<boolean>;
    updatedAt: Generated<Date>;
  };
  threads: {
    id: ThreadId;
    userId: string;
    lastSeq: number;
    active: TurnId | null;
    catalog: JSONColumnType<ToolDefinition[]>;
    title: string | null;
    generatedTitle: string | null;
    opening: Generated<string>;
    preview: Generated<string>;
    pinned: Generated<boolean>;
    archived: Generated<boolean>;
    network: Generated<boolean>;
    temporary: Generated<boolean>;
    folderId: ProjectId | null;
    parent: ThreadId | null;
    root: ThreadId | null;
    depth: Generated<number>;
    bytes: Generated<string>;
    line: Generated<number>;
    readAt: Generated<Date>;
    compactAskedAt: Date | null;
    metadata: JSONColumnType<Record<string, unknown>> | null;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  turns: {
    id: TurnId;
    threadId: ThreadId;
    userId: string;
    seq: number;
    status: Generated<TurnStatus>;
    channel: Channel;
    request: JSONColumnType<TurnRequest>;
    failure: JSONColumnType<Failure> | null;
    refused: Generated<boolean>;
    follows: number | null;
    origin: number | null;
    hidden: Generated<boolean>;
    usage: JSONColumnType<Usage> | null;
    cancelReason: CancelReason | null;
    runner: ReplicaId | null;
    attempt: Generated<number>;
    handback: Generated<number>;
    groupAttempt: number | null;
    groupSize: number | null;
    readyAt: Date | null;
    broken: Generated<number>;
    countedCalls: string[] | null;
    createdAt: Generated<Date>;
    startedAt: Date | null;
    endedAt: Date | null;
    run: TurnId | null;
    tree: TurnId | null;
    steers: Steers | null;
    steeredBy: TurnId | null;
    assistant: AssistantId | null;
  };
  assistants: {
    id: AssistantId;
    userId: string;
    name: string;
    version: number;
    createdAt: Generated<Date>;
    deletedAt: Date | null;
  };
  assistantVersions: {
    assistant: AssistantId;
    version: number;
    userId: string;
    description: string;
    settings: JSONColumnType<WorkSettings>;
    writtenBy: string;
    writtenAt: Generated<Date>;
  };
  workDays: { userId: string; day: string; work: string; part: number; tokens: string; usd: number };
  items: {
    threadId: ThreadId;
    turnSeq: number;
    position: number;
    id: ItemId;
    turnId: TurnId;
    userId: string;
    attempt: number | null;
    body: JSONColumnType<ItemBody>;
    usage: JSONColumnType<Usage> | null;
    startedAt: Date | null;
    createdAt: Generated<Date>;
  };
  gates: {
    id: GateId;
    threadId: ThreadId;
    turnId: TurnId;
    turnSeq: number;
    userId: string;
    kind: GateKind;
    call: JSONColumnType<GatedCall>;
    revision: string | null;
    createdAt: Generated<Date>;
    answeredAt: Date | null;
    answeredSeq: number | null;
    asked: JSONColumnType<GateFacts> | null;
  };
  approvals: {
    gateId: GateId;
    userId: string;
    callId: ItemId;
    digest: string;
    createdAt: Generated<Date>;
    expiresAt: Date;
    usedAt: Date | null;
    answeredBy: Answerer | null;
  };
  callQuestions: {
    callId: ItemId;
    threadId: ThreadId;
    userId: string;
    digest: string;
    question: JSONColumnType<Question>;
    state: JSONColumnType<object>;
    input: JSONColumnType<QuestionInput> | null;
    askedAt: Generated<Date>;
    answeredAt: Date | null;
  };
  standingApprovals: {
    id: string;
    userId: string;
    tool: string;
    revision: string | null;
    shape: string;
    digest: string;
    situation: Generated<Situation>;
    missionId: MissionId | null;
    createdAt: Generated<Date>;
  };
  siteGrants: {
    userId: string;
    threadId: ThreadId;
    run: TurnId;
    site: string;
    createdAt: Generated<Date>;
  };
  sources: {
    threadId: ThreadId;
    number: number;
    sha256: string;
    userId: string;
    url: string;
    title: string;
    published: string | null;
    how: 'found' | 'read';
    text: string;
    turnId: TurnId | null;
    itemId: ItemId | null;
    createdAt: Generated<Date>;
  };
  pairings: { userId: string; pairedUserId: string; createdAt: Generated<Date> };
  idempotencyKeys: {
    userId: string;
    key: string;
    digest: string;
    turnId: TurnId;
    createdAt: Generated<Date>;
    isLasting: boolean;
  };
  itemTexts: {
    itemId: ItemId;
    threadId: ThreadId;
    userId: string;
    role: 'user' | 'assistant';
    text: string;
    words: string;
    createdAt: Generated<Date>;
  };
  requestTries: { turnId: TurnId; userId: string; digest: string; createdAt: Generated<Date> };
  unstoredTurns: { turnId: TurnId; userId: string; createdAt: Generated<Date>; deliveredAt: Date | null };
  jobs: {
    id: TurnId;
    userId: string;
    threadId: ThreadId;
    turnId: TurnId;
    status: Generated<JobStatus>;
    waitingOn: GateKind | null;
    failure: JSONColumnType<JobFailure> | null;
    conversationId: string | null;
    metadata: JSONColumnType<Record<string, unknown>> | null;
    createdAt: Generated<Date>;
    completedAt: Date | null;
    callbackUrl: string | null;
  };
  outbox: {
    number: Generated<string>;
    userId: string;
    type: string;
    subject: string;
    data: JSONColumnType<object> | null;
    createdAt: Generated<Date>;
  };
  deliveries: {
    id: DeliveryId;
    userId: string;
    kind: Delivery['kind'];
    target: string;
    account: string;
    seq: Generated<string>;
    type: string;
    payload: JSONColumnType<Notice | ChatPost> | null;
    state: Generated<Delivery['state']>;
    attempts: Generated<number>;
    failures: Generated<number>;
    dueAt: Date;
    remoteId: string | null;
    lastError: string | null;
    createdAt: Date;
    endedAt: Date | null;
  };
  deliveryTargets: { target: string; userId: string; account: string; dueAt: Date };
  deliveryAttempts: {
    deliveryId: DeliveryId;
    attempt: number;
    userId: string;
    replica: ReplicaId;
    startedAt: Generated<Date>;
    endedAt: Date | null;
    outcome: DeliveryAttempt['outcome'];
    status: number | null;
    retryAfter: number | null;
    error: string | null;
  };
  notificationEndpoints: {
    id: EndpointId;
    userId: string;
    name: string;
    url: string;
    events: NoticeType[];
    turns: Endpoint['turns'];
    everyone: boolean;
    results: boolean;
    goneAt: Date | null;
    createdAt: Generated<Date>;
  };
  devices: {
    id: DeviceId;
    userId: string;
    name: string;
    endpoint: string;
    publicKey: Buffer;
    auth: Buffer;
    events: NoticeType[];
    details: boolean;
    sessionHash: Buffer | null;
    createdAt: Generated<Date>;
  };
  notificationPreferences: {
    userId: string;
    quiet: JSONColumnType<QuietHours> | null;
    updatedAt: Generated<Date>;
  };
  chatAccounts: {
    id: ChatAccountId;
    channel: ChatAccount['channel'];
    remoteId: string;
    name: string;
    mode: ChatAccount['mode'];
    groups: boolean;
    assistant: string | null;
    secretHash: Buffer | null;
    cursor: string | null;
    poller: ReplicaId | null;
    leasedUntil: Date | null;
    lastError: string | null;
    failedAt: Date | null;
    receivedAt: Date | null;
    createdAt: Generated<Date>;
  };
  chatLinks: {
    accountId: ChatAccountId;
    sender: string;
    userId: string;
    name: string;
    chat: string;
    createdAt: Generated<Date>;
  };
  chatCodes: { hash: Buffer; userId: string; expiresAt: Date };
  chatThreads: {
    accountId: ChatAccountId;
    chat: string;
    userId: string;
    threadId: ThreadId | null;
    assistant: string | null;
  };
  chatMessages: {
    key: string;
    part: number;
    userId: string;
    remoteId: string | null;
    claimedUntil: Date | null;
    liveUntil: Date | null;
    isFinal: Generated<boolean>;
    isShown: Generated<boolean>;
    createdAt: Generated<Date>;
  };
  conversations: { userId: string; name: string; threadId: ThreadId; createdAt: Generated<Date> };
  webhookRoutes: WebhookRoute & { createdAt: Generated<Date> };
  missions: Omit<MissionSettings, 'schedule' | 'tools'> & {
    id: MissionId;
    userId: string;
    schedule: JSONColumnType<Schedule>;
    eventUserId: string | null;
    revision: Generated<number>;
    tzVersion: string;
    threadId: ThreadId | null;
    tools: string[] | null;
    failures: Generated<number>;
    state: Generated<Mission['state']>;
    pauseReason: Mission['pauseReason'];
    nextDueAt: Date | null;
    startingUntil: Date | null;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  occurrences: {
    missionId: MissionId;
    slot: Date;
    userId: string;
    kind: Occurrence['kind'];
    state: Occurrence['state'];
    reason: string | null;
    isLate: Generated<boolean>;
    revision: number;
    dueAt: Date;
    requestKey: string | null;
    causeTurnId: TurnId | null;
    threadId: ThreadId | null;
    turnId: TurnId | null;
    tokens: Generated<string>;
    costUsd: number | null;
    createdAt: Generated<Date>;
    startedAt: Date | null;
    endedAt: Date | null;
    /** It has ended with a result that its owner has not read. */
    unread: Generated<boolean>;
  };
  secrets: {
    userId: string;
    name: string;
    ciphertext: Buffer;
    keyId: string;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
    expiresAt: Date | null;
  };
  skills: {
    userId: string;
    name: string;
    description: string;
    files: JSONColumnType<Record<string, string>>;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  tools: {
    name: string;
    hash: string;
    witVersion: string;
    description: string;
    parameters: JSONColumnType<Record<string, unknown>>;
    capabilities: JSONColumnType<Record<string, unknown>>;
    revision: string;
    readsRevision: string | null;
    installedAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  mcpServers: {
    id: string;
    userId: string;
    name: string;
    url: string;
    privateNetwork: boolean;
    trustAnnotations: boolean;
    headers: JSONColumnType<McpHeader[]>;
    oauth: JSONColumnType<McpOAuth> | null;
    command: JSONColumnType<string[]> | null;
    discovery: JSONColumnType<McpDiscovery>;
    offers: JSONColumnType<McpOffers>;
    tools: JSONColumnType<McpTool[]>;
    leftOut: JSONColumnType<string[]>;
    accepted: JSONColumnType<McpTool[]>;
    problem: string | null;
    failures: Generated<number>;
    listedAt: Generated<Date>;
    refreshAt: Date;
    createdAt: Generated<Date>;
  };
  mcpVersion: { one: Generated<boolean>; changedAt: Generated<Date> };
  componentFiles: { hash: string; path: string; content: Buffer };
  users: {
    id: string;
    name: string;
    email: string | null;
    role: Role;
    oidcIssuer: string | null;
    oidcSubject: string | null;
    createdAt: Generated<Date>;
    removedAt: Date | null;
  };
  erasures: {
    id: string;
    subject: string;
    requestedBy: string;
    requestedAt: Generated<Date>;
    auditThrough: Generated<string>;
    completedAt: Date | null;
    certificate: string | null;
    digest: string | null;
  };
  tokens: {
    id: TokenId;
    userId: string;
    name: string;
    hash: Buffer;
    createdAt: Generated<Date>;
    expiresAt: Date | null;
    lastUsedAt: Date | null;
    revokedAt: Date | null;
  };
  sessions: {
    id: string;
    userId: string;
    method: SignInMethod;
    hash: Buffer;
    keyHash: Buffer;
    tokenHash: Buffer | null;
    createdAt: Generated<Date>;
    expiresAt: Date;
    lastSeenAt: Generated<Date>;
  };
  signInCodes: {
    hash: Buffer;
    userId: string;
    tokenHash: Buffer | null;
    sessionUntil: Date | null;
    expiresAt: Date;
  };
  invitations: {
    id: string;
    userId: string;
    hash: Buffer;
    role: Role;
    name: string | null;
    createdAt: Generated<Date>;
    expiresAt: Date;
  };
  signIns: { hash: Buffer; state: string; nonce: string; verifier: string; expiresAt: Date };
  audit: {
    id: Generated<string>;
    at: Generated<Date>;
    actor: string;
    action: string;
    subject: string | null;
    detail: JSONColumnType<Readonly<Record<string, unknown>>>;
  };
  usageDays: {
    userId: string;
    day: string;
    provider: string;
    model: string;
    part: number;
    calls: number;
    errors: number;
    unpricedCalls: number;
    inputTokens: string;
    cachedInputTokens: string;
    outputTokens: string;
    costUsd: number;
    milliseconds: string;
  };
  retention: { userId: string; kind: RetentionKind; days: number | null; updatedAt: Generated<Date> };
  limitRequests: { userId: string; askedAt: Generated<Date>; dismissedAt: Generated<Date | null> };
  budgets: { userId: string; tokensPerDay: number | null; usdPerDay: number | null; updatedAt: Generated<Date> };
  notes: {
    number: Generated<string>;
    userId: string;
    path: string;
    text: string;
    wordCount: number;
    origin: Generated<NoteOrigin>;
    signature: string | null;
    embedding: number[] | null;
    embeddingModel: Generated<string>;
    embedAttempts: Generated<number>;
    embedDueAt: Generated<Date>;
    createdAt: Generated<Date>;
    updatedAt: Generated<Date>;
  };
  noteVersions: {
    userId: string;
    path: string;
    version: number;
    text: string | null;
    origin: NoteOrigin;
    writtenBy: NoteAuthor;
    threadId: string | null;
    turnId: string | null;
    call: string | null;
    sources: JSONColumnType<readonly SeenSource[]>;
    writtenAt: Generated<Date>;
  };
  settings: { name: string; value: JSONColumnType<object>; updatedAt: Generated<Date> };
};
