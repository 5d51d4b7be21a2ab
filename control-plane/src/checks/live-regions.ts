import type { FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import { isPrivateRegion } from '@probe-mesh/contracts/reading/regions'
import type { Region } from '@probe-mesh/contracts/reading/regions'

/** The regions of an input, resolved: which they are, and whether they are simply all of them. */
export type ResolvedRegions =
  | {
      ok: true
      regions: readonly Region[]
      allRegions: boolean
      /** It runs from an agent of the account alone; whether there is one is asked where it is saved. */
      private: boolean
    }
  | { ok: false; problems: FieldProblem[] }

/**
 * Omitted regions are all live ones (S-206). Naming every live region says
 * the same; naming another is a problem that names the live ones. An agent of the account stands by itself.
 */
export const resolveRegions = (
  named: readonly Region[] | undefined,
  live: readonly Region[],
): ResolvedRegions => {
  if (named === undefined) return { ok: true, regions: live, allRegions: true, private: false }
  const [first = ''] = named
  if (named.length === 1 && isPrivateRegion(first)) {
    return { ok: true, regions: named, allRegions: false, private: true }
  }
  const problems = named.flatMap((region, index) =>
    live.includes(region) ? [] : { path: `regions[${index}]`, message: whyNot(region, live) },
  )
  if (problems.length > 0) return { ok: false, problems }
  const allRegions = live.every((region) => named.includes(region))
  return { ok: true, regions: allRegions ? live : named, allRegions, private: false }
}

const whyNot = (region: Region, live: readonly Region[]): string =>
  isPrivateRegion(region)
    ? 'an agent of the account measures alone: name it and nothing else'
    : `${region} is not live; live are ${live.join(', ')}`
