-- Compute kernels that are slower on one rank than on most: at least 10 % above the median of all ranks that run the same kernel
-- with as many blocks and threads. Where there are summaries alone, the number of blocks is not known.
WITH launched AS (
    SELECT rank, name, grid_x, grid_y, grid_z, block_x, block_y, block_z, count(*) AS calls, sum(duration_ns) AS sum_ns
    FROM kernels WHERE class = 'compute' GROUP BY rank, name, grid_x, grid_y, grid_z, block_x, block_y, block_z),
by_rank AS (
    SELECT name, rank, calls, sum_ns * 1e0 / calls AS mean_ns,
           coalesce(CAST(grid_x AS STRING) || 'x' || CAST(grid_y AS STRING) || 'x' || CAST(grid_z AS STRING) || ' of ' ||
                    CAST(block_x AS STRING) || 'x' || CAST(block_y AS STRING) || 'x' || CAST(block_z AS STRING), '') AS shape
    FROM launched
    UNION ALL
    SELECT name, rank, sum(count), sum(sum_ns) * 1e0 / sum(count), ''
    FROM summary WHERE kind = 'compute' AND (SELECT count(*) FROM kernels) = 0 GROUP BY name, rank),
typical AS (SELECT name, shape, median(mean_ns) AS mean_ns, count(*) AS ranks FROM by_rank GROUP BY name, shape)
SELECT b.rank, r.host, n.name, nullif(b.shape, '') AS shape, b.calls, CAST(round(b.mean_ns) AS BIGINT) AS mean_ns,
       CAST(round(t.mean_ns) AS BIGINT) AS median_ns, round(b.mean_ns / t.mean_ns, 3) AS ratio,
       CAST(round((b.mean_ns - t.mean_ns) * b.calls) AS BIGINT) AS lost_ns
FROM by_rank AS b JOIN typical AS t ON t.name = b.name AND t.shape = b.shape
JOIN (SELECT DISTINCT id, name FROM names) AS n ON n.id = b.name
JOIN (SELECT rank, min(host) AS host FROM ranks GROUP BY rank) AS r ON r.rank = b.rank
WHERE t.ranks > 2 AND b.mean_ns > 1.1e0 * t.mean_ns ORDER BY lost_ns DESC, b.rank, n.name, shape
