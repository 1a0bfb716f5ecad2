package Loaded;
my $z = 0;
for my $i (1..100) { $z += $i; }
select(undef, undef, undef, 0.001);
main::half(50);
1;
