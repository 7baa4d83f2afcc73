-- What was launched, recorded and lost, by rank; the last row is the whole job.
SELECT rank, sum(launched) AS launched, sum(recorded) AS recorded, sum(lost) AS lost FROM ledger GROUP BY rank
UNION ALL SELECT NULL, sum(launched), sum(recorded), sum(lost) FROM ledger
ORDER BY rank NULLS LAST
