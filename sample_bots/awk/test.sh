#!/bin/sh
# Plays exchange.txt to the bot and compares its answers. AWK names another awk than the one on the PATH.
cd "$(dirname "$0")" || exit 1
expected=$(sed -n 's/^< //p' exchange.txt)
answered=$(sed -n 's/^> //p' exchange.txt | ${AWK:-awk} -f bot.awk)
if [ "$answered" != "$expected" ]; then
    printf 'expected:\n%s\nanswered:\n%s\n' "$expected" "$answered" >&2
    exit 1
fi
echo "ok: $(printf '%s\n' "$answered" | wc -l) answers as expected"
