-- Who comes last to collectives, how long the others wait for it, and what it does longer than the others.
-- A collective ends everywhere at the same time, so its shortest kernel is that of the last rank: no clock is needed.
-- Calls of a group that share a kernel count as one. Without collectives, as in summaries, what ranks do longer is all that is known.
WITH part AS (
    SELECT communicator, CASE WHEN communicator IS NULL THEN function END AS unnamed, sequence, rank, duration_ns
    FROM collectives WHERE duration_ns IS NOT NULL AND coalesce(group_place, 0) = 0),
whole AS (
    SELECT communicator, unnamed, sequence, min(duration_ns) AS shortest_ns, max(duration_ns) AS longest_ns
    FROM part GROUP BY communicator, unnamed, sequence HAVING count(*) > 1),
member AS (
    SELECT p.rank, p.duration_ns - w.shortest_ns AS waited_ns, w.longest_ns - w.shortest_ns AS skew_ns,
           p.duration_ns = w.shortest_ns AS is_last
    FROM part AS p JOIN whole AS w ON p.sequence = w.sequence AND p.communicator IS NOT DISTINCT FROM w.communicator
        AND p.unnamed IS NOT DISTINCT FROM w.unnamed),
arrival AS (
    SELECT rank, count(*) AS collectives, sum(CASE WHEN is_last THEN 1 ELSE 0 END) AS times_last,
           sum(CASE WHEN is_last THEN skew_ns ELSE 0 END) AS caused_ns, sum(waited_ns) AS waited_ns
    FROM member GROUP BY rank),
typical AS (
    SELECT step, median(compute_ns) AS compute_ns, median(copy_ns) AS copy_ns, median(idle_host_ns) AS idle_host_ns,
           median(idle_device_ns) AS idle_device_ns
    FROM steps GROUP BY step),
excess AS (
    SELECT s.rank, avg(s.compute_ns - t.compute_ns) AS compute_ns, avg(s.copy_ns - t.copy_ns) AS copy_ns,
           avg(s.idle_host_ns - t.idle_host_ns) AS idle_host_ns, avg(s.idle_device_ns - t.idle_device_ns) AS idle_device_ns
    FROM steps AS s JOIN typical AS t ON s.step = t.step GROUP BY s.rank),
blame AS (
    SELECT rank, greatest(compute_ns, copy_ns, idle_host_ns, idle_device_ns) AS excess_ns,
           CASE greatest(compute_ns, copy_ns, idle_host_ns, idle_device_ns)
               WHEN compute_ns THEN 'compute' WHEN copy_ns THEN 'copies' WHEN idle_host_ns THEN 'host' ELSE 'device idle' END AS cause
    FROM excess),
waits AS (
    SELECT i.rank, n.name, row_number() OVER (PARTITION BY i.rank ORDER BY sum(i.host_ns) DESC, n.name) AS place
    FROM idle AS i LEFT JOIN (SELECT DISTINCT id, name FROM names) AS n ON n.id = i.range GROUP BY i.rank, n.name)
SELECT r.rank, r.host, a.collectives, a.times_last, a.caused_ns, a.waited_ns, b.cause AS longer,
       CAST(round(b.excess_ns) AS BIGINT) AS longer_by_ns, CASE WHEN b.cause = 'host' THEN w.name END AS in_range
FROM (SELECT rank, min(host) AS host FROM ranks GROUP BY rank) AS r LEFT JOIN arrival AS a ON a.rank = r.rank
LEFT JOIN blame AS b ON b.rank = r.rank LEFT JOIN waits AS w ON w.rank = r.rank AND w.place = 1
WHERE a.rank IS NOT NULL OR (b.rank IS NOT NULL AND (SELECT count(*) FROM collectives) = 0)
ORDER BY a.caused_ns DESC NULLS LAST, CASE WHEN a.rank IS NULL THEN b.excess_ns END DESC NULLS LAST, r.rank
