-- Collectives by communicator, function and how NCCL does them: the wait for the last rank, and the transfer after it.
-- A collective is not completed if some rank has no kernel of it that ended: it hangs, or the kernel is not known.
-- Sends and receives (no sequence) count one by one: nothing tells their wait from their transfer.
-- Calls of a group that share a kernel share its time by their bytes, so the bandwidth is that of the whole group.
-- Bandwidths are nccl-tests': algorithm bandwidth is bytes over time, bus bandwidth counts what crosses a link.
WITH part AS (
    SELECT *, CASE WHEN communicator IS NULL THEN function END AS unnamed,
           coalesce(bytes * 1e0 / nullif(group_bytes, 0), CASE WHEN coalesce(group_place, 0) = 0 THEN 1e0 ELSE 0e0 END) AS share
    FROM collectives),
whole AS (
    SELECT communicator, unnamed, sequence, min(function) AS function, count(*) AS ranks, max(bytes) AS bytes,
           min(duration_ns) * max(share) AS transfer_ns, (max(duration_ns) - min(duration_ns)) * max(share) AS skew_ns,
           max(CASE WHEN duration_ns IS NULL THEN 1 ELSE 0 END) AS not_completed,
           max(algorithm) AS algorithm, max(protocol) AS protocol, max(channels) AS channels
    FROM part WHERE sequence IS NOT NULL GROUP BY communicator, unnamed, sequence
    UNION ALL SELECT communicator, unnamed, sequence, function, 1, bytes, duration_ns * share, NULL,
           CASE WHEN duration_ns IS NULL THEN 1 ELSE 0 END, algorithm, protocol, channels
    FROM part WHERE sequence IS NULL),
sized AS (
    -- NCCL states the bytes of one rank where each rank has a part of the whole; nccl-tests divides the whole by the time.
    SELECT *, CASE WHEN function IN ('ncclAllGather', 'ncclReduceScatter', 'ncclAlltoAll', 'ncclGather', 'ncclScatter')
                   THEN bytes * ranks ELSE bytes END AS size_bytes,
           CASE WHEN function = 'ncclAllReduce' THEN 2e0 * (ranks - 1) / ranks
                WHEN function IN ('ncclAllGather', 'ncclReduceScatter', 'ncclAlltoAll', 'ncclGather', 'ncclScatter')
                THEN 1e0 * (ranks - 1) / ranks ELSE 1e0 END AS factor
    FROM whole),
total AS (
    SELECT communicator, function, max(ranks) AS ranks, count(*) AS collectives, count(transfer_ns) AS timed,
           sum(not_completed) AS not_completed, avg(bytes) AS bytes, sum(skew_ns) AS skew_ns, sum(transfer_ns) AS transfer_ns,
           sum(CASE WHEN transfer_ns IS NOT NULL THEN size_bytes END) AS size_bytes,
           sum(CASE WHEN transfer_ns IS NOT NULL THEN size_bytes * factor END) AS bus_bytes,
           algorithm, protocol, max(channels) AS channels
    FROM sized GROUP BY communicator, function, algorithm, protocol)
SELECT communicator, function, ranks, collectives, not_completed, CAST(round(bytes) AS BIGINT) AS bytes,
       CAST(round(skew_ns * 1e0 / nullif(timed, 0)) AS BIGINT) AS skew_ns,
       CAST(round(transfer_ns * 1e0 / nullif(timed, 0)) AS BIGINT) AS transfer_ns,
       round(size_bytes * 1e0 / nullif(transfer_ns, 0), 2) AS algorithm_gb_per_s, round(bus_bytes / nullif(transfer_ns, 0), 2) AS bus_gb_per_s,
       algorithm, protocol, channels
FROM total
ORDER BY coalesce(total.skew_ns, 0) + coalesce(total.transfer_ns, 0) DESC, communicator NULLS LAST, function, algorithm NULLS LAST, protocol NULLS LAST
