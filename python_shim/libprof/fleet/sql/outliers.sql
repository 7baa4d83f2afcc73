-- Compute kernels that are slower on one rank than on most: at least 10 % above the median of all ranks.
WITH by_rank AS (
    SELECT name, rank, sum(count) AS calls, sum(sum_ns) AS sum_ns, sum(sum_ns) * 1e0 / sum(count) AS mean_ns
    FROM summary WHERE kind = 'compute' GROUP BY name, rank),
typical AS (SELECT name, median(mean_ns) AS mean_ns, count(*) AS ranks FROM by_rank GROUP BY name)
SELECT b.rank, r.host, n.name, b.calls, CAST(round(b.mean_ns) AS BIGINT) AS mean_ns, CAST(round(t.mean_ns) AS BIGINT) AS median_ns,
       round(b.mean_ns / t.mean_ns, 3) AS ratio, CAST(round((b.mean_ns - t.mean_ns) * b.calls) AS BIGINT) AS lost_ns
FROM by_rank AS b JOIN typical AS t ON t.name = b.name
JOIN (SELECT DISTINCT id, name FROM names) AS n ON n.id = b.name
JOIN (SELECT rank, min(host) AS host FROM ranks GROUP BY rank) AS r ON r.rank = b.rank
WHERE t.ranks > 2 AND b.mean_ns > 1.1e0 * t.mean_ns ORDER BY lost_ns DESC, b.rank, n.name
