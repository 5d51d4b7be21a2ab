import type { Check } from '@probe-mesh/contracts/check/check'
import { unknown } from '../protocol/value.ts'
import type { Value } from '../protocol/value.ts'

/** What Terraform keeps beside the state: whether the regions are simply every live one. */
export const rememberRegions = ({ allRegions }: Check): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ allRegions }))

/**
 * Omitted regions are all live ones (S-2707). Where the configuration names none
 * and the check is measured from some only, the live ones are learnt on apply; otherwise it stays.
 * @param remembered by `rememberRegions` when the check was last read; nothing where it never was
 */
export const planRegions = (configured: Value, planned: Value, remembered: Uint8Array): Value =>
  configured === null && isSomeOnly(remembered) ? unknown : planned

const isSomeOnly = (remembered: Uint8Array): boolean => {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(remembered))
    return (value as { allRegions?: unknown } | null)?.allRegions === false
  } catch {
    return false
  }
}
