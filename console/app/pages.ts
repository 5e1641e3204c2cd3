import type { ComponentType } from 'preact';

/** What a page gets: the parts of the path after its own, and the query. */
export interface PageProps {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** A page of the console: its part of the path, its name, its key after `g`, and how it is loaded. */
export interface PageEntry {
  readonly name: string;
  readonly title: string;
  readonly key: string;
  readonly load: () => Promise<{ readonly default: ComponentType<PageProps> }>;
}

/** All pages, in the order of the menu. Each is loaded when it is opened first. */
export const pages: readonly PageEntry[] = [
  { name: 'overview', title: 'Overview', key: 'o', load: () => import('../pages/overview/overview.tsx') },
  { name: 'messages', title: 'Messages', key: 'm', load: () => import('../pages/messages/messages.tsx') },
  { name: 'runs', title: 'Runs', key: 'r', load: () => import('../pages/runs/runs.tsx') },
  { name: 'workflows', title: 'Workflows', key: 'w', load: () => import('../pages/workflows/workflows.tsx') },
  { name: 'routing', title: 'Routing', key: 't', load: () => import('../pages/routing/routing.tsx') },
  { name: 'inbox', title: 'Inbox', key: 'i', load: () => import('../pages/inbox/inbox.tsx') },
  { name: 'quality', title: 'Quality', key: 'q', load: () => import('../pages/quality/quality.tsx') },
  {
    name: 'automation',
    title: 'Automation',
    key: 'a',
    load: () => import('../pages/automation/automation.tsx'),
  },
  { name: 'system', title: 'System', key: 's', load: () => import('../pages/system/system.tsx') },
];
