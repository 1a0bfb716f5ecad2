package Inner;
my $z = 0;
for my $i (1..100) { $z += $i; }
main::half(50);
select(undef, undef, undef, 0.002);
1;
