import { accountWords } from './account-words.ts'
import { answerWords } from './answer-words.ts'
import { checkWords } from './check-words.ts'
import { configWords } from './config-words.ts'
import { objectiveWords } from './objective-words.ts'
import { pageWords } from './page-words.ts'
import { requestWords } from './request-words.ts'

export type Json = { [key: string]: unknown }

const parts = [accountWords, checkWords, configWords, objectiveWords, requestWords, pageWords, answerWords]
const words = new Map(parts.flatMap((part) => Object.entries(part)))

/** Keys of the table that stand in two parts, of which one would be ignored. */
export const repeatedWords = (): string[] => {
  const keys = parts.flatMap((part) => Object.keys(part))
  return keys.filter((key, at) => keys.indexOf(key) !== at)
}

/** What the document says about a field. `key` is its entry of the table; null without one. */
export type FieldWords = { key: string; description: string; examples?: readonly [unknown] }

/** @param owners of the field, outermost first; the innermost owner with an entry counts */
export const wordsOf = (owners: readonly string[], field: string): FieldWords | null => {
  const keys = [...owners.toReversed().map((owner) => `${owner}.${field}`), field]
  const key = keys.find((each) => words.has(each))
  const found = key === undefined ? undefined : words.get(key)
  if (key === undefined || found === undefined) return null
  return typeof found === 'string'
    ? { key, description: found }
    : { key, description: found[0], examples: [found[1]] }
}

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A schema whose fields, and those within them, have their descriptions and examples. */
export const describeFields = (schema: Json, owners: readonly string[]): Json =>
  Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === 'properties' && isJson(value) ? describeProperties(value, owners) : describePart(value, owners),
    ]),
  )

const describePart = (value: unknown, owners: readonly string[]): unknown => {
  if (Array.isArray(value)) return value.map((part) => describePart(part, owners))
  return isJson(value) ? describeFields(value, owners) : value
}

const describeProperties = (properties: Json, owners: readonly string[]): Json =>
  Object.fromEntries(
    Object.entries(properties).map(([field, schema]) => {
      if (!isJson(schema)) return [field, schema]
      const { key: _, ...found } = wordsOf(owners, field) ?? { key: null }
      return [field, { ...found, ...describeFields(schema, [...owners, field]) }]
    }),
  )
