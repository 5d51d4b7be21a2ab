import { parseAccountAllow } from '@probe-mesh/contracts/target/account-allow'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import type { AllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing, parseDenyList } from '@probe-mesh/contracts/target/deny-list'
import type { DenyList } from '@probe-mesh/contracts/target/deny-list'
import { partsOf } from '@probe-mesh/runtime/parts-of'
import type { Problem } from './config-servers.ts'

/** The part of the configuration that says what is asked, and how often; a wrong value is told. */
const list = (value: string | null): string[] => partsOf(value ?? '')

export const parseTargetAllow = (value: string | null, problem: Problem): AllowList =>
  parseAllow('TARGET_ALLOW', value ?? '', problem)

/** @returns null where nothing is said: channels of the operator's account follow `TARGET_ALLOW` */
export const parseChannelAllow = (value: string | null, problem: Problem): AllowList | null =>
  value === null ? null : parseAllow('CHANNEL_ALLOW', value, problem)

const parseAllow = (name: string, value: string, problem: Problem): AllowList => {
  const parsed = parseAccountAllow(list(value))
  if (parsed.ok) return parsed.allow
  for (const message of parsed.problems) problem(name, `is wrong: ${message}`)
  return allowNothing
}

export const parseBlockedTargets = (value: string | null, problem: Problem): DenyList => {
  const parsed = parseDenyList(list(value))
  if (parsed.ok) return parsed.deny
  for (const message of parsed.problems) problem('BLOCKED_TARGETS', `is wrong: ${message}`)
  return denyNothing
}

const rdapBootstrapDefault = 'https://data.iana.org/rdap/dns.json'

/** @returns null where it is switched off by `none` */
export const parseRdapBootstrap = (value: string | null, problem: Problem): string | null => {
  if (value === null) return rdapBootstrapDefault
  if (value === 'none') return null
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value
  problem('RDAP_BOOTSTRAP', 'must be a URL that starts with https:// or http://, or none')
  return null
}

const targetRequestsPerMinuteMax = 1_000_000_000

/** @returns null where nothing is said, or nothing right */
export const parseTargetRequests = (value: string | null, problem: Problem): number | null => {
  if (value === null) return null
  const number = /^\d{1,10}$/.test(value) ? Number(value) : 0
  if (number >= 1 && number <= targetRequestsPerMinuteMax) return number
  const range = `a whole number from 1 to ${targetRequestsPerMinuteMax}`
  problem('TARGET_REQUESTS_PER_MINUTE', `must be ${range}, not ${value}`)
  return null
}

const catalogIntervalSecondsDefault = 60
const catalogIntervalSecondsMax = 3_600

export const parseCatalogInterval = (value: string | null, problem: Problem): number => {
  if (value === null) return catalogIntervalSecondsDefault
  const seconds = /^\d{1,4}$/.test(value) ? Number(value) : 0
  if (seconds >= 1 && seconds <= catalogIntervalSecondsMax) return seconds
  const range = `a whole number from 1 to ${catalogIntervalSecondsMax}`
  problem('CATALOG_INTERVAL_SECONDS', `must be ${range}, not ${value}`)
  return catalogIntervalSecondsDefault
}

const budgetScaleMax = 100_000

export const parseBudgetScale = (value: string | null, problem: Problem): number => {
  if (value === null) return 1
  const scale = Number(value)
  if (scale > 0 && scale <= budgetScaleMax) return scale
  problem('BUDGET_SCALE', `must be a number above 0 and at most ${budgetScaleMax}, not ${value}`)
  return 1
}
