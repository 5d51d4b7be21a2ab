import type { RequestHeader } from '@probe-mesh/contracts/check/request-options'
import { isCredentialField } from '../draft/credentials.ts'
import { isCredentialHeader } from '../../secrets/new-secrets.ts'
import { isNode, listOf, nodeOf, resolve, textOf, type Node } from './document.ts'
import { exampleOf } from './examples.ts'
import { encoderFor, serialise, type Form, type Serialised } from './serialise.ts'

/** What the parameters of an operation put into its request. */
export type Parameters = {
  path: string
  query: string
  headers: RequestHeader[]
  /** `name=value`, in order. */
  cookies: string[]
  /** Headers and cookies whose values are credentials. */
  credentials: { place: 'header' | 'cookie'; name: string }[]
  /** Parameters that are not required, and not sent. */
  optional: number
}

const places = ['path', 'query', 'header', 'cookie'] as const

/**
 * Fills in the parameters that an operation needs, in the form that the standard has for them. Those of the operation
 * replace those of its path.
 * @returns as a text why the operation is left out: the parameters without a value, or with another form, by name
 */
export const parametersOf = (
  document: Node,
  item: Node,
  operation: Node,
  template: string,
): Parameters | string => {
  const all = mergedParameters(document, item, operation)
  if (typeof all === 'string') return all
  const made: Parameters = {
    path: template,
    query: '',
    headers: [],
    cookies: [],
    credentials: [],
    optional: 0,
  }
  const [query, missing, wrong]: [string[], string[], string[]] = [[], [], []]
  for (const parameter of all) {
    const name = textOf(parameter['name']) ?? ''
    const place = places.find((each) => each === parameter['in'])
    const about = `${String(parameter['in']).slice(0, 50)} parameter ${name.slice(0, 100)}`
    if (place === undefined) wrong.push(`the ${about} has a place that a request has not`)
    else if (parameter['required'] !== true && place !== 'path') made.optional += 1
    else if (place === 'header' && ownHeaders.test(name)) continue
    else if (isCredential(place, name)) made.credentials.push({ place, name })
    else {
      const value = sentValue(document, parameter, { name, place })
      if (value === null) missing.push(about)
      else if ('why' in value) wrong.push(`the ${about} has ${value.why}`)
      else if (place === 'path') {
        if (value.text === '' || /^\.\.?$/.test(value.text))
          wrong.push(`the ${about} has a value that changes the path`)
        made.path = made.path.replaceAll(`{${name}}`, () => value.text)
      } else if (place === 'query') query.push(value.text)
      else if (place === 'header') made.headers.push({ name, value: value.text })
      else made.cookies.push(value.text)
    }
  }
  const open = [...made.path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => `path parameter ${name}`)
  const unknown = [...new Set([...missing, ...open])]
  if (unknown.length > 0) wrong.unshift(`no example, default or enum value of the ${unknown.join(', the ')}`)
  return wrong.length > 0 ? wrong.join('; ') : { ...made, query: query.join('&') }
}

const mergedParameters = (document: Node, item: Node, operation: Node): Node[] | string => {
  const byName = new Map<string, Node>()
  for (const value of [...listOf(item['parameters']), ...listOf(operation['parameters'])]) {
    const parameter = resolve(document, value)
    if ('problem' in parameter) return parameter.problem
    byName.set(`${String(parameter.node['in'])} ${String(parameter.node['name'])}`, parameter.node)
  }
  return [...byName.values()]
}

const isCredential = (place: Form['place'], name: string): place is 'header' | 'cookie' =>
  (place === 'header' && isCredentialHeader(name)) ||
  (place === 'cookie' && (isCredentialField(name) || isCredentialHeader(name)))

/** null: the document gives no value. */
const sentValue = (
  document: Node,
  parameter: Node,
  { name, place }: Pick<Form, 'name' | 'place'>,
): Serialised | null => {
  const example = exampleOf(document, parameter)
  if (example === null) return null
  if ('why' in example) return { why: `no value: ${example.why}` }
  const allowReserved = parameter['allowReserved'] === true
  const [type] = Object.keys(nodeOf(parameter['content']))
  if (type !== undefined) return ofContent(example.value, type, { name, place, allowReserved })
  return serialise(example.value, { name, place, allowReserved, ...styleOf(parameter) })
}

export const styleOf = (node: Node): Pick<Form, 'style' | 'explode'> => ({
  style: textOf(node['style']),
  explode: typeof node['explode'] === 'boolean' ? node['explode'] : null,
})

/** A value in a media type (OpenAPI 3.1, 4.8.12.3): its text, as one value. */
const ofContent = (
  value: unknown,
  type: string,
  form: Pick<Form, 'name' | 'place' | 'allowReserved'>,
): Serialised => {
  const isJson = /^application\/(?:.*\+)?json\b/i.test(type)
  if (!isJson && typeof value !== 'string')
    return { why: `a value that is no text for ${type.slice(0, 100)}` }
  // an example of JSON may be its text already
  const text =
    isJson && !(typeof value === 'string' && isJsonText(value)) ? JSON.stringify(value) : String(value)
  const encoded = encoderFor(form)(text)
  const isBare = form.place === 'path' || form.place === 'header'
  return { text: isBare ? encoded : `${encodeURIComponent(form.name)}=${encoded}` }
}

const isJsonText = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return isNode(value) || Array.isArray(value)
  } catch {
    return false
  }
}

/** Headers that other parts of a document describe (OpenAPI 3.1, 4.8.12.1). */
const ownHeaders = /^(?:accept|content-type|authorization)$/i
