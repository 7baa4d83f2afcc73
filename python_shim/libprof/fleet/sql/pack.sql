-- From a batch of recordings to rows of the dataset. Input: event_text, operation_text, peak, as load.sql makes them; no two
-- recordings have the same rank. Statements end with a semicolon at the end of a line; each fills a table of the dataset or a
-- temporary one.

CREATE OR REPLACE TEMP TABLE name AS
SELECT name, content_id(name) AS id, coalesce(regexp_matches(name, '(?i)^(nccl|rccl|mscclpp|nvshmem)'), false) AS communicates
FROM (SELECT name FROM event_text UNION SELECT name FROM operation_text UNION SELECT range FROM operation_text) WHERE name IS NOT NULL;

INSERT INTO names SELECT id, name FROM name;

INSERT INTO stacks SELECT DISTINCT content_id(stack), stack FROM event_text WHERE stack IS NOT NULL;

CREATE OR REPLACE TEMP TABLE step AS
SELECT rank, regexp_extract(name, '#([0-9]+)$', 1)::INTEGER AS step, start, start + duration_ns AS "end", tid
FROM event_text WHERE kind = 'step';

CREATE OR REPLACE TEMP TABLE event AS
SELECT e.* EXCLUDE (name, stack, nccl), n.id AS name FROM event_text AS e JOIN name AS n USING (name);

CREATE OR REPLACE TEMP TABLE operation AS
SELECT o.* EXCLUDE (name, range, event), n.id AS name, r.id AS range, launch.start + launch.duration_ns AS launch_end,
       launch.parent AS launch_parent, coalesce(launch.start, o.start) AS anchor,
       CASE WHEN o.kind IN ('memcpy', 'memset') THEN 'copy' WHEN n.communicates THEN 'communication' ELSE 'compute' END AS class
FROM operation_text AS o JOIN name AS n ON n.name = o.name LEFT JOIN name AS r ON r.name = o.range
LEFT JOIN event_text AS launch ON launch.row = o.event;

CREATE OR REPLACE TEMP TABLE placed AS
SELECT o.*, CASE WHEN o.anchor < s."end" THEN s.step END AS step
FROM operation AS o ASOF LEFT JOIN step AS s ON o.rank = s.rank AND o.anchor >= s.start;

CREATE OR REPLACE TEMP TABLE placed_event AS
SELECT e.*, CASE WHEN e.start < s."end" THEN s.step END AS step
FROM event AS e ASOF LEFT JOIN step AS s ON e.rank = s.rank AND e.start >= s.start;

INSERT INTO kernels
SELECT rank, step, device, stream, start, duration_ns, name, range, class, correlation, queue_ns, graph, kind = 'graph',
       context, grid_x, grid_y, grid_z, block_x, block_y, block_z, registers, shared_bytes FROM placed WHERE class <> 'copy';

INSERT INTO copies
SELECT rank, step, device, stream, start, duration_ns, name, range, kind, bytes, correlation, context FROM placed WHERE class = 'copy';

INSERT INTO ranges
SELECT rank, step, tid, start, duration_ns, name, depth, self_ns, device_ns, kind = 'async' FROM placed_event WHERE kind IN ('range', 'async');

INSERT INTO calls
SELECT rank, step, tid, start, duration_ns, name, correlation, result FROM placed_event WHERE kind = 'call';

INSERT INTO names SELECT content_id("range"), "range" FROM peak WHERE "range" IS NOT NULL;

INSERT INTO memory
SELECT m.rank, CASE WHEN m.time < s."end" THEN s.step END, m.device, m.kind, m.bytes, m.time, content_id(m."range")
FROM peak AS m ASOF LEFT JOIN step AS s ON m.rank = s.rank AND m.time >= s.start;

-- Collectives: NCCL's own ranges, and the kernel that each of them launched. Without such ranges, communication kernels.
-- Sends and receives concern two ranks, and ranks call different numbers of them: they have no place among the collectives.

CREATE OR REPLACE TEMP TABLE nccl AS
SELECT o.row, o.rank, o.step, o.start, replace(a.name, 'NCCL:', '') AS function,
       (a.nccl ->> '$."NCCL communicator ID"')::UBIGINT AS communicator,
       (a.nccl ->> '$."Message size [bytes]"')::BIGINT AS bytes, function IN ('ncclSend', 'ncclRecv') AS between_two
FROM event_text AS a JOIN placed_event AS o USING (row)
WHERE a.nccl LIKE '%NCCL communicator ID%' AND a.name NOT LIKE '%Init%';

CREATE OR REPLACE TEMP TABLE nccl_kernel AS
SELECT launch_parent AS row, min(start) AS start, max(start + duration_ns) - min(start) AS duration_ns, min(stream) AS stream
FROM placed WHERE class = 'communication' AND launch_parent IN (SELECT row FROM nccl) GROUP BY 1;

-- Interfaces 1 to 4 of NCCL's profiler report tasks after their launch: these ranges hold no kernel. The kernels tell more then.

DELETE FROM nccl
WHERE rank NOT IN (SELECT n.rank FROM nccl AS n JOIN nccl_kernel USING (row))
  AND rank IN (SELECT rank FROM placed WHERE class = 'communication');

