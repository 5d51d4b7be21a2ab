import { ClickHouseError } from '@clickhouse/client'
import { postgresRefusal } from './postgres-refusal.ts'

export type ServerName = 'Postgres' | 'ClickHouse' | 'NATS'

const variables = { Postgres: 'DATABASE_URL', ClickHouse: 'CLICKHOUSE_URL', NATS: 'NATS_URL' }

/** The maximum depth of a chain of causes. */
const depthMax = 5
const chainOf = (error: unknown): Error[] => {
  const chain: Error[] = []
  for (let inner = error; inner instanceof Error && chain.length < depthMax; inner = inner.cause)
    chain.push(inner)
  return chain
}
const textOf = (error: unknown): string =>
  chainOf(error)
    .map((one) => `${one.name} ${'code' in one ? String(one.code) : ''} ${one.message}`)
    .join('\n')

/** Permanent failures that look like an unavailable server. */
const permanent = [
  {
    form: /server does not support 'tls'/,
    remedy:
      'This server offers no TLS: configure a certificate (nats-config --tls-cert, --tls-key), or start NATS_URL with nats://.',
  },
  {
    form: /jetstream is not enabled|JetStreamNotEnabled/i,
    remedy: 'Start it with JetStream: use the file that nats-config writes, or --jetstream.',
  },
  {
    form: /insufficient storage resources/i,
    remedy:
      'Free disk space for the streams, or raise max_file_store: docs/deploy.md says how much they need.',
  },
  {
    form: /SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET_ISSUER)|self-signed certificate|unable to (verify|get)[\w ]* certificate/,
    remedy: 'Set NODE_EXTRA_CA_CERTS to the file of its certificate authority (PEM).',
  },
  {
    form: /CERT_HAS_EXPIRED|certificate has expired/,
    remedy: 'Install a new certificate, and check the clock of this machine.',
  },
  {
    form: /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames/,
    remedy: (variable: string) => `Use the host name of its certificate in ${variable}.`,
  },
  {
    form: /wrong version number|packet length too long/i,
    remedy: (variable: string) =>
      `That port does not use TLS: set another port in ${variable}, or a scheme without TLS.`,
  },
]

/** What to do about a permanent failure; null if waiting may help. */
export const permanentRemedy = (server: ServerName, error: unknown): string | null => {
  const text = textOf(error)
  const found = permanent.find(({ form }) => form.test(text))
  if (found === undefined) return null
  return typeof found.remedy === 'string' ? found.remedy : found.remedy(variables[server])
}

/** What to do about a server that did not answer in time. */
export const timeoutRemedy = (server: ServerName, error: unknown): string => {
  const [text, variable] = [textOf(error), variables[server]]
  if (/ENOTFOUND|EAI_AGAIN/.test(text))
    return `The name does not resolve: set the host of ${variable}, or add it to DNS.`
  if (/ECONNREFUSED|connection refused/i.test(text))
    return `No program listens there: start ${server}, or set the port of ${variable}.`
  if (server === 'ClickHouse' && /socket hang up|ECONNRESET|Parse Error/i.test(text))
    return 'The program there does not use HTTP: CLICKHOUSE_URL needs the HTTP port of ClickHouse, by default 8123 (8443 with https).'
  return `Check the address in ${variable} and firewalls on the way.`
}

/** By code of ClickHouse: what an operator can do. */
const clickhouseRemedies: Readonly<Record<string, string>> = {
  81: 'Set the database of CLICKHOUSE_URL, or create it.',
  192: 'Set the user of CLICKHOUSE_URL.',
  193: 'Set the password of CLICKHOUSE_URL.',
  194: 'Set the password of CLICKHOUSE_URL.',
  497: 'Grant its user all rights on the database: GRANT ALL ON mesh.* TO mesh.',
  516: 'Set the user and password of CLICKHOUSE_URL.',
}

/** One line for a refusal of a server: its message and what to do. */
export const refusalLine = (server: ServerName, error: unknown, url: string | null): string => {
  const reason = error instanceof Error ? error.message.trim() : String(error)
  const known = server === 'Postgres' ? postgresRefusal(error, url) : null
  if (known !== null) return known
  const remedy = permanentRemedy(server, error) ?? clickhouseRemedy(error)
  const dot = remedy !== null && !/[.!?]$/.test(reason) ? '.' : ''
  return `${server} refuses: ${reason}${remedy === null ? '' : `${dot} ${remedy}`}`
}

const clickhouseRemedy = (error: unknown): string | null => {
  if (!(error instanceof ClickHouseError)) return null
  const name = /Database `?(\w+)`? (?:does not|doesn't) exist/.exec(error.message)?.[1]
  return name === undefined
    ? (clickhouseRemedies[error.code] ?? null)
    : `Create it: clickhouse-client --query "CREATE DATABASE ${name}"`
}
