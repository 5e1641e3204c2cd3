import { useEffect, useRef, useState } from 'preact/hooks';
import { type EventResponse, toEvents } from '../../api/client.ts';
import { onEvents } from '../../api/live.ts';
import { useRead } from '../../api/use-read.ts';
import { CurlButton } from '../../ui/curl.tsx';
import { formatClock } from '../../ui/format.ts';
import { Empty } from '../../ui/states.tsx';
import { describeEvent, isTold, keyOf, mergeEvents, SHOWN } from './describe-event.ts';

/** The newest events of the service. The list holds still while the pointer or the focus is on it. */
export function Happening() {
  // Events that are missed, also all of them where there is no feed, are read.
  const recent = useRead('recent events', (api) => api.events.$get({ query: { limit: '100' } }), {
    stale: () => false,
  });
  const [events, setEvents] = useState<readonly EventResponse[]>([]);
  const [held, setHeld] = useState<readonly EventResponse[]>();
  const isHeld = useRef(false);
  useEffect(() => {
    if (recent.value === undefined) return;
    const read = toEvents(recent.value.events).filter(isTold);
    setEvents((before) => mergeEvents(before, read));
  }, [recent.value]);
  useEffect(
    () =>
      onEvents((batch) => {
        const told = batch.filter(isTold).toReversed().slice(0, SHOWN);
        if (told.length > 0) setEvents((before) => mergeEvents(before, told));
      }),
    [],
  );
  const hold = (): void => {
    isHeld.current = true;
    setHeld(events);
  };
  const release = (): void => {
    isHeld.current = false;
    setHeld(undefined);
  };
  const shown = held ?? events;
  return (
    <section class="card" aria-labelledby="happening">
      <header class="overview-legend">
        <h2 id="happening">Happening</h2>
        {held !== undefined && <span class="faint">held while you point at it</span>}
        <span class="overview-curl">
          <CurlButton calls={[{ label: 'The newest events', call: recent.call }]} />
        </span>
      </header>
      {shown.length === 0 && <Empty>Nothing has happened yet. Send a message, or run a workflow.</Empty>}
      <ul
        class="overview-events"
        onMouseEnter={hold}
        onMouseLeave={release}
        onFocusCapture={hold}
        onBlurCapture={release}
      >
        {shown.map((event) => {
          const { glyph, tone, text, href } = describeEvent(event);
          return (
            <li key={keyOf(event)}>
              <time class="number faint" dateTime={event.at}>
                {formatClock(event.at)}
              </time>
              <span class={`tone-${tone}`} aria-hidden="true">
                {glyph}
              </span>
              {href === undefined ? <span>{text}</span> : <a href={href}>{text}</a>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
