-- Peaks of memory by rank against the median of all ranks: the largest first, by kind of memory.
WITH placed AS (
    SELECT *, row_number() OVER (PARTITION BY rank, device, kind ORDER BY peak_bytes DESC, time) AS place FROM memory),
peak AS (SELECT * FROM placed WHERE place = 1),
typical AS (SELECT kind, median(peak_bytes) AS median_bytes FROM peak GROUP BY kind)
SELECT p.rank, r.host, p.device, p.kind, p.peak_bytes, CAST(round(t.median_bytes) AS BIGINT) AS median_bytes,
       round(p.peak_bytes * 1e0 / nullif(t.median_bytes, 0), 3) AS ratio, p.step, p.time AS at, n.name AS in_range
FROM peak AS p JOIN typical AS t ON t.kind = p.kind
LEFT JOIN (SELECT rank, min(host) AS host FROM ranks GROUP BY rank) AS r ON r.rank = p.rank
LEFT JOIN (SELECT DISTINCT id, name FROM names) AS n ON n.id = p.range
ORDER BY p.kind, p.peak_bytes DESC, p.rank, p.device
