import { limits } from '../schema/limits.ts'
import { Fault, ReadingKind, Verdict, type Reading } from './reading.ts'

type Candidate = Readonly<Record<string, unknown>>

const instantMax = 8_640_000_000_000_000
const phaseMax = 3_600_000
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const word = /^[a-z0-9_]{1,40}$/

const isInt = (value: unknown, min: number, max: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
const isNumber = (value: unknown, max: number): boolean =>
  typeof value === 'number' && value >= 0 && value <= max
const isText = (value: unknown, max: number): boolean => typeof value === 'string' && value.length <= max
const isInstant = (value: unknown): boolean => isInt(value, 0, instantMax)
const isPhase = (value: unknown): boolean => value === null || isNumber(value, phaseMax)
const isNothing = (value: unknown): boolean => value === null
const isOneOf = (schema: { options: readonly string[] }) => {
  const options = new Set<unknown>(schema.options)
  return (value: unknown): boolean => options.has(value)
}

/** What every reading has. `region` is compared with that of its message. */
const required: Readonly<Record<Exclude<keyof Reading, 'region' | Optional>, (value: unknown) => boolean>> = {
  checkId: (value) => typeof value === 'string' && uuid.test(value),
  slot: isInstant,
  kind: isOneOf(ReadingKind),
  number: (value) => isInt(value, 0, 4_294_967_295),
  verdict: isOneOf(Verdict),
  fault: isOneOf(Fault),
  cause: (value) => typeof value === 'string' && word.test(value),
  reason: (value) => value === null || isText(value, limits.reasonCharactersMax),
  httpStatus: (value) => value === null || isInt(value, 100, 999),
  latencyMs: isPhase,
  timings: (value) => isRecord(value) && hasOnly(value, phases, 5),
  measuredAt: isInstant,
  attempts: (value) => isInt(value, 0, 2),
  lateMs: (value) => isNumber(value, 86_400_000),
  address: (value) => value === null || isText(value, 45),
  certificateExpiresAt: (value) => value === null || isInstant(value),
}
type Optional = 'certificate' | 'details' | 'proven' | 'screenshot' | 'excerpt'

/** What some readings have. The schema reads those that say more than nothing here. */
const optional: Readonly<Record<Optional, (value: unknown) => boolean>> = {
  certificate: isNothing,
  details: isNothing,
  proven: (value) => typeof value === 'boolean',
  screenshot: isNothing,
  excerpt: isNothing,
}

const phases: ReadonlyMap<string, (value: unknown) => boolean> = new Map(
  ['dnsMs', 'connectMs', 'tlsMs', 'ttfbMs', 'transferMs'].map((name) => [name, isPhase]),
)
const fields: ReadonlyMap<string, (value: unknown) => boolean> = new Map(
  Object.entries({ region: (value: unknown) => typeof value === 'string', ...required, ...optional }),
)
const requiredCount = Object.keys(required).length + 1

const isRecord = (value: unknown): value is Candidate =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether each field is known and good; `count`: how many of them there must be besides optional ones. */
const hasOnly = (
  value: Candidate,
  known: ReadonlyMap<string, (value: unknown) => boolean>,
  count: number,
): boolean => {
  let found = 0
  for (const name of Object.keys(value)) {
    if (known.get(name)?.(value[name]) !== true) return false
    if (!Object.hasOwn(optional, name)) found += 1
  }
  return found === count
}

/**
 * Whether a value of JSON is a reading as nearly all are: of this region, with nothing that `Reading` would change or
 * leave out, and without details, certificate and screenshot. It is ten times faster than the schema, which decides about
 * all others; a test holds it equal to the schema.
 */
export const isPlainReading = (candidate: unknown, region: string): candidate is Reading =>
  isRecord(candidate) && candidate['region'] === region && hasOnly(candidate, fields, requiredCount)
