import type { Path } from '../diagnostic.ts'
import { toObject, unknown, type Type, type Value } from '../value.ts'
import { parseDecimal } from './decimal.ts'
import { parseJson } from './parse-json.ts'
import { MalformedValue, depthMax, type Raw } from './read-msgpack.ts'

type ValueProblem = { path: Path; message: string }
export type Decoded = { ok: true; value: Value } | { ok: false; problem: ValueProblem }

type Step = Path[number]
type Options = {
  /** Written by an older schema: unknown attributes are dropped, missing ones are null. */
  isStored: boolean
}

/** The value of the type, or the path where it does not match. */
export const conform = (type: Type, raw: Raw, options: Options): Decoded => {
  const path: Step[] = []
  const within = (step: Step, type: Type, raw: Raw): Value => {
    if (path.length > depthMax) throw new MalformedValue('the value is nested too deeply')
    path.push(step)
    const value = of(type, raw)
    path.pop()
    return value
  }
  const of = (type: Type, raw: Raw): Value => {
    if (raw === null || raw === unknown) return raw
    if (typeof type === 'string') return scalar(type, raw)
    switch (type[0]) {
      case 'list':
      case 'set': {
        const element = type[1]
        return arrayOf(raw, type[0]).map((one, index) => within(index, element, one))
      }
      case 'tuple': {
        const values = arrayOf(raw, 'tuple')
        const types = type[1]
        if (values.length !== types.length) {
          throw new MalformedValue(`expected ${types.length} elements, got ${values.length}`)
        }
        return types.map((type, index) => within(index, type, values[index] ?? null))
      }
      case 'map': {
        const element = type[1]
        const entries = Object.entries(objectOf(raw, 'map'))
        return toObject(entries.map(([key, one]) => [key, within({ key }, element, one)]))
      }
      case 'object':
        return attributesOf(type[1], objectOf(raw, 'object'))
    }
  }
  const attributesOf = (
    types: Readonly<Record<string, Type>>,
    raw: { readonly [key: string]: Raw },
  ): Value => {
    const extra = Object.keys(raw).find((name) => !Object.hasOwn(types, name))
    if (extra !== undefined && !options.isStored) {
      throw new MalformedValue(`unknown attribute "${extra}"`)
    }
    return toObject(
      Object.entries(types).map(([name, type]) => {
        const one = Object.hasOwn(raw, name) ? raw[name] : undefined
        if (one === undefined && !options.isStored) {
          throw new MalformedValue(`missing attribute "${name}"`)
        }
        return [name, within(name, type, one ?? null)]
      }),
    )
  }
  const scalar = (type: 'string' | 'number' | 'bool' | 'dynamic', raw: Raw): Value => {
    if (type === 'dynamic') {
      const [itsType, value] = typed(raw)
      // Terraform never sends this, and it could nest without end
      if (itsType === 'dynamic') throw new MalformedValue('a dynamic value has no type')
      return of(itsType, value)
    }
    if (type === 'string' && typeof raw === 'string') return raw
    if (type === 'bool' && typeof raw === 'boolean') return raw
    if (type === 'number') {
      if (typeof raw === 'bigint' || Number.isFinite(raw)) return raw as number | bigint
      const value = typeof raw === 'string' ? parseDecimal(raw) : null
      if (value !== null) return value
    }
    throw new MalformedValue(`expected a ${type}, got ${nameOf(raw)}`)
  }
  try {
    return { ok: true, value: of(type, raw) }
  } catch (error) {
    if (!(error instanceof MalformedValue)) throw error
    return { ok: false, problem: { path: [...path], message: error.message } }
  }
}

/** A dynamic value and its type: a pair in MessagePack, an object in JSON. */
const typed = (raw: Raw): [Type, Raw] => {
  if (Array.isArray(raw) && raw.length === 2 && raw[0] instanceof Uint8Array) {
    return [parseType(parseJson(raw[0])), raw[1]]
  }
  if (isRawObject(raw) && raw['type'] !== undefined && raw['value'] !== undefined) {
    return [parseType(raw['type']), raw['value']]
  }
  throw new MalformedValue(`expected a value with its type, got ${nameOf(raw)}`)
}

const isRawObject = (raw: Raw): raw is { readonly [key: string]: Raw } =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw) && !(raw instanceof Uint8Array)

const arrayOf = (raw: Raw, type: string): readonly Raw[] => {
  if (Array.isArray(raw)) return raw
  throw new MalformedValue(`expected a ${type}, got ${nameOf(raw)}`)
}
const objectOf = (raw: Raw, type: string): { readonly [key: string]: Raw } => {
  if (isRawObject(raw)) return raw
  throw new MalformedValue(`expected a ${type}, got ${nameOf(raw)}`)
}

/** The kind of a value, without its content, which may be secret. */
const nameOf = (raw: Raw): string => {
  if (raw instanceof Uint8Array) return 'bytes'
  if (Array.isArray(raw)) return 'a list'
  if (isRawObject(raw)) return 'an object'
  if (typeof raw === 'boolean') return 'a bool'
  return typeof raw === 'string' ? 'a string' : 'a number'
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The type in parsed JSON. Optional attributes of an object type are irrelevant here. */
const parseType = (json: unknown, depth = 0): Type => {
  if (depth > depthMax) throw new MalformedValue('the type is nested too deeply')
  if (json === 'string' || json === 'number' || json === 'bool' || json === 'dynamic') return json
  if (Array.isArray(json)) {
    const [kind, of]: unknown[] = json
    if (kind === 'list' || kind === 'set' || kind === 'map') return [kind, parseType(of, depth + 1)]
    if (kind === 'tuple' && Array.isArray(of)) {
      return ['tuple', of.map((element: unknown) => parseType(element, depth + 1))]
    }
    if (kind === 'object' && isRecord(of)) {
      const attributes: Record<string, Type> = Object.create(null)
      for (const [name, type] of Object.entries(of)) attributes[name] = parseType(type, depth + 1)
      return ['object', attributes]
    }
  }
  throw new MalformedValue('the type of a dynamic value is invalid')
}
