-- What each rank's device did during steps; the parts add up to the time of the steps.
SELECT rank, count(*) AS steps, sum(duration_ns) AS time_ns, sum(compute_ns) AS compute_ns,
       sum(communication_ns) AS communication_ns, sum(copy_ns) AS copy_ns, sum(idle_host_ns) AS idle_host_ns,
       sum(idle_device_ns) AS idle_device_ns, sum(overlapped_ns) AS overlapped_ns
FROM steps GROUP BY rank ORDER BY rank
