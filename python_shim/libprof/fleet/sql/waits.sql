-- Who waits for whom in sends and receives. The n-th send of a rank to another is the n-th receive there: both kernels end
-- when the data is across, so the shorter one is that of the rank that came last, and no clock is needed.
-- The peer is known where two ranks of a communicator send and receive.
WITH single AS (
    SELECT * FROM collectives WHERE function IN ('ncclSend', 'ncclRecv') AND communicator IS NOT NULL),
pair AS (
    SELECT communicator, min(rank) AS low, max(rank) AS high FROM single GROUP BY communicator HAVING count(DISTINCT rank) = 2),
numbered AS (
    SELECT c.communicator, c.function, c.rank, CASE WHEN c.rank = p.low THEN p.high ELSE p.low END AS peer, c.bytes, c.duration_ns,
           row_number() OVER (PARTITION BY c.communicator, c.function, c.rank ORDER BY c.called) AS place
    FROM single AS c JOIN pair AS p ON p.communicator = c.communicator),
matched AS (
    SELECT s.rank AS sender, r.rank AS receiver, s.bytes, least(s.duration_ns, r.duration_ns) AS transfer_ns,
           greatest(r.duration_ns - s.duration_ns, 0) AS receiver_ns, greatest(s.duration_ns - r.duration_ns, 0) AS sender_ns
    FROM numbered AS s JOIN numbered AS r ON r.communicator = s.communicator AND r.place = s.place AND r.rank = s.peer
    WHERE s.function = 'ncclSend' AND r.function = 'ncclRecv' AND s.duration_ns IS NOT NULL AND r.duration_ns IS NOT NULL),
host AS (SELECT rank, min(host) AS host FROM ranks GROUP BY rank)
SELECT m.sender, m.receiver, min(s.host) AS sender_host, min(r.host) AS receiver_host, count(*) AS sends,
       CAST(round(avg(m.bytes)) AS BIGINT) AS bytes, CAST(round(avg(m.transfer_ns)) AS BIGINT) AS transfer_ns,
       round(sum(m.bytes) * 1e0 / nullif(sum(m.transfer_ns), 0), 2) AS gbps, CAST(sum(m.receiver_ns) AS BIGINT) AS receiver_waited_ns,
       CAST(sum(m.sender_ns) AS BIGINT) AS sender_waited_ns
FROM matched AS m LEFT JOIN host AS s ON s.rank = m.sender LEFT JOIN host AS r ON r.rank = m.receiver
GROUP BY m.sender, m.receiver ORDER BY sum(m.receiver_ns) + sum(m.sender_ns) DESC, m.sender, m.receiver
