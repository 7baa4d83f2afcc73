# sshd: logins with a key, commands, a copy, a forwarded port, a refused login
# packages: openssh-server openssh-client openssh-sftp-server
# commands: sshd ssh ssh-keygen sftp
# needs: root

version() { ssh -V 2>&1 | cut -d, -f1; }

prepare() {
    mkdir -p /run/sshd
    ssh-keygen -q -t ed25519 -N '' -f "$GUEST_DATA/host"
    ssh-keygen -q -t ed25519 -N '' -f "$GUEST_DATA/user"
    ssh-keygen -q -t ed25519 -N '' -f "$GUEST_DATA/stranger"
    cp "$GUEST_DATA/user.pub" "$GUEST_DATA/authorized"
    chmod 600 "$GUEST_DATA/authorized"
}

workload() {
    local port forwarded server options log
    port=$(free_port)
    log=$GUEST_DATA/log
    options="-F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o BatchMode=yes
        -o ConnectTimeout=60 -i $GUEST_DATA/user"
    /usr/sbin/sshd -D -E "$log" -f /dev/null -p "$port" -o ListenAddress=127.0.0.1 -o "HostKey=$GUEST_DATA/host" \
        -o "AuthorizedKeysFile=$GUEST_DATA/authorized" -o PermitRootLogin=yes -o StrictModes=no -o UsePAM=no \
        -o "PidFile=$GUEST_DATA/pid" -o "Subsystem=sftp internal-sftp" -o LoginGraceTime=60 &
    server=$!
    wait_for_port "$port"
    for number in 1 2 3; do
        # shellcheck disable=SC2086 # the options are words
        timeout 90 ssh $options -p "$port" root@127.0.0.1 "echo here; cat; exit $number" <<<"input"
        echo "ssh ended with $?"
    done
    seq 100000 >sent
    # shellcheck disable=SC2086
    timeout 90 sftp -q $options -P "$port" root@127.0.0.1 <<<"put $PWD/sent $PWD/received" >/dev/null
    echo "sftp ended with $?"
    # shellcheck disable=SC2086
    timeout 90 ssh $options -i "$GUEST_DATA/stranger" -o IdentitiesOnly=yes -o IdentityFile=none -p "$port" nobody@127.0.0.1 true 2>/dev/null
    echo "refused with $?"
    # shellcheck disable=SC2086
    timeout 90 ssh $options -tt -p "$port" root@127.0.0.1 'tty >/dev/null && echo a terminal' </dev/null
    echo "ssh -tt ended with $?"
    kill "$server"
    wait "$server"
    echo "sshd ended with $?"
    grep -oE 'Accepted publickey|fatal: .*|Bad packet.*' "$log" | sort | uniq -c
}
