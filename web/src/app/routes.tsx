import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router';
import { FailedPage, MissingPage } from './failed-page.tsx';

const root = createRootRoute({
  component: lazyRouteComponent(() => import('./entrance.tsx'), 'Entrance'),
  notFoundComponent: MissingPage,
});

/** The chat's own route stays mounted between threads, so that a new thread continues without a flicker. */
const chat = createRoute({
  getParentRoute: () => root,
  id: 'chat',
  component: lazyRouteComponent(() => import('../chat/chat-page.tsx'), 'ChatPage'),
});
const start = createRoute({ getParentRoute: () => chat, path: '/', component: Outlet });
const thread = createRoute({ getParentRoute: () => chat, path: '/threads/$threadId', component: Outlet });

const printed = createRoute({
  getParentRoute: () => root,
  path: '/threads/$threadId/print',
  component: lazyRouteComponent(() => import('../document/print-page.tsx'), 'PrintPage'),
});
const jobs = createRoute({
  getParentRoute: () => root,
  path: '/jobs',
  component: lazyRouteComponent(() => import('../jobs/jobs-page.tsx'), 'JobsPage'),
});
const missions = createRoute({
  getParentRoute: () => root,
  path: '/missions',
  component: lazyRouteComponent(() => import('../missions/missions-page.tsx'), 'MissionsPage'),
});
const notifications = createRoute({
  getParentRoute: () => root,
  path: '/notifications',
  component: lazyRouteComponent(() => import('../notifications/notifications-page.tsx'), 'NotificationsPage'),
});
const memory = createRoute({
  getParentRoute: () => root,
  path: '/memory',
  component: lazyRouteComponent(() => import('../memory/memory-page.tsx'), 'MemoryPage'),
});
const tools = createRoute({
  getParentRoute: () => root,
  path: '/tools',
  component: lazyRouteComponent(() => import('../tools/tools-page.tsx'), 'ToolsPage'),
});
const mcp = createRoute({
  getParentRoute: () => root,
  path: '/tools/mcp',
  component: lazyRouteComponent(() => import('../mcp/mcp-page.tsx'), 'McpPage'),
});
const toolCallback = createRoute({
  getParentRoute: () => root,
  path: '/tools/callback',
  component: lazyRouteComponent(() => import('../tools/tool-callback-page.tsx'), 'ToolCallbackPage'),
});
const skills = createRoute({
  getParentRoute: () => root,
  path: '/skills',
  component: lazyRouteComponent(() => import('../skills/skills-page.tsx'), 'SkillsPage'),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('../settings/settings-page.tsx'), 'SettingsPage'),
});
const turn = createRoute({
  getParentRoute: () => root,
  path: '/turns/$turnId',
  component: lazyRouteComponent(() => import('../inspector/inspector-page.tsx'), 'InspectorPage'),
});
const users = createRoute({
  getParentRoute: () => root,
  path: '/operator/users',
  component: lazyRouteComponent(() => import('../operator/users-page.tsx'), 'UsersPage'),
});
const models = createRoute({
  getParentRoute: () => root,
  path: '/operator/models',
  component: lazyRouteComponent(() => import('../operator/models/models-page.tsx'), 'ModelsPage'),
});
const channels = createRoute({
  getParentRoute: () => root,
  path: '/operator/channels',
  component: lazyRouteComponent(() => import('../channels/channels-page.tsx'), 'ChannelsPage'),
});
const usage = createRoute({
  getParentRoute: () => root,
  path: '/operator/usage',
  component: lazyRouteComponent(() => import('../operator/usage-page.tsx'), 'UsagePage'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/operator/audit',
  component: lazyRouteComponent(() => import('../operator/audit-page.tsx'), 'AuditPage'),
});
const health = createRoute({
  getParentRoute: () => root,
  path: '/operator/health',
  component: lazyRouteComponent(() => import('../operator/health-page.tsx'), 'HealthPage'),
});
const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
});

export function createAppRouter() {
  return createRouter({
    routeTree: root.addChildren([
      chat.addChildren([start, thread]),
      printed,
      jobs,
      missions,
      notifications,
      memory,
      tools,
      mcp,
      toolCallback,
      skills,
      settings,
      turn,
      users,
      models,
      channels,
      usage,
      audit,
      health,
      login,
    ]),
    defaultPreload: 'intent',
    defaultErrorComponent: FailedPage,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
