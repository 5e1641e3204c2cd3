/** The public names of the core: the orchestrator, and the types of its parameters and results. Loads no packages. */

export type { AgentRegistry } from '../application/agents/registry.ts';
export type { Dataset, Datasets } from '../application/datasets/datasets.ts';
export type { ReloadedPlaybook, ReloadPlaybook } from '../application/driving-port.ts';
export type {
  Evaluation,
  EvaluationOptions,
  EvaluationRequest,
  Evaluator,
} from '../application/evaluation/evaluate.ts';
export { createHealth, type Health, type HealthProbes, type HealthReport } from '../application/health.ts';
export type { Inbox, InboxCase, InboxListing, ItemDecision } from '../application/inbox/inbox.ts';
export type {
  MessageIds,
  MessageProcessor,
  ProcessOptions,
} from '../application/messages/process-message.ts';
export {
  createOrchestrator,
  type Orchestrator,
  type OrchestratorOptions,
} from '../application/orchestrator.ts';
export type { ErasedCounts, Erasure } from '../application/privacy/erasure.ts';
export type { RouteRequest, Routing } from '../application/routing/route-goal.ts';
export type {
  CancelRequest,
  CancelResult,
  RerunRequest,
  ResolveRequest,
  RetryRequest,
  RunControl,
} from '../application/runs/run-control.ts';
export type {
  Mocks,
  SimulatedRun,
  SimulatedStepResult,
  SimulationRequest,
  Simulator,
  StepMock,
} from '../application/runs/simulate/simulate.ts';
export type { ScheduleDraft, Schedules } from '../application/schedules/schedules.ts';
export type { FailureReport, Stats, StatsReport, StatsRequest } from '../application/stats/stats.ts';
export type { ToolCallRequest } from '../application/tools/call-tool.ts';
export type {
  ExecuteOptions,
  PlaybookTools,
  RegisteredTool,
  ToolRegistry,
  ToolSet,
} from '../application/tools/registry.ts';
export type { ToolStats } from '../application/tools/stats.ts';
export type { PutResult, ReplaceOptions } from '../application/workflows/versions.ts';
export type { RunRequest, Workflows } from '../application/workflows/workflows.ts';
export { type ErrorCode, errorCodes, OrchestrationError, type RequestIssue } from '../domain/errors.ts';
export type {
  CalibrationBin,
  ConcernScore,
  ConcernScores,
  IntentScore,
  Scores,
  ThresholdScore,
} from '../domain/evaluation/scores.ts';
export type { ClassifiedTicket, JudgedTicket, StageEvidence, Ticket } from '../domain/evaluation/tickets.ts';
export type {
  EventSink,
  MessageEscalated,
  MessageFinished,
  OrchestrationEvent,
  PipelineTransition,
  RoutingFinished,
  RoutingStarted,
  RunAppended,
  RunFinished,
  RunReleased,
  StageDecided,
  StepFinished,
  SubTaskFinished,
  ToolExecuted,
  WorkflowCreated,
  WorkflowDeleted,
  WorkflowUpdated,
} from '../domain/events.ts';
export type { FeedFilter } from '../domain/feed-event.ts';
export { type DatasetExample, type ExampleStatus, exampleStatuses } from '../domain/inbox/example.ts';
export type { InboxChanged, InboxOverdue } from '../domain/inbox/inbox-events.ts';
export * from '../domain/inbox/item.ts';
export type { InboxCounts, InboxFilter } from '../domain/inbox/order.ts';
export { defaultLimits, type Limits } from '../domain/limits.ts';
export type { CallContext } from '../domain/message/call-context.ts';
export type { Conversation, ConversationEntry, MessageHistory } from '../domain/message/conversation.ts';
export {
  type Classification,
  type CompleteVerdict,
  type Concern,
  type CustomerMessage,
  concerns,
  type Decision,
  type DecisionSource,
  type Disposition,
  decisionSources,
  dispositions,
  type Handover,
  type Intent,
  intents,
  type Plan,
  type RecordedIntent,
  type ToolCall,
  type ToolOutcome,
  type ToolStatus,
  toolStatuses,
  type Verdict,
} from '../domain/message/message.ts';
export {
  type PipelineState,
  pipelineStates,
  type StageName,
  stageNames,
} from '../domain/message/pipeline.ts';
export {
  type AutomaticKind,
  automaticKinds,
  type PreparedMessage,
  type PreparedText,
  type SetApart,
  setApartKinds,
} from '../domain/message/prepared.ts';
export {
  summarizeTrace,
  type TimelineEvent,
  type Trace,
  type TraceFilter,
  type TraceStatus,
  type TraceSummary,
  traceStatuses,
} from '../domain/message/trace.ts';
export type { ModelEntry, ModelPrice } from '../domain/model-price.ts';
export {
  type ByLanguage,
  type Company,
  type EntityMatch,
  type ModelConfidence,
  type Playbook,
  type PlaybookArticle,
  type PlaybookConcern,
  type PlaybookEntity,
  type PlaybookIntent,
  type PlaybookToolCall,
  type ReplyTemplate,
  type RequiredEntity,
  type StandardText,
  type Sureness,
  sensitivities,
  standardTexts,
  surenesses,
  type TimeLimit,
  type WorkingHours,
} from '../domain/playbook/playbook.ts';
export type { RecordFilter } from '../domain/record-filter.ts';
export type { RetryPolicy } from '../domain/retry.ts';
export { type BuiltInAgentName, builtInAgentNames } from '../domain/routing/built-in-agents.ts';
export {
  type AgentMessage,
  type Decomposition,
  type PlannedSubTask,
  type RoutingFilter,
  type RoutingPlan,
  type RoutingResult,
  type RoutingStatus,
  type RoutingSummary,
  routingStatuses,
  type SubTask,
  type SubTaskCounts,
  type SubTaskResult,
  summarizeRouting,
} from '../domain/routing/routing.ts';
export { actionsOf, type RunAction, runActions } from '../domain/run/actions.ts';
export type * from '../domain/run/events.ts';
export type { SkipCause } from '../domain/run/layer.ts';
export {
  defaultRecoveryPolicy,
  type RecoveryPolicy,
  type UnknownOutcomePolicy,
  unknownOutcomePolicies,
} from '../domain/run/recover.ts';
export {
  type EndStatus,
  hasEnded,
  type Run,
  type RunStatus,
  type RunSummary,
  runStatuses,
  type StepResult,
  type StepStatus,
  stepStatuses,
  summarizeRun,
  type Wait,
  type WaitKind,
  waitKinds,
} from '../domain/run/run.ts';
export type { RunChange } from '../domain/run/state.ts';
export type * from '../domain/schedule/schedule.ts';
export type * from '../domain/schedule/schedule-events.ts';
export type { SeenVersion } from '../domain/seen-version.ts';
export type {
  Counter,
  CounterGroup,
  Counts,
  counterGroups,
  GroupCounter,
  MinuteCounts,
  Percentiles,
} from '../domain/stats/counters.ts';
export type { FailureGroup } from '../domain/stats/failures.ts';
export type { Series, SeriesPoint, Tally, TimeSpan } from '../domain/stats/series.ts';
export {
  type EventSource,
  type InboxEventData,
  type RunOrigin,
  runOrigins,
  type SkipReason,
  type StepEnd,
  type Subject,
  type SubjectEvent,
  type SubjectEventData,
  type SubjectEvents,
  type SubjectEventType,
  type SubjectKind,
  type SubTaskEnd,
  subjectKinds,
} from '../domain/subject-event.ts';
export { ToolError } from '../domain/tool-error.ts';
export type { DefinitionCheck } from '../domain/workflow/checks/definition.ts';
export * from '../domain/workflow/definition.ts';
export type * from '../domain/workflow/expression.ts';
export type { DefinitionIssue } from '../domain/workflow/issues.ts';
export * from '../domain/workflow/policies.ts';
export type { Awaitable } from '../lib/async/awaitable.ts';
export { type StopCode, stopCodes } from '../lib/async/timeout.ts';
export type { JsonObject, JsonValue } from '../lib/json/json.ts';
export type { Agent, AgentContext } from '../ports/agent.ts';
export type { Calendar, CalendarIssue } from '../ports/calendar.ts';
export type { Clock, NewId, Random } from '../ports/clock.ts';
export type { Decompose, DecomposeContext, Decomposed, DecomposedSubTask } from '../ports/decompose.ts';
export type { HealthProbe, HealthStatus } from '../ports/health-probe.ts';
export type * from '../ports/languages.ts';
export { type LogFields, type Logger, silentLogger } from '../ports/logger.ts';
export type { PlaybookPorts, Ports } from '../ports/ports.ts';
export type { RateDecision, RateLimiter } from '../ports/rate-limiter.ts';
export type * from '../ports/stages.ts';
export type { ConversationStore, HandledMessage } from '../ports/storage/conversation-store.ts';
export * from '../ports/storage/definition-store.ts';
export type { ErasureMarks } from '../ports/storage/erasure-marks.ts';
export type * from '../ports/storage/event-feed.ts';
export type * from '../ports/storage/example-store.ts';
export type { FireQueue } from '../ports/storage/fire-queue.ts';
export type * from '../ports/storage/inbox-store.ts';
export type * from '../ports/storage/record-store.ts';
export type * from '../ports/storage/run-log.ts';
export type { QueueLimits, RunQueue, TurnOutcome } from '../ports/storage/run-queue.ts';
export type { ScheduleStore, ScheduleWake } from '../ports/storage/schedule-store.ts';
export type { StatsReading, StatsStore } from '../ports/storage/stats-store.ts';
export type * from '../ports/telemetry.ts';
export type { MakeTickets } from '../ports/tickets.ts';
export {
  type InputIssue,
  type InputSchema,
  type Tool,
  type ToolContext,
  type ToolEffect,
  type ToolOrigin,
  toolEffects,
  toolOrigins,
} from '../ports/tool.ts';
