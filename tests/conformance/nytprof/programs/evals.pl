use strict; use warnings;
my %s; for my $i (1..12) { my $c = eval "sub { my \$x = shift; my \$y = 0; for (1..\$x) { \$y += $i }\n return \$y }" or die; $s{$i} = $c }
sub run { my $n = shift; my $t = 0; $t += $_->($n) for values %s; $t }
run(50) for 1..5;
eval q{ sub late { eval q{ my $z = 0; $z++ while $z < 20; $z } } 1 } or die $@;
late() for 1..4; eval { die { code => 7 } }; eval "die 'x'"; eval "1 +* 2";
