import type { Routes, ServerMessage, TurnInspection, UsageReport } from '@reborn-agent/client/api';

export type {
  AgentTool as Tool,
  AuditList as AuditPage,
  ChatAccepted as Accepted,
  ClientMessage,
  CreatedToken,
  GateList as OpenGates,
  ItemList as ItemPage,
  ItemPart as Part,
  JobList as JobPage,
  Me,
  MemoryResults,
  ModelTestResult,
  OpenGate as Gate,
  ReplicaList as Replicas,
  ServerMessage,
  ServiceStatus as Status,
  Settings,
  Skill,
  SkillList,
  Spent as Usage,
  Thread,
  ThreadItem as Item,
  ThreadList as ThreadPage,
  TokenList,
  ToolList,
  ToolPreview,
  TurnInspection as Inspection,
  UsageReport,
  User,
  UserList as UserPage,
} from '@reborn-agent/client/api';
export type TurnEventMessage = Extract<ServerMessage, { type: 'turn-event' }>;
export type DayUsage = UsageReport['usage'][number];
export type Span = TurnInspection['spans'][number];
export type ListedSkill = Routes['GET /api/skills']['result']['skills'][number];
export type Job = Routes['GET /api/jobs']['result']['jobs'][number];
