import { z } from 'zod'
import { checksPerRuleMax } from '../alert/alert-rule.ts'
import { Check } from './check.ts'
import { Uuid } from '../schema/ids.ts'
import { limits } from '../schema/limits.ts'

/** Ids that one question may have: as many checks as an alert rule names. */
export const namedChecksMax = checksPerRuleMax
/** Of five thousand checks a browser is given so many to choose from: the rest is found by name. */
export const checkChoicesMax = 200

export const CheckNamesQuery = z.strictObject({
  /** Of checks to be named, with commas between them. */
  ids: z
    .string()
    .max(namedChecksMax * 37)
    .transform((text) => text.split(','))
    .pipe(z.array(Uuid).max(namedChecksMax))
    .optional(),
  /** What the name or address of others has to have in it, in any case; absent where none are looked for. */
  q: z.string().max(limits.urlCharactersMax).optional(),
  /** How many others are given. */
  most: z.coerce.number().int().min(1).max(checkChoicesMax).default(checkChoicesMax),
  /** Of a status page: only checks that may be published there and are not yet. */
  publishableOn: Uuid.optional(),
})

/** What people know a check by, and where it is measured; nothing of how it is. */
export const CheckName = Check.pick({
  id: true,
  name: true,
  type: true,
  url: true,
  target: true,
  regions: true,
})
export type CheckName = z.infer<typeof CheckName>

/** Some checks of an account, each part by name. */
export const CheckNames = z.object({
  /** Those of the ids that the account has. */
  named: z.array(CheckName),
  /** null where none were looked for. */
  found: z
    .object({
      /** Those that have the text and are not of the ids, as many as were asked for. */
      checks: z.array(CheckName),
      /** Others that have it, and are not given. */
      left: z.int(),
      /** Checks that have the text, of the ids or not. */
      count: z.int(),
      /** Checks with the text or without it. */
      all: z.int(),
    })
    .nullable(),
})
export type CheckNames = z.infer<typeof CheckNames>
