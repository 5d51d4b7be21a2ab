import { z } from 'zod'
import { field } from '../schema/field.ts'
import { AssertionFields, refineAssertions, whenObject } from './assertions.ts'
import { RefusedAs, TimeoutSeconds, timeoutSeconds } from './check-timeout.ts'
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
  type: field(
    z.literal('http', 'the REST API creates http checks only').optional(),
    'The REST API creates `http` checks only.',
  ),
  name: field(CheckName, 'Name.', 'Shop'),
  url: field(url, 'Public http or https URL. Kept as written.', 'https://shop.example.com/health'),
  intervalSeconds: field(
    z.int().min(1).max(limits.intervalSecondsMax).optional(),
    'Seconds between two measurements from a region. Absent: the shortest interval that the plan allows.',
    60,
  ),
  regions: field(RegionList.optional(), 'Regions that measure. Absent: every live region.', ['fra', 'iad']),
  sendRegion: field(z.boolean().optional(), 'Whether `Probe-Region` is sent.'),
  // its maximum depends on the interval
  timeoutSeconds,
  refusedAs: RefusedAs.optional(),
  tags: field(Tags.optional(), 'Labels that group checks.', ['shop', 'prod']),
}).superRefine(refineAssertions, whenObject)
export type CreateCheckInput = z.infer<typeof CreateCheckInput>

/**
 * The new check of a replace. Absent fields are those of the old check; of the assertions all or none, so that one
 * that is named, also as null, sets all eight.
 */
export const ReplaceCheckInput = AssertionFields.extend({
  ...CreateCheckInput.shape,
  intervalSeconds: field(
    CreateCheckInput.shape.intervalSeconds,
    'Seconds between two measurements. Absent: as before.',
  ),
  regions: field(RegionList.optional(), 'Regions of the new check. Absent: as before.', ['fra', 'iad']),
  tags: field(Tags.optional(), 'Tags of the new check. Absent: as before.', ['shop', 'prod']),
  name: field(CheckName.optional(), 'Name of the new check. Absent: the name of the old one.', 'Shop'),
  url: field(url.optional(), 'URL of the new check. Absent: the old one.', 'https://shop.example.com/ready'),
  timeoutSeconds: field(
    TimeoutSeconds.nullable().optional(),
    'Timeout of one attempt. null: the default of the interval. Absent: as before.',
    10,
  ),
  paused: field(z.boolean().optional(), 'Whether the new check is paused. Absent: as the old one.'),
}).superRefine(refineAssertions, whenObject)
export type ReplaceCheckInput = z.infer<typeof ReplaceCheckInput>

/** Absent fields stay unchanged. */
export const UpdateCheckInput = z.strictObject({
  regions: field(RegionList.optional(), 'Replaces the list of regions.', ['fra', 'iad']),
  timeoutSeconds: field(TimeoutSeconds.nullable().optional(), 'Timeout. null: default of the interval.', 10),
  refusedAs: RefusedAs.optional(),
  paused: field(z.boolean().optional(), 'Whether it is paused: not measured, and never looking healthy.'),
  tags: field(Tags.optional(), 'Replaces all tags.', ['shop', 'prod']),
})
export type UpdateCheckInput = z.infer<typeof UpdateCheckInput>
