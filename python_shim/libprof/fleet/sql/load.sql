-- Adds one recording to a batch: pack.sql makes rows of the dataset from all of them at once. Input: k (kernels), e (events),
-- m (peaks of memory), p (processes). Statements end with a semicolon at the end of a line.

CREATE TEMP TABLE IF NOT EXISTS event_text AS
SELECT row_number() OVER () - 1 AS row, p.rank, e.tid, e.kind, e.name, epoch_ns(e.start) AS start, e.duration_ns, e.depth,
       e.correlation, e.result, e.parent, e.self_ns, e.device_ns, e.stack, CASE WHEN e.domain = 'NCCL' THEN e.attributes END AS nccl
FROM e JOIN p USING (pid) WITH NO DATA;

CREATE TEMP TABLE IF NOT EXISTS operation_text AS
SELECT p.rank, k.kind, k.name, k.range, k.device, k.stream, epoch_ns(k.start) AS start, k.duration_ns, k.correlation, k.bytes,
       k.event, k.queue_ns, k.graph, k.context, k.grid_x, k.grid_y, k.grid_z, k.block_x, k.block_y, k.block_z, k.registers, k.shared_bytes
FROM k JOIN p USING (pid) WITH NO DATA;

CREATE TEMP TABLE IF NOT EXISTS peak AS
SELECT p.rank, m.device, m.kind, m.bytes, p.base + m.time AS time, m.range FROM m JOIN p USING (process) WITH NO DATA;

-- Operations name the event that launched them by its row.

INSERT INTO operation_text
SELECT p.rank, k.kind, k.name, k.range, k.device, k.stream, epoch_ns(k.start) AS start, k.duration_ns, k.correlation, k.bytes,
       k.event + (SELECT count(*) FROM event_text) AS event, k.queue_ns, k.graph, k.context, k.grid_x, k.grid_y, k.grid_z,
       k.block_x, k.block_y, k.block_z, k.registers, k.shared_bytes
FROM k JOIN p USING (pid);

INSERT INTO event_text
SELECT row_number() OVER () - 1 + (SELECT count(*) FROM event_text) AS row, p.rank, e.tid, e.kind, e.name, epoch_ns(e.start) AS start, e.duration_ns, e.depth,
       e.correlation, e.result, e.parent + (SELECT count(*) FROM event_text) AS parent, e.self_ns, e.device_ns, e.stack, CASE WHEN e.domain = 'NCCL' THEN e.attributes END AS nccl
FROM e JOIN p USING (pid);

INSERT INTO peak
SELECT p.rank, m.device, m.kind, m.bytes, p.base + m.time, m.range FROM m JOIN p USING (process);
