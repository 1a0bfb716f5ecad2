# Shell completion

$ polyprof completion bash > c.bash && bash -n c.bash

$ cat > try.bash <<'X'
> source ./c.bash
> try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _polyprof 2>/dev/null; echo "${COMPREPLY[*]}"; }
> try polyprof che
> try polyprof top --s
> try polyprof top --sort ''
> try polyprof top --sort = t
> try polyprof convert --to d
> try polyprof top oth
> try polyprof explain folded-utf16
> try polyprof help exp
> try polyprof completion ''
> try polyprof top -o em
> X
> bash try.bash
  check
  --sample-index= --sort= --show= --show-from= --source-map= --strict --since=
  self total calls name gained flat cum
  total
  diff-folded dtrace dump dhat
  other.folded
  folded-utf16 folded-utf16-damaged
  explain
  bash zsh fish
  empty.folded

$ polyprof completion zsh | grep -A1 -e --sort | expand
                          '--sort=[the order of the rows (default\: self); gained\: for metrics that fall; flat and cum\: pprof'\''s words for self and total]:sort:(self total calls name gained flat cum )' \
                          '(-n --limit)'{-n+,--limit=}'[show N rows (0 = all)]:N: ' \
  --
                          '--sort=[the order of the rows (default\: self); gained\: for metrics that fall; flat and cum\: pprof'\''s words for self and total]:sort:(self total calls name gained flat cum )' \
                          '(-n --limit)'{-n+,--limit=}'[show N rows (0 = all)]:N: ' \
  --
                          '--sort=[the order of the rows (default\: cost)]:sort:(cost hits name )' \
                          '--source=[print annotated source found under DIR, or where the profile says it is (auto); may be repeated]:DIR|auto:_files' \
  --
                          '--sort=[what the rows compare and are sorted by (default\: self)]:sort:(self total calls name )' \
                          '(-n --limit)'{-n+,--limit=}'[show N rows (0 = all, unchanged ones too)]:N: ' \
  --
                          '--sort=[the order of siblings (default name)]:sort:(name weight input )' \
                          '--min-width=[combine thinner frames\: pixels (default 0.5) or percent; frames of 1% are always drawn]:N\[%\]: ' \
  --
                          '--sort=[newest first (the default), or by time taken, size or name]:sort:(time cost size name )' \
                          '--by=[one row per profile (the default), or per URL, URL without its query, or command\: runs, median, 95th percentile and slowest]:by:(profile url path command )' \

$ polyprof completion fish | grep -e '-l sort'
  complete -c polyprof -n 'not __fish_seen_subcommand_from $__polyprof_commands' -l sort -x -a 'self total calls name gained flat cum ' -d 'the order of the rows (default: self); gained: for metrics that fall; flat and cum: pprof\'s words for self and total'
  complete -c polyprof -n '__fish_seen_subcommand_from top' -l sort -x -a 'self total calls name gained flat cum ' -d 'the order of the rows (default: self); gained: for metrics that fall; flat and cum: pprof\'s words for self and total'
  complete -c polyprof -n '__fish_seen_subcommand_from lines' -l sort -x -a 'cost hits name ' -d 'the order of the rows (default: cost)'
  complete -c polyprof -n '__fish_seen_subcommand_from diff' -l sort -x -a 'self total calls name ' -d 'what the rows compare and are sorted by (default: self)'
  complete -c polyprof -n '__fish_seen_subcommand_from flame' -l sort -x -a 'name weight input ' -d 'the order of siblings (default name)'
  complete -c polyprof -n '__fish_seen_subcommand_from list' -l sort -x -a 'time cost size name ' -d 'newest first (the default), or by time taken, size or name'

$ if command -v zsh > /dev/null; then polyprof completion zsh > c.zsh && zsh -n c.zsh; fi

$ if command -v fish > /dev/null; then polyprof completion fish > c.fish && fish -n c.fish; fi
