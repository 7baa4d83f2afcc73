-- Follows late.sql: how long the host kept the device waiting a step in each range, usually and in stalls, above what most ranks have.
, wanted AS (
    SELECT rank, step, stall, count(*) OVER (PARTITION BY rank, stall) AS steps FROM judged WHERE stall OR NOT special),
each AS (
    SELECT w.rank, w.stall, n.name, sum(i.host_ns) * 1e0 / max(w.steps) AS ns
    FROM wanted AS w JOIN idle AS i ON i.rank = w.rank AND i.step = w.step LEFT JOIN (SELECT DISTINCT id, name FROM names) AS n ON n.id = i.range
    GROUP BY w.rank, w.stall, n.name),
placed AS (
    SELECT name, ns, row_number() OVER (PARTITION BY name ORDER BY ns DESC) AS place FROM each WHERE NOT stall),
most AS (
    SELECT name, ns FROM placed WHERE place = ceil(0.75e0 * (SELECT count(DISTINCT rank) FROM wanted WHERE NOT stall))),
ordered AS (
    SELECT e.rank, e.stall, e.name, row_number() OVER (PARTITION BY e.rank, e.stall ORDER BY e.ns - coalesce(o.ns, 0) DESC, e.name NULLS LAST) AS place
    FROM each AS e LEFT JOIN most AS o ON o.name IS NOT DISTINCT FROM e.name)
SELECT rank, stall, name FROM ordered WHERE place = 1 AND name IS NOT NULL
