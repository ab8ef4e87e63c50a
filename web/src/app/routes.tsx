import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { LateFailedPage, LateMissingPage } from './late-pages.tsx';

/** Where pages were before: links to them stand in mails and bookmarks. */
const MOVED: Readonly<Record<string, string>> = {
  '/jobs': '/settings/jobs',
  '/notifications': '/settings/notifications',
  '/skills': '/connectors/skills',
  '/tools': '/connectors/tools',
  '/tools/mcp': '/connectors',
};

const root = createRootRoute({
  beforeLoad: ({ location: { pathname, searchStr, hash } }) => {
    const to = MOVED[pathname] ?? pathname.replace(/^\/operator\//, '/settings/');
    // The router takes a redirect for an answer, not for an error.
    // oxlint-disable-next-line typescript/only-throw-error
    if (to !== pathname) throw redirect({ href: `${to}${searchStr}${hash && `#${hash}`}`, replace: true });
  },
  component: lazyRouteComponent(() => import('./entrance.tsx'), 'Entrance'),
  notFoundComponent: LateMissingPage,
});

/** The chat's own route stays mounted between threads, so that a new thread continues without a flicker. */
const chat = createRoute({
  getParentRoute: () => root,
  id: 'chat',
  component: lazyRouteComponent(() => import('../chat/chat-page.tsx'), 'ChatPage'),
});
const start = createRoute({ getParentRoute: () => chat, path: '/', component: Outlet });
const thread = createRoute({ getParentRoute: () => chat, path: '/threads/$threadId', component: Outlet });

/** The page stays mounted between its tabs, so that what is typed in it is kept. */
const project = createRoute({
  getParentRoute: () => root,
  path: '/projects/$projectId',
  component: lazyRouteComponent(() => import('../projects/project-page.tsx'), 'ProjectPage'),
});
const projectThreads = createRoute({ getParentRoute: () => project, path: '/', component: Outlet });
const projectTab = createRoute({ getParentRoute: () => project, path: '$tab', component: Outlet });

const printed = createRoute({
  getParentRoute: () => root,
  path: '/threads/$threadId/print',
  component: lazyRouteComponent(() => import('../document/print-page.tsx'), 'PrintPage'),
});
const missions = createRoute({
  getParentRoute: () => root,
  path: '/missions',
  component: lazyRouteComponent(() => import('../missions/results-page.tsx'), 'ResultsPage'),
});
const allMissions = createRoute({
  getParentRoute: () => root,
  path: '/missions/all',
  component: lazyRouteComponent(() => import('../missions/missions-page.tsx'), 'MissionsPage'),
});
const assistants = createRoute({
  getParentRoute: () => root,
  path: '/assistants',
  component: lazyRouteComponent(() => import('../assistants/assistants-page.tsx'), 'AssistantsPage'),
});
const memory = createRoute({
  getParentRoute: () => root,
  path: '/memory',
  component: lazyRouteComponent(() => import('../memory/memory-page.tsx'), 'MemoryPage'),
});
const connectors = createRoute({
  getParentRoute: () => root,
  path: '/connectors',
  component: lazyRouteComponent(() => import('../mcp/mcp-page.tsx'), 'McpPage'),
});
const tools = createRoute({
  getParentRoute: () => root,
  path: '/connectors/tools',
  component: lazyRouteComponent(() => import('../tools/tools-page.tsx'), 'ToolsPage'),
});
const skills = createRoute({
  getParentRoute: () => root,
  path: '/connectors/skills',
  component: lazyRouteComponent(() => import('../skills/skills-page.tsx'), 'SkillsPage'),
});
const toolCallback = createRoute({
  getParentRoute: () => root,
  path: '/tools/callback',
  component: lazyRouteComponent(() => import('../tools/tool-callback-page.tsx'), 'ToolCallbackPage'),
});
const turn = createRoute({
  getParentRoute: () => root,
  path: '/turns/$turnId',
  component: lazyRouteComponent(() => import('../inspector/inspector-page.tsx'), 'InspectorPage'),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('../settings/settings-home.tsx'), 'SettingsHome'),
});
const general = createRoute({
  getParentRoute: () => root,
  path: '/settings/general',
  component: lazyRouteComponent(() => import('../settings/general-page.tsx'), 'GeneralPage'),
});
const instructions = createRoute({
  getParentRoute: () => root,
  path: '/settings/instructions',
  component: lazyRouteComponent(() => import('../settings/instructions-page.tsx'), 'InstructionsPage'),
});
const approvals = createRoute({
  getParentRoute: () => root,
  path: '/settings/approvals',
  component: lazyRouteComponent(() => import('../settings/approvals-page.tsx'), 'ApprovalsPage'),
});
const notifications = createRoute({
  getParentRoute: () => root,
  path: '/settings/notifications',
  component: lazyRouteComponent(() => import('../notifications/notifications-page.tsx'), 'NotificationsPage'),
});
const chatApps = createRoute({
  getParentRoute: () => root,
  path: '/settings/chat-apps',
  component: lazyRouteComponent(() => import('../settings/chat-apps-page.tsx'), 'ChatAppsPage'),
});
const access = createRoute({
  getParentRoute: () => root,
  path: '/settings/access',
  component: lazyRouteComponent(() => import('../settings/access-page.tsx'), 'AccessPage'),
});
const shared = createRoute({
  getParentRoute: () => root,
  path: '/settings/shared',
  component: lazyRouteComponent(() => import('../settings/shared-page.tsx'), 'SharedPage'),
});
const data = createRoute({
  getParentRoute: () => root,
  path: '/settings/data',
  component: lazyRouteComponent(() => import('../settings/data-page.tsx'), 'DataPage'),
});
const models = createRoute({
  getParentRoute: () => root,
  path: '/settings/models',
  component: lazyRouteComponent(() => import('../operator/models/models-page.tsx'), 'ModelsPage'),
});
const users = createRoute({
  getParentRoute: () => root,
  path: '/settings/users',
  component: lazyRouteComponent(() => import('../operator/users-page.tsx'), 'UsersPage'),
});
const channels = createRoute({
  getParentRoute: () => root,
  path: '/settings/channels',
  component: lazyRouteComponent(() => import('../channels/channels-page.tsx'), 'ChannelsPage'),
});
const usage = createRoute({
  getParentRoute: () => root,
  path: '/settings/usage',
  component: lazyRouteComponent(() => import('../operator/usage-page.tsx'), 'UsagePage'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/settings/audit',
  component: lazyRouteComponent(() => import('../operator/audit-page.tsx'), 'AuditPage'),
});
const ratings = createRoute({
  getParentRoute: () => root,
  path: '/settings/ratings',
  component: lazyRouteComponent(() => import('../operator/ratings-page.tsx'), 'RatingsPage'),
});
const health = createRoute({
  getParentRoute: () => root,
  path: '/settings/health',
  component: lazyRouteComponent(() => import('../operator/health-page.tsx'), 'HealthPage'),
});
const jobs = createRoute({
  getParentRoute: () => root,
  path: '/settings/jobs',
  component: lazyRouteComponent(() => import('../jobs/jobs-page.tsx'), 'JobsPage'),
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
      project.addChildren([projectThreads, projectTab]),
      printed,
      missions,
      allMissions,
      assistants,
      memory,
      connectors,
      tools,
      skills,
      toolCallback,
      turn,
      settings,
      general,
      instructions,
      approvals,
      notifications,
      chatApps,
      access,
      shared,
      data,
      models,
      users,
      channels,
      usage,
      audit,
      ratings,
      health,
      jobs,
      login,
    ]),
    defaultPreload: 'intent',
    defaultErrorComponent: LateFailedPage,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
