import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';

export default defineConfig({
  integrations: [
    starlight({
      title: 'Reborn',
      sidebar: [
        'overview',
        { label: 'Get started', items: ['start/quickstart', 'start/concepts', 'start/comparison'] },
        {
          label: 'Use it',
          items: [
            'use/everyday',
            'use/terminal',
            'use/files',
            'use/sources',
            'use/search',
            'use/documents',
            'use/steering',
            'use/approvals',
            'use/missions',
            'use/subagents',
            'use/channels',
            'use/notifications',
            'use/memory',
            'use/skills',
            'use/mcp',
          ],
        },
        {
          label: 'Build on it',
          items: [
            'build/client-libraries',
            'build/typed-client',
            'build/chat-completions',
            'build/files',
            'build/hosted-tools',
            'build/vector-stores',
            'build/coding-agents',
            'build/proxies',
            'build/webhooks',
            'build/write-a-tool',
          ],
        },
        {
          label: 'Operate it',
          items: [
            'operate/deploy',
            'operate/containers',
            'operate/models',
            'operate/search',
            'operate/sign-in',
            'operate/replicas',
            'operate/scale',
            'operate/monitoring',
            'operate/runbooks',
            'operate/backup',
            'operate/retention',
            'operate/attachments',
            'operate/code',
            'operate/upgrade',
            'operate/troubleshooting',
          ],
        },
        {
          label: 'Trust it',
          items: ['trust/security', 'trust/safety', 'trust/crash-recovery', 'trust/benchmarks', 'security'],
        },
        {
          label: 'Reference',
          items: [
            'reference/configuration',
            'reference/commands',
            'reference/api',
            'reference/create-fields',
            'reference/errors',
            'reference/webhooks',
            'reference/capabilities',
            'reference/compatibility',
          ],
        },
        {
          label: 'Contribute',
          items: [
            'contributing',
            'architecture',
            'style',
            {
              label: 'How to',
              items: [
                'contribute/add-a-route',
                'contribute/add-a-setting',
                'contribute/add-a-built-in-tool',
                'contribute/add-a-model-provider',
                'contribute/add-a-channel',
                'contribute/add-a-migration',
                'contribute/add-a-language',
                'contribute/announce-an-event',
              ],
            },
            { label: 'Decisions', collapsed: true, items: [{ autogenerate: { directory: 'decisions' } }] },
            'changelog',
          ],
        },
      ],
    }),
  ],
});
