-- Who waits for whom in sends and receives. The n-th send of a rank to another is the n-th receive there: both kernels end
-- when the data is across, so the shorter one is that of the rank that came last, and no clock is needed.
-- NCCL states the peer as a number in the communicator. Numbers that were not recorded follow the ranks. Without a stated peer,
-- it is known where two ranks of a communicator send and receive. Calls of a group that share a kernel share its times.
WITH own AS (
    SELECT communicator, rank, max(communicator_rank) AS stated, row_number() OVER (PARTITION BY communicator ORDER BY rank) - 1 AS place
    FROM collectives WHERE communicator IS NOT NULL GROUP BY communicator, rank),
member AS (
    SELECT communicator, rank, CASE WHEN count(stated) OVER (PARTITION BY communicator) = count(*) OVER (PARTITION BY communicator)
                                    THEN stated ELSE place END AS number
    FROM own),
single AS (
    SELECT * FROM collectives WHERE function IN ('ncclSend', 'ncclRecv') AND communicator IS NOT NULL),
pair AS (
    SELECT communicator, min(rank) AS low, max(rank) AS high FROM single GROUP BY communicator HAVING count(DISTINCT rank) = 2),
called AS (
    SELECT c.*, CASE WHEN c.peer IS NOT NULL THEN m.rank WHEN c.rank = p.low THEN p.high ELSE p.low END AS peer_rank
    FROM single AS c LEFT JOIN pair AS p ON p.communicator = c.communicator
    LEFT JOIN member AS m ON m.communicator = c.communicator AND m.number = c.peer),
numbered AS (
    SELECT communicator, function, rank, peer_rank, bytes, duration_ns,
           row_number() OVER (PARTITION BY communicator, function, rank, peer_rank ORDER BY called, start, group_place) AS place,
           CASE WHEN group_place IS NULL THEN 1
                ELSE count(*) OVER (PARTITION BY communicator, function, rank, peer_rank, start) END AS sharing
    FROM called WHERE peer_rank IS NOT NULL),
matched AS (
    SELECT s.rank AS sender, r.rank AS receiver, s.bytes, least(s.duration_ns, r.duration_ns) * 1e0 / s.sharing AS transfer_ns,
           greatest(r.duration_ns - s.duration_ns, 0) * 1e0 / s.sharing AS receiver_ns,
           greatest(s.duration_ns - r.duration_ns, 0) * 1e0 / s.sharing AS sender_ns
    FROM numbered AS s JOIN numbered AS r ON r.communicator = s.communicator AND r.place = s.place AND r.rank = s.peer_rank
        AND r.peer_rank = s.rank
    WHERE s.function = 'ncclSend' AND r.function = 'ncclRecv' AND s.duration_ns IS NOT NULL AND r.duration_ns IS NOT NULL),
host AS (SELECT rank, min(host) AS host FROM ranks GROUP BY rank)
SELECT m.sender, m.receiver, min(s.host) AS sender_host, min(r.host) AS receiver_host, count(*) AS sends,
       CAST(round(avg(m.bytes)) AS BIGINT) AS bytes, CAST(round(avg(m.transfer_ns)) AS BIGINT) AS transfer_ns,
       round(sum(m.bytes) * 1e0 / nullif(sum(m.transfer_ns), 0), 2) AS gbps, CAST(round(sum(m.receiver_ns)) AS BIGINT) AS receiver_waited_ns,
       CAST(round(sum(m.sender_ns)) AS BIGINT) AS sender_waited_ns
FROM matched AS m LEFT JOIN host AS s ON s.rank = m.sender LEFT JOIN host AS r ON r.rank = m.receiver
GROUP BY m.sender, m.receiver ORDER BY sum(m.receiver_ns) + sum(m.sender_ns) DESC, m.sender, m.receiver
