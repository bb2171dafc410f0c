use strict;
use warnings;

$| = 1;
print "ready\n";
print "echo $_" while <STDIN>;
