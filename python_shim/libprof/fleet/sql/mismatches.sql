-- Collectives that not every rank of the communicator entered, that ranks entered with another function or size, or that did not end.
WITH member AS (SELECT DISTINCT communicator, rank FROM collectives WHERE communicator IS NOT NULL),
size AS (SELECT communicator, count(*) AS ranks FROM member GROUP BY communicator),
whole AS (
    SELECT communicator, sequence, count(*) AS entered, count(DISTINCT function) AS functions, count(DISTINCT bytes) AS sizes,
           min(called) AS called, sum(CASE WHEN duration_ns IS NULL THEN 1 ELSE 0 END) AS unfinished, min(step) AS step
    FROM collectives WHERE communicator IS NOT NULL GROUP BY communicator, sequence),
suspect AS (
    SELECT w.*, s.ranks FROM whole AS w JOIN size AS s ON s.communicator = w.communicator
    WHERE w.entered < s.ranks OR w.functions > 1 OR w.sizes > 1 OR w.unfinished > 0),
earliest AS (SELECT communicator, min(sequence) AS sequence FROM suspect GROUP BY communicator),
usual AS (
    SELECT communicator, sequence, function, bytes, count(*) AS ranks,
           row_number() OVER (PARTITION BY communicator, sequence ORDER BY count(*) DESC, function, bytes) AS place
    FROM collectives WHERE communicator IS NOT NULL GROUP BY communicator, sequence, function, bytes)
SELECT s.communicator, s.sequence, s.step, s.ranks, s.entered, m.rank,
       CASE WHEN c.rank IS NULL THEN 'did not enter'
            WHEN c.function <> u.function THEN 'entered another function'
            WHEN c.bytes <> u.bytes THEN 'entered with another size'
            ELSE 'waits' END AS state,
       c.function, c.bytes
FROM suspect AS s JOIN earliest AS e ON e.communicator = s.communicator AND e.sequence = s.sequence
JOIN usual AS u ON u.communicator = s.communicator AND u.sequence = s.sequence AND u.place = 1
JOIN member AS m ON m.communicator = s.communicator
LEFT JOIN collectives AS c ON c.communicator = s.communicator AND c.sequence = s.sequence AND c.rank = m.rank
ORDER BY CASE WHEN s.functions > 1 OR s.sizes > 1 THEN 0 ELSE 1 END, s.step, s.called, s.communicator, state, m.rank
