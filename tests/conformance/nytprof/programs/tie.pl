use strict; use warnings;
package T; sub TIESCALAR { bless [0] } sub FETCH { $_[0][0]++ } sub STORE { $_[0][0] = $_[1] }
package O; use overload '+' => sub { O->new($_[0]{v} + (ref $_[1] ? $_[1]{v} : $_[1])) }, '""' => sub { "O$_[0]{v}" }, '<=>' => sub { $_[0]{v} <=> $_[1]{v} };
sub new { bless { v => $_[1] }, $_[0] } sub DESTROY { my $x = 1 }
package main; tie my $t, 'T'; my $s = 0; $s += $t for 1..30; $t = 5;
my $o = O->new(1); $o = $o + 2 for 1..20; my $str = "$o"; my @o = sort { $a <=> $b } map { O->new($_ % 5) } 1..12;
local $_ = 'x'; my %d = (a => sub { 1 }, b => sub { for my $i (1..3) { $i * 2 } }); $d{$_}->() for qw(a b a b);
format STDOUT =
@<<<< @>>>>
$s, $str
.
write;
