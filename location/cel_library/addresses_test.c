/* SPDX-License-Identifier: Apache-2.0
 *
 * location/cel_library/addresses_test.c - ip(), cidr() and their methods.
 */
#include "location/cel_library/testing.h"

static const struct library_case addresses_cases[] = {
    {"ip('192.168.1.1')", "192.168.1.1", 2},
    {"ip('2001:DB8:0:0:0:0:0:1')", "2001:db8::1", 0},
    {"ip('::')", "::", 0},
    {"ip('64:ff9b::1.2.3.4')", "64:ff9b::102:304", 0},
    {"ip('2001:db8:0:1:1:1:1:1')", "2001:db8:0:1:1:1:1:1", 0},
    {"ip('1:0:0:2:0:0:0:3')", "1:0:0:2::3", 0},
    {"ip('1::')", "1::", 0},
    {"ip('::1').family()", "6", 2},
    {"string(ip('::0'))", "::", 2},
    {"ip.isCanonical('2001:DB8::1')", "false", 3},
    {"ip.isCanonical('2001:db8::1')", "true", 3},
    {"ip('10.0.0.1') == ip('10.0.0.1')", "true", 3},
    {"ip('::1') == ip('0.0.0.1')", "false", 0},
    {"isIP('169.254.1.1')", "true", 2},
    {"isIP('::ffff:1.2.3.4')", "false", 2},
    {"isIP('fe80::1%eth0')", "false", 0},
};

static void addresses(void **state) {
    (void)state;
    check_cases(addresses_cases, FX_COUNT(addresses_cases));
}

static const struct library_case kinds_of_addresses_cases[] = {
    {"['0.0.0.0', '::'].all(a, ip(a).isUnspecified() && !ip(a).isGlobalUnicast())",
     "true", 0},
    {"['127.1.2.3', '::1'].all(a, ip(a).isLoopback() && !ip(a).isGlobalUnicast())",
     "true", 0},
    {"['224.0.0.1', 'ff02::1', 'ff12::1'].all(a, ip(a).isLinkLocalMulticast() && "
     "!ip(a).isGlobalUnicast())",
     "true", 0},
    {"['224.0.1.1', 'ff05::2', 'fe80::1'].exists(a, ip(a).isLinkLocalMulticast())",
     "false", 0},
    {"['169.254.1.1', 'fe80::1', 'febf::1'].all(a, ip(a).isLinkLocalUnicast() && "
     "!ip(a).isGlobalUnicast())",
     "true", 0},
    {"['169.253.1.1', 'fec0::1'].exists(a, ip(a).isLinkLocalUnicast())", "false", 0},
    {"['10.0.0.1', 'fd00::1', '2001:db8::1'].all(a, ip(a).isGlobalUnicast())", "true", 0},
    {"['255.255.255.255', '239.1.1.1', 'ff00::1'].exists(a, ip(a).isGlobalUnicast())",
     "false", 0},
};

static void kinds_of_addresses(void **state) {
    (void)state;
    check_cases(kinds_of_addresses_cases, FX_COUNT(kinds_of_addresses_cases));
}

