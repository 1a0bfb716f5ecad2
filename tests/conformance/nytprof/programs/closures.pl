# Closures on one line share a name. Perl counts time of each as if no other of them were running.
use strict; use warnings;
sub memo { my %seen; my $f = shift; return sub { return $seen{$_[0]} //= $f->($_[0]) } } my $fib; $fib = memo(sub { my $n = shift; return $n < 2 ? $n : $fib->($n - 1) + $fib->($n - 2) }); print $fib->(30), "\n";
