import { afterAll, beforeAll } from 'vitest';
import { type Stage, startStage } from '../support/console/stage.ts';
import { accessSuite } from './suites/access.ts';
import { answeringSuite } from './suites/answering.ts';
import { automationSuite } from './suites/automation.ts';
import { frameSuite } from './suites/frame.ts';
import { hostileSuite } from './suites/hostile.ts';
import { inboxSuite } from './suites/inbox.ts';
import { liveSuite } from './suites/live.ts';
import { messagesSuite } from './suites/messages.ts';
import { overviewSuite } from './suites/overview.ts';
import { proxySuite } from './suites/proxy.ts';
import { qualitySuite } from './suites/quality.ts';
import { routingSuite } from './suites/routing.ts';
import { runsSuite } from './suites/runs.ts';
import { systemSuite } from './suites/system.ts';
import { troubleSuite } from './suites/trouble.ts';
import { workflowsSuite } from './suites/workflows.ts';

// One service and one browser serve the tests of all pages.

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage?.close());

for (const suite of [
  accessSuite,
  answeringSuite,
  automationSuite,
  frameSuite,
  hostileSuite,
  inboxSuite,
  liveSuite,
  messagesSuite,
  overviewSuite,
  proxySuite,
  qualitySuite,
  routingSuite,
  runsSuite,
  systemSuite,
  troubleSuite,
  workflowsSuite,
]) {
  suite(() => stage);
}