INSERT INTO collectives
SELECT c.rank, c.step, (c.communicator // 2)::BIGINT,
       CASE WHEN NOT c.between_two THEN (row_number() OVER (PARTITION BY c.rank, c.communicator, c.between_two ORDER BY c.start) - 1)::INTEGER END,
       c.function, c.bytes, c.start, k.start, k.duration_ns, k.stream
FROM nccl AS c LEFT JOIN nccl_kernel AS k USING (row);

INSERT INTO collectives
SELECT o.rank, o.step, NULL,
       CASE WHEN NOT contains(n.name, 'SendRecv') THEN (row_number() OVER (PARTITION BY o.rank, o.name ORDER BY o.start) - 1)::INTEGER END,
       n.name, NULL, o.launch_end, o.start, o.duration_ns, o.stream
FROM placed AS o JOIN name AS n ON n.id = o.name WHERE class = 'communication' AND o.rank NOT IN (SELECT rank FROM nccl);

-- What each rank's device did in each step: the time of a step is cut wherever something begins or ends.

CREATE OR REPLACE TEMP TABLE edge AS
SELECT rank, start AS ns, (class = 'compute')::INTEGER AS compute, (class = 'communication')::INTEGER AS communication,
       (class = 'copy')::INTEGER AS copy FROM placed
UNION ALL SELECT rank, start + duration_ns, -(class = 'compute')::INTEGER, -(class = 'communication')::INTEGER, -(class = 'copy')::INTEGER FROM placed
UNION ALL SELECT rank, start, 0, 0, 0 FROM step
UNION ALL SELECT rank, "end", 0, 0, 0 FROM step;

CREATE OR REPLACE TEMP TABLE moment AS
SELECT rank, ns, sum(compute) OVER so_far AS computing, sum(communication) OVER so_far AS communicating, sum(copy) OVER so_far AS copying,
       lead(ns) OVER so_far AS until
FROM edge WINDOW so_far AS (PARTITION BY rank ORDER BY ns ROWS UNBOUNDED PRECEDING) QUALIFY until > ns;

CREATE OR REPLACE TEMP TABLE cut AS
SELECT m.*, s.step
FROM moment AS m ASOF JOIN step AS s ON m.rank = s.rank AND m.ns >= s.start WHERE m.ns < s."end";

-- Idle time until the next operation: while it was not launched yet, the host kept the device waiting.

CREATE OR REPLACE TEMP TABLE next_launch AS
SELECT rank, start AS until, min(launch_end) AS launched FROM placed GROUP BY ALL;

CREATE OR REPLACE TEMP TABLE idle_part AS
SELECT c.rank, c.step, c.ns AS began, c.until - c.ns AS ns,
       CASE WHEN l.launched IS NULL THEN c.until - c.ns
            ELSE greatest(0, least(l.launched, c.until) - c.ns) END AS host_ns
FROM cut AS c LEFT JOIN next_launch AS l ON l.rank = c.rank AND l.until = c.until
WHERE c.computing = 0 AND c.communicating = 0 AND c.copying = 0;

INSERT INTO idle
SELECT i.rank, i.step, CASE WHEN i.began + i.host_ns // 2 < r."end" THEN r.name END AS range, sum(i.host_ns)
FROM idle_part AS i ASOF LEFT JOIN (SELECT rank, start, start + duration_ns AS "end", name FROM event WHERE kind = 'range' AND depth = 1) AS r
     ON i.rank = r.rank AND i.began + i.host_ns // 2 >= r.start
WHERE i.host_ns > 0 GROUP BY ALL;

INSERT INTO steps
SELECT s.rank, s.step, s.start, s."end" - s.start, coalesce(c.compute_ns, 0), coalesce(c.overlapped_ns, 0),
       coalesce(c.communication_ns, 0), coalesce(c.copy_ns, 0), coalesce(i.host_ns, 0), coalesce(i.ns - i.host_ns, 0), s.tid
FROM step AS s
LEFT JOIN (SELECT rank, step, sum(until - ns) FILTER (computing > 0) AS compute_ns,
                  sum(until - ns) FILTER (computing > 0 AND communicating > 0) AS overlapped_ns,
                  sum(until - ns) FILTER (computing = 0 AND communicating > 0) AS communication_ns,
                  sum(until - ns) FILTER (computing = 0 AND communicating = 0 AND copying > 0) AS copy_ns
           FROM cut GROUP BY ALL) AS c USING (rank, step)
LEFT JOIN (SELECT rank, step, sum(ns) AS ns, sum(host_ns) AS host_ns FROM idle_part GROUP BY ALL) AS i USING (rank, step);

INSERT INTO summary
SELECT rank, step, kind, name, count(*), sum(ns), min(ns), max(ns), histogram(CASE WHEN ns > 0 THEN floor(log2(ns))::INTEGER ELSE 0 END)
FROM (SELECT rank, step, class AS kind, name, duration_ns AS ns FROM placed
      UNION ALL SELECT rank, step, kind, name, duration_ns FROM placed_event WHERE kind IN ('range', 'call'))
GROUP BY ALL;

DROP TABLE event_text;

DROP TABLE operation_text;

DROP TABLE peak;
