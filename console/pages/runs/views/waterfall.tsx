import { useMemo } from 'preact/hooks';
import type { EventResponse } from '../../../api/client.ts';
import { toWaterfall } from '../../../graph/time/to-waterfall.ts';
import { Waterfall } from '../../../graph/waterfall.tsx';
import type { Run } from '../logic/reads.ts';

interface WaterfallViewProps {
  readonly run: Run;
  readonly events: readonly EventResponse[];
  readonly selected: string | undefined;
  readonly onSelect: (stepId: string) => void;
}

/** When each step of a run waited, worked and paused. */
export function WaterfallView({ run, events, selected, onSelect }: WaterfallViewProps) {
  const data = useMemo(() => toWaterfall(run, events), [run, events]);
  return (
    <Waterfall
      label={`Steps of ${run.workflow_name} over time`}
      data={data}
      selected={selected}
      onSelect={onSelect}
    />
  );
}
