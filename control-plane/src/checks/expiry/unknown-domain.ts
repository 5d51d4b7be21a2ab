import type { DomainUnknownCause, UnknownDomain } from '@probe-mesh/contracts/reading/certificate'
import type { DomainWithout } from './domains-store.ts'

const reasons: Record<DomainUnknownCause, string> = {
  no_server: 'the registry of this ending has no RDAP server, so its domains have no public date of expiry',
  not_found: 'the registry does not know the domain; check its name and its registration',
  no_date: 'the registry does not tell when the domain expires; ask its registrar',
  unreadable_date: 'the registry tells a date of expiry that cannot be read',
  failed:
    'the registry did not answer the last query, or not with a registration; it is asked again within a day',
  not_asked: 'the registry has not been asked yet; each domain is asked about once a day',
  private: 'the domains of private checks are not asked about, since the query would reveal them',
  no_domain: 'the target is an address or a name without a public domain',
  off: 'the operator of this installation asks no registries',
}

type Known = DomainWithout | null

/**
 * Why a check has no date of expiry of its domain (S-381).
 * @param found null: the domain is not looked up yet
 * @param isOff whether the operator switched the queries off
 */
export const describeUnknownDomain = (
  found: Known,
  { isPrivate, isOff }: { isPrivate: boolean; isOff: boolean },
): UnknownDomain => {
  const cause = causeOf(found, { isPrivate, isOff })
  const { name = '', triedAtMs = null } = found ?? {}
  return {
    name: name === '' ? null : name,
    cause,
    reason: reasons[cause],
    askedAt: triedAtMs === null ? null : new Date(triedAtMs).toISOString(),
  }
}

const causeOf = (
  found: Known,
  { isPrivate, isOff }: { isPrivate: boolean; isOff: boolean },
): DomainUnknownCause => {
  if (found?.name === '') return 'no_domain'
  if (isPrivate) return 'private'
  switch (found?.outcome) {
    case 'no_server':
    case 'not_found':
    case 'unreadable_date':
    case 'failed':
      return found.outcome
    case 'told':
      return 'no_date'
    default:
      return isOff ? 'off' : 'not_asked'
  }
}
