import type { FieldProblem } from '@probe-mesh/contracts/refusal'
import type { Region } from '@probe-mesh/contracts/regions'

/** The regions of an input, resolved: which they are, and whether they are simply all of them. */
export type ResolvedRegions =
  | { ok: true; regions: readonly Region[]; allRegions: boolean }
  | { ok: false; problems: FieldProblem[] }

/**
 * "When omitted, every live region is used" (specification, Check). Naming every live region says
 * the same; naming another is a problem that names the live ones.
 */
export const resolveRegions = (
  named: readonly Region[] | undefined,
  live: readonly Region[],
): ResolvedRegions => {
  if (named === undefined) return { ok: true, regions: live, allRegions: true }
  const problems = named.flatMap((region, index) =>
    live.includes(region)
      ? []
      : {
          path: `regions[${index}]`,
          message: `${region} is not live; live are ${live.join(', ')}`,
        },
  )
  if (problems.length > 0) return { ok: false, problems }
  const allRegions = live.every((region) => named.includes(region))
  return { ok: true, regions: allRegions ? live : named, allRegions }
}
