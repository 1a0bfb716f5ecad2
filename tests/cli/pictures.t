# Flame graphs and reports. What needs the viewer is in tests/browser.

$ polyprof flame app.folded -o app.svg && grep -c '<g class="frame' app.svg
$ polyprof flame app.folded --min-width nothing -o no.svg
$ polyprof flame --flamechart tiny.json | grep -o '<title>[^<]*' | head -4
$ polyprof flame --flamechart --time 10us..20us tiny.json | grep -o '<title>[^<]*' | head -4
$ polyprof flame --focus User --hide dispatch app.folded | grep -o '<title>[^<]*' | head -4

Time that is not known, or no more.

$ polyprof flame --flamechart app.folded -o no.svg
$ polyprof flame --flamechart --hide leaf tiny.json -o no.svg
$ polyprof flame --flamechart app.folded other.folded -o no.svg
$ polyprof flame --flamechart --reverse tiny.json -o no.svg
$ ls no.svg

$ polyprof report --max-size lots app.folded
$ polyprof report </dev/null
