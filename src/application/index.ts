/** The public names of the core: the orchestrator, and the types of all that it takes and gives. Loads no package. */

export { type ErrorCode, errorCodes, OrchestrationError } from '../domain/errors.ts';
export type { IntentScore, JudgedTicket, Scores, ThresholdScore, Ticket } from '../domain/evaluation.ts';
export {
  type AgentDecided,
  type ExecutionFinished,
  type MessageEscalated,
  type MessageFinished,
  type OrchestrationEvent,
  type PipelineTransition,
  type RoutingFinished,
  type StageAgent,
  type StepFinished,
  type SubTaskFinished,
  stageAgents,
  type ToolExecuted,
} from '../domain/events.ts';
export {
  type Execution,
  type ExecutionChange,
  type ExecutionStatus,
  type ExecutionSummary,
  executionStatuses,
  hasEnded,
  type StepResult,
  type StepStatus,
  stepStatuses,
  summariseExecution,
} from '../domain/execution.ts';
export type { JsonObject, JsonValue } from '../domain/json.ts';
export {
  type Classification,
  type CustomerMessage,
  type Decided,
  type DecisionSource,
  decisionSources,
  type Intent,
  intents,
  type Plan,
  type RecordedIntent,
  type ToolCall,
  type ToolOutcome,
  type Verdict,
} from '../domain/message.ts';
export { type PipelineState, pipelineStates } from '../domain/pipeline.ts';
export {
  type AgentMessage,
  type Decomposition,
  type RoutingResult,
  type RoutingStatus,
  type RoutingSummary,
  routingStatuses,
  type SubTask,
  type SubTaskCounts,
  type SubTaskResult,
  summariseRouting,
} from '../domain/routing.ts';
export { ToolError } from '../domain/tool-error.ts';
export { summariseTrace, type TimelineEvent, type Trace, type TraceSummary } from '../domain/trace.ts';
export {
  type AgentStep,
  type Step,
  type StepBase,
  type StepDraft,
  type StepKind,
  stepKinds,
  type ToolStep,
  type WorkflowDefinition,
  type WorkflowDraft,
} from '../domain/workflow.ts';
export type { Agent, AgentContext } from '../ports/agent.ts';
export type { Clock, NewId, Random } from '../ports/clock.ts';
export type { Decompose, DecomposeContext, Decomposed } from '../ports/decompose.ts';
export type { EventSink } from '../ports/events.ts';
export type { ExecutionStore } from '../ports/execution-store.ts';
export type { HealthProbe, HealthStatus } from '../ports/health-probe.ts';
export { type LogFields, type Logger, silentLogger } from '../ports/logger.ts';
export type { Ports } from '../ports/ports.ts';
export type { RateDecision, RateLimiter } from '../ports/rate-limiter.ts';
export type { Page, PageRequest, RecordStore, StorageHealth } from '../ports/record-store.ts';
export type {
  Awaitable,
  PlanningInput,
  ResponseInput,
  StageContext,
  Stages,
  VerificationInput,
} from '../ports/stages.ts';
export type {
  IncomingRequest,
  ServerSpan,
  ServiceTelemetry,
  Span,
  SpanAttributes,
  Telemetry,
} from '../ports/telemetry.ts';
export type { MakeTickets } from '../ports/tickets.ts';
export {
  type InputIssue,
  type InputSchema,
  type Tool,
  type ToolContext,
  type ToolEffect,
  toolEffects,
} from '../ports/tool.ts';
export type { AgentRegistry } from './agent-registry.ts';
export type { Evaluation, EvaluationRequest, Evaluator } from './evaluate.ts';
export { createHealth, type Health, type HealthProbes, type HealthReport } from './health.ts';
export { defaultLimits, type Limits } from './limits.ts';
export { createOrchestrator, type Orchestrator } from './orchestrator.ts';
export type { MessageProcessor, ProcessOptions } from './process-message.ts';
export type { RouteRequest, Routing } from './route-goal.ts';
export type { ExecuteOptions, ToolRegistry } from './tool-registry.ts';
export type { RunRequest, Workflows } from './workflows.ts';
