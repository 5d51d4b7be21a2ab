import type { Type } from '../type.ts'
import { MalformedValue, depthMax } from './read-msgpack.ts'

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A type from its JSON, parsed. What an object's type says of optional attributes is no matter here. */
export const parseType = (json: unknown, depth = 0): Type => {
  if (depth > depthMax) throw new MalformedValue('the type is too deep')
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
  throw new MalformedValue('a value comes with a type that is none')
}
