import { assertionNames, toAssertions, type Assertions } from '@probe-mesh/contracts/check/assertions'
import type { Check } from '@probe-mesh/contracts/check/check'
import { timeoutProblem } from '@probe-mesh/contracts/check/check-timeout'
import type { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'
import { isPrivateRegion } from '@probe-mesh/contracts/reading/private-region'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { FieldChange, Step } from './plan.ts'
import { chooseRegions, isMeasuredFrom, regionChoiceOf } from './region-choice.ts'

/**
 * The step that makes a check match the file: none, an update in place, or a replace.
 * @param input the file's check after the schema of POST /checks
 * @returns null if it already matches
 */
export const compareCheck = (input: CreateCheckInput, check: Check, live: readonly Region[]): Step | null => {
  const fixed = fixedChanges(input, check)
  const regions = regionChanges(input, check, live)
  const wanted = toAssertions(input)
  const assertions = assertionChanges(wanted, check)
  if (fixed.length > 0) {
    const changes = [...fixed, ...regions, ...assertions, ...lostSettings(input, check)]
    // the API keeps what is left out; the file says where a check is measured, and has every assertion
    const replacement = { ...input, regions: [...(input.regions ?? live)], ...wanted }
    return { kind: 'replace', check, changes, input: replacement }
  }
  const changes = [...regions, ...assertions]
  if (changes.length === 0) return null
  return {
    kind: 'update',
    check,
    changes,
    regions: regions.length > 0 ? (input.regions ?? live) : null,
    assertions: assertions.length > 0 ? wanted : null,
  }
}

/** A change of `url` or `intervalSeconds` is a replace; an omitted interval is not managed. */
const fixedChanges = (input: CreateCheckInput, check: Check): FieldChange[] => {
  const { url, intervalSeconds = check.intervalSeconds } = input
  const changes: FieldChange[] = []
  if (url !== check.url) changes.push({ field: 'url', old: check.url, new: url })
  if (intervalSeconds !== check.intervalSeconds) {
    changes.push({ field: 'intervalSeconds', old: check.intervalSeconds, new: intervalSeconds })
  }
  return changes
}

const regionChanges = ({ regions }: CreateCheckInput, check: Check, live: readonly Region[]): FieldChange[] =>
  isMeasuredFrom(check, regions, live)
    ? []
    : [{ field: 'regions', old: regionChoiceOf(check), new: chooseRegions(regions, live) }]

const assertionChanges = (wanted: Assertions, check: Check): FieldChange[] =>
  assertionNames
    .filter((name) => wanted[name] !== check[name])
    .map((name) => ({ field: name, old: check[name], new: wanted[name] }))

/** Settings of the old check that do not fit the new one. */
const lostSettings = (input: CreateCheckInput, check: Check): FieldChange[] => [
  ...(check.private && input.regions?.some(isPrivateRegion) !== true
    ? [{ field: 'private' as const, old: true, new: false }]
    : []),
  ...(check.timeoutSeconds !== undefined && !fitsTimeout(input, check)
    ? [{ field: 'timeoutSeconds' as const, old: check.timeoutSeconds, new: null }]
    : []),
]

/** Whether a timeout that was set in the dashboard fits the new interval. */
const fitsTimeout = (
  { intervalSeconds }: CreateCheckInput,
  { timeoutSeconds, intervalSeconds: before }: Check,
): boolean => timeoutProblem(timeoutSeconds, intervalSeconds ?? before) === null
