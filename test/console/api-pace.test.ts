import { describe, expect, it } from 'vitest';
import { createPace } from '../../console/api/pace.ts';

/** A clock that goes on by hand, with what waits for it. */
function setUp(perSecond: number) {
  let time = 0;
  const timers: { at: number; work: () => void }[] = [];
  const later = (work: () => void, milliseconds: number) => timers.push({ at: time + milliseconds, work });
  const pace = createPace(perSecond, () => time, later);
  const started: string[] = [];
  const owners = new Map<string, object>();
  const ownerOf = (name: string): object => {
    const owner = owners.get(name) ?? {};
    owners.set(name, owner);
    return owner;
  };
  const run = (name: string, label = name) => pace.run(ownerOf(name), () => started.push(`${label}@${time}`));
  const goTo = (end: number): void => {
    for (;;) {
      timers.sort((a, b) => a.at - b.at);
      const next = timers[0];
      if (next === undefined || next.at > end) break;
      timers.shift();
      time = next.at;
      next.work();
    }
    time = end;
  };
  return { pace, ownerOf, run, started, goTo, timers };
}

describe('A pace', () => {
  it('starts at once what it may, and the rest a second after the first', () => {
    const { run, started, goTo } = setUp(4);
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) run(key);
    expect(started).toEqual(['a@0', 'b@0', 'c@0', 'd@0']);
    goTo(999);
    expect(started).toHaveLength(4);
    goTo(1_000);
    expect(started.slice(4)).toEqual(['e@1000', 'f@1000']);
  });

  it('starts no more than so many in any second, however often it is asked', () => {
    const { run, started, goTo } = setUp(4);
    for (let time = 0; time < 10_000; time += 10) {
      goTo(time);
      run(`key ${time % 70}`);
    }
    const times = started.map((entry) => Number(entry.split('@')[1]));
    for (const [index, time] of times.entries()) {
      const fifth = times[index + 4];
      if (fifth !== undefined) expect(fifth - time).toBeGreaterThanOrEqual(1_000);
    }
    expect(times.length).toBeGreaterThan(30);
  });

  it('replaces a task that waits by a newer one of the same owner', () => {
    const { run, started, goTo } = setUp(1);
    run('a');
    run('b', 'old');
    run('b', 'new');
    goTo(5_000);
    expect(started).toEqual(['a@0', 'new@1000']);
  });

  it('never starts a task that was dropped, and has one timer at most', () => {
    const { pace, ownerOf, run, started, goTo, timers } = setUp(1);
    run('a');
    run('b');
    run('c');
    expect(timers).toHaveLength(1);
    pace.drop(ownerOf('b'));
    goTo(10_000);
    expect(started).toEqual(['a@0', 'c@1000']);
  });

  it('keeps the waiting tasks of two owners apart, also when both do the same', () => {
    const { pace, started, goTo } = setUp(1);
    const [page, form] = [{}, {}];
    for (const task of ['first', 'second']) pace.run({}, () => started.push(task));
    pace.run(page, () => started.push('the page reads the workflow'));
    pace.run(form, () => started.push('the form reads the workflow'));
    pace.drop(form);
    goTo(10_000);
    expect(started).toEqual(['first', 'second', 'the page reads the workflow']);
  });
});
