import { z } from 'zod'
import { AssertionFields, refineAssertions, whenObject } from './assertions.ts'
import { RefusedAs, TimeoutSeconds } from './check-timeout.ts'
import { Tags } from './tags.ts'
import { limits } from '../schema/limits.ts'
import { isPrivateRegion } from '../reading/private-region.ts'
import { AnyRegion } from '../reading/regions.ts'

export const CheckName = z
  .string()
  .refine((name) => name.trim() !== '', { error: 'must not be blank', params: { rule: 'name_blank' } })
  .max(limits.nameCharactersMax)

export const mixedRegionsMessage = 'a private agent cannot be combined with other regions'

export const RegionList = z
  .array(AnyRegion)
  .min(1, 'at least one region is required')
  .max(limits.regionsPerCheckMax)
  .refine((regions) => new Set(regions).size === regions.length, {
    error: 'a region is named twice',
    params: { rule: 'regions_twice' },
  })
  .superRefine((regions, context) => {
    if (regions.length < 2) return
    for (const [index, region] of regions.entries()) {
      if (!isPrivateRegion(region)) continue
      const issue = { path: [index], message: mixedRegionsMessage, params: { rule: 'regions_mixed' } }
      context.addIssue({ code: 'custom', ...issue })
    }
  })

const url = z.string().min(1).max(limits.urlCharactersMax)

export const CreateCheckInput = AssertionFields.extend({
  type: z.literal('http', 'the REST API creates http checks only').optional(),
  name: CheckName,
  url,
  intervalSeconds: z.int().min(1).max(limits.intervalSecondsMax).optional(),
  regions: RegionList.optional(),
  /** Sends the region in the header `Probe-Region`. */
  sendRegion: z.boolean().optional(),
  /** The timeout of one attempt. Its maximum depends on the interval. */
  timeoutSeconds: TimeoutSeconds.optional(),
  /** The verdict for a bare 403 or 429; `down` by default. */
  refusedAs: RefusedAs.optional(),
  tags: Tags.optional(),
}).superRefine(refineAssertions, whenObject)
export type CreateCheckInput = z.infer<typeof CreateCheckInput>

/**
 * The new check of a replace. Absent fields are those of the old check; of the assertions all or none, so that one
 * that is named, also as null, sets all eight.
 */
export const ReplaceCheckInput = AssertionFields.extend({
  ...CreateCheckInput.shape,
  name: CheckName.optional(),
  url: url.optional(),
  /** null sets the default of the interval. */
  timeoutSeconds: TimeoutSeconds.nullable().optional(),
  paused: z.boolean().optional(),
}).superRefine(refineAssertions, whenObject)
export type ReplaceCheckInput = z.infer<typeof ReplaceCheckInput>

/** Absent fields stay unchanged. */
export const UpdateCheckInput = z.strictObject({
  regions: RegionList.optional(),
  /** null sets the default of the interval. */
  timeoutSeconds: TimeoutSeconds.nullable().optional(),
  refusedAs: RefusedAs.optional(),
  /** A paused check is not measured, and no probes are expected of it. */
  paused: z.boolean().optional(),
  /** Replaces all tags. */
  tags: Tags.optional(),
})
export type UpdateCheckInput = z.infer<typeof UpdateCheckInput>
