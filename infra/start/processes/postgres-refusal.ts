import { urlsOfHosts } from '@probe-mesh/control-plane/stores/postgres/hosts'

/** By SQLSTATE: what an operator can do about a refusal of Postgres. */
const remedies: Readonly<Record<string, string>> = {
  '53100': 'Free space on its disk, or use a larger one.',
  '28P01': 'Set the user and password of DATABASE_URL.',
  '28000': 'Set the user of DATABASE_URL, or allow it in pg_hba.conf.',
  '3D000': 'Set the database of DATABASE_URL, or create it with createdb.',
  '42501': 'Use the role of the control planes in DATABASE_URL.',
  '42P01': 'Set DATABASE_URL to the database of the control planes; the first of them creates its tables.',
  '25006': 'The server accepts no writes. Run "npm run -s admin -- doctor", which tells why.',
  '42703': 'Start a control plane of this version first: it migrates the tables.',
  '53300': 'Close connections, or raise max_connections.',
}

/** The limit of a role or database, as the message of SQLSTATE 53300 names it. */
const ownLimit = /^too many connections for (?<what>role|database) "(?<name>.+)"/

/** How to lift the limit of connections of a role or database. */
export const limitRemedy = (what: string, name: string): string =>
  `As a superuser: psql -c 'alter ${what} "${name.replaceAll('"', '""')}" connection limit -1'. Each control plane uses about 40 connections.`

/** What to do about a refusal with this SQLSTATE and message; null: unknown. */
export const postgresRemedy = (code: string | undefined, message = ''): string | null => {
  const { what, name = '' } = ownLimit.exec(message)?.groups ?? {}
  if (code === '53300' && what !== undefined) {
    return limitRemedy(what, name)
  }
  return remedies[code ?? ''] ?? null
}

/** A refusal of Postgres and what to do about it, in one line; null for other errors. */
export const postgresRefusal = (error: unknown, url: string | null = null): string | null => {
  if (!(error instanceof Error) || !('code' in error)) return null
  const remedy = createDatabase(error, url) ?? postgresRemedy(String(error.code), error.message)
  return remedy === null ? null : `Postgres refuses: ${error.message}. ${remedy}`
}

/** The command that creates the database of the URL, if the server lacks it. */
const createDatabase = (error: Error & { code?: unknown }, url: string | null): string | null => {
  const first = urlsOfHosts(url ?? '')[0] ?? ''
  if (error.code !== '3D000' || !URL.canParse(first)) return null
  const { hostname, port, username, pathname } = new URL(first)
  const [owner, name] = [username, pathname.slice(1)].map(decodeURIComponent)
  const words = ['--host', hostname, ...(port === '' ? [] : ['--port', port]), '--owner', owner, name]
  if (!words.every((word) => /^[\w.[\]:-]+$/.test(word ?? ''))) return null
  return `Create it, as a superuser of that server: createdb --username postgres ${words.join(' ')}`
}
