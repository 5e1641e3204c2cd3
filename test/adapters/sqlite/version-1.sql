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
CREATE TABLE traces_json (
  position INTEGER PRIMARY KEY,
  padding BLOB NOT NULL,
  record TEXT NOT NULL,
  summary TEXT
);
CREATE TABLE workflows (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER,
  status TEXT,
  intent TEXT,
  escalated INTEGER,
  customer TEXT
);
CREATE TABLE workflows_json (
  position INTEGER PRIMARY KEY,
  padding BLOB NOT NULL,
  record TEXT NOT NULL,
  summary TEXT
);
CREATE TABLE routes (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  created_at INTEGER,
  status TEXT,
  intent TEXT,
  escalated INTEGER,
  customer TEXT
);
CREATE TABLE routes_json (
  position INTEGER PRIMARY KEY,
  padding BLOB NOT NULL,
  record TEXT NOT NULL,
  summary TEXT
);
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
CREATE TABLE items (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  status TEXT NOT NULL,
  priority INTEGER NOT NULL,
  overdue INTEGER NOT NULL,
  place INTEGER NOT NULL,
  opened_at INTEGER NOT NULL,
  ended_at INTEGER,
  next_at INTEGER,
  version INTEGER NOT NULL,
  assignee TEXT,
  customer TEXT,
  conversation TEXT
);
CREATE TABLE items_json (position INTEGER PRIMARY KEY, padding BLOB NOT NULL, item TEXT NOT NULL);
CREATE TABLE conversations (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  customer TEXT NOT NULL,
  open_item TEXT,
  entries INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE TABLE conversations_json (
  position INTEGER PRIMARY KEY,
  padding BLOB NOT NULL,
  conversation TEXT NOT NULL
);
CREATE TABLE entries (
  position INTEGER PRIMARY KEY,
  conversation INTEGER NOT NULL,
  trace TEXT NOT NULL,
  size INTEGER NOT NULL,
  padding BLOB NOT NULL,
  json TEXT NOT NULL
);
CREATE TABLE examples (
  position INTEGER PRIMARY KEY,
  dataset TEXT NOT NULL,
  id TEXT NOT NULL,
  status TEXT NOT NULL,
  customer TEXT NOT NULL,
  UNIQUE (dataset, id)
);
CREATE TABLE examples_json (position INTEGER PRIMARY KEY, padding BLOB NOT NULL, example TEXT NOT NULL);
CREATE TABLE write_test (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
INSERT INTO totals VALUES ('routes', 1);
INSERT INTO totals VALUES ('traces', 2);
INSERT INTO totals VALUES ('workflows', 1);
INSERT INTO traces VALUES (1767268800000000, 'trace-1', 1767225600000, '"COMPLETED"', '"order_status"', 1, 'uhBTQ1J-DJdPBp84OuggglIJWeFth8XJ-a9xvVhH9ww');
INSERT INTO traces VALUES (1767268800000001, 'trace-2', 1767225600000, '"FAILED"', '"order_status"', 1, 'uhBTQ1J-DJdPBp84OuggglIJWeFth8XJ-a9xvVhH9ww');
INSERT INTO traces_json VALUES (1767268800000000, zeroblob(3928), '{"traceId":"trace-1","source":"email","customerId":"customer-1","message":"Where is it?","status":"COMPLETED","intent":"order_status","confidence":0.8,"escalated":true,"response":"Hello.","error":null,"createdAt":"2026-01-01T00:00:00.000Z","completedAt":"2026-01-01T00:00:00.001Z","durationMs":1,"otelTraceId":null,"itemId":null,"timeline":[{"type":"pipeline.transition","traceId":"trace-1","at":1767225600000,"from":null,"to":"RECEIVED","durationMs":0,"seq":1}],"subject":null,"conversationId":null,"locale":null,"metadata":null,"prepared":{"text":"Where is it?","setApart":[],"language":"en","automatic":false},"disposition":"escalated","concerns":[]}', NULL);
INSERT INTO traces_json VALUES (1767268800000001, zeroblob(1623), '{"traceId":"trace-2","source":"email","customerId":"customer-1","message":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","status":"FAILED","intent":"order_status","confidence":0.8,"escalated":true,"response":"Hello.","error":null,"createdAt":"2026-01-01T00:00:00.000Z","completedAt":"2026-01-01T00:00:00.001Z","durationMs":1,"otelTraceId":null,"itemId":null,"timeline":[{"type":"pipeline.transition","traceId":"trace-2","at":1767225600000,"from":null,"to":"RECEIVED","durationMs":0,"seq":1}],"subject":null,"conversationId":null,"locale":null,"metadata":null,"prepared":{"text":"Where is it?","setApart":[],"language":"en","automatic":false},"disposition":"escalated","concerns":[]}', '{"traceId":"trace-2","source":"email","customerId":"customer-1","message":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","status":"FAILED","intent":"order_status","confidence":0.8,"escalated":true,"response":"Hello.","error":null,"createdAt":"2026-01-01T00:00:00.000Z","completedAt":"2026-01-01T00:00:00.001Z","durationMs":1,"otelTraceId":null,"itemId":null,"subject":null,"conversationId":null,"locale":null,"metadata":null,"prepared":{"text":"Where is it?","setApart":[],"language":"en","automatic":false},"disposition":"escalated","concerns":[]}');
INSERT INTO workflows VALUES (1767268800000002, 'workflow-1', NULL, NULL, NULL, NULL, NULL);
INSERT INTO workflows_json VALUES (1767268800000002, zeroblob(0), '{"id":"workflow-1","name":"Sample \"workflow\" ☃","description":"","steps":[{"id":"step-0","kind":"tool","toolName":"tool","dependsOn":[],"staticInput":{"__proto__":{"a":[1]},"constructor":"é☃\ud800","":{},"toJSON":1,"n":-1.5e-7}},{"id":"step-1","kind":"tool","toolName":"tool","dependsOn":["step-0"],"staticInput":{"__proto__":{"a":[1]},"constructor":"é☃\ud800","":{},"toJSON":1,"n":-1.5e-7}},{"id":"step-2","kind":"tool","toolName":"tool","dependsOn":["step-1"],"staticInput":{"__proto__":{"a":[1]},"constructor":"é☃\ud800","":{},"toJSON":1,"n":-1.5e-7}}],"layers":[["step-0"],["step-1"],["step-2"]],"warnings":[],"createdAt":"2026-01-01T00:00:00.000Z"}', NULL);
INSERT INTO routes VALUES (1767268800000003, 'routing-1', 1767225600000, '"completed"', NULL, NULL, NULL);
INSERT INTO routes_json VALUES (1767268800000003, zeroblob(0), '{"routingId":"routing-1","goal":"Say hello.","status":"completed","createdAt":"2026-01-01T00:00:00.000Z","results":[]}', NULL);
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
INSERT INTO items VALUES (1767268800000002, 'item-of-trace-3', 'escalation', 'resolved', 4, 0, 72999521887767, 1767268800000, 1767268801000, NULL, 2, 'zseEWUcu7YufRiXxVf1wWtkG6uU1KnafXJpKB1q3514', 'uhBTQ1J-DJdPBp84OuggglIJWeFth8XJ-a9xvVhH9ww', 'rX8pq7W-s3Dg-wNEZnjqvJV95O5jlwnHj_mCh35Z_tw');
INSERT INTO items VALUES (1767268800000005, 'item-of-trace-4', 'escalation', 'open', 4, 0, 54543826933248, 1767268800000, NULL, NULL, 1, NULL, 'uhBTQ1J-DJdPBp84OuggglIJWeFth8XJ-a9xvVhH9ww', 'rX8pq7W-s3Dg-wNEZnjqvJV95O5jlwnHj_mCh35Z_tw');
INSERT INTO items_json VALUES (1767268800000002, zeroblob(3874), '{"itemId":"item-of-trace-3","kind":"escalation","status":"resolved","priority":4,"title":"Title of item-of-trace-3","reasons":["low_confidence"],"subject":{"kind":"message","id":"trace-3","stepId":null},"customerId":"customer-1","conversationId":"conversation-1","excerpt":"Where is it?","draft":null,"assignee":"ann","claimedUntil":null,"openedAt":"2026-01-01T12:00:00.000Z","dueAt":null,"isOverdue":false,"expiresAt":null,"endedAt":"2026-01-01T12:00:01.000Z","resolution":{"outcome":"answered","by":"ann","at":"2026-01-01T12:00:01.000Z","note":null,"response":null,"intent":"refund","escalationRight":true,"data":null,"output":null},"payload":null,"responseSchema":null,"notes":[],"version":2,"lastSeq":1}');
INSERT INTO items_json VALUES (1767268800000005, zeroblob(4057), '{"itemId":"item-of-trace-4","kind":"escalation","status":"open","priority":4,"title":"Title of item-of-trace-4","reasons":["low_confidence"],"subject":{"kind":"message","id":"trace-4","stepId":null},"customerId":"customer-1","conversationId":"conversation-1","excerpt":"Where is it?","draft":null,"assignee":null,"claimedUntil":null,"openedAt":"2026-01-01T12:00:00.000Z","dueAt":null,"isOverdue":false,"expiresAt":null,"endedAt":null,"resolution":null,"payload":null,"responseSchema":null,"notes":[],"version":1,"lastSeq":1}');
INSERT INTO conversations VALUES (1767268800000000, 'rX8pq7W-s3Dg-wNEZnjqvJV95O5jlwnHj_mCh35Z_tw', 'uhBTQ1J-DJdPBp84OuggglIJWeFth8XJ-a9xvVhH9ww', 'item-of-trace-4', 5, 1767268809000);
INSERT INTO conversations_json VALUES (1767268800000000, zeroblob(4481), '{"conversationId":"conversation-1","customerId":"customer-1","createdAt":"2026-01-01T12:00:00.000Z"}');
INSERT INTO entries VALUES (1767268800000003, 1767268800000000, '1XC7gprxQTWOyrdhQL6q61y78QWpGUue0GjZq5YRtQU', 2, zeroblob(4186), '[{"from":"customer","text":"Text of trace-3","at":"2026-01-01T12:00:00.000Z","traceId":"trace-3","disposition":"escalated","itemId":"item-of-trace-3","intent":"refund","reasons":["low_confidence"]},{"from":"service","text":"Reply to trace-3","at":"2026-01-01T12:00:00.010Z","traceId":"trace-3","disposition":"escalated","itemId":"item-of-trace-3","intent":"refund","reasons":["low_confidence"]}]');
INSERT INTO entries VALUES (1767268800000006, 1767268800000000, 'sdBrQ2oQVLAVpAanDGul_JiJertGNGBPKo-2JvDH7z4', 2, zeroblob(4186), '[{"from":"customer","text":"Text of trace-4","at":"2026-01-01T12:00:00.000Z","traceId":"trace-4","disposition":"escalated","itemId":"item-of-trace-4","intent":"refund","reasons":["low_confidence"]},{"from":"service","text":"Reply to trace-4","at":"2026-01-01T12:00:00.010Z","traceId":"trace-4","disposition":"escalated","itemId":"item-of-trace-4","intent":"refund","reasons":["low_confidence"]}]');
INSERT INTO entries VALUES (1767268800000007, 1767268800000000, '1XC7gprxQTWOyrdhQL6q61y78QWpGUue0GjZq5YRtQU', 1, zeroblob(4419), '[{"from":"person","text":"A reply.","at":"2026-01-01T12:00:09.000Z","traceId":"trace-3","disposition":null,"itemId":"item-of-trace-3","intent":null,"reasons":[]}]');
INSERT INTO examples VALUES (1767268800000008, 'inbox', 'item-of-trace-3', 'proposed', 'uhBTQ1J-DJdPBp84OuggglIJWeFth8XJ-a9xvVhH9ww');
INSERT INTO examples_json VALUES (1767268800000008, zeroblob(4300), '{"exampleId":"item-of-trace-3","datasetId":"inbox","status":"proposed","message":"Message of item-of-trace-3","intent":"refund","escalated":true,"traceId":"trace-of-item-of-trace-3","customerId":"customer-1","createdAt":"2026-01-01T12:00:01.000Z","decidedBy":null,"decidedAt":null}');
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
CREATE INDEX items_by_place ON items (place, id);
CREATE INDEX items_by_customer ON items (customer, place, id) WHERE customer IS NOT NULL;
CREATE INDEX items_waiting ON items (kind, status, place, id, overdue, opened_at) WHERE ended_at IS NULL;
CREATE INDEX items_due ON items (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX conversations_by_customer ON conversations (customer);
CREATE INDEX conversations_by_update ON conversations (updated_at);
CREATE INDEX entries_by_conversation ON entries (conversation);
CREATE INDEX examples_by_status ON examples (dataset, status);
CREATE INDEX examples_by_customer ON examples (customer);
PRAGMA application_id = 1332896616;
PRAGMA user_version = 1;
