import { z } from 'zod';
import { errorAnswers, type RouteDescription } from '#http/routes/openapi.ts';
import { replicaList } from './health/wire-replicas.ts';
import { modelTest, modelTestResult, settingsChange, wireSettings } from './models/wire-settings.ts';
import { skillAdd, skillList, skillQuery, skillRemoval, wireSkill } from './skills/wire-skills.ts';
import { signInAnswer, signInBegun, toolInstall, toolList, toolPreview, toolSecret } from './tools/wire-tools.ts';
import { me } from './users/wire-me.ts';

/** The routes about the caller, the agent's tools, and how the service is set up and doing. */
export const operatorDescription: readonly RouteDescription[] = [
  {
    path: '/api/me',
    method: 'get',
    summary: 'Who asks, and what an app needs to begin with.',
    responses: { 200: { description: 'The caller.', json: me } },
  },
  {
    path: '/api/tools',
    method: 'get',
    summary: "The agent's tools, and what each may do.",
    responses: { 200: { description: 'Every tool.', json: toolList } },
  },
  {
    path: '/api/tools',
    method: 'post',
    summary: 'Install a tool, or with `dry_run` only look at what it may do (operator).',
    request: toolInstall,
    responses: {
      200: { description: 'What it may do; nothing was stored.', json: toolPreview },
      201: { description: 'It is installed.', json: toolPreview },
      ...errorAnswers(400, 409, 413),
    },
  },
  {
    path: '/api/tools/{name}',
    method: 'delete',
    summary: 'Remove an installed tool (operator).',
    responses: { 204: { description: 'It is gone.' }, ...errorAnswers(404) },
  },
  {
    path: '/api/tools/{name}/secret',
    method: 'post',
    summary: "Store one of the secrets that a tool names: the caller's own, or everyone's (operator).",
    request: toolSecret,
    responses: { 204: { description: 'It is stored, and never shown again.' }, ...errorAnswers(400, 404, 413) },
  },
  {
    path: '/api/tools/{name}/sign-in',
    method: 'post',
    summary: 'Begin to sign in to what a tool uses, by OAuth.',
    responses: { 200: { description: 'Where the browser goes.', json: signInBegun }, ...errorAnswers(400, 404) },
  },
  {
    path: '/api/tools/{name}/sign-in/finish',
    method: 'post',
    summary: 'Hand in what the provider sent the browser back with.',
    request: signInAnswer,
    responses: { 204: { description: 'The tool is signed in, for the caller.' }, ...errorAnswers(400, 404, 413) },
  },
  {
    path: '/api/skills',
    method: 'get',
    summary: 'What the agent can read up on.',
    responses: { 200: { description: "The caller's own skills, everyone's, and those on the disk.", json: skillList } },
  },
  {
    path: '/api/skills',
    method: 'post',
    summary: "Add a skill: the caller's own, or everyone's (operator).",
    request: skillAdd,
    responses: { 201: { description: 'The skill as it is kept.', json: wireSkill }, ...errorAnswers(400, 409, 413) },
  },
  {
    path: '/api/skills/{name}',
    method: 'get',
    summary: 'Read a skill: the one of a source, or the one that the agent would read.',
    query: skillQuery,
    responses: { 200: { description: 'The skill with its files.', json: wireSkill }, ...errorAnswers(400, 404) },
  },
  {
    path: '/api/skills/{name}',
    method: 'delete',
    summary: "Remove a skill: the caller's own, or everyone's (operator).",
    query: skillRemoval,
    responses: { 204: { description: 'It is gone.' }, ...errorAnswers(400, 404) },
  },
  {
    path: '/api/settings',
    method: 'get',
    summary: 'The settings of the installation (operator).',
    responses: { 200: { description: 'The settings, without keys.', json: wireSettings } },
  },
  {
    path: '/api/settings',
    method: 'patch',
    summary: 'Change settings (operator).',
    request: settingsChange,
    responses: { 200: { description: 'The settings as they are now.', json: wireSettings }, ...errorAnswers(400, 413) },
  },
  {
    path: '/api/settings/test-model',
    method: 'post',
    summary: 'Ask a model something small, to see whether it answers (operator).',
    request: modelTest,
    responses: { 200: { description: 'How it went, in words.', json: modelTestResult }, ...errorAnswers(400, 413) },
  },
  {
    path: '/api/replicas',
    method: 'get',
    summary: 'Who runs turns now, and what waits (operator).',
    responses: { 200: { description: 'The replicas and the queue.', json: replicaList } },
  },
  {
    path: '/metrics',
    method: 'get',
    summary: 'Figures for Prometheus (operator).',
    responses: { 200: { description: 'Its text format.', text: z.string() } },
  },
];
