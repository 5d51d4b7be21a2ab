import type { RequestHeader } from '@probe-mesh/contracts/check/request-options'
import { listOf, resolve, textOf, type Node } from './document.ts'
import { isCredentialHeader } from '../../secrets/new-secrets.ts'
import { exampleOf } from './examples.ts'

/** What the parameters of an operation put into its request. */
export type Parameters = {
  path: string
  query: string
  headers: RequestHeader[]
  /** Names of headers whose values are credentials. */
  credentialHeaders: string[]
}

const scalar = (value: unknown): string | null =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null

/**
 * Fills in the parameters that an operation needs. Those of the operation replace those of its path.
 * @returns as a text why the operation is left out: the parameters without a value, by name
 */
export const parametersOf = (
  document: Node,
  item: Node,
  operation: Node,
  template: string,
): Parameters | string => {
  const byName = new Map<string, Node>()
  for (const value of [...listOf(item['parameters']), ...listOf(operation['parameters'])]) {
    const parameter = resolve(document, value)
    if ('problem' in parameter) return parameter.problem
    byName.set(`${String(parameter.node['in'])} ${String(parameter.node['name'])}`, parameter.node)
  }
  const [query, missing, credentialHeaders]: [string[], string[], string[]] = [[], [], []]
  const headers: RequestHeader[] = []
  let path = template
  for (const parameter of byName.values()) {
    const { in: place, required } = parameter
    const name = textOf(parameter['name']) ?? ''
    if (required !== true && place !== 'path') continue
    if (place === 'cookie' || (place === 'header' && isCredentialHeader(name))) {
      if (!ownHeaders.test(name)) credentialHeaders.push(place === 'cookie' ? 'Cookie' : name)
      continue
    }
    const texts = exampleTexts(document, parameter)
    if (texts.length === 0) missing.push(`${String(place)} parameter ${name}`)
    else if (place === 'path') path = path.replaceAll(`{${name}}`, texts.map(encodeURIComponent).join(','))
    else if (place === 'query') query.push(...queryOf(parameter, name, texts))
    else if (place === 'header' && !ownHeaders.test(name)) headers.push({ name, value: texts.join(',') })
  }
  const open = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => `path parameter ${name}`)
  const all = [...new Set([...missing, ...open])]
  if (all.length > 0) return `no example, default or enum value of the ${all.join(', the ')}`
  return { path, query: query.join('&'), headers, credentialHeaders: [...new Set(credentialHeaders)] }
}

/** The example of a parameter, one text for each value; empty if there is none, or not only scalars. */
const exampleTexts = (document: Node, parameter: Node): string[] => {
  const example = exampleOf(document, parameter)
  const values = example === null ? [] : Array.isArray(example.value) ? example.value : [example.value]
  const texts = values.map(scalar).filter((text) => text !== null)
  return texts.length < values.length ? [] : texts
}

/** Headers that other parts of a document describe (OpenAPI 3.1, 4.8.12.1). */
const ownHeaders = /^(?:accept|content-type|authorization)$/i

const queryOf = (parameter: Node, name: string, texts: readonly string[]): string[] => {
  const key = encodeURIComponent(name)
  return parameter['explode'] === false
    ? [`${key}=${texts.map(encodeURIComponent).join(',')}`]
    : texts.map((text) => `${key}=${encodeURIComponent(text)}`)
}
