import type { Ticket } from '../domain/evaluation/tickets.ts';

/** Creates synthetic tickets: always the same ones for the same seed and size. */
export type MakeTickets = (seed: number, size: number) => readonly Ticket[];
