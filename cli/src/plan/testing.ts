import { AssertionFields, noAssertions, toAssertions } from '@probe-mesh/contracts/check/assertions'
import type { Check, CheckType } from '@probe-mesh/contracts/check/check'
import {
  CheckName,
  CreateCheckInput,
  ReplaceCheckInput,
} from '@probe-mesh/contracts/check/create-check-input'
import fc from 'fast-check'
import { planChecks, type FileCheck } from './plan-checks.ts'
import type { Plan } from './plan.ts'
import type { Write } from './writes.ts'

export const live = ['iad', 'sjc', 'fra', 'nrt']
/** What the API gives a check whose interval was omitted. */
const fastestSeconds = 60

/** An http check of the account, on every live region and without assertions. */
export const checkOf = (name: string, more: Partial<Check> = {}): Check => ({
  id: `id of ${name}`,
  name,
  type: 'http',
  url: `https://${name}.example.com/`,
  target: null,
  intervalSeconds: fastestSeconds,
  regions: live,
  allRegions: true,
  paused: false,
  private: false,
  tags: [],
  ...noAssertions,
  status: 'operational',
  createdAt: '2026-08-01T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
  ...more,
})

/** The same check as a file declares it. */
export const fileOf = (name: string, more: Partial<FileCheck> = {}): FileCheck => ({
  name,
  url: `https://${name}.example.com/`,
  ...more,
})

export const planOf = (
  file: readonly FileCheck[],
  account: readonly Check[],
  more: { prune?: boolean; liveRegions?: string[] } = {},
): Plan => {
  const planned = planChecks({
    file,
    account,
    liveRegions: live,
    prune: false,
    ...more,
  })
  if (!planned.ok) throw new Error(planned.problems.map(({ message }) => message).join('\n'))
  return planned.plan
}

/** The result of a write: the new account and the answer, or the code of a refusal. */
export type ModelAnswer =
  | { ok: true; account: Check[]; value: unknown }
  | { ok: false; code: 'SV-2001' | 'SV-3001' | 'SV-3005' }

const refused = (code: 'SV-2001' | 'SV-3001' | 'SV-3005'): ModelAnswer => ({ ok: false, code })

/** The writes of the API on an account in memory, as the control plane does them. */
export const answerWrite = (
  account: readonly Check[],
  write: Write,
  liveRegions: readonly string[] = live,
): ModelAnswer => {
  const choose = (named: readonly string[] | undefined) => {
    if (named?.some((region) => !liveRegions.includes(region))) return null
    const allRegions = named === undefined || liveRegions.every((region) => named.includes(region))
    return { regions: [...(allRegions ? liveRegions : (named ?? []))], allRegions }
  }
  if (write.route === 'createCheck') {
    const input = CreateCheckInput.safeParse(JSON.parse(JSON.stringify(write.input.body)))
    const regions = input.success ? choose(input.data.regions) : null
    if (!input.success || regions === null) return refused('SV-2001')
    const { name, url, intervalSeconds = fastestSeconds } = input.data
    const id = `new id of ${name}, ${account.length}`
    const fields = { id, url, intervalSeconds, ...regions, ...toAssertions(input.data) }
    const value = checkOf(name, { ...fields, status: 'unknown' })
    return { ok: true, account: [...account, value], value }
  }
  const { id } = write.input.params
  const check = account.find((each) => each.id === id)
  if (check === undefined) return refused('SV-3001')
  if (write.route === 'deleteCheck') {
    const rest = account.filter((each) => each !== check)
    return { ok: true, account: rest, value: { id, deleted: true } }
  }
  if (check.type !== 'http') return refused('SV-3005')
  if (write.route === 'replaceCheck') {
    const input = ReplaceCheckInput.parse(JSON.parse(JSON.stringify(write.input.body)))
    const places = choose(input.regions)
    if (places === null) return refused('SV-2001')
    const { name = check.name, url = check.url, intervalSeconds = check.intervalSeconds } = input
    const fields = { url, intervalSeconds, ...places, ...toAssertions(input), paused: check.paused }
    const value = checkOf(name, { id: `new id of ${name}, ${account.length}`, ...fields, status: 'unknown' })
    return { ok: true, account: [...account.filter((each) => each !== check), value], value }
  }
  const change =
    write.route === 'updateCheckRegions'
      ? choose(write.input.body.regions)
      : toAssertions(AssertionFields.parse(JSON.parse(JSON.stringify(write.input.body))))
  if (change === null) return refused('SV-2001')
  const value = { ...check, ...change }
  return { ok: true, account: account.map((each) => (each === check ? value : each)), value }
}

