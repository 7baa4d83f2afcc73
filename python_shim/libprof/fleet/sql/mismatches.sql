-- Collectives that not every rank of the communicator entered, that ranks entered with another function or size, or that did not end.
-- Recordings need not begin and end together: collectives are compared from where all ranks have begun, and one that ended counts as
-- entered by all. A collective without an end hangs only if no later one of its rank ended: otherwise, the record of its kernel was lost.
-- Where its rank's recording ends soon after the call (within a step, or 100 ms without steps), it may have ended after that.
-- In an all-to-all, ranks may send parts of different sizes.
WITH member AS (
    SELECT communicator, rank, min(sequence) AS first_one, max(sequence) AS last_one,
           max(CASE WHEN duration_ns IS NOT NULL THEN sequence END) AS last_ended
    FROM collectives WHERE communicator IS NOT NULL AND sequence IS NOT NULL GROUP BY communicator, rank),
recorded AS (SELECT rank, max(start + duration_ns) AS end_ns FROM ranks GROUP BY rank),
usual_step AS (SELECT coalesce(median(duration_ns), 100000000) AS ns FROM steps),
size AS (SELECT communicator, count(*) AS ranks, max(first_one) AS first_one FROM member GROUP BY communicator),
whole AS (
    SELECT c.communicator, c.sequence, count(*) AS entered, count(DISTINCT c.function) AS functions,
           count(DISTINCT CASE WHEN c.function <> 'ncclAlltoAll' THEN c.bytes END) AS sizes, min(c.called) AS called,
           sum(CASE WHEN c.duration_ns IS NULL AND c.sequence > coalesce(m.last_ended, -1)
                     AND coalesce(r.end_ns - c.called, u.ns) >= u.ns THEN 1 ELSE 0 END) AS unfinished, min(c.step) AS step
    FROM collectives AS c JOIN member AS m ON m.communicator = c.communicator AND m.rank = c.rank
    CROSS JOIN usual_step AS u LEFT JOIN recorded AS r ON r.rank = c.rank
    WHERE c.sequence IS NOT NULL GROUP BY c.communicator, c.sequence),
suspect AS (
    SELECT w.*, s.ranks FROM whole AS w JOIN size AS s ON s.communicator = w.communicator
    WHERE w.sequence >= s.first_one AND (w.functions > 1 OR w.sizes > 1 OR w.unfinished > 0)),
earliest AS (SELECT communicator, min(sequence) AS sequence FROM suspect GROUP BY communicator),
usual AS (
    SELECT communicator, sequence, function, bytes, count(*) AS ranks,
           row_number() OVER (PARTITION BY communicator, sequence ORDER BY count(*) DESC, function, bytes) AS place
    FROM collectives WHERE communicator IS NOT NULL GROUP BY communicator, sequence, function, bytes)
SELECT s.communicator, s.sequence, s.step, s.ranks, s.entered, m.rank,
       CASE WHEN c.rank IS NULL THEN 'did not enter'
            WHEN c.function <> u.function THEN 'entered another function'
            WHEN c.bytes <> u.bytes AND c.function <> 'ncclAlltoAll' THEN 'entered with another size'
            ELSE 'waits' END AS state,
       c.function, c.bytes
FROM suspect AS s JOIN earliest AS e ON e.communicator = s.communicator AND e.sequence = s.sequence
JOIN usual AS u ON u.communicator = s.communicator AND u.sequence = s.sequence AND u.place = 1
JOIN member AS m ON m.communicator = s.communicator
LEFT JOIN collectives AS c ON c.communicator = s.communicator AND c.sequence = s.sequence AND c.rank = m.rank
WHERE c.rank IS NOT NULL OR m.last_one < s.sequence
ORDER BY CASE WHEN s.functions > 1 OR s.sizes > 1 THEN 0 ELSE 1 END, s.step, s.called, s.communicator, state, m.rank
