import type { OrchestrationEvent } from '../domain/events.ts';

/** Told of everything that happens, once, as it happens. It must return at once and never throw. */
export type EventSink = (event: OrchestrationEvent) => void;
