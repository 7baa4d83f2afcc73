-- The rows of one rank as events of a Chrome trace, each behind a comma on a line of its own: us() prints nanoseconds as microseconds
-- with three decimals, shifted() is the time by the chosen clock. $rank is the rank, $row its row for the CPU, $base the first time.

SELECT printf(E',\n{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%d","pid":$row,"tid":%d,"ts":%s,"dur":%s,"args":{}}',
              step, coalesce(tid, 0), us(shifted(start) - $base), us(shifted(start + duration_ns) - shifted(start)))
FROM steps WHERE rank = $rank;

SELECT printf(E',\n{"ph":"X","cat":"user_annotation","name":%s,"pid":$row,"tid":%d,"ts":%s,"dur":%s,"args":{}}',
              n.quoted, r.tid, us(shifted(r.start) - $base), us(shifted(r.start + r.duration_ns) - shifted(r.start)))
FROM ranges AS r JOIN (SELECT DISTINCT id, to_json(name) AS quoted FROM names) AS n ON n.id = r.name
WHERE r.rank = $rank AND NOT coalesce(r.crosses, false);

SELECT printf(E',\n{"ph":"b","cat":"user_annotation","name":%s,"id":%d,"pid":$row,"tid":%d,"ts":%s}' ||
              E',\n{"ph":"e","cat":"user_annotation","name":%s,"id":%d,"pid":$row,"tid":%d,"ts":%s}',
              n.quoted, r.id, r.tid, us(shifted(r.start) - $base), n.quoted, r.id, r.tid, us(shifted(r.start + r.duration_ns) - $base))
FROM (SELECT *, row_number() OVER () AS id FROM ranges WHERE rank = $rank AND crosses) AS r
JOIN (SELECT DISTINCT id, to_json(name) AS quoted FROM names) AS n ON n.id = r.name;

SELECT printf(E',\n{"ph":"X","cat":"%s","name":%s,"pid":$row,"tid":%d,"ts":%s,"dur":%s,"args":{"correlation":%d%s}}',
              CASE WHEN regexp_matches(n.name, '^cu[A-Z]') THEN 'cuda_driver' ELSE 'cuda_runtime' END,
              n.quoted, c.tid, us(shifted(c.start) - $base), us(shifted(c.start + c.duration_ns) - shifted(c.start)),
              coalesce(c.correlation, 0), CASE WHEN c.result <> 0 THEN printf(',"result":%d', c.result) ELSE '' END)
FROM calls AS c JOIN (SELECT DISTINCT id, name, to_json(name) AS quoted FROM names) AS n ON n.id = c.name WHERE c.rank = $rank;

SELECT printf(E',\n{"ph":"X","cat":"%s","name":%s,"pid":%d,"tid":%d,"ts":%s,"dur":%s,"args":{"device":%d,"stream":%d,"correlation":%d%s%s%s}}',
              CASE WHEN k.whole_graph THEN 'gpu_graph' ELSE 'kernel' END, n.quoted, coalesce(k.device, 0), coalesce(k.stream, 0),
              us(shifted(k.start) - $base), us(shifted(k.start + k.duration_ns) - shifted(k.start)), coalesce(k.device, 0), coalesce(k.stream, 0),
              coalesce(k.correlation, 0), CASE WHEN k.context IS NULL THEN '' ELSE printf(',"context":%d', k.context) END,
              CASE WHEN k.grid_x IS NULL THEN '' ELSE printf(',"grid":[%d,%d,%d],"block":[%d,%d,%d],"registers per thread":%d,"shared memory":%d',
                  k.grid_x, k.grid_y, k.grid_z, k.block_x, k.block_y, k.block_z, k.registers, k.shared_bytes) END,
              CASE WHEN k.graph IS NULL THEN '' ELSE printf(',"graph id":%d', k.graph) END)
FROM kernels AS k JOIN (SELECT DISTINCT id, to_json(name) AS quoted FROM names) AS n ON n.id = k.name WHERE k.rank = $rank;

SELECT printf(E',\n{"ph":"X","cat":"gpu_%s","name":%s,"pid":%d,"tid":%d,"ts":%s,"dur":%s,"args":{"device":%d,"stream":%d,"correlation":%d,"bytes":%d%s}}',
              c.kind, n.quoted, coalesce(c.device, 0), coalesce(c.stream, 0), us(shifted(c.start) - $base),
              us(shifted(c.start + c.duration_ns) - shifted(c.start)), coalesce(c.device, 0), coalesce(c.stream, 0), coalesce(c.correlation, 0),
              coalesce(c.bytes, 0), CASE WHEN c.context IS NULL THEN '' ELSE printf(',"context":%d', c.context) END)
FROM copies AS c JOIN (SELECT DISTINCT id, to_json(name) AS quoted FROM names) AS n ON n.id = c.name WHERE c.rank = $rank;
