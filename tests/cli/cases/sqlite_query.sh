# SQL over recordings: what a person asks first, in every format.
profdump query "SELECT name, count(*) AS calls, sum(duration) AS total, duration(sum(duration)) AS shown FROM kernels GROUP BY name ORDER BY total DESC" demo.prof
for format in tsv csv json markdown; do
    echo "-- $format"
    profdump query --format $format "SELECT kind, name, start, duration, result FROM slices ORDER BY duration DESC, id LIMIT 4" demo.prof
done
echo "-- joined"
profdump query "SELECT k.name, c.name AS call, k.range, k.queue FROM kernels AS k JOIN slices AS c ON c.id = k.slice ORDER BY k.start LIMIT 5" demo.prof
echo "-- as nsys"
profdump query "SELECT s.value AS name, k.end - k.start AS ns, r.end - r.start AS call_ns FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN StringIds AS s ON s.id = k.demangledName JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r ON r.correlationId = k.correlationId ORDER BY k.start LIMIT 5" demo.prof
echo "-- a window"
profdump query --window 0..1ms "SELECT count(*) FROM operations" demo.prof
echo "-- several processes"
profdump query "SELECT p.rank, p.pid, count(*) AS slices, max(s.depth) AS depth FROM slices AS s JOIN processes AS p ON p.id = s.process GROUP BY p.id" rank0.prof rank1.prof
echo "-- functions"
profdump query "SELECT percentile(value, 25), median(value), bytes_text(1536), duration(1234567), duration(NULL) FROM (SELECT 1 AS value UNION ALL SELECT 2 UNION ALL SELECT 4 UNION ALL SELECT NULL)" demo.prof
echo "-- nothing"
profdump query --format csv "SELECT name, NULL AS none FROM migrations" demo.prof
profdump query --format json "SELECT * FROM migrations" demo.prof
profdump query "SELECT cause, count FROM losses" lossy.prof