const names = ['web', 'shop', 'api', ' api', 'docs', 'WEB', 'naïve', '1', 'a\nb', '😀', '-']
const nameArbitrary = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...names) },
  fc
    .string({ unit: 'binary', minLength: 1, maxLength: 200 })
    // no check has such a name: it is blank, too long, or cannot be stored
    .filter((name) => CheckName.safeParse(name).success && !name.includes('\u0000')),
)
const urlArbitrary = fc.constantFrom(
  'https://a.example.com/',
  'https://a.example.com',
  'https://b.example.com/',
)

const status = fc.constantFrom<AssertionFields>(
  {},
  { assertionStatusMin: 200, assertionStatusMax: 299 },
  { assertionStatusMax: 399 },
  { assertionStatusMin: null },
)
const body = fc.constantFrom<AssertionFields>(
  {},
  { assertionBodyOp: 'contains', assertionBodyValue: 'ok' },
  { assertionBodyOp: 'contains', assertionBodyValue: 'ok', assertionBodyCaseSensitive: true },
  { assertionBodyOp: 'not_contains', assertionBodyValue: ' ' },
)
const json = fc.constantFrom<Partial<FileCheck>>(
  {},
  { assertionJsonPath: 'a.b', assertionJsonOp: 'exists' },
  { assertionJsonPath: 'a.b', assertionJsonOp: 'equals', assertionJsonValue: '1' },
  { assertionJsonPath: 'a.b', assertionJsonOp: 'equals', assertionJsonValue: 1 },
  { assertionJsonPath: 'a.b', assertionJsonOp: 'equals', assertionJsonValue: true },
  { assertionJsonPath: 'a.b', assertionJsonOp: 'contains', assertionJsonValue: 1e21 },
)
const assertionsArbitrary = fc
  .tuple(status, body, json)
  .map(([first, second, third]) => ({ ...first, ...second, ...third }))

const uniquely = <T extends { name: string }>(arbitrary: fc.Arbitrary<T>) =>
  fc.uniqueArray(arbitrary, { selector: ({ name }) => name, maxLength: 12 })

/** Files: any regions that are live, in any order. */
export const fileArbitrary: fc.Arbitrary<FileCheck[]> = uniquely(
  fc
    .record(
      {
        name: nameArbitrary,
        url: urlArbitrary,
        intervalSeconds: fc.constantFrom(60, 300),
        regions: fc.shuffledSubarray(live, { minLength: 1 }),
      },
      { requiredKeys: ['name', 'url'] },
    )
    .chain((fields) => assertionsArbitrary.map((assertions) => ({ ...fields, ...assertions }))),
)

const typeArbitrary: fc.Arbitrary<CheckType> = fc.oneof(
  { weight: 6, arbitrary: fc.constant('http' as const) },
  fc.constantFrom<CheckType>('heartbeat', 'tcp', 'dns', 'smtp', 'multistep', 'browser'),
)
/** `gru` was live once; a check may name all regions that were live then. */
const placesArbitrary = fc.oneof(
  fc.constant({ regions: live, allRegions: true }),
  fc.shuffledSubarray([...live, 'gru'], { minLength: 1 }).map((regions) => ({ regions, allRegions: false })),
)

/** Accounts with checks of every type and unique names. */
export const accountArbitrary: fc.Arbitrary<Check[]> = uniquely(
  fc
    .record({
      name: nameArbitrary,
      type: typeArbitrary,
      url: urlArbitrary,
      intervalSeconds: fc.constantFrom(60, 300),
      paused: fc.boolean(),
      places: placesArbitrary,
      fields: assertionsArbitrary,
    })
    .map(({ name, places, fields, ...more }) =>
      checkOf(name, { ...more, ...places, ...toAssertions(AssertionFields.parse(fields)) }),
    ),
)
