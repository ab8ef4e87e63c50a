import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';

export default defineConfig({
  integrations: [
    starlight({
      title: 'Reborn',
      sidebar: [
        { label: 'Get started', items: ['start', 'concepts', 'comparison'] },
        {
          label: 'Use it',
          items: [
            'everyday',
            'terminal',
            'approvals',
            'missions',
            'channels',
            'notifications',
            'memory',
            'skills',
            'mcp',
          ],
        },
        {
          label: 'Build on it',
          items: ['clients', 'client', 'chat-completions', 'coding-agents', 'proxies', 'webhooks', 'tools/authoring'],
        },
        {
          label: 'Operate it',
          items: [
            'deploy',
            'models',
            'sign-in',
            'replicas',
            'scale',
            'monitoring',
            'backup',
            'retention',
            'attachments',
            'upgrade',
            'troubleshooting',
          ],
        },
        {
          label: 'Trust it',
          items: ['security', 'safety', 'crash-recovery', 'benchmarks'],
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
            'compatibility',
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
                'contributing/add-a-route',
                'contributing/add-a-setting',
                'contributing/add-a-built-in-tool',
                'contributing/add-a-model-provider',
                'contributing/add-a-channel',
                'contributing/add-a-migration',
                'contributing/add-a-language',
                'contributing/announce-an-event',
              ],
            },
            { label: 'Decisions', collapsed: true, items: [{ autogenerate: { directory: 'decisions' } }] },
            'security-policy',
            'changelog',
          ],
        },
      ],
    }),
  ],
});
