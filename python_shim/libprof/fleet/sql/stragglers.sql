-- Who comes last to collectives, how long the others wait for it, and what it does longer than the others.
-- A collective ends everywhere at the same time, so its shortest kernel is that of the last rank: no clock is needed.
-- A range is named by what it takes longer than on three quarters of the ranks, not by its length. by_chance: how often the rank would be last
-- if all came equally often. Calls of a group that share a kernel count as one. Without collectives, as in summaries, what ranks do longer is all that is known.
WITH part AS (
    SELECT communicator, CASE WHEN communicator IS NULL THEN function END AS unnamed, sequence, rank, duration_ns
    FROM collectives WHERE duration_ns IS NOT NULL AND coalesce(group_place, 0) = 0),
whole AS (
    SELECT communicator, unnamed, sequence, count(*) AS ranks, min(duration_ns) AS shortest_ns, max(duration_ns) AS longest_ns
    FROM part GROUP BY communicator, unnamed, sequence HAVING count(*) > 1),
member AS (
    SELECT p.rank, p.duration_ns - w.shortest_ns AS waited_ns, w.longest_ns - w.shortest_ns AS skew_ns,
           p.duration_ns = w.shortest_ns AS is_last, 1e0 / w.ranks AS chance
    FROM part AS p JOIN whole AS w ON p.sequence = w.sequence AND p.communicator IS NOT DISTINCT FROM w.communicator
        AND p.unnamed IS NOT DISTINCT FROM w.unnamed),
arrival AS (
    SELECT rank, count(*) AS collectives, sum(CASE WHEN is_last THEN 1 ELSE 0 END) AS times_last,
           round(sum(chance), 1) AS by_chance, sum(CASE WHEN is_last THEN skew_ns ELSE 0 END) AS caused_ns, sum(waited_ns) AS waited_ns
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
waited AS (
    SELECT i.rank, n.name, sum(i.host_ns) AS ns
    FROM idle AS i LEFT JOIN (SELECT DISTINCT id, name FROM names) AS n ON n.id = i.range GROUP BY i.rank, n.name),
placed AS (SELECT name, ns, row_number() OVER (PARTITION BY name ORDER BY ns DESC) AS place FROM waited),
most AS (SELECT name, ns FROM placed WHERE place = ceil(0.75e0 * (SELECT count(DISTINCT rank) FROM steps))),
waits AS (
    SELECT w.rank, w.name, row_number() OVER (PARTITION BY w.rank ORDER BY w.ns - coalesce(m.ns, 0) DESC, w.name NULLS LAST) AS place
    FROM waited AS w LEFT JOIN most AS m ON m.name IS NOT DISTINCT FROM w.name)
SELECT r.rank, r.host, a.collectives, a.times_last, a.by_chance, a.caused_ns, a.waited_ns, b.cause AS longer,
       CAST(round(b.excess_ns) AS BIGINT) AS longer_by_ns, CASE WHEN b.cause = 'host' THEN w.name END AS in_range
FROM (SELECT rank, min(host) AS host FROM ranks GROUP BY rank) AS r LEFT JOIN arrival AS a ON a.rank = r.rank
LEFT JOIN blame AS b ON b.rank = r.rank LEFT JOIN waits AS w ON w.rank = r.rank AND w.place = 1
WHERE a.rank IS NOT NULL OR (b.rank IS NOT NULL AND (SELECT count(*) FROM collectives) = 0)
ORDER BY a.caused_ns DESC NULLS LAST, CASE WHEN a.rank IS NULL THEN b.excess_ns END DESC NULLS LAST, r.rank
