-- Key averages over all ranks, and how far ranks are apart: p50, p99 and worst are averages of one rank each.
WITH by_rank AS (
    SELECT kind, name, rank, sum(count) AS calls, sum(sum_ns) AS sum_ns, min(min_ns) AS min_ns, max(max_ns) AS max_ns,
           sum(sum_ns) * 1e0 / sum(count) AS mean_ns
    FROM summary GROUP BY kind, name, rank),
placed AS (SELECT *, row_number() OVER (PARTITION BY kind, name ORDER BY mean_ns DESC, rank) AS place FROM by_rank),
total AS (
    SELECT kind, name, count(*) AS ranks, sum(calls) AS calls, sum(sum_ns) AS total_ns,
           CAST(round(sum(sum_ns) * 1e0 / sum(calls)) AS BIGINT) AS mean_ns, min(min_ns) AS min_ns, max(max_ns) AS max_ns,
           CAST(round(percentile_cont(0.5) WITHIN GROUP (ORDER BY mean_ns)) AS BIGINT) AS p50_ns,
           CAST(round(percentile_cont(0.99) WITHIN GROUP (ORDER BY mean_ns)) AS BIGINT) AS p99_ns
    FROM by_rank GROUP BY kind, name)
SELECT t.kind, n.name, t.ranks, t.calls, t.total_ns, t.mean_ns, t.min_ns, t.max_ns, t.p50_ns, t.p99_ns, p.rank AS worst_rank,
       CAST(round(p.mean_ns) AS BIGINT) AS worst_ns
FROM total AS t JOIN placed AS p ON p.kind = t.kind AND p.name = t.name AND p.place = 1
JOIN (SELECT DISTINCT id, name FROM names) AS n ON n.id = t.name
ORDER BY t.total_ns DESC, t.kind, n.name
