-- Each rank in each step against the other ranks: the beginning of statements (_late.py), which end with a SELECT from `judged`.
-- Own time is a step without waiting for others: communication that nothing hides is left out. The quarter of the ranks with the
-- least stands for the others, so half of the ranks may be slow. In special steps (evaluation, checkpoints, the first ones) all
-- ranks take long. A stall is a step in which a rank exceeds what it usually takes by far.
WITH own AS (
    SELECT *, duration_ns - communication_ns AS own_ns FROM steps WHERE step IS NOT NULL AND duration_ns > 0),
others AS (
    SELECT step, percentile_cont(0.25) WITHIN GROUP (ORDER BY own_ns) AS own_ns, median(duration_ns) AS duration_ns,
           percentile_cont(0.75) WITHIN GROUP (ORDER BY communication_ns) AS communication_ns, median(compute_ns) AS compute_ns,
           median(copy_ns) AS copy_ns, median(idle_host_ns) AS idle_host_ns, median(idle_device_ns) AS idle_device_ns
    FROM own GROUP BY step HAVING count(*) > 1),
usual AS (SELECT median(duration_ns) AS duration_ns, median(own_ns) AS own_ns FROM others),
compared AS (
    SELECT s.rank, s.step, s.own_ns - o.own_ns AS excess_ns, o.communication_ns - s.communication_ns AS lost_ns,
           o.own_ns AS others_ns, u.duration_ns AS usual_ns, o.own_ns > 2e0 * u.own_ns AS special, s.compute_ns - o.compute_ns AS compute_ns,
           s.copy_ns - o.copy_ns AS copy_ns, s.idle_host_ns - o.idle_host_ns AS idle_host_ns, s.idle_device_ns - o.idle_device_ns AS idle_device_ns
    FROM own AS s JOIN others AS o ON o.step = s.step CROSS JOIN usual AS u),
mine AS (
    SELECT rank, median(CASE WHEN NOT special THEN excess_ns END) AS excess_ns FROM compared GROUP BY rank),
noise AS (
    SELECT 1.4826e0 * median(abs(c.excess_ns - m.excess_ns)) AS ns FROM compared AS c JOIN mine AS m ON m.rank = c.rank WHERE NOT c.special),
judged AS (
    SELECT c.*, c.excess_ns - coalesce(m.excess_ns, 0) AS above_ns, n.ns AS noise_ns,
           greatest(c.lost_ns, c.lost_ns + coalesce(lead(c.lost_ns) OVER (PARTITION BY c.rank ORDER BY c.step), 0)) AS waited_ns,
           c.excess_ns - coalesce(m.excess_ns, 0) > greatest({least_stall} * c.usual_ns, {stall_deviations} * coalesce(n.ns, 0),
               CASE WHEN c.special THEN 1e0 ELSE 0.2e0 END * c.others_ns) AS stall
    FROM compared AS c LEFT JOIN mine AS m ON m.rank = c.rank CROSS JOIN noise AS n)
