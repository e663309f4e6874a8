"""Addresses that no fetch may reach, and ones that it should."""

# ruff: noqa: SIM905 -- addresses read best as a table

from __future__ import annotations

# Where the forbidden lies; each is met as a literal, as an answer of DNS, and in other spellings.
FORBIDDEN_4 = """
0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.0.0.1
127.0.0.53 127.1.2.3 127.255.255.254 168.63.129.16 169.254.0.1 169.254.169.254 169.254.170.2
172.16.0.1 172.17.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.7 192.88.99.1 192.168.0.1
192.168.255.254 198.18.0.1 198.19.255.255 198.51.100.9 203.0.113.5 224.0.0.1 239.255.255.250
240.0.0.1 255.255.255.255
""".split()

FORBIDDEN_6 = """
:: ::1 ::2 ::7f00:1 ::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:10.0.0.1
::ffff:169.254.169.254 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::127.0.0.1
64:ff9b::a9fe:a9fe 64:ff9b::c0a8:101 64:ff9b::6464:64c8 64:ff9b:1::1 64:ff9b:1::8.8.8.8 100::1
100:0:0:1::1 2001::1 2001:0:7f00:1::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1
2002:7f00:1:: 2002:a9fe:a9fe::1 2002:808:808::1 3fff::1 4000::1 5f00::1 fc00::1 fd00::1
fd00:ec2::254 fd20:ce::254 fe80::1 fe80::a9fe:a9fe fec0::1 feff::1 ff02::1 ff0e::1
""".split()

# Spelled so that a parser somewhere reads a forbidden address; none is plain.
ODD_URLS = (
    # numbers: whole, octal, hexadecimal, short, mixed, padded, too large
    "http://2130706433/",
    "http://017700000001/",
    "http://0x7f000001/",
    "http://0X7F000001/",
    "http://127.1/",
    "http://127.0.1/",
    "http://0/",
    "http://0x0/",
    "http://0177.0.0.1/",
    "http://0x7f.0.0.1/",
    "http://0x7f.1/",
    "http://127.0.0x0.1/",
    "http://127.0.0.01/",
    "http://000127.0.0.1/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0251.0376.0251.0376/",
    "http://169.254.43518/",
    "http://425.510.425.510/",
    "http://4429185024/",
    "http://127.0.0.1.1/",
    "http://1e3.1/",
    # dots and zones
    "http://127.0.0.1./",
    "http://127.0.0.1../",
    "http://localhost./",
    "http://example..com/",
    "http://.example.com/",
    "http://[::1%25lo]/",
    "http://[fe80::1%25eth0]/",
    "http://[2606:4700::1111%25eth0]/",
    "http://[::1/",
    "http://::1/",
    "http://[127.0.0.1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::0001]/",
    "http://[0000:0000:0000:0000:0000:0000:7f00:0001]/",
    "http://[v1.127.0.0.1]/",
    # credentials, and hosts that look like other hosts
    "http://example.com@127.0.0.1/",
    "http://127.0.0.1@example.com/",
    "http://user:secret@example.com/",
    "http://example.com:80@127.0.0.1/",
    "http://example.com%40127.0.0.1/",
    "http://example.com\\@127.0.0.1/",
    "http://127.0.0.1\\@example.com/",
    "http://127.0.0.1#@example.com/",
    "http://127.0.0.1?@example.com/",
    "http:\\\\127.0.0.1\\",
    "http:///127.0.0.1/",
    "http:127.0.0.1/",
    "//127.0.0.1/",
    "127.0.0.1",
    "http://example.com\t.127.0.0.1/",
    "http://127.0.0.1\r\nHost: example.com/",
    "http://exam\u00a0ple.com/",
    " http://127.0.0.1/",
    "http://127.0.0.1 /",
    "http://127.0.0.1%00.example.com/",
    "http://127%2e0%2e0%2e1/",
    "http://%31%32%37.0.0.1/",
    "http://%6c%6f%63alhost/",
    # other scripts
    "http://①②⑦.⓪.⓪.①/",
    "http://１２７.０.０.１/",
    "http://127。0。0。1/",
    "http://127．0．0．1/",
    "http://127｡0｡0｡1/",
    "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
    "http://ｌｏｃａｌｈｏｓｔ/",
    "http://loc\u00adalhost/",
    "http://١٢٧.٠.٠.١/",
    "http://xn--/",
    "http://exa℀mple.com/",
    # names of machines and clouds
    "http://localhost/",
    "http://LOCALHOST/",
    "http://app.localhost/",
    "http://localhost.localdomain/",
    "http://metadata/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://METADATA.google.INTERNAL./",
    "http://instance-data.ec2.internal/",
    "http://kubernetes/",
    "http://kubernetes.default.svc.cluster.local/",
    "http://printer.local/",
    "http://router.lan/",
    "http://nas.home/",
    "http://router.home.arpa/",
    "http://1.0.0.127.in-addr.arpa/",
    "http://wiki.corp/",
    "http://db.intranet/",
    "http://abcdef.onion/",
    # other schemes and ports
    "file:///etc/passwd",
    "ftp://example.com/",
    "gopher://127.0.0.1:6379/_INFO",
    "dict://127.0.0.1:11211/stats",
    "ldap://127.0.0.1/",
    "data:text/html,hello",
    "javascript:alert(1)",
    "ws://example.com/",
    "unix:///var/run/docker.sock",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/info",
    "http://example.com:22/",
    "http://example.com:25/",
    "http://example.com:6379/",
    "http://example.com:8080/",
    "https://example.com:2375/",
    "http://example.com:0/",
    "http://example.com:65536/",
    "http://example.com:-80/",
    "http://example.com:http/",
    "",
    "http://",
    "http://" + "a" * 64 + ".com/",
    "http://" + "a." * 130 + "com/",
    "http://example.com/" + "a" * 5000,
)

