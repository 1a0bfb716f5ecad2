use strict; use warnings; no warnings 'recursion';
sub hanoi { my ($n,$f,$t,$v) = @_; return 0 if !$n; hanoi($n-1,$f,$v,$t) + 1 + hanoi($n-1,$v,$t,$f) } hanoi(9,'a','b','c');
sub even { my $n = shift; $n ? odd($n-1) : 1 } sub odd { my $n = shift; $n ? even($n-1) : 0 } even(150) for 1..3;
sub ack { my ($m,$n) = @_; $m == 0 ? $n+1 : $n == 0 ? ack($m-1,1) : ack($m-1, ack($m,$n-1)) } ack(2,5);

