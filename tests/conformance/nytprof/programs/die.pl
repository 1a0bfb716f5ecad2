use strict; use warnings;
package My::Err; sub new { my ($c,%a)=@_; bless {%a}, $c } sub throw { my $c = shift; die $c->new(@_) } sub DESTROY { my $s = shift; $s->{gone}++ }
package main;
sub deep { my $n = shift; return $n ? deep($n-1) : My::Err->throw(n => 1) }
sub guarded { my $r = eval { deep(shift); 1 }; return ref $@ }
for my $i (1..30) { guarded($i % 7) }
local $SIG{__DIE__} = sub { my $m = shift; length "$m" };
local $SIG{__WARN__} = sub { my $m = shift; 1 };
eval { die "plain\n" } for 1..3; warn "w" for 1..3;
sub loopctl { for my $i (1..5) { inner($i) } } sub inner { no warnings; last if $_[0] == 3; 1 }
for (1..4) { loopctl() }
sub finish { exit 3 } END { my $x = 0; $x += $_ for 1..100 } finish();
