# A bot for Blokus Arena. It plays one of its largest pieces that fit, at random: make `choose` cleverer.
#
# The referee sends a line of JSON, the bot answers with one. What you print to STDERR is your log.
use strict;
use warnings;
use JSON::PP;
use List::Util qw(max);

$| = 1;    # send every line at once

# The index of one of the legal moves, which the referee lists because we ask for it below. Each move has a `piece`,
# such as "L4", and the `cells` it covers, as [row, column].
sub choose {
    my ($message) = @_;
    my @sizes   = map { scalar @{ $_->{cells} } } @{ $message->{legal} };
    my $largest = max @sizes;
    my @best    = grep { $sizes[$_] == $largest } 0 .. $#sizes;
    return $best[ rand @best ];
}

sub send_line {
    my ($message) = @_;
    print encode_json($message), "\n";
}

while ( my $line = <STDIN> ) {
    my $message = decode_json($line);
    if ( $message->{type} eq 'hello' ) {    # a game begins: board, colors, who sits where
        srand( $message->{seed} % 2**32 );    # so that a match can be played again
        send_line( { type => 'ready', want => ['legal'], games => 'many' } );
    }
    elsif ( $message->{type} eq 'turn' ) {    # $message->{color} is to move
        send_line( { type => 'move', turn => $message->{turn}, index => int choose($message) } );
    }
}
