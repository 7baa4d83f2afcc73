-- The values that 'diff' compares: a value is the time of one rank in one step; of a name, the mean of its calls there.
-- A row for each rank (step NULL), each step (rank NULL) and the whole job (both NULL). Without steps, a rank has one value.
WITH value AS (
    SELECT 'step' AS kind, 'step' AS name, rank, step, CAST(1 AS BIGINT) AS calls, duration_ns AS sum_ns FROM steps
    UNION ALL SELECT 'part', 'compute', rank, step, 1, compute_ns FROM steps
    UNION ALL SELECT 'part', 'communication', rank, step, 1, communication_ns FROM steps
    UNION ALL SELECT 'part', 'copies', rank, step, 1, copy_ns FROM steps
    UNION ALL SELECT 'part', 'idle, host late', rank, step, 1, idle_host_ns FROM steps
    UNION ALL SELECT 'part', 'idle, device', rank, step, 1, idle_device_ns FROM steps
    UNION ALL
    SELECT s.kind, n.name, s.rank, coalesce(s.step, -1), s.count, s.sum_ns
    FROM summary AS s JOIN (SELECT DISTINCT id, name FROM names) AS n ON n.id = s.name
    WHERE s.step IS NOT NULL OR (SELECT count(*) FROM steps) = 0),
place AS (
    SELECT kind, name, rank, step, sum(sum_ns) AS sum_ns, sum(sum_ns) * 1e0 / sum(calls) AS mean_ns
    FROM value GROUP BY kind, name, rank, step)
SELECT kind, name, rank, step, count(*) AS places, sum(sum_ns) AS sum_ns, avg(mean_ns) AS mean_ns, var_samp(mean_ns) AS variance,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY mean_ns) AS p50_ns, percentile_cont(0.99) WITHIN GROUP (ORDER BY mean_ns) AS p99_ns
FROM place GROUP BY GROUPING SETS ((kind, name, rank), (kind, name, step), (kind, name))
ORDER BY kind, name, rank NULLS FIRST, step NULLS FIRST