static const struct library_case refused_addresses_cases[] = {
    {"ip('')",
     "! IP Address \"\" parse error during conversion from string: ParseAddr(\"\"): "
     "unable to parse IP",
     0},
    {"ip('%a')",
     "! IP Address \"%a\" parse error during conversion from string: ParseAddr(\"%a\"): "
     "missing IPv6 address",
     0},
    {"ip('01.2.3.4')",
     "! IP Address \"01.2.3.4\" parse error during conversion from string: "
     "ParseAddr(\"01.2.3.4\"): IPv4 field has octet with leading zero",
     0},
    {"ip('1.2.3')",
     "! IP Address \"1.2.3\" parse error during conversion from string: "
     "ParseAddr(\"1.2.3\"): IPv4 address too short",
     0},
    {"ip('1.2.3.4.5')",
     "! IP Address \"1.2.3.4.5\" parse error during conversion from string: "
     "ParseAddr(\"1.2.3.4.5\"): IPv4 address too long",
     0},
    {"ip('256.1.1.1')",
     "! IP Address \"256.1.1.1\" parse error during conversion from string: "
     "ParseAddr(\"256.1.1.1\"): IPv4 field has value >255",
     0},
    {"ip('1..2.3')",
     "! IP Address \"1..2.3\" parse error during conversion from string: "
     "ParseAddr(\"1..2.3\"): IPv4 field must have at least one digit (at \".2.3\")",
     0},
    {"ip('1.2.3.')",
     "! IP Address \"1.2.3.\" parse error during conversion from string: "
     "ParseAddr(\"1.2.3.\"): IPv4 field must have at least one digit (at \".\")",
     0},
    {"ip('1.2.3.4/24')",
     "! IP Address \"1.2.3.4/24\" parse error during conversion from string: "
     "ParseAddr(\"1.2.3.4/24\"): unexpected character (at \"/24\")",
     0},
    {"ip('12345::')",
     "! IP Address \"12345::\" parse error during conversion from string: "
     "ParseAddr(\"12345::\"): each group must have 4 or less digits (at \"12345::\")",
     0},
    {"ip('g::')",
     "! IP Address \"g::\" parse error during conversion from string: "
     "ParseAddr(\"g::\"): each colon-separated field must have at least one digit (at "
     "\"g::\")",
     0},
    {"ip('1:2:3:4:5:6:7')",
     "! IP Address \"1:2:3:4:5:6:7\" parse error during conversion from string: "
     "ParseAddr(\"1:2:3:4:5:6:7\"): address string too short",
     0},
    {"ip('1:2:3:4:5:6:7:8:9')",
     "! IP Address \"1:2:3:4:5:6:7:8:9\" parse error during conversion from string: "
     "ParseAddr(\"1:2:3:4:5:6:7:8:9\"): trailing garbage after address (at \"9\")",
     0},
    {"ip('2001:db8::1::2')",
     "! IP Address \"2001:db8::1::2\" parse error during conversion from string: "
     "ParseAddr(\"2001:db8::1::2\"): multiple :: in address (at \":2\")",
     0},
    {"ip('1:2:3:4::5:6:7:8')",
     "! IP Address \"1:2:3:4::5:6:7:8\" parse error during conversion from string: "
     "ParseAddr(\"1:2:3:4::5:6:7:8\"): the :: must expand to at least one field of zeros",
     0},
    {"ip('1:2.3.4.5')",
     "! IP Address \"1:2.3.4.5\" parse error during conversion from string: "
     "ParseAddr(\"1:2.3.4.5\"): embedded IPv4 address must replace the final 2 fields of "
     "the address (at \"2.3.4.5\")",
     0},
    {"ip('::1:2:3:4:5:6:7:1.2.3.4')",
     "! IP Address \"::1:2:3:4:5:6:7:1.2.3.4\" parse error during conversion from "
     "string: ParseAddr(\"::1:2:3:4:5:6:7:1.2.3.4\"): too many hex fields to fit an "
     "embedded IPv4 at the end of the address (at \"1.2.3.4\")",
     0},
    {"ip('1:')",
     "! IP Address \"1:\" parse error during conversion from string: ParseAddr(\"1:\"): "
     "colon must be followed by more characters (at \":\")",
     0},
    {"ip('1:2g::')",
     "! IP Address \"1:2g::\" parse error during conversion from string: "
     "ParseAddr(\"1:2g::\"): unexpected character, want colon (at \"g::\")",
     0},
    {"ip('::1%')",
     "! IP Address \"::1%\" parse error during conversion from string: "
     "ParseAddr(\"::1%\"): zone must be a non-empty string",
     0},
    {"ip('fe80::1%eth0')", "! IP address \"fe80::1%eth0\" with zone value is not allowed",
     0},
    {"ip('::ffff:102:304')",
     "! IPv4-mapped IPv6 address \"::ffff:102:304\" is not allowed", 0},
};

static void refused_addresses(void **state) {
    (void)state;
    check_cases(refused_addresses_cases, FX_COUNT(refused_addresses_cases));
}

