package Slow;
use strict;
my $k = 0;
for my $i (1..200) { $k += $i; }
select(undef, undef, undef, 0.004);
my $text = "\xe4" x 200_000;
utf8::upgrade($text);
for my $i (1..($ENV{LEVEL_CALLS} || 2)) { main::half(1); }
my @sorted = sort { $a <=> $b } map { $_ % 7 } 1..2000;
eval 'for my $j (1..100) { $k += $j } main::third(30); select(undef, undef, undef, 0.001)';
do __FILE__ =~ s/slow/inner/r;
main::half(5);
package Slow::More;
for my $i (1..200) { $k += $i; }
1;
