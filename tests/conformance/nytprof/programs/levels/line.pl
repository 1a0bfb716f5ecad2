package Line; my $k = 0; for my $i (1..3000) { $k += $i; } quick(); sub quick { my $r = 1; $r++; return $r }
1;
