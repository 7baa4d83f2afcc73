-- From the summaries of one recording (PROF_SUMMARY) to rows of the dataset. Input: s (summary), t (summary_steps), p (processes).
-- Statements end with a semicolon at the end of a line.

CREATE OR REPLACE TEMP TABLE summed AS
SELECT p.rank, s.step, coalesce(s.name, '(other)') AS name, s.count, s.sum, s.min, s.max, s.durations::MAP(INTEGER, BIGINT) AS durations,
       CASE WHEN s.kind IN ('memcpy', 'memset') THEN 'copy' WHEN s.kind IN ('range', 'call') THEN s.kind
            WHEN regexp_matches(s.name, '(?i)^(nccl|rccl|mscclpp|nvshmem)') THEN 'communication' ELSE 'compute' END AS kind
FROM s JOIN p USING (process) WHERE s.kind NOT IN ('round', 'unseen');

INSERT INTO names SELECT DISTINCT content_id(name), name FROM summed;

INSERT INTO steps
SELECT p.rank, t.step, p.base + t.start, t.duration, t.compute, t.overlapped, t.communication, t.copy, t.idle_host, t.idle_device, NULL
FROM t JOIN p USING (process);

-- Rows of one name add up, and so do their histograms.

CREATE OR REPLACE TEMP TABLE bucket AS
SELECT rank, step, kind, name, map_from_entries(list((bucket, count) ORDER BY bucket)) AS histogram
FROM (SELECT rank, step, kind, name, pair.key AS bucket, sum(pair.value)::BIGINT AS count
      FROM (SELECT rank, step, kind, name, unnest(map_entries(durations)) AS pair FROM summed) GROUP BY ALL)
GROUP BY ALL;

INSERT INTO summary
SELECT s.rank, s.step, s.kind, content_id(s.name), s.count, s.sum, s.min, s.max, b.histogram
FROM (SELECT rank, step, kind, name, sum(count) AS count, sum(sum) AS sum, min(min) AS min, max(max) AS max FROM summed GROUP BY ALL) AS s
JOIN bucket AS b ON s.rank = b.rank AND s.step IS NOT DISTINCT FROM b.step AND s.kind = b.kind AND s.name = b.name;
