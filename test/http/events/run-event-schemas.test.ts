import { expect, test } from 'vitest';
import {
  eventDataSchemas,
  eventSchema,
  toEventResponse,
} from '../../../src/adapters/http/events/event-schemas.ts';
import { toSubjectEvent } from '../../../src/domain/run/subject-events.ts';
import { everyEvent, numbered } from '../../support/workflow/run-events.ts';

const subject = { kind: 'execution', id: 'execution-1', workflowId: 'workflow-1' } as const;

test.each(numbered(1, everyEvent({ secret: 'an output' })))(
  'the $type event $seq fits its schema, and shows no output',
  (event) => {
    const shown = toEventResponse(toSubjectEvent(subject, event));
    expect(eventSchema.safeParse(shown).success).toBe(true);
    expect(eventDataSchemas[event.type].parse(shown.data)).toEqual(shown.data);
    expect(JSON.stringify(shown)).not.toContain('an output');
  },
);
