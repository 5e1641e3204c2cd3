import type { EventResponse } from '../../../../src/entries/client.ts';

/** The content of a run's event beside its type and its step, in a few words. */
export function eventText(event: EventResponse, duration: (ms: number | null) => string): string {
  const { type, data } = event;
  switch (type) {
    case 'execution.created':
      return `version ${data.version} of ${data.workflow_name}, origin ${data.origin}`;
    case 'execution.started':
      return `attempt ${data.attempt}`;
    case 'layer.started':
      return `layer ${data.layer + 1}: ${data.steps.length === 1 ? 'one step' : `${data.steps.length} steps`}`;
    case 'step.started':
      return `${data.kind}, attempt ${data.attempt}`;
    case 'step.retrying':
      return `attempt ${data.attempt} failed: ${data.error}; the next one in ${duration(data.delay_ms)}`;
    case 'step.progress':
      return `${data.done} of ${data.total}${data.failed > 0 ? `, ${data.failed} failed` : ''}`;
    case 'step.waiting':
      return `for ${data.for}${data.until === null ? '' : `, until ${data.until}`}`;
    case 'step.completed':
      if (data.copied === true) return 'its output is copied';
      return `${attemptsOf(data.attempts)}, ${duration(data.duration_ms)}${data.error ? `, with the output for errors: ${data.error}` : ''}`;
    case 'step.failed':
      return `${attemptsOf(data.attempts)}: ${data.error}`;
    case 'step.cancelled':
    case 'step.skipped':
      return data.why.replaceAll('_', ' ');
    case 'execution.waiting':
      return `for ${String(data.for)}`;
    case 'execution.resumed':
      return `by ${data.by}`;
    case 'execution.cancel_requested':
      return `by ${data.by}${data.reason === null ? '' : `: ${data.reason}`}`;
    case 'execution.retried':
      return `by ${data.by}: attempt ${data.attempt}, ${data.steps.length === 1 ? 'one step' : `${data.steps.length} steps`}`;
    case 'execution.recovered':
      return data.unknown_steps.length === 0 ? '' : `of unknown outcome: ${data.unknown_steps.join(', ')}`;
    case 'execution.completed':
    case 'execution.failed':
    case 'execution.cancelled':
      return [data.error, duration(data.duration_ms)].filter(Boolean).join(', ');
    default:
      return '';
  }
}

const attemptsOf = (count: number): string => (count === 1 ? 'one attempt' : `${count} attempts`);