static const struct library_case networks_cases[] = {
    {"cidr('10.1.2.3/8')", "10.1.2.3/8", 1},
    {"cidr('10.1.2.3/9').masked()", "10.0.0.0/9", 2},
    {"cidr('2001:db8:ffff::1/33').masked()", "2001:db8:8000::/33", 0},
    {"cidr('10.0.0.0/0').masked().ip()", "0.0.0.0", 0},
    {"cidr('192.168.1.128/25').prefixLength()", "25", 3},
    {"string(cidr('::/0'))", "::/0", 2},
    {"cidr('10.0.0.0/0') == cidr('0.0.0.0/0')", "false", 3},
    {"cidr('192.168.1.128/25').containsIP('192.168.1.129')", "true", 5},
    {"cidr('192.168.1.128/25').containsIP(ip('10.0.0.1'))", "false", 4},
    {"cidr('192.168.1.128/25').containsIP('192.168.1.127')", "false", 0},
    {"cidr('::/0').containsIP('10.0.0.1')", "false", 0},
    {"cidr('192.168.0.0/16').containsCIDR('192.168.1.128/25')", "true", 7},
    {"cidr('10.1.2.3/8').containsCIDR(cidr('10.0.0.0/7'))", "false", 0},
    {"cidr('2001:db8::1/32').containsCIDR('2001:db8::/128')", "true", 0},
    {"cidr('10.0.0.0/8').containsCIDR(dyn('10.0.0.0/16'))", "true", 4},
    {"cidr('::/0').containsIP('1.2.3')", "! no such overload", 0},
    {"isCIDR('10.0.0.0/33')", "false", 2},
    {"isCIDR('::/128')", "true", 1},
};

static void networks(void **state) {
    (void)state;
    check_cases(networks_cases, FX_COUNT(networks_cases));
}

static const struct library_case refused_networks_cases[] = {
    {"cidr('')",
     "! network address parse error during conversion from string: network address parse "
     "error during conversion from string: netip.ParsePrefix(\"\"): no '/'",
     0},
    {"cidr('10.0.0.0/')",
     "! network address parse error during conversion from string: network address parse "
     "error during conversion from string: netip.ParsePrefix(\"10.0.0.0/\"): bad bits "
     "after slash: \"\"",
     0},
    {"cidr('10.0.0.0/+8')",
     "! network address parse error during conversion from string: network address parse "
     "error during conversion from string: netip.ParsePrefix(\"10.0.0.0/+8\"): bad bits "
     "after slash: \"+8\"",
     0},
    {"cidr('10.0.0.0/08')",
     "! network address parse error during conversion from string: network address parse "
     "error during conversion from string: netip.ParsePrefix(\"10.0.0.0/08\"): bad bits "
     "after slash: \"08\"",
     0},
    {"cidr('10.0.0.0/9999999999999999999')",
     "! network address parse error during conversion from string: network address parse "
     "error during conversion from string: "
     "netip.ParsePrefix(\"10.0.0.0/9999999999999999999\"): bad bits after slash: "
     "\"9999999999999999999\"",
     0},
    {"cidr('10.0.0.0/33')",
     "! network address parse error during conversion from string: network address parse "
     "error during conversion from string: netip.ParsePrefix(\"10.0.0.0/33\"): prefix "
     "length out of range",
     0},
    {"cidr('/8')",
     "! network address parse error during conversion from string: network address parse "
     "error during conversion from string: netip.ParsePrefix(\"/8\"): ParseAddr(\"\"): "
     "unable to parse IP",
     0},
    {"cidr('fe80::%eth0/64')",
     "! network address parse error during conversion from string: network address parse "
     "error during conversion from string: netip.ParsePrefix(\"fe80::%eth0/64\"): IPv6 "
     "zones cannot be present in a prefix",
     0},
    {"cidr('::/0').containsCIDR('::ffff:10.0.0.0/104')",
     "! network address parse error during conversion from string: IPv4-mapped IPv6 "
     "address \"::ffff:10.0.0.0/104\" is not allowed",
     0},
};

static void refused_networks(void **state) {
    (void)state;
    check_cases(refused_networks_cases, FX_COUNT(refused_networks_cases));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),         cmocka_unit_test(kinds_of_addresses),
        cmocka_unit_test(refused_addresses), cmocka_unit_test(networks),
        cmocka_unit_test(refused_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
