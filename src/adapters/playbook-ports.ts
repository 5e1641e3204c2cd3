import type { PlaybookPorts, Ports } from '../ports/ports.ts';
import { createPlaybookTickets, makeSyntheticTickets } from './evaluation/synthetic-tickets.ts';
import type { PlaybookSetup } from './playbook-setup.ts';
import { createAssessorFor } from './rule-based.ts';
import { createStagesOf, DEFAULT_ESCALATION_THRESHOLD } from './stages/rule-based.ts';

/**
 * The ports that a playbook decides, for `defaultPorts`: the playbook, the rule-based stages, and the tickets of
 * evaluations. Messages with a lower confidence than `escalationThreshold`, from 0 to 1, are escalated; 0.45 when
 * absent. Without an inbox, which `hasInbox` says, no built-in text promises a person.
 */
export function playbookPorts(
  { playbook, classifier }: Pick<PlaybookSetup, 'playbook' | 'classifier'>,
  escalationThreshold = DEFAULT_ESCALATION_THRESHOLD,
  hasInbox = true,
): PlaybookPorts {
  return {
    playbook,
    stages: createStagesOf(createAssessorFor({ playbook, classifier, hasInbox }), escalationThreshold),
    makeTickets: ticketsFor(playbook),
  };
}

/** The tickets of evaluations: synthetic ones, or the examples of a company's own playbook. */
export function ticketsFor(playbook: Ports['playbook']): Ports['makeTickets'] {
  return playbook.source === 'built-in' ? makeSyntheticTickets : createPlaybookTickets(playbook);
}
