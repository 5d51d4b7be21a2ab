import type { Probes, RegionProbes } from '@probe-mesh/contracts/agent/probes'

export const title = 'Who probes you?'

export const about =
  'These requests are uptime checks: somebody who has an account here, or our catalog of popular services, wants to know whether your service works.'

export const addressesText = ({ addresses, addressesKnown }: RegionProbes): string => {
  if (addressesKnown === 'none') return 'unknown'
  const listed = addresses.join(', ')
  return addressesKnown === 'all' ? listed : `${listed}, and others that are unknown`
}

export const budgetText = ({ requestsPerHostAndMinuteMax }: Probes): string =>
  `All checks of all accounts together may ask one host ${requestsPerHostAndMinuteMax.toLocaleString('en-US')} times a minute at most, from all regions; what would be more is refused where it is created. Agents keep a budget for each address besides.`

export const vantageText = ({ vantage }: Probes): string | null =>
  vantage === 'local' ? 'Every region is measured from one machine here.' : null
