import type { PageProps } from '../../app/place.ts';
import { RunList } from './list.tsx';
import { RunPage } from './run.tsx';
import './runs.css';

/** The list of runs, and the page of one run. */
export default function Runs({ path: [id], query }: PageProps) {
  return id === undefined ? <RunList query={query} /> : <RunPage key={id} id={id} query={query} />;
}
