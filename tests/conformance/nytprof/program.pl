# A program to be profiled: recursion, string evals, closures, XS, regexes, die, goto, names in Latin-1 and UTF-8.
use strict;
use warnings;
use utf8;
use List::Util qw(sum first);

sub fib { my $n = shift; return $n < 2 ? $n : fib($n - 1) + fib($n - 2) }
sub even { my $n = shift; return $n == 0 ? 1 : odd($n - 1) }
sub odd { my $n = shift; return $n == 0 ? 0 : even($n - 1) }
sub größe { return length shift }
sub 数える { my $n = 0; $n++ for @_; return $n }
sub thrown { die "thrown\n" }
sub jump { goto &größe }

fib(9);
even(12);
for my $i (1 .. 5) {
    my $made = eval "sub { \$_[0] + $i }" or die;
    $made->($_) for 1 .. 3;
    eval { thrown() };
    größe("x" x $i);
    数える(1 .. $i);
    jump("goto");
    my $found = first { $_ > 2 } 1 .. $i + 2;
    my $sum = sum map { $_ * 2 } 1 .. $i;
    my @words = sort { $a cmp $b } split /,/, join ',', map { "w$_" } 1 .. 20;
}
