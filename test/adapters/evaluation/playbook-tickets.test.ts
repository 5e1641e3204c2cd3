import { describe, expect, test } from 'vitest';
import { createPlaybookTickets } from '../../../src/adapters/evaluation/synthetic-tickets.ts';
import { findTicketIssue } from '../../../src/domain/evaluation/tickets.ts';
import { dentist, playbookOf } from '../stages/own-playbooks.ts';

const tickets = createPlaybookTickets(playbookOf(dentist))(3, 400);

describe('the tickets of an own playbook', () => {
  test('are the same for the same seed, and others for another', () => {
    expect(createPlaybookTickets(playbookOf(dentist))(3, 400)).toEqual(tickets);
    expect(createPlaybookTickets(playbookOf(dentist))(4, 400)).not.toEqual(tickets);
  });

  test('expect its intents, and nothing contradictory', () => {
    const expected = new Set(tickets.flatMap(({ expectedIntent }) => expectedIntent ?? []));
    expect([...expected].sort()).toEqual(['move_visit', 'pain', 'parking', 'prices']);
    expect(tickets.flatMap((ticket) => findTicketIssue(ticket) ?? [])).toEqual([]);
  });

  test('have the situations that every company meets: concerns, automatic messages, requests for a person', () => {
    expect(tickets.some(({ expectedConcerns = [] }) => expectedConcerns.length > 0)).toBe(true);
    expect(tickets.some(({ expectedDisposition }) => expectedDisposition === 'no_reply')).toBe(true);
  });

  test('go to a person where the playbook says so', () => {
    const dispositionOf = (name: string, all = tickets) =>
      new Set(all.filter((one) => one.expectedIntent === name).map((one) => one.expectedDisposition));
    expect(dispositionOf('pain')).toEqual(new Set(['escalated']));
    expect(dispositionOf('parking')).toEqual(new Set([undefined]));
    const some = createPlaybookTickets(playbookOf({ ...dentist, auto_reply: ['prices'] }))(3, 200);
    // They become drafts where there is an answer, and else go to a person.
    expect(dispositionOf('parking', [...some])).toEqual(new Set([undefined]));
  });
});
