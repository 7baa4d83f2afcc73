input=$CASES/inputs/analyze.json
cat >good.ini <<'END'
[AMD Radeon Graphics]   # an MI210
float32 = 45.3
bandwidth_gbs = 1638.4
[NVIDIA A100]
bandwidth_gbs = 1000
END
profdump roofline --device-rates good.ini --rows 1 "$input"
profdump roofline --device-rates good.ini --json "$input" | sed -n 's/.*\("peak":{[^}]*}\).*/\1/p' | cut -c1-60
# The simulated GPU is none that exists, unless the user says what it is.
printf '[simulated gpu]\nf32 = 2\n' >simulated.ini
profdump roofline --rows 0 demo.prof | grep '^Device'
profdump roofline --rows 0 --device-rates simulated.ini demo.prof | grep '^Device'
printf '[A100]\n\nfloat17 = 3\n' >bad.ini
profdump roofline --device-rates bad.ini "$input"
echo "a type that is none: $?"
profdump roofline --device-rates missing.ini "$input"
echo "no such file: $?"
