#!/usr/bin/perl
# What Devel::NYTProf itself makes of a profile, as JSON: data.pl FILE
use strict;
use warnings;
use Devel::NYTProf::Data;
use Encode ();
use JSON::PP;

my $warnings = 0;
$SIG{__WARN__} = sub { $warnings++; print STDERR @_ };
my $data = Devel::NYTProf::Data->new({ filename => $ARGV[0], quiet => 1, skip_collapse_evals => 1 });
my %out = (lines => [], subs => {}, facts => {}, callers => []);

# UTF-8 where it is valid, else Latin-1
sub text {
    my $bytes = shift;
    return $bytes if utf8::is_utf8($bytes);
    my $copy = $bytes;
    my $decoded = eval { Encode::decode('UTF-8', $copy, Encode::FB_CROAK) };
    return defined $decoded ? $decoded : Encode::decode('latin1', $bytes);
}

my %file = map { ref $_ && defined $_->[3] ? ($_->[3] => text($_->[0])) : () } @{ $data->{fid_fileinfo} };
my $times = $data->{fid_line_time} || [];
for my $fid (0 .. $#$times) {
    my $lines = $times->[$fid];
    next unless ref $lines;
    for my $line (0 .. $#$lines) {
        next unless ref $lines->[$line];
        push @{ $out{lines} }, [ $file{$fid}, $line, $lines->[$line][1] + 0, $lines->[$line][0] + 0 ];
    }
}
while (my ($name, $sub) = each %{ $data->{sub_subinfo} }) {
    $out{subs}{ text($name) } = [ $sub->[3] + 0, $sub->[5] + 0, $sub->[4] + 0 ];
    $out{facts}{ text($name) } = [ ($sub->[8] || 0) + 0, ($sub->[9] || 0) + 0 ];
    my $by = $sub->[10] || {};
    for my $fid (grep { $_ } keys %$by) {
        for my $line (keys %{ $by->{$fid} }) {
            my $c = $by->{$fid}{$line};
            push @{ $out{callers} }, [ text($name), $file{$fid}, $line + 0, $c->[0] + 0, $c->[1] + 0, $c->[2] + 0 ];
        }
    }
}
$out{warnings} = $warnings;
print JSON::PP->new->canonical->utf8->encode(\%out), "\n";
