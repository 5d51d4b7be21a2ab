import type { Failure } from '../request/outcome.ts'
import type { NameFacts, ResolverResult } from './name-facts.ts'

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
  return result === 'address' ? denied : null
}

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
