import {
  AssertionFields,
  assertionNames,
  refineAssertions,
  whenObject,
  type Assertions,
} from '@probe-mesh/contracts/check/assertions'
import { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'

/** Limits of a file, far above any real one. */
export const fileLimits = {
  textCharactersMax: 16 * 1024 * 1024,
  checksMax: 20_000,
  /** Tokens of a YAML text: 1.5 times those of the largest possible file. */
  lexemesMax: 3_000_000,
  /** Keys of one map; a check has twelve. */
  keysMax: 1_000,
  /** Nested maps and lists; the regions of a check are at the fourth level. */
  depthMax: 6,
  /** Problems that are listed; further ones are counted. */
  problemsMax: 1_000,
} as const

const { name, url, intervalSeconds, regions } = CreateCheckInput.shape

/** The schemas and messages of `POST /checks`, without `type`. */
export const FileCheckInput = AssertionFields.extend({
  name,
  url,
  intervalSeconds,
  regions,
}).superRefine(refineAssertions, whenObject)

/** A check in the file. Unset fields are absent: each meaning has one value. */
export type FileCheck = {
  name: string
  url: string
  /** Absent: not managed by the file. */
  intervalSeconds?: number
  /** Absent: every live region. */
  regions?: string[]
} & { [Name in keyof Assertions]?: NonNullable<Assertions[Name]> }

/** Version 1 of the file declares checks only. */
export type ChecksFile = { version: 1; checks: FileCheck[] }

/** The fields in the order of a written file. */
export const fieldNames = [
  'name',
  'url',
  'intervalSeconds',
  'regions',
  ...assertionNames,
] as const satisfies (keyof FileCheck)[]

/** A check in the file from the output of the route's schemas, without null for unset fields. */
export const toFileCheck = (input: object): FileCheck =>
  Object.fromEntries(
    fieldNames.flatMap((field) => {
      const value: unknown = Reflect.get(input, field)
      return value === undefined || value === null ? [] : [[field, value]]
    }),
  ) as FileCheck
