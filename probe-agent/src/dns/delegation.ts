import { classIn, readRecords, typeNumbers, type Head, type Question } from './message.ts'
import { recordText } from './record-text.ts'

/** A zone's servers as its parent names them, with the addresses that the parent sent. */
export type Delegation = { zone: string; servers: ZoneServer[] }
export type ZoneServer = { name: string; addresses: string[] }

/** The authority of a zone's own server. */
export type Authority = {
  authoritative: boolean
  /** It resolves for others, too: perhaps a device between the probe and the queried server. */
  recursive: boolean
  delegation: Delegation | null
}

const serversMax = 13
const addressesOfServerMax = 4

/**
 * The delegation of a zone that contains the queried name (RFC 1034 4.3.2).
 * @param from start of the answers
 * @returns null when the message has none or is malformed
 */
export const readDelegation = (
  bytes: Buffer,
  from: number,
  head: Head,
  { name }: Question,
): Delegation | null => {
  const answers = readRecords(bytes, from, head.answerCount)
  const authority = answers && readRecords(bytes, answers.end, head.authorityCount)
  if (authority === null || head.answerCount > 0) return null
  const additional = readRecords(bytes, authority.end, head.additionalCount)?.records ?? []
  const { zone, servers } = serversIn(bytes, authority.records, name)
  addAddresses(bytes, additional, servers)
  return zone === null ? null : { zone, servers: [...servers.values()] }
}

type Records = NonNullable<ReturnType<typeof readRecords>>['records']

/** The servers of the first zone that contains the name. */
const serversIn = (bytes: Buffer, records: Records, name: string) => {
  const servers = new Map<string, ZoneServer>()
  let zone: string | null = null
  for (const record of records) {
    if (record.type !== typeNumbers.NS || record.class !== classIn) continue
    if (!isWithin(name, record.name) || (zone !== null && record.name !== zone)) continue
    zone = record.name
    const server = recordText(bytes, 'NS', record.dataAt, record.end)
    if (server !== null && servers.size < serversMax) {
      servers.set(server, { name: server, addresses: [] })
    }
  }
  return { zone, servers }
}

const addAddresses = (bytes: Buffer, records: Records, servers: ReadonlyMap<string, ZoneServer>): void => {
  for (const record of records) {
    const type = record.type === typeNumbers.A ? 'A' : 'AAAA'
    if (record.type !== typeNumbers[type] || record.class !== classIn) continue
    const address = recordText(bytes, type, record.dataAt, record.end)
    const known = servers.get(record.name)?.addresses
    if (address !== null && known !== undefined && known.length < addressesOfServerMax) {
      known.push(address)
    }
  }
}

/** Whether a name is in a zone or is the zone itself. */
const isWithin = (name: string, zone: string): boolean =>
  zone === '.' || name === zone || name.endsWith(`.${zone}`)
