use strict; use warnings;
sub target { my $s = 0; $s += $_ for @_; $s }
sub tail { @_ = map { $_ * 2 } @_; goto &target }
sub AUTOLOAD { our $AUTOLOAD; my $n = $AUTOLOAD; $n =~ s/.*:://; return if $n eq 'DESTROY'; no strict 'refs'; *{$n} = sub { length($n) + @_ }; goto &{$n} }
tail(1..20) for 1..15; foo(1,2); foo(3); bar(); main->baz(1);
my @s = sort { cmpit($a, $b) } map { ($_ * 7919) % 101 } 1..60; sub cmpit { $_[0] <=> $_[1] }
sub ctx { wantarray ? (1,2,3) : 4 } my @l = ctx(); my $c = ctx(); ctx();
my $cl = do { my $n = 0; sub { $n++ } }; $cl->() for 1..25;
my $rec; $rec = sub { my $n = shift; $n < 2 ? $n : $rec->($n-1) + $rec->($n-2) }; $rec->(9);
