import { ContentType } from '@probe-mesh/contracts/check/request-options'
import { isNode, nodeOf, resolve, type Node } from './document.ts'
import { exampleOf } from './examples.ts'
import { styleOf } from './parameters.ts'
import { serialise } from './serialise.ts'

export type Body = { body?: string; contentType?: string }

/**
 * The body of an operation by the first media type with an example that a check can send; none where it is not required.
 * @returns as a text why the operation is left out
 */
export const bodyOf = (document: Node, operation: Node): { body: Body; isLeftOut: boolean } | string => {
  if (operation['requestBody'] === undefined) return { body: {}, isLeftOut: false }
  const body = resolve(document, operation['requestBody'])
  if ('problem' in body) return body.problem
  const reasons: string[] = []
  for (const [contentType, value] of Object.entries(nodeOf(body.node['content']))) {
    const media = resolve(document, value)
    if ('problem' in media) {
      reasons.push(media.problem)
      continue
    }
    const example = exampleOf(document, media.node)
    const text =
      example === null
        ? { why: 'has no example' }
        : 'why' in example
          ? { why: `has no example: ${example.why}` }
          : bodyText(contentType, example.value, nodeOf(media.node['encoding']))
    if ('text' in text) return { body: { body: text.text, contentType }, isLeftOut: false }
    reasons.push(`its body as ${contentType.slice(0, 100)} ${text.why}`)
  }
  if (body.node['required'] !== true) return { body: {}, isLeftOut: true }
  return reasons.length === 0 ? 'its body has no media type' : reasons.join('; ')
}

const bodyText = (
  contentType: string,
  value: unknown,
  encoding: Node,
): { text: string } | { why: string } => {
  if (!ContentType.safeParse(contentType).success) return { why: 'has a range of media types' }
  const type = contentType.toLowerCase()
  if (type.startsWith('multipart/')) return { why: 'is a form with parts, which a check does not send' }
  // an example of JSON may be its text already
  if (/^application\/(?:.*\+)?json\b/.test(type))
    return { text: typeof value === 'string' && /^\s*[{[]/.test(value) ? value : JSON.stringify(value) }
  if (typeof value === 'string') return { text: value }
  if (!type.startsWith('application/x-www-form-urlencoded') || !isNode(value))
    return { why: 'has an example that is no text' }
  const pairs: string[] = []
  for (const [name, each] of Object.entries(value)) {
    const pair = formPair(name, each, nodeOf(encoding[name]))
    if ('why' in pair) return { why: `has a field ${name.slice(0, 100)} with ${pair.why}` }
    pairs.push(pair.text)
  }
  return { text: pairs.join('&') }
}

/**
 * A field of a form: a list repeats its name, an object is JSON, encoded as browsers do it; with a style in `encoding` as
 * in a query (OpenAPI 3.1, 4.8.15).
 */
const formPair = (name: string, value: unknown, encoding: Node): { text: string } | { why: string } => {
  if (['style', 'explode', 'allowReserved'].some((key) => encoding[key] !== undefined)) {
    const allowReserved = encoding['allowReserved'] === true
    return serialise(value, { name, place: 'query', allowReserved, ...styleOf(encoding) })
  }
  const isJson = /json/i.test(String(encoding['contentType'] ?? ''))
  const values = Array.isArray(value) && !isJson ? value : [value]
  const texts = values.map((each) =>
    isJson || typeof each === 'object' ? JSON.stringify(each) : String(each),
  )
  return { text: new URLSearchParams(texts.map((text): [string, string] => [name, text])).toString() }
}
