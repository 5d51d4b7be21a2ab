import { ClickHouseError } from '@clickhouse/client'
import { postgresRefusal } from './postgres-refusal.ts'

export type ServerName = 'Postgres' | 'ClickHouse' | 'NATS'

const variables = { Postgres: 'DATABASE_URL', ClickHouse: 'CLICKHOUSE_URL', NATS: 'NATS_URL' }

/** An error and what caused it, at most this deep. */
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

/** What no waiting changes, though it looks as if the server were away. */
const lasting = [
  {
    form: /server does not support 'tls'/,
    remedy:
      'This server offers no TLS: give it a certificate (nats-config --tls-cert, --tls-key), or begin NATS_URL with nats://.',
  },
  {
    form: /jetstream is not enabled|JetStreamNotEnabled/i,
    remedy: 'Start it with JetStream: with the file that nats-config writes, or with --jetstream.',
  },
  {
    form: /insufficient storage resources/i,
    remedy:
      'Give its disk room for what the streams may hold, or raise max_file_store: docs/deploy.md says how much.',
  },
  {
    form: /SELF_SIGNED_CERT|UNABLE_TO_(VERIFY|GET_ISSUER)|self-signed certificate|unable to (verify|get)[\w ]* certificate/,
    remedy: 'Name the file of its authority (PEM) in NODE_EXTRA_CA_CERTS.',
  },
  {
    form: /CERT_HAS_EXPIRED|certificate has expired/,
    remedy: 'Give it a new certificate, and look at the clock of this machine.',
  },
  {
    form: /ERR_TLS_CERT_ALTNAME_INVALID|does not match certificate's altnames/,
    remedy: (variable: string) => `Name it in ${variable} as its certificate does.`,
  },
  {
    form: /wrong version number|packet length too long/i,
    remedy: (variable: string) =>
      `That port speaks no TLS: set the port of ${variable} that does, or begin it without TLS.`,
  },
]

/** What to do where a server refuses for good; null where waiting may help. Pure. */
export const lastingRemedy = (server: ServerName, error: unknown): string | null => {
  const text = textOf(error)
  const found = lasting.find(({ form }) => form.test(text))
  if (found === undefined) return null
  return typeof found.remedy === 'string' ? found.remedy : found.remedy(variables[server])
}

/** What to do where a server did not answer for as long as was waited. Pure. */
export const absenceRemedy = (server: ServerName, error: unknown): string => {
  const [text, variable] = [textOf(error), variables[server]]
  if (/ENOTFOUND|EAI_AGAIN/.test(text))
    return `No such name is known: set the host of ${variable}, or enter it into DNS.`
  if (/ECONNREFUSED|connection refused/i.test(text))
    return `Nothing listens there: start ${server}, or set the port of ${variable}.`
  if (server === 'ClickHouse' && /socket hang up|ECONNRESET|Parse Error/i.test(text))
    return 'What listens there speaks no HTTP: CLICKHOUSE_URL needs the HTTP port of ClickHouse, 8123 as it is installed (8443 with https).'
  return `Look at the address in ${variable}, and whether a firewall is between.`
}

/** What ClickHouse refuses, by its code. */
const clickhouseRemedies: Readonly<Record<string, string>> = {
  81: 'Set the database of CLICKHOUSE_URL, or create it.',
  192: 'Set the user of CLICKHOUSE_URL.',
  193: 'Set the password of CLICKHOUSE_URL.',
  194: 'Set the password of CLICKHOUSE_URL.',
  497: 'Grant its user all rights on the database: GRANT ALL ON mesh.* TO mesh.',
  516: 'Set the user and password of CLICKHOUSE_URL.',
}

/** One line for a server that answers and refuses: what it said, and what to do. Pure. */
export const refusalLine = (server: ServerName, error: unknown, url: string | null): string => {
  const reason = error instanceof Error ? error.message.trim() : String(error)
  const known = server === 'Postgres' ? postgresRefusal(error, url) : null
  if (known !== null) return known
  const remedy = lastingRemedy(server, error) ?? clickhouseRemedy(error)
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
