import {
  AssertionFields,
  assertionNames,
  refineAssertions,
  whenObject,
} from '@probe-mesh/contracts/check/assertions'
import type { Assertions } from '@probe-mesh/contracts/check/assertions'
import { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'

/** Bounds of a file. Nothing that declares checks comes near them. */
export const fileLimits = {
  textCharactersMax: 16 * 1024 * 1024,
  checksMax: 20_000,
  /** Values, marks and spaces of a YAML text: half again those of the largest file there can be. */
  lexemesMax: 3_000_000,
  /** Keys of one map; a check has twelve. */
  keysMax: 1_000,
  /** Maps and lists inside one another; the regions of a check are the fourth. */
  depthMax: 6,
  /** Problems that are listed; further ones are counted. */
  problemsMax: 1_000,
} as const

const { name, url, intervalSeconds, regions } = CreateCheckInput.shape

/**
 * "Each check uses the field names of POST /checks" (specification, Command-line tool): that
 * route's schemas and messages, without `type`.
 */
export const FileCheckInput = AssertionFields.extend({
  name,
  url,
  intervalSeconds,
  regions,
}).superRefine(refineAssertions, whenObject)

/** A check of the file. What is unset is absent: there is one value for each meaning. */
export type FileCheck = {
  name: string
  url: string
  /** Absent: the file does not manage it. */
  intervalSeconds?: number
  /** Absent: every live region. */
  regions?: string[]
} & { [Name in keyof Assertions]?: NonNullable<Assertions[Name]> }

/** "Only checks are declarable in version 1" (specification, Versioning). */
export type ChecksFile = { version: 1; checks: FileCheck[] }

/** The fields in the order in which a file writes them. */
export const fieldNames = [
  'name',
  'url',
  'intervalSeconds',
  'regions',
  ...assertionNames,
] as const satisfies (keyof FileCheck)[]

/** What the route's schemas made of a check of the file, which differ in null for unset. */
export const toFileCheck = (input: object): FileCheck =>
  Object.fromEntries(
    fieldNames.flatMap((field) => {
      const value: unknown = Reflect.get(input, field)
      return value === undefined || value === null ? [] : [[field, value]]
    }),
  ) as FileCheck
