import type { EventResponse } from '../../../src/entries/client.ts';
import { hrefOfRecord } from '../../app/place.ts';
import { formatDuration } from '../../ui/format.ts';

/** An event in one line. */
export interface EventLine {
  readonly glyph: string;
  readonly tone: 'good' | 'busy' | 'wait' | 'warn' | 'bad' | 'calm';
  readonly text: string;
  /** The record that it is about. */
  readonly href: string | undefined;
}

/** True for an event in the list of happenings: beginnings, ends and actions of people, but not each step. */
export function isTold({ type }: EventResponse): boolean {
  return !/^(pipeline|stage|tool|layer|subtask|step)\.|^execution\.(started|resumed)$|^message\.escalated$|^routing\.started$/.test(
    type,
  );
}

/** Events that are shown at a time. */
export const SHOWN = 18;

/** The key that tells events apart. */
export const keyOf = ({ subject, seq, type }: EventResponse): string => `${subject.id} ${seq} ${type}`;

/** The newest events of two lists, each of them once, the newest first. Those of one time keep the order of `more`. */
export function mergeEvents(
  before: readonly EventResponse[],
  more: readonly EventResponse[],
): readonly EventResponse[] {
  const all = new Map([...more, ...before].map((event) => [keyOf(event), event]));
  return [...all.values()].sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, SHOWN);
}

/** The line for an event. */
export function describeEvent(event: EventResponse): EventLine {
  return { ...wordsOf(event), href: hrefOfRecord(event.subject) };
}

type Words = Omit<EventLine, 'href'>;
const line = (tone: EventLine['tone'], glyph: string, text: string): Words => ({ tone, glyph, text });

function wordsOf(event: EventResponse): Words {
  switch (event.type) {
    case 'message.finished': {
      const { disposition, intent, duration_ms, status } = event.data;
      const [tone, glyph] = status === 'FAILED' ? (['bad', '✕'] as const) : toneOf(disposition);
      const word = status === 'FAILED' ? 'failed' : disposition.replace('_', ' ');
      return line(tone, glyph, `message ${word}: ${intent}, ${formatDuration(duration_ms)}`);
    }
    case 'execution.created':
      return line('busy', '●', `run started: ${event.data.workflow_name} (by ${event.data.origin})`);
    case 'execution.completed':
      return line('good', '✓', `run completed in ${formatDuration(event.data.duration_ms)}`);
    case 'execution.failed':
      return line('bad', '✕', `run failed: ${event.data.error}`);
    case 'execution.cancelled':
      return line('calm', '⊘', 'run cancelled');
    case 'execution.waiting':
      return line('wait', '◐', `run waits for ${event.data.for.join(', ')}`);
    case 'execution.retried':
      return line('busy', '●', `run tried again by ${event.data.by}`);
    case 'execution.recovered':
      return line('warn', '!', 'run continued after its process was lost');
    case 'routing.finished': {
      const { status, completed, total } = event.data;
      const [tone, glyph] = status === 'completed' ? (['good', '✓'] as const) : (['warn', '!'] as const);
      return line(tone, glyph, `goal ${status}: ${completed} of ${total} subtasks`);
    }
    case 'inbox.opened':
      return line('wait', '◐', `inbox: ${event.data.item_kind} opened`);
    case 'inbox.resolved':
      return line(
        'good',
        '✓',
        `inbox: ${event.data.item_kind} ${event.data.outcome ?? 'resolved'} by ${event.data.by}`,
      );
    case 'inbox.claimed':
    case 'inbox.released':
    case 'inbox.expired':
      return line('calm', '·', `inbox: ${event.data.item_kind} ${event.type.slice(6)} by ${event.data.by}`);
    case 'workflow.created':
    case 'workflow.updated':
    case 'workflow.deleted':
      return line('calm', '·', `workflow ${event.type.slice(9)}: ${event.data.name}`);
    case 'schedule.fired':
      return line('busy', '●', 'schedule started a run');
    case 'schedule.skipped':
      return line('warn', '!', `schedule started nothing: ${event.data.reason.replaceAll('_', ' ')}`);
    default:
      return line('calm', '·', event.type.replaceAll(/[._]/g, ' '));
  }
}

function toneOf(disposition: string): readonly [EventLine['tone'], string] {
  if (disposition === 'answered') return ['good', '✓'];
  if (disposition === 'escalated') return ['warn', '!'];
  if (disposition === 'draft') return ['wait', '◐'];
  return ['calm', '–'];
}
