# Recorded by: NYTPROF=file=shop.nytprof:addpid=0 perl -d:NYTProf shop.pl
# Planted: a query for each of 300 orders, a line that costs nearly all of what its sub does, regular expressions.
sub query {
	my ($id) = @_;
	my $sum = 0;
	$sum += $_ * $id for 1 .. 200;
	return $sum;
}

sub load_orders {
	my @orders = map { query($_) } 1 .. 300;
	return scalar @orders;
}

sub scan {
	my $text = 'x' x 60;
	my $found = 0;
	for my $turn (1 .. 4) {
		$found++ if $text =~ /x+x+x+[yz]/;
	}
	return $found;
}

sub settle {
	my $rest = 1;
	$rest = ($rest * 31 + $_) % 65521 for 1 .. 150;
	return $rest;
}

load_orders();
scan();
settle();
