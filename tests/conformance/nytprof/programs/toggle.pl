use strict; use warnings;
sub a1 { my $x = 0; $x += $_ for 1..40; b1() } sub b1 { my $x = 0; $x++ for 1..20; DB::disable_profile() if $_[0]; c1() } sub c1 { 1 }
a1() for 1..3; b1(1); a1(); DB::enable_profile(); a1(); sub z { DB::disable_profile(); c1(); DB::enable_profile(); c1() } z(); z(); a1();
