escape=$(printf '\033')
has() { profdump "$@" | grep -c "$escape"; }
echo "auto, not a terminal: $(has demo.prof)"
echo "always: $(has --color=always demo.prof)"
echo "never: $(has --color=never demo.prof)"
echo "NO_COLOR: $(NO_COLOR=1 has --color=auto demo.prof)"
echo "forced: $(CLICOLOR_FORCE=1 has demo.prof)"
echo "--json: $(has --color=always --json demo.prof)"
profdump --color=sometimes demo.prof
