import { allowNothing } from '@probe-mesh/contracts/target/address'
import { parseDnsTarget } from '@probe-mesh/contracts/target/dns-target'
import { parse } from 'tldts'
import { askedHosts } from '../check-record/asked-hosts.ts'
import type { StoredConfig } from '../check-record/stored-config.ts'

/**
 * The domain that somebody registered for what a check measures, such as `example.co.uk`; of a journey that of its
 * first step. Null where there is none: an address, a name that is not public, a heartbeat. Pure.
 */
export const registrableDomain = (check: {
  url: string | null
  config: StoredConfig
}): string | null => {
  const host = check.config.type === 'dns' ? nameAsked(check.config) : askedHosts(check)[0]?.host
  if (host === null || host === undefined) return null
  const { domain, isIcann, isIp } = parse(host, { allowPrivateDomains: false })
  return isIp === true || isIcann !== true ? null : domain
}

const nameAsked = ({ settings }: Extract<StoredConfig, { type: 'dns' }>): string | null => {
  // whoever is asked for it, also a resolver that only the operator opened: it is registered all the same
  const parsed = parseDnsTarget({ ...settings, resolver: null }, { allow: allowNothing })
  return parsed.ok ? parsed.target.name : null
}
