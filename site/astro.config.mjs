import starlight from '@astrojs/starlight';
import { defineConfig } from 'astro/config';

export default defineConfig({
  integrations: [
    starlight({
      title: 'Reborn',
      sidebar: [
        { label: 'To begin', items: ['start', 'concepts'] },
        {
          label: 'To use it',
          items: [
            'clients',
            'compatibility',
            'webhooks',
            'tools/authoring',
            'skills',
            'models',
            'memory',
            'approvals',
            'terminal',
          ],
        },
        {
          label: 'To run it for others',
          items: [
            'deploy',
            'replicas',
            'sign-in',
            'backup',
            'upgrade',
            'security',
            'safety',
            'endurance',
            'comparison',
          ],
        },
        {
          label: 'To look up',
          items: [
            'reference/configuration',
            'reference/commands',
            'reference/api',
            'reference/errors',
            'reference/capabilities',
          ],
        },
        {
          label: 'To change it',
          items: [
            'architecture',
            'contributing',
            'style',
            { label: 'Decisions', collapsed: true, items: [{ autogenerate: { directory: 'decisions' } }] },
            'changelog',
          ],
        },
      ],
    }),
  ],
});
