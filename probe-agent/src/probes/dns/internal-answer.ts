import { classifyAddress } from '@probe-mesh/contracts/target/address'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import type { DnsRecordType } from '@probe-mesh/contracts/check/probe-settings'
import { parseHost } from '@probe-mesh/contracts/target/target'

/**
 * Whether the agent's own resolvers answered with what only its network knows: an address that is
 * no public target, or a host of an internal domain. It is neither shown nor compared, or a check
 * would be a way to ask about them. What a resolver says that the check names is as public as it.
 */
export const isInternalAnswer = (
  recordType: DnsRecordType,
  values: readonly string[],
  allow: AllowList,
): boolean => values.some((value) => isInternalValue(recordType, value, allow))

const isInternalValue = (recordType: DnsRecordType, value: string, allow: AllowList): boolean => {
  switch (recordType) {
    case 'A':
    case 'AAAA':
      return !classifyAddress(value, allow).allowed
    case 'CNAME':
    case 'NS':
    case 'PTR':
      return isInternalHost(value, allow)
    case 'SOA':
      return isInternalHost(value.split(' ')[0] ?? '', allow)
    case 'MX':
    case 'SRV':
      return isInternalHost(value.split(' ').at(-1) ?? '', allow)
    case 'TXT':
    case 'CAA':
      return false
    default:
      return recordType satisfies never
  }
}

const isInternalHost = (name: string, allow: AllowList): boolean => {
  const host = parseHost(name, { allow })
  return !host.ok && host.problem.rule === 'host_internal'
}
