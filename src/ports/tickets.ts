import type { Ticket } from '../domain/evaluation/scores.ts';

/** Synthetic tickets: the same ones for the same seed and size, whenever and wherever they are made. */
export type MakeTickets = (seed: number, size: number) => readonly Ticket[];
