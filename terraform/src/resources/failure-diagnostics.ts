import type { Failure } from '../api/failure.ts'
import { errorAt, type Diagnostic, type Path } from '../protocol/diagnostic.ts'
import type { Schema } from '../protocol/schema.ts'
import type { Type } from '../protocol/value.ts'

/** Refusals about the API key, which no attribute of a resource can fix. */
const ofTheKey = new Set(['SV-1001', 'SV-1002', 'SV-1003', 'SV-1004'])

/**
 * A failure as diagnostics: each problem at its attribute, with the API's message and code unchanged. With an
 * empty path Terraform points to the resource.
 * @param undone such as `The check was not created`
 */
export const failureDiagnostics = (
  schema: Schema,
  undone: string,
  { code, message, errors }: Failure,
): Diagnostic[] => {
  const summary = code === null ? undone : `${undone} (${code})`
  if (errors.length > 0) {
    return errors.map((error) => {
      const path = attributePath(schema, error.path)
      return errorAt(path, summary, withField(message, error, path))
    })
  }
  const hint = ofTheKey.has(code ?? '') ? '\n\nCheck `api_key` of the provider, or SERVICE_API_KEY.' : ''
  return [errorAt([], summary, `${message}${hint}`)]
}

const withField = (message: string, problem: { path: string; message: string }, path: Path): string => {
  if (problem.message === message) return message
  const name = path[0] ?? problem.path
  return name === '' ? `${message} ${problem.message}` : `${message}\n\n${name}: ${problem.message}`
}

/** `assertionStatusMin` of the API is `assertion_status_min` in Terraform. */
export const snakeOf = (camel: string): string =>
  camel.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/**
 * The attribute at a path of the API, as far as Terraform can point to it: an element of a set has no path.
 * @param apiPath such as `links[0].url` @returns empty when it is not an attribute
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
