import type { PageProps } from '../../app/place.ts';
import { PageHead } from '../../ui/page-head.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { EvaluationView } from './evaluation-view.tsx';
import { Examples } from './examples.tsx';
import './quality.css';

/** Quality: how well messages are judged, what a threshold would mean, and the examples that people have made. */
export default function Quality({ query }: PageProps) {
  const isExamples = query.get('view') === 'examples';
  const tabs = (
    <Tabs
      label="Views of quality"
      current={isExamples ? 'examples' : 'evaluation'}
      tabs={[
        { name: 'evaluation', label: 'Evaluation' },
        { name: 'examples', label: 'Examples' },
      ]}
    />
  );
  return isExamples ? (
    <Examples query={query} tabs={tabs} />
  ) : (
    <>
      <PageHead title="Quality" />
      {tabs}
      <EvaluationView query={query} />
    </>
  );
}
