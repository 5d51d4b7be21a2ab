import type { Path } from '../protocol/diagnostic.ts'
import type { Schema } from '../protocol/schema.ts'
import type { Type } from '../protocol/type.ts'

/** `assertionStatusMin` of the API is `assertion_status_min` here. */
export const snakeOf = (camel: string): string =>
  camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * The attribute that the API names, as far as Terraform can point at it: an element of a set has no
 * place of its own. @param apiPath such as `links[0].url` @returns empty where it is no attribute
 */
export const attributePath = ({ attributes }: Schema, apiPath: string): Path => {
  const [first, ...rest] = partsOf(apiPath)
  const name = typeof first === 'string' ? snakeOf(first) : ''
  const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  return attribute === undefined ? [] : [name, ...within(attribute.type, rest)]
}

const within = (type: Type, [part, ...rest]: readonly (string | number)[]): Path => {
  if (part === undefined || typeof type === 'string') return []
  const [kind, inner] = type
  if (kind === 'list' && typeof part === 'number') return [part, ...within(inner, rest)]
  if (kind === 'map') return [{ key: String(part) }, ...within(inner, rest)]
  if (kind !== 'object' || !Object.hasOwn(inner, snakeOf(String(part)))) return []
  const name = snakeOf(String(part))
  const attribute = inner[name]
  return attribute === undefined ? [] : [name, ...within(attribute, rest)]
}

const partsOf = (apiPath: string): (string | number)[] =>
  [...apiPath.matchAll(/\[(\d{1,9})\]|[^.[\]]+/g)].map(([text, index]) =>
    index === undefined ? text : Number(index),
  )
