import type { SubjectEvent } from '../../../domain/subject-event.ts';
import { toEventResponse } from './to-event-response.ts';

/** Sent first: milliseconds after which a client connects again. */
export const RETRY_FRAME = encodeFrames('retry: 2000\n\n');

/** Sent when nothing else was sent for a while, so that proxies keep the connection open. */
export const COMMENT_FRAME = encodeFrames(': still here\n\n');

/** After the last event of a subject that has ended. It has no id, so that a client keeps that of the last event. */
export const END_FRAME = 'event: stream.end\ndata: {}\n\n';

/** Where events of the feed were lost. */
export const GAP_FRAME = 'event: stream.gap\ndata: {}\n\n';

/** An event with its number as id, so that a client can go on after it. */
export function numberedFrame(event: SubjectEvent): string {
  return `id: ${event.seq}\n${plainFrame(event)}`;
}

/** An event without an id. JSON has no line breaks, so that the data are one line. */
export function plainFrame(event: SubjectEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(toEventResponse(event))}\n\n`;
}

/** Frames as they are sent. */
export function encodeFrames(frames: string): Uint8Array<ArrayBuffer> {
  return Buffer.from(frames);
}
