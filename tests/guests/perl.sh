# perl: fork, pipes, signals, sockets, files, sorting
# packages: perl-base
# commands: perl
# set: quick

version() { perl -e 'printf "perl %vd\n", $^V'; }

prepare() {
    cat >script.pl <<'PERL'
use strict;
use warnings;
use IO::Handle;
use Socket;
use POSIX ();

$| = 1;
my %count;
$count{join '', sort split //, sprintf '%05d', $_ * $_ % 99991}++ for 1 .. 60000;
print scalar(keys %count), " kinds\n";
print join(',', (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[0 .. 4]), "\n";

my %wanted;
for my $n (1 .. 12) {
    my $pid = fork // die "fork: $!";
    exit $n * 3 unless $pid;
    $wanted{$pid} = $n * 3;
}
while ((my $pid = wait) > 0) {
    print "wrong status\n" if $? >> 8 != $wanted{$pid};
}
print "children ended\n";

open my $pipe, '-|', 'seq', '1000' or die;
my $sum = 0;
$sum += $_ while <$pipe>;
close $pipe;
print "sum $sum status $?\n";
print "in backticks: ", `echo words; exit 3`, $? >> 8, "\n";

local $SIG{USR1} = sub { print "signalled\n" };
kill USR1 => $$;
eval { local $SIG{ALRM} = sub { die "alarm\n" }; alarm 1; select undef, undef, undef, 60; };
print "died of: $@";

socketpair my $near, my $far, AF_UNIX, SOCK_STREAM, PF_UNSPEC or die;
unless (fork) {
    close $near;
    while (<$far>) { $far->print(scalar reverse($_)); $far->flush }
    POSIX::_exit(5);
}
close $far;
$near->print("line $_\n"), $near->flush for 1 .. 50;
shutdown $near, 1;
my $bytes = join '', <$near>;
wait;
print length($bytes), ' bytes, status ', $? >> 8, "\n";

open my $file, '>', 'written' or die;
print $file "$_\n" for 1 .. 5000;
close $file;
rename 'written', 'renamed' or die;
print -s 'renamed', "\n";
exec 'sh', '-c', 'echo executed; exit 9';
PERL
}

workload() { perl script.pl; }
