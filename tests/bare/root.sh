# root.sh - minimal Debian root file systems: sourced by what makes one.
# shellcheck shell=bash

# The mirror that this machine's own packages come from.
debian_mirror() {
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | head -n 1
}

# debian_root SUITE ROOT OPTION...: makes one with mmdebstrap, with this machine's name resolution and trusted certificates.
debian_root() {
    local suite=$1 root=$2
    rm -rf --one-file-system "$root"
    mmdebstrap "${@:3}" "$suite" "$root" "$(debian_mirror)" || return
    mkdir -p "$root/etc/ssl/certs"
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/" &&
        cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
}

# The variables of this machine's environment that say how to reach the network, a line each.
network_variables() { env | grep -E '^(https?_proxy|no_proxy|SSL_CERT_FILE|PIP_CERT|PIP_INDEX_URL|TERM)='; }
