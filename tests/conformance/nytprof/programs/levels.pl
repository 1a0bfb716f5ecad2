# Files whose own level does something, loaded while the program runs; each calls subs of its own and of others.
use strict;
my ($dir) = __FILE__ =~ m{(.*)/};
my $s = 0;
for my $i (1..400) { $s += $i; }
sub half { my $n = shift; my $x = 0; for my $i (1..$n) { $x += $i; } return third($n) + $x }
sub third { my $n = shift; my $x = 0; for my $i (1..$n) { $x -= $i; } return $x }
sub load { do "$dir/levels/loaded.pl" }
half(20);
do "$dir/levels/slow.pl";
for my $i (1..($ENV{LEVEL_CALLS} || 2)) { half(3); }
load();
do "$dir/levels/line.pl";
select(undef, undef, undef, 0.001);
