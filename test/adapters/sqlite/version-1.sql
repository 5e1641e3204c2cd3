-- A file of schema version 1, as text. Never change it: files like this are in use.
CREATE TABLE totals (name TEXT PRIMARY KEY, records INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE traces (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER,
  status TEXT,
  intent TEXT,
  escalated INTEGER,
  customer TEXT
);
CREATE TABLE traces_json (position INTEGER PRIMARY KEY, record TEXT NOT NULL, summary TEXT);
CREATE TABLE workflows (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER,
  status TEXT,
  intent TEXT,
  escalated INTEGER,
  customer TEXT
);
CREATE TABLE workflows_json (position INTEGER PRIMARY KEY, record TEXT NOT NULL, summary TEXT);
CREATE TABLE routes (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER,
  status TEXT,
  intent TEXT,
  escalated INTEGER,
  customer TEXT
);
CREATE TABLE routes_json (position INTEGER PRIMARY KEY, record TEXT NOT NULL, summary TEXT);
CREATE TABLE runs (
  position INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  workflow_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  status TEXT NOT NULL,
  ended INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  owner INTEGER,
  definition INTEGER NOT NULL,
  signal TEXT,
  state TEXT
);
CREATE TABLE runs_json (position INTEGER PRIMARY KEY, summary TEXT NOT NULL);
CREATE TABLE events (run INTEGER NOT NULL, last_seq INTEGER NOT NULL, json TEXT NOT NULL);
CREATE TABLE definitions (id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, json TEXT NOT NULL);
CREATE TABLE removed_runs (position INTEGER PRIMARY KEY);
CREATE TABLE idempotency (
  key TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  owner TEXT NOT NULL,
  reference TEXT NOT NULL,
  answer TEXT,
  expires_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE write_test (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
INSERT INTO totals VALUES ('routes', 1);
INSERT INTO totals VALUES ('traces', 2);
INSERT INTO totals VALUES ('workflows', 1);
INSERT INTO traces VALUES (1767268800000000, 'trace-1', 1767225600000, '"COMPLETED"', '"order_status"', 1, '"customer-1"');
INSERT INTO traces VALUES (1767268800000001, 'trace-2', 1767225600000, '"FAILED"', '"order_status"', 1, '"customer-1"');
INSERT INTO traces_json VALUES (1767268800000000, '{"traceId":"trace-1","source":"email","customerId":"customer-1","message":"Where is it?","status":"COMPLETED","intent":"order_status","confidence":0.8,"escalated":true,"response":"Hello.","error":null,"createdAt":"2026-01-01T00:00:00.000Z","completedAt":"2026-01-01T00:00:00.001Z","durationMs":1,"otelTraceId":null,"timeline":[{"type":"pipeline.transition","traceId":"trace-1","at":1767225600000,"from":null,"to":"RECEIVED","durationMs":0,"seq":1}],"subject":null,"conversationId":null,"locale":null,"metadata":null,"prepared":{"text":"Where is it?","setApart":[],"language":"en","automatic":false},"disposition":"escalated","concerns":[]}', NULL);
INSERT INTO traces_json VALUES (1767268800000001, '{"traceId":"trace-2","source":"email","customerId":"customer-1","message":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","status":"FAILED","intent":"order_status","confidence":0.8,"escalated":true,"response":"Hello.","error":null,"createdAt":"2026-01-01T00:00:00.000Z","completedAt":"2026-01-01T00:00:00.001Z","durationMs":1,"otelTraceId":null,"timeline":[{"type":"pipeline.transition","traceId":"trace-2","at":1767225600000,"from":null,"to":"RECEIVED","durationMs":0,"seq":1}],"subject":null,"conversationId":null,"locale":null,"metadata":null,"prepared":{"text":"Where is it?","setApart":[],"language":"en","automatic":false},"disposition":"escalated","concerns":[]}', '{"traceId":"trace-2","source":"email","customerId":"customer-1","message":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","status":"FAILED","intent":"order_status","confidence":0.8,"escalated":true,"response":"Hello.","error":null,"createdAt":"2026-01-01T00:00:00.000Z","completedAt":"2026-01-01T00:00:00.001Z","durationMs":1,"otelTraceId":null,"subject":null,"conversationId":null,"locale":null,"metadata":null,"prepared":{"text":"Where is it?","setApart":[],"language":"en","automatic":false},"disposition":"escalated","concerns":[]}');
INSERT INTO workflows VALUES (1767268800000002, 'workflow-1', NULL, NULL, NULL, NULL, NULL);
INSERT INTO workflows_json VALUES (1767268800000002, '{"id":"workflow-1","name":"Sample \"workflow\" ☃","description":"","steps":[{"id":"step-0","kind":"tool","toolName":"tool","dependsOn":[],"staticInput":{"__proto__":{"a":[1]},"constructor":"é☃\ud800","":{},"toJSON":1,"n":-1.5e-7}},{"id":"step-1","kind":"tool","toolName":"tool","dependsOn":["step-0"],"staticInput":{"__proto__":{"a":[1]},"constructor":"é☃\ud800","":{},"toJSON":1,"n":-1.5e-7}},{"id":"step-2","kind":"tool","toolName":"tool","dependsOn":["step-1"],"staticInput":{"__proto__":{"a":[1]},"constructor":"é☃\ud800","":{},"toJSON":1,"n":-1.5e-7}}],"layers":[["step-0"],["step-1"],["step-2"]],"warnings":[],"createdAt":"2026-01-01T00:00:00.000Z"}', NULL);
INSERT INTO routes VALUES (1767268800000003, 'routing-1', 1767225600000, '"completed"', NULL, NULL, NULL);
INSERT INTO routes_json VALUES (1767268800000003, '{"routingId":"routing-1","goal":"Say hello.","status":"completed","createdAt":"2026-01-01T00:00:00.000Z","results":[]}', NULL);
INSERT INTO runs VALUES (1767268800000004, 'active', 'workflow-1', 1767225600000, 'RUNNING', 0, 3, 7, 1, '{"type":"cancel","by":"api","reason":null}', '{"status":"RUNNING","error":null,"startedAt":"2026-01-01T00:00:00.002Z","completedAt":null,"durationMs":null,"attempt":1,"recoveries":0}');
INSERT INTO runs VALUES (1767268800000005, 'ended', 'workflow-1', 1767225600000, 'COMPLETED', 1, 2, 7, 1, NULL, NULL);
INSERT INTO runs_json VALUES (1767268800000004, '{"runId":"active","workflowId":"workflow-1","workflowName":"Sample \"workflow\" ☃","version":1,"status":"PENDING","background":true,"input":{"__proto__":{"a":[1]},"constructor":"é☃\ud800","":{},"toJSON":1,"n":-1.5e-7},"error":null,"createdAt":"2026-01-01T00:00:00.000Z","startedAt":null,"completedAt":null,"durationMs":null,"attempt":1,"recoveries":0,"rerunOf":null}');
INSERT INTO runs_json VALUES (1767268800000005, '{"runId":"ended","workflowId":"workflow-1","workflowName":"Sample \"workflow\" ☃","version":1,"status":"COMPLETED","background":true,"input":{"__proto__":{"a":[1]},"constructor":"é☃\ud800","":{},"toJSON":1,"n":-1.5e-7},"error":null,"createdAt":"2026-01-01T00:00:00.000Z","startedAt":"2026-01-01T00:00:00.002Z","completedAt":"2026-01-01T00:00:00.014Z","durationMs":12.5,"attempt":1,"recoveries":0,"rerunOf":null}');
INSERT INTO events VALUES (1767268800000004, 1, '[{"seq":1,"type":"execution.created","at":1767225600000,"workflowName":"Sample \"workflow\" ☃","version":1,"background":true,"origin":"api","input":{"__proto__":{"a":[1]},"constructor":"é☃\ud800","":{},"toJSON":1,"n":-1.5e-7},"rerunOf":null}]');
INSERT INTO events VALUES (1767268800000004, 3, '[{"type":"step.started","stepId":"step-0","kind":"tool","layer":0,"attempt":1,"seq":2,"at":1767225600002},{"type":"step.completed","stepId":"step-0","attempts":1,"durationMs":0.25,"output":{"a":1},"startedAt":1767225600001,"seq":3,"at":1767225600003}]');
INSERT INTO events VALUES (1767268800000005, 2, '[{"seq":1,"type":"execution.created","at":1767225600000,"workflowName":"Sample \"workflow\" ☃","version":1,"background":true,"origin":"api","input":{"__proto__":{"a":[1]},"constructor":"é☃\ud800","":{},"toJSON":1,"n":-1.5e-7},"rerunOf":null},{"type":"execution.completed","error":null,"durationMs":12.5,"seq":2,"at":1767225600002}]');
INSERT INTO definitions VALUES (1, 'THLk_BmGEphZ9wgYJIy_PB_b9l7deAcVD7NJO1YRTdw', '{"id":"workflow-1","name":"Sample \"workflow\" ☃","description":"","steps":[{"id":"step-0","kind":"tool","toolName":"tool","dependsOn":[],"staticInput":{"__proto__":{"a":[1]},"constructor":"é☃\ud800","":{},"toJSON":1,"n":-1.5e-7}},{"id":"step-1","kind":"tool","toolName":"tool","dependsOn":["step-0"],"staticInput":{"__proto__":{"a":[1]},"constructor":"é☃\ud800","":{},"toJSON":1,"n":-1.5e-7}},{"id":"step-2","kind":"tool","toolName":"tool","dependsOn":["step-1"],"staticInput":{"__proto__":{"a":[1]},"constructor":"é☃\ud800","":{},"toJSON":1,"n":-1.5e-7}}],"layers":[["step-0"],["step-1"],["step-2"]],"warnings":[],"createdAt":"2026-01-01T00:00:00.000Z"}');
INSERT INTO idempotency VALUES ('completed', 'body', 'owner-completed', 'reference-completed', '{"status":200,"headers":{},"body":"{}"}', 1767268860000);
INSERT INTO idempotency VALUES ('lapsed', 'body', 'owner-lapsed', 'reference-lapsed', NULL, 1767272400000);
CREATE INDEX traces_by_customer ON traces (customer) WHERE customer IS NOT NULL;
CREATE TRIGGER traces_added AFTER INSERT ON traces BEGIN
  UPDATE totals SET records = records + 1 WHERE name = 'traces';
END;
CREATE TRIGGER traces_removed AFTER DELETE ON traces BEGIN
  UPDATE totals SET records = records - 1 WHERE name = 'traces';
END;
CREATE INDEX workflows_by_customer ON workflows (customer) WHERE customer IS NOT NULL;
CREATE TRIGGER workflows_added AFTER INSERT ON workflows BEGIN
  UPDATE totals SET records = records + 1 WHERE name = 'workflows';
END;
CREATE TRIGGER workflows_removed AFTER DELETE ON workflows BEGIN
  UPDATE totals SET records = records - 1 WHERE name = 'workflows';
END;
CREATE INDEX routes_by_customer ON routes (customer) WHERE customer IS NOT NULL;
CREATE TRIGGER routes_added AFTER INSERT ON routes BEGIN
  UPDATE totals SET records = records + 1 WHERE name = 'routes';
END;
CREATE TRIGGER routes_removed AFTER DELETE ON routes BEGIN
  UPDATE totals SET records = records - 1 WHERE name = 'routes';
END;
CREATE INDEX runs_by_workflow ON runs (workflow_id);
CREATE INDEX runs_by_status ON runs (status);
CREATE INDEX runs_by_definition ON runs (definition);
CREATE INDEX runs_active ON runs (position) WHERE ended = 0;
CREATE UNIQUE INDEX events_by_run ON events (run, last_seq);
CREATE INDEX idempotency_by_expiry ON idempotency (expires_at);
PRAGMA application_id = 1332896616;
PRAGMA user_version = 1;
