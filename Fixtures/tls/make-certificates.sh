#!/bin/sh
# Makes the certificates of this folder anew, by OpenSSL 3.0; run it here.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/index"
cat > "$work/ca.cnf" <<END
[ca]
default_ca = own
[own]
database = $work/index
new_certs_dir = $work
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
END
request() { # NAME SUBJECT: a key and a request
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" \
    -out "$work/$1.csr" -subj "/CN=$2"
}
sign() { # NAME EXTENSIONS END OPTIONS...
  name=$1 end=$3
  printf '%b' "$2" > "$work/$name.ext"
  shift 3
  openssl ca -batch -notext -config "$work/ca.cnf" -in "$work/$name.csr" -out "$name.pem" \
    -startdate 20200101000000Z -enddate "$end" -extfile "$work/$name.ext" "$@"
}
leaf='basicConstraints=critical,CA:FALSE\nkeyUsage=critical,digitalSignature\nextendedKeyUsage=serverAuth\n'
server() { # NAME SUBJECT NAMES END
  request "$1" "$2"
  sign "$1" "${leaf}subjectAltName=$3\n" "$4" -cert ca.pem -keyfile "$work/ca.key"
}
request ca 'Blastoise test CA'
mv ca.key "$work"
sign ca 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash\n' \
  20550101000000Z -selfsign -keyfile "$work/ca.key"
server good localhost DNS:localhost,IP:127.0.0.1,IP:::1 20550101000000Z
server other other.example DNS:other.example,IP:192.0.2.1 20550101000000Z
server expired localhost DNS:localhost,IP:127.0.0.1 20210101000000Z
chmod 644 ./*.key
