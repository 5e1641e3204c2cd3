import type { PageProps } from '../../app/place.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { Agents } from './agents.tsx';
import { OneSchedule } from './one-schedule.tsx';
import { Schedules } from './schedules.tsx';
import { Tools } from './tools.tsx';
import './automation.css';

const tabs = [
  { name: 'schedules', label: 'Schedules' },
  { name: 'tools', label: 'Tools' },
  { name: 'agents', label: 'Agents' },
] as const;

/** Automation: what starts runs by itself, and the tools and agents that all work goes through. */
export default function Automation({ path: [id], query }: PageProps) {
  if (id !== undefined) return <OneSchedule id={id} />;
  const view = tabs.find(({ name }) => name === query.get('view'))?.name ?? 'schedules';
  const menu = <Tabs tabs={tabs} current={view} label="Views of automation" />;
  if (view === 'tools') return <Tools menu={menu} query={query} />;
  if (view === 'agents') return <Agents menu={menu} />;
  return <Schedules menu={menu} query={query} />;
}
