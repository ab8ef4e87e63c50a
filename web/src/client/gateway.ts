import { query, request } from './request.ts';
import type {
  Accepted,
  AuditPage,
  CreatedToken,
  Inspection,
  ItemPage,
  JobPage,
  Me,
  MemoryResults,
  ModelTestResult,
  OpenGates,
  Replicas,
  Settings,
  Skill,
  SkillList,
  Status,
  Thread,
  ThreadPage,
  TokenList,
  ToolList,
  ToolPreview,
  UsageReport,
  User,
  UserPage,
} from './shapes.ts';

/** So many notes are shown at once. */
export const MOST_NOTES = 100;

/** Every endpoint of the gateway that the app uses. */
export const gateway = {
  me: () => request<Me>('/api/me'),
  status: () => request<Status>('/api/status'),
  threads: (options: { q?: string; archived?: boolean; cursor?: string }) =>
    request<ThreadPage>(`/api/threads${query({ ...options, limit: 100, archived: options.archived || undefined })}`),
  thread: (id: string) => request<Thread>(`/api/threads/${id}`),
  items: (id: string, options: { before?: string; limit: number }) =>
    request<ItemPage>(`/api/threads/${id}/items${query(options)}`),
  changeThread: (id: string, body: { title?: string | null; pinned?: boolean; archived?: boolean }) =>
    request<Thread>(`/api/threads/${id}`, { method: 'PATCH', body }),
  deleteThread: (id: string) => request<void>(`/api/threads/${id}`, { method: 'DELETE' }),
  fork: (id: string, beforeItemId: string) =>
    request<Thread>(`/api/threads/${id}/fork`, { method: 'POST', body: { before_item_id: beforeItemId } }),
  send: (body: NewMessage, key: string) =>
    request<Accepted>('/api/chat/send', { method: 'POST', body, headers: { 'idempotency-key': key } }),
  answerGate: (id: string, body: GateAnswer) => request<Accepted>(`/api/gates/${id}`, { method: 'POST', body }),
  turn: (id: string) => request<Inspection>(`/api/turns/${id}`),
  jobs: (options: { status?: string; cursor?: string }) =>
    request<JobPage>(`/api/jobs${query({ ...options, limit: 50 })}`),
  memory: (q: string) => request<MemoryResults>(`/api/memory${query({ q, limit: MOST_NOTES })}`),
  note: (path: string) => request<{ text: string }>(notePath(path)),
  writeNote: (path: string, text: string) => request<void>(notePath(path), { method: 'PUT', body: { text } }),
  deleteNote: (path: string) => request<void>(notePath(path), { method: 'DELETE' }),
  gates: () => request<OpenGates>(`/api/gates${query({ limit: 100 })}`),
  tools: () => request<ToolList>('/api/tools'),
  installTool: (body: ToolInstall) => request<ToolPreview>('/api/tools', { method: 'POST', body }),
  removeTool: (name: string) => request<void>(`/api/tools/${encodeURIComponent(name)}`, { method: 'DELETE' }),
  keepSecret: (tool: string, body: { name: string; value: string; for: 'me' | 'everyone' }) =>
    request<void>(`/api/tools/${encodeURIComponent(tool)}/secret`, { method: 'POST', body }),
  beginSignIn: (tool: string) =>
    request<{ url: string }>(`/api/tools/${encodeURIComponent(tool)}/sign-in`, { method: 'POST' }),
  finishSignIn: (tool: string, body: { state: string; code: string }) =>
    request<void>(`/api/tools/${encodeURIComponent(tool)}/sign-in/finish`, { method: 'POST', body }),
  skills: () => request<SkillList>('/api/skills'),
  skill: (name: string, source: Skill['source']) =>
    request<Skill>(`/api/skills/${encodeURIComponent(name)}${query({ source })}`),
  addSkill: (body: { files: Skill['files']; for: 'me' | 'everyone'; replace: boolean }) =>
    request<Skill>('/api/skills', { method: 'POST', body }),
  removeSkill: (name: string, holder: 'me' | 'everyone') =>
    request<void>(`/api/skills/${encodeURIComponent(name)}${query({ for: holder })}`, { method: 'DELETE' }),
  settings: () => request<Settings>('/api/settings'),
  changeSettings: (body: { model_routes: Settings['model_routes'] }) =>
    request<Settings>('/api/settings', { method: 'PATCH', body }),
  testModel: (body: { route?: string }) =>
    request<ModelTestResult>('/api/settings/test-model', { method: 'POST', body }),
  users: (cursor?: string) => request<UserPage>(`/api/users${query({ limit: 100, cursor })}`),
  addUser: (body: { name: string; email?: string; role: 'operator' | 'member' }) =>
    request<User>('/api/users', { method: 'POST', body }),
  removeUser: (id: string) => request<void>(`/api/users/${encodeURIComponent(id)}`, { method: 'DELETE' }),
  changeLimits: (id: string, body: User['limits']) =>
    request<User['limits']>(`/api/users/${encodeURIComponent(id)}/limits`, { method: 'PUT', body }),
  tokens: (userId: string) => request<TokenList>(`/api/users/${encodeURIComponent(userId)}/tokens`),
  createToken: (userId: string, body: { name: string; expires_at?: string }) =>
    request<CreatedToken>(`/api/users/${encodeURIComponent(userId)}/tokens`, { method: 'POST', body }),
  revokeToken: (id: string) => request<void>(`/api/tokens/${id}`, { method: 'DELETE' }),
  audit: (cursor?: string) => request<AuditPage>(`/api/audit${query({ limit: 100, cursor })}`),
  usage: (days: number) => request<UsageReport>(`/api/usage${query({ days })}`),
  replicas: () => request<Replicas>('/api/replicas'),
  signIn: (body: { readonly token: string } | { readonly code: string }) =>
    request<{ readonly session_key: string }>('/login', { method: 'POST', body }),
  signOut: () => request<void>('/logout', { method: 'POST' }),
};

export type Attachment = { readonly name: string; readonly media_type: string; readonly data: string };
export type NewMessage = {
  readonly message: string;
  readonly thread_id?: string;
  readonly attachments?: readonly Attachment[];
};
export type GateAnswer = { readonly answer: 'approve' | 'always' | 'deny'; readonly reason?: string };
export type ToolInstall = {
  readonly name: string;
  readonly wasm: string;
  readonly capabilities: string | null;
  readonly dry_run: boolean;
  readonly replace: boolean;
};

const notePath = (path: string) => `/api/memory/${encodeURIComponent(path)}`;
