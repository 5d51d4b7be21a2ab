import { isIP, isIPv6 } from 'node:net'
import type { Command } from './command.ts'

type Place = { host: string; port: number }

/**
 * Where curl connects to for a URL by the command's `--connect-to`, and then by its `--resolve`, which are read
 * as curl does it (S-3865). Entries that curl does not use are noted, those that it or a check cannot use are problems.
 * @returns the value of `connectTo` (S-350); undefined: the host and port of the URL
 */
export const connectToOf = (url: URL, command: Command): string | undefined => {
  const usual = url.protocol === 'https:' ? 443 : 80
  const own = { host: url.hostname, port: url.port === '' ? usual : Number(url.port) }
  const named = connected(own, command)
  const address = resolved(named, command)
  const host = address ?? named.host
  contradicts(address ?? host.replaceAll(/[[\]]/g, ''), command)
  const written = isIPv6(host) ? `[${host}]` : host
  if (named.port !== own.port) return `${written}:${named.port}`
  return written === own.host ? undefined : written
}

const unused = (written: string, { host, port }: Place): string =>
  `${written} is left out. curl does not use it for ${host}:${port}.`

/** The first entry counts that is for the host and port of the URL and has a host or a port of its own. */
const connected = (own: Place, { connectTo, notes, problems }: Command): Place => {
  let found: Place | null = null
  for (const value of connectTo) {
    const written = `--connect-to ${value.slice(0, 200)}`
    const rest = found === null ? restFor(value, own) : null
    if (rest === null) notes.add(unused(written, own))
    else {
      const to = placeIn(rest)
      if (typeof to === 'string') problems.push(`${written}: ${to}.`)
      else if (to.host !== undefined || to.port !== undefined) found = { ...own, ...to }
    }
  }
  return found ?? own
}

/** What an entry says after the host and port that it is for; null: it is for others. An empty part is any. */
const restFor = (value: string, { host, port }: Place): string | null => {
  const start = `${host}:`
  const isHost = value.toLowerCase().startsWith(start)
  if (!isHost && !value.startsWith(':')) return null
  const [, forPort = '', rest] = /^([^:]*):(.*)$/s.exec(value.slice(isHost ? start.length : 1)) ?? []
  const isPort = forPort === '' || (/^\d+$/.test(forPort) && Number(forPort) === port)
  return rest === undefined || !isPort ? null : rest
}

/** @returns as a text why there is none */
const placeIn = (text: string): Partial<Place> | string => {
  const [, host, digits = ''] = /^(\[[0-9a-f:.]*\]|[^:[\]]*)(?::(.*))?$/is.exec(text) ?? []
  if (host === undefined) return 'an IPv6 address needs brackets, and has no zone'
  const port = portIn(digits)
  if (port === null && digits !== '') return `${digits.slice(0, 50)} is no port`
  const read = /[\s/?#@\\%]/.test(host) ? null : URL.parse(`http://${host === '' ? 'none' : host}/`)
  if (read === null) return `${host.slice(0, 100)} is no host`
  return { ...(host !== '' && { host: read.hostname }), ...(port !== null && { port }) }
}

const portIn = (digits: string): number | null =>
  /^\d{1,9}$/.test(digits) && Number(digits) <= 65_535 ? Number(digits) : null

type Resolved = { written: string; addresses: string[] }

/** The address of a host and port. The last entry for them counts, and one for any host (`*`) only without such. */
const resolved = (to: Place, { resolve, notes, problems }: Command): string | null => {
  const entries = new Map<string, Resolved>()
  const all: Resolved[] = []
  for (const value of resolve) {
    const written = `--resolve ${value.slice(0, 200)}`
    const [, sign, inBrackets, name = inBrackets, digits = '', list] =
      /^([+-]?)(?:\[([^\]]*)\]|([^:]*)):(\d*)(?::(.*))?$/s.exec(value) ?? []
    const port = portIn(digits)
    const key = `${name?.toLowerCase()}:${port}`
    if (sign === '-') entries.delete(key)
    else if (value.startsWith('-')) continue
    else if (port === null || list === undefined)
      problems.push(`${written}: it is not written as host:port:address, with an IPv6 address in brackets.`)
    else {
      const addresses = addressesIn(list)
      const wrong = addresses.find((each) => isIP(each) === 0 || each.includes('%'))
      if (wrong !== undefined || addresses.length === 0)
        problems.push(`${written}: ${wrong === undefined ? 'it has no address' : `${wrong} is no address`}.`)
      const entry = { written, addresses }
      all.push(entry)
      entries.set(key, entry)
    }
  }
  const used = entries.get(`${to.host.replaceAll(/[[\]]/g, '')}:${to.port}`) ?? entries.get(`*:${to.port}`)
  for (const entry of all) if (entry !== used) notes.add(unused(entry.written, to))
  if (used === undefined) return null
  const [first = null, ...others] = new Set(used.addresses)
  if (others.length > 0)
    problems.push(
      `${used.written}: curl tries each of the ${others.length + 1} addresses; a check connects to one. Leave one, and make a check of each.`,
    )
  return first
}

const addressesIn = (list: string): string[] =>
  list
    .split(',')
    .filter((each) => each !== '')
    .map((each) => each.replace(/^\[(.*)\]$/s, '$1').slice(0, 100))

/** An address of the family that `-4` or `-6` rules out: versions of curl differ in which of the two counts. */
const contradicts = (host: string, { connectTo, resolve, extra, problems }: Command): void => {
  const family = isIP(host) === 6 ? 'ipv6' : 'ipv4'
  const wanted = extra.addressFamily
  if (isIP(host) === 0 || wanted === undefined || wanted === family) return
  if (connectTo.length + resolve.length === 0) return
  problems.push(
    `The command asks for ${wanted === 'ipv6' ? 'IPv6 (-6)' : 'IPv4 (-4)'} and names the address ${host}. Remove one of them.`,
  )
}
