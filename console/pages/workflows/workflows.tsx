import type { PageProps } from '../../app/place.ts';
import { NewWorkflow } from './editor/editor.tsx';
import { List } from './list.tsx';
import { One } from './one.tsx';
import './workflows.css';

/** Workflows: the stored ones, one of them with all that belongs to it, and an editor. */
export default function Workflows({ path: [id], query }: PageProps) {
  if (id !== undefined) return <One key={id} id={id} query={query} />;
  if (query.get('view') === 'new') return <NewWorkflow />;
  return <List query={query} />;
}
