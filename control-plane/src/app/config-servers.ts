import { partsOf } from '@probe-mesh/runtime/parts-of'
import { urlsOfHosts } from '../stores/postgres/hosts.ts'
import { parseSender } from '../notifications/mail/mail.ts'
import type { Sender } from '../notifications/mail/mail.ts'

/** Values of the environment that say which servers a control plane has, and how it is one itself. */

export type Problem = (name: string, message: string) => void

/** How many NATS servers keep each message. */
export type NatsReplicas = 1 | 3 | 5

/** Where the certificate and the key are by which a server proves itself: paths of PEM files. */
export type TlsPaths = { readonly certificate: string; readonly key: string }

/** One server, or a primary and its standbys with commas between, each with its port: libpq's form. */
export const parseDatabaseUrl = (value: string | null, problem: Problem): string | null => {
  if (value === null) return null
  const isSound = urlsOfHosts(value).every(
    (url) => URL.canParse(url) && ['postgres:', 'postgresql:'].includes(new URL(url).protocol),
  )
  if (isSound) return value
  problem(
    'DATABASE_URL',
    'must be a URL that starts with postgres:// or postgresql://, of one host or of several such as postgres://user:password@one:5432,two:5432/database',
  )
  return null
}

/** One server or several of a cluster, separated by commas. */
export const parseNatsUrl = (value: string | null, problem: Problem): readonly string[] | null => {
  if (value === null) return null
  const servers = partsOf(value)
  const sound = servers.filter(
    (server) => URL.canParse(server) && ['nats:', 'tls:'].includes(new URL(server).protocol),
  )
  if (servers.length === 0 || sound.length < servers.length) {
    problem('NATS_URL', 'must be URLs that start with nats:// or tls://, separated by commas')
  }
  return sound
}

/** null: nobody said, so that what is there stays as it is, and what is made has one. */
export const parseNatsReplicas = (value: string | null, problem: Problem): NatsReplicas | null => {
  if (value === null) return null
  const replicas = Number(value)
  if (replicas === 1 || replicas === 3 || replicas === 5) return replicas
  problem('NATS_REPLICAS', `must be 1, 3 or 5, not ${value}`)
  return null
}

/** Both or neither. */
export const parseTlsPaths = (
  certificate: string | null,
  key: string | null,
  problem: Problem,
): TlsPaths | null => {
  if (certificate !== null && key !== null) return { certificate, key }
  if (certificate !== null) problem('TLS_KEY', 'is required when TLS_CERT is set')
  if (key !== null) problem('TLS_CERT', 'is required when TLS_KEY is set')
  return null
}

export const parseMailFrom = (
  value: string | null,
  smtpUrl: string | null,
  problem: Problem,
): Sender | null => {
  if (value === null) {
    if (smtpUrl !== null) problem('MAIL_FROM', 'is required when SMTP_URL is set')
    return null
  }
  const sender = parseSender(value)
  if (sender === null) {
    problem('MAIL_FROM', 'must be an address, such as Status <status@example.org>')
  }
  return sender
}
