import type { Failure } from '../request/outcome.ts'
import type { NameFacts, ResolverResult, ZoneResult } from './name-facts.ts'

const target = (cause: string, reason: string): Failure => ({ cause, fault: 'target', reason })
const probe = (cause: string, reason: string): Failure => ({ cause, fault: 'probe', reason })

const notFound = target('dns_not_found', 'the host name does not exist')
const dnssecFailed = target(
  'dnssec_failed',
  'DNSSEC validation of the name fails, so validating resolvers do not answer',
)
const failedAlone = target(
  'dns_server_failure',
  'the name could not be resolved, while other names were resolved',
)
const silentAlone = target('dns_timeout', 'no answer for the name, while other names were resolved')
const denied = probe(
  'dns_unconfirmed',
  'the name servers of the zone know the name, but the resolver of the probe does not',
)
const deniesOthers = probe('dns_unconfirmed', 'the resolver of the probe does not resolve other names either')

export const unproven = probe(
  'dns_unconfirmed',
  'the resolver of the probe resolved no other name within the last hour',
)

const unreachable = (zone: string): Failure =>
  target('dns_servers_unreachable', `the name servers of ${zone} do not answer`)
const lame = (zone: string, answer: string): Failure =>
  target('dns_lame_delegation', `the name servers of ${zone} do not serve it (${answer})`)

/** Every failure that this file decides, compared with docs/reasons.md. */
export const nameFailures: readonly Failure[] = [
  notFound,
  dnssecFailed,
  failedAlone,
  silentAlone,
  denied,
  deniesOthers,
  unproven,
  unreachable('example.org'),
  lame('example.org', 'REFUSED'),
]

/**
 * Decides whose fault an unresolved name is. It is the name's if the same resolver resolves other
 * names at that moment and the zone's own servers do not contradict. If those cannot be asked, the
 * comparison decides (S-810 to S-812).
 * @returns null to keep the judgement of the attempt
 */
export const decideName = (
  resolverResult: ResolverResult,
  { controls, unchecked, zone }: NameFacts,
): Failure | null =>
  resolverResult === 'NXDOMAIN' || resolverResult === 'NODATA'
    ? decideDenied(controls, zone)
    : decideUnanswered(resolverResult, controls, unchecked, zone)

const decideDenied = (controls: NameFacts['controls'], { result }: NameFacts['zone']): Failure | null => {
  if (controls === 'failed') return deniesOthers
  if (result === 'address') return denied
  // a resolver that resolved nothing accuses no name; the zone's own servers do
  return controls === 'none' && !isDenied(result) ? unproven : null
}

const isDenied = (result: ZoneResult): boolean => result === 'no_name' || result === 'no_address'

/** Whether the zone's own servers deny the name: below servers that answered, so no resolver of ours forges it. */
export const isDeniedByZone = ({ zone }: NameFacts): boolean => isDenied(zone.result)

const decideUnanswered = (
  resolverResult: ResolverResult,
  controls: NameFacts['controls'],
  unchecked: string | null,
  { result, zone, servers }: NameFacts['zone'],
): Failure | null => {
  if (controls !== 'answered') return null
  // a name that resolves only without validation fails it
  if (resolverResult === 'failed' && (unchecked === 'NOERROR' || unchecked === 'NXDOMAIN')) {
    return dnssecFailed
  }
  const of = zone ?? ''
  switch (result) {
    case 'silent':
      return unreachable(of)
    case 'lame':
      return lame(of, lameAnswer(servers))
    case 'no_name':
      return notFound
    case 'address':
      return null
    case 'no_address':
    case 'unknown':
      return resolverResult === 'silent' ? silentAlone : failedAlone
    default:
      return result satisfies never
  }
}

const lameAnswer = (servers: NameFacts['zone']['servers']): string =>
  servers.findLast(({ answer }) => answer !== 'silent')?.answer ?? ''
