# gnupg: keys, an agent in the background, locked memory, encryption, signatures
# packages: gnupg
# commands: gpg gpgconf

version() { gpg --version | head -n 1; }

workload() {
    export GNUPGHOME=$GUEST_DATA/gnupg
    mkdir -m 700 "$GNUPGHOME"
    seq 5000 >plain
    gpg --batch --quiet --passphrase '' --faked-system-time 20200101T000000 --quick-generate-key guest@localhost ed25519 sign never 2>&1 | grep -vE 'revocation|faked'
    gpg --batch --quiet --passphrase '' --faked-system-time 20200101T000000 --quick-generate-key other@localhost rsa2048 default never 2>&1 |
        grep -vE 'revocation|faked'
    gpg --batch --quiet --passphrase '' --quick-add-key "$(gpg --batch --list-keys --with-colons other@localhost 2>/dev/null | awk -F: '/^fpr/ { print $10; exit }')" rsa2048 encrypt never
    gpg --batch --list-secret-keys --with-colons | cut -d: -f1 | sort | uniq -c
    gpg --batch --check-trustdb 2>/dev/null
    gpg --batch --quiet -u guest@localhost --output "$GUEST_DATA/signed" --sign plain
    gpg --batch --quiet --output - --verify "$GUEST_DATA/signed" 2>/dev/null | cmp - plain
    echo "statuses ${PIPESTATUS[*]}"
    gpg --batch --quiet --trust-model always -r other@localhost --output "$GUEST_DATA/secret" --encrypt plain
    gpg --batch --quiet --decrypt "$GUEST_DATA/secret" 2>/dev/null | cmp - plain
    echo "statuses ${PIPESTATUS[*]}"
    gpg --batch --quiet --pinentry-mode loopback --passphrase word --symmetric --output - plain |
        gpg --batch --quiet --pinentry-mode loopback --passphrase wrong --decrypt >/dev/null 2>&1
    echo "statuses ${PIPESTATUS[*]}"
    gpg-connect-agent 'getinfo version' /bye | tail -n 1
    gpgconf --kill all
    echo "killed $?"
}
