# Work for the profiler: loops, calls of all sizes, a tree, a tokenizer. gen_nytprof.pl ROUNDS
use strict;
use warnings;

package Tree;
sub new { return bless { root => undef, size => 0 }, shift }
sub insert {
    my ($self, $key) = @_;
    $self->{root} = $self->place($self->{root}, $key);
    return $self->{size};
}
sub place {
    my ($self, $node, $key) = @_;
    if (!$node) { $self->{size}++; return { key => $key, count => 1 } }
    if ($key < $node->{key}) { $node->{left} = $self->place($node->{left}, $key) }
    elsif ($key > $node->{key}) { $node->{right} = $self->place($node->{right}, $key) }
    else { $node->{count}++ }
    return $node;
}

package Text;
sub words { my ($text, @out) = @_; while ($text =~ /(\w+)/g) { push @out, lower($1) } return @out }
sub lower { return lc shift }

package main;
sub collatz {
    my ($n, $steps) = (shift, 0);
    while ($n > 1) {
        $n = $n % 2 ? 3 * $n + 1 : $n / 2;
        $steps++;
    }
    return $steps;
}
sub multiply {
    my ($n, @out) = @_;
    for my $i (0 .. $n - 1) {
        for my $j (0 .. $n - 1) {
            my $sum = 0;
            $sum += $i * $_ + $j for 0 .. $n - 1;
            $out[$i][$j] = $sum;
        }
    }
    return \@out;
}

my $seed = 12345;
sub random { $seed = ($seed * 1103515245 + 12345) % 2147483648; return $seed }

for my $round (1 .. shift // 1) {
    my $tree = Tree->new;
    $tree->insert(random() % 5000) for 1 .. 12000;
    collatz($_) for 1 .. 9000;
    multiply(60);
    Text::words(join ' ', map { "Word$_ and" } 1 .. 2000) for 1 .. 5;
}