BENIGN_4 = """
1.0.0.1 1.1.1.1 8.8.8.8 9.9.9.9 9.255.255.255 11.0.0.0 17.0.0.1 23.215.0.136 34.1.2.3 52.95.110.1
64.233.160.1 91.198.174.192 93.184.216.34 99.255.255.255 100.63.255.255 100.128.0.0 104.16.132.229
126.255.255.255 128.0.0.1 140.82.121.3 151.101.1.69 168.63.129.15 169.253.255.255 169.255.0.0
172.15.255.255 172.32.0.0 185.15.59.224 191.255.255.255 192.0.1.0 192.167.255.255 192.169.0.0
195.176.255.100 198.17.255.255 198.20.0.0 203.0.112.255 203.0.114.0 208.80.154.224 217.0.0.1
223.255.255.255
""".split()

BENIGN_6 = """
2001:200::1 2001:4860:4860::8888 2001:67c:930::1 2001:8b0::1 2003::1 2400:cb00::1
2404:6800:4003::1 2600:1901::1 2606:4700:4700::1111 2607:f8b0:4004::1 2620:0:861:ed1a::1
2620:fe::fe 2800:3f0::1 2a00:1450:4001::1 2a02:ec80:300:ed1a::1 2c0f:f248::1 3ffe::1
64:ff9b::808:808 64:ff9b::101:101
""".split()

BENIGN_URLS = (
    *(
        f"https://{code}.wikipedia.org/wiki/Lighthouse"
        for code in "ar cs de en es fr ja pt".split()
    ),
    "http://example.com",
    "http://example.com/",
    "HTTP://EXAMPLE.COM/",
    "http://example.com:80/",
    "https://example.com:443/",
    "http://example.com:443/",
    "http://example.com./",
    "http://www.example.co.uk/a/b/c.html",
    "https://example.com/path?query=1&other=2",
    "https://example.com/#fragment",
    "https://example.com/?next=http://127.0.0.1/",
    "https://example.com/@user",
    "https://example.com/a@127.0.0.1",
    "https://example.com/%7Euser/",
    "https://example.com/wiki/Zürich",
    "https://example.com/wiki/東京",
    "https://example.com/a%20b",
    "https://example.com/wiki/C++",
    "https://example.com/wiki/AT%26T",
    "https://example.com/a:b",
    "https://example.com/a;b=c,d",
    "https://example.com/('quoted')",
    "https://example.com//double//slash",
    "https://example.com/../up",
    "https://münchen.de/",
    "https://xn--mnchen-3ya.de/",
    "https://faß.de/",
    "https://bücher.example.com/",
    "https://例え.jp/",
    "https://пример.рф/",
    "https://127.0.0.1.example.com/",
    "https://localhost.example.com/",
    "https://internal.example.com/",
    "https://metadata.example.com/",
    "https://local.example.org/",
    "https://1.example.com/",
    "https://0x7f.example.com/",
    "https://123.com/",
    "https://0.com/",
    "https://a-b.example.com/",
    "https://_dmarc.example.com/",
    "https://a.b.c.d.e.f.example.com/",
    "https://" + "a" * 63 + ".com/",
    "https://example.museum/",
    "https://example.xn--p1ai/",
    "https://example.com/" + "a" * 1000,
)
