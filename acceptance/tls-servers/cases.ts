import type { SmtpSettings } from '@probe-mesh/check-types/smtp/settings'
import type { TcpSettings } from '@probe-mesh/check-types/tcp/settings'

/** Real servers of Debian with TLS and STARTTLS, each with a certificate of its own end, and a check of each. */

/** Names in certificates; both lead to 127.0.0.1. */
export const named = 'mail.localhost'
export const other = 'other.localhost'

export type Case = {
  name: string
  /** How `openssl s_client` reaches the same certificate. */
  openssl: readonly string[]
  expected: string
} & ({ tcp: Partial<TcpSettings> & { port: number } } | { smtp: Partial<SmtpSettings> & { port: number } })

const starttls = (protocol: string): readonly string[] => ['-starttls', protocol]
const up = 'up ok'

export const cases: readonly Case[] = [
  {
    name: 'dovecot IMAP, STARTTLS',
    tcp: { port: 143, security: 'imap' },
    openssl: starttls('imap'),
    expected: up,
  },
  {
    name: 'dovecot IMAP, TLS',
    tcp: { port: 993, security: 'tls', expect: '* OK' },
    openssl: [],
    expected: up,
  },
  {
    name: 'dovecot POP3, STLS',
    tcp: { port: 110, security: 'pop3' },
    openssl: starttls('pop3'),
    expected: up,
  },
  {
    name: 'dovecot POP3, TLS',
    tcp: { port: 995, security: 'tls', expect: '+OK' },
    openssl: [],
    expected: up,
  },
  {
    name: 'slapd LDAP, StartTLS',
    tcp: { port: 389, security: 'ldap' },
    openssl: starttls('ldap'),
    expected: up,
  },
  { name: 'slapd LDAP, TLS', tcp: { port: 636, security: 'tls' }, openssl: [], expected: up },
  {
    name: 'slapd without a certificate',
    tcp: { port: 1389, security: 'ldap' },
    openssl: starttls('ldap'),
    expected: 'down starttls_refused',
  },
  {
    name: 'prosody XMPP, STARTTLS',
    tcp: { port: 5222, security: 'xmpp' },
    openssl: [...starttls('xmpp'), '-xmpphost', named],
    expected: up,
  },
  {
    name: 'prosody, of a domain that it does not serve',
    tcp: { port: 5222, security: 'xmpp', serverName: 'unknown.localhost' },
    openssl: [...starttls('xmpp'), '-xmpphost', 'unknown.localhost'],
    expected: 'down starttls_refused',
  },
  {
    name: 'postgres, SSLRequest',
    tcp: { port: 5432, security: 'postgres' },
    openssl: starttls('postgres'),
    expected: up,
  },
  {
    name: 'postgres without TLS',
    tcp: { port: 5433, security: 'postgres' },
    openssl: starttls('postgres'),
    expected: 'down starttls_missing',
  },
  {
    name: 'postfix, as an smtp check with STARTTLS',
    smtp: { port: 25, security: 'starttls' },
    openssl: starttls('smtp'),
    expected: up,
  },
  {
    name: 'postfix that refuses EHLO, as an smtp check',
    smtp: { port: 2525 },
    openssl: [],
    expected: up,
  },
  { name: 'nginx by its name', tcp: { port: 8443, security: 'tls' }, openssl: [], expected: up },
  {
    name: 'nginx by another name',
    tcp: { port: 8443, security: 'tls', serverName: other },
    openssl: [],
    expected: up,
  },
  {
    name: 'nginx by no name, at its address',
    tcp: { host: '127.0.0.1', port: 8443, security: 'tls' },
    openssl: ['-noservername'],
    expected: 'down certificate_wrong_host',
  },
  {
    name: 'nginx with TLS 1.0 alone',
    tcp: { port: 8444, security: 'tls' },
    openssl: ['-tls1', '-cipher', 'ALL:@SECLEVEL=0'],
    expected: 'down tls_version',
  },
  {
    name: 'nginx, its plain port',
    tcp: { port: 8080, security: 'tls' },
    openssl: [],
    expected: 'down tls_not_spoken',
  },
  {
    name: 'nginx with an expired certificate',
    tcp: { port: 8445, security: 'tls' },
    openssl: [],
    expected: 'down certificate_expired',
  },
]

/** What `testing/inside.ts` prints. */
export type Report = {
  versions: string
  cases: Record<
    string,
    {
      result: string
      reason: string | null
      /** Unix ms. */
      expiresAt: number | null
      /** By `openssl s_client`; null: it saw none. */
      opensslExpiresAt: number | null
      tlsVersion: string | null
    }
  >
}

export type Stage = { folder: string; root: string; postgres: string }
