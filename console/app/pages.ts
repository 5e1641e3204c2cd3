import type { ComponentType } from 'preact';
import Overview from '../pages/overview/overview.tsx';

/** The parts of the path after the page's own, and the query. */
export interface PageProps {
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** A page of the console: its part of the path, its name, its key after `g`, and how it is loaded. */
export interface PageEntry {
  readonly name: string;
  readonly title: string;
  readonly key: string;
  readonly load: () => Promise<ComponentType<PageProps>>;
}

/** All pages but the overview, which is the first one, are in one file: they have much in common. */
const others = () => import('../pages/others.ts');

/** All pages, in the order of the menu. All but the overview are loaded when the first of them is opened. */
export const pages: readonly PageEntry[] = [
  { name: 'overview', title: 'Overview', key: 'o', load: async () => Overview },
  { name: 'messages', title: 'Messages', key: 'm', load: async () => (await others()).Messages },
  { name: 'runs', title: 'Runs', key: 'r', load: async () => (await others()).Runs },
  { name: 'workflows', title: 'Workflows', key: 'w', load: async () => (await others()).Workflows },
  { name: 'routing', title: 'Routing', key: 't', load: async () => (await others()).Routing },
  { name: 'inbox', title: 'Inbox', key: 'i', load: async () => (await others()).Inbox },
  { name: 'quality', title: 'Quality', key: 'q', load: async () => (await others()).Quality },
  { name: 'automation', title: 'Automation', key: 'a', load: async () => (await others()).Automation },
  { name: 'system', title: 'System', key: 's', load: async () => (await others()).System },
];
