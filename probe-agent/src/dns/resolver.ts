import { domainToASCII } from 'node:url'
import type { DnsRecordType } from '@probe-mesh/check-types/dns/record-type'
import { createAbsences, type Absences } from './absences.ts'
import { createLookUps, type LookUpCounts } from './look-up.ts'
import { saidNothing, type Said } from './said.ts'
import type { UdpCounts } from './udp-sockets.ts'
import { createServers, readServers, type ReadServers } from './servers.ts'

/** The resolvers of this machine. Every question is sent anew, so that each look-up is measured. */
export type OwnResolver = {
  /** The answer as a value, also where there is no record: an exception costs more than the question. */
  say(name: string, type: 'A' | 'AAAA'): Promise<Said>
  /** Families that names do not have, for those who look up both. */
  absences: Absences
  /** These reject with an error whose `code` is one of `dns.Resolver`. */
  resolve4(name: string): Promise<string[]>
  resolve6(name: string): Promise<string[]>
  resolveNs(name: string): Promise<string[]>
  resolveCname(name: string): Promise<string[]>
  /** In the format of `dns.getServers()`. */
  getServers(): string[]
  counts(): ResolverCounts
  /** Ends all questions and sockets. */
  close(): void
}

type ResolverCounts = LookUpCounts &
  UdpCounts & { waiting: number; absences: number; absencesDropped: number }

const nameCharactersMax = 253
/** What c-ares sends. */
const plainName = /^[a-z0-9_/*-]{1,63}(?:\.[a-z0-9_/*-]{1,63})*$/

/** A name as it is asked for; null: no question can have it. */
const askedName = (name: string): string | null => {
  const lower = name.toLowerCase()
  const whole = lower.endsWith('.') ? lower.slice(0, -1) : lower
  if (whole.length <= nameCharactersMax && plainName.test(whole)) return whole
  const ascii = domainToASCII(whole)
  return ascii.length <= nameCharactersMax && plainName.test(ascii) ? ascii : null
}

/**
 * @param read the resolvers, again every few seconds
 * @param now monotonic, ms
 */
export const createOwnResolver = ({
  read = readServers,
  now = () => performance.now(),
}: { read?: ReadServers; now?: () => number } = {}): OwnResolver => {
  const servers = createServers({ read, now })
  const lookUps = createLookUps({ servers, now })
  const absences = createAbsences(now)

  const ask = (name: string, type: DnsRecordType): Promise<Said> => {
    const asked = askedName(name)
    return asked === null ? Promise.resolve(saidNothing('EBADNAME')) : lookUps.ask({ name: asked, type })
  }
  const valuesOf = async (name: string, type: DnsRecordType): Promise<string[]> => {
    const { code, values } = await ask(name, type)
    if (code !== 'OK') throw Object.assign(new Error(`query ${type} ${code} ${name}`), { code })
    return [...values]
  }
  return {
    say: ask,
    absences,
    resolve4: (name) => valuesOf(name, 'A'),
    resolve6: (name) => valuesOf(name, 'AAAA'),
    resolveNs: (name) => valuesOf(name, 'NS'),
    resolveCname: (name) => valuesOf(name, 'CNAME'),
    getServers: servers.texts,
    counts: () => ({
      ...servers.counts,
      ...lookUps.counts,
      waiting: lookUps.waiting,
      absences: absences.size,
      absencesDropped: absences.dropped,
    }),
    close: lookUps.close,
  }
}
