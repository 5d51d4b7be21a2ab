/** Where a value goes, and how (OpenAPI 3.1, 4.8.12: style, explode, allowReserved). */
export type Form = {
  name: string
  place: 'path' | 'query' | 'header' | 'cookie'
  /** null: that of the place. */
  style: string | null
  /** null: that of the style. */
  explode: boolean | null
  allowReserved: boolean
}

/** The text of a value with its names: `a=1&b=2` for a query, `;a=1` for a path. Or why there is none. */
export type Serialised = { text: string } | { why: string }

const styles: Readonly<Record<Form['place'], readonly string[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/** Serialises a value by the table of the standard, which follows RFC 6570. */
export const serialise = (value: unknown, form: Form): Serialised => {
  const style = form.style ?? styles[form.place][0] ?? ''
  if (!styles[form.place].includes(style))
    return { why: `the style ${style.slice(0, 50)}, which a ${form.place} has not` }
  const explode = form.explode ?? (style === 'form' || style === 'deepObject')
  const parts = partsOf(value)
  if (typeof parts === 'string') return { why: parts }
  if (style === 'deepObject' && (parts.kind !== 'object' || !explode))
    return { why: 'the style deepObject with a value that is no object, or without explode' }
  if (style.endsWith('Delimited') && (parts.kind === 'primitive' || explode))
    return { why: `the style ${style} with a single value, or with explode` }
  if (form.place === 'cookie' && explode && parts.kind !== 'primitive')
    return { why: 'several values with explode, which a cookie has not' }
  return { text: textOf(parts, { ...form, style, explode }) }
}

type Parts =
  | { kind: 'primitive'; text: string }
  | { kind: 'array'; texts: string[] }
  | { kind: 'object'; pairs: [name: string, text: string][] }

const partsOf = (value: unknown): Parts | string => {
  const single = scalar(value)
  if (single !== null) return { kind: 'primitive', text: single }
  if (value === null || typeof value !== 'object') return 'an example that is null'
  const isList = Array.isArray(value)
  const pairs = Object.entries(value).map(([name, each]): [string, string | null] => [name, scalar(each)])
  const known = pairs.filter((pair): pair is [string, string] => pair[1] !== null)
  if (known.length < pairs.length) return 'an example whose values are lists or objects themselves'
  if (known.length === 0) return 'an example without a value'
  return isList ? { kind: 'array', texts: known.map(([, text]) => text) } : { kind: 'object', pairs: known }
}

const scalar = (value: unknown): string | null =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null

/** Percent-encodes all but unreserved characters; headers stay as they are. */
export const encoderFor = ({ place, allowReserved }: Pick<Form, 'place' | 'allowReserved'>) =>
  place === 'header' ? (text: string) => text : allowReserved && place === 'query' ? reserved : unreserved

const unreserved = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )

/** RFC 6570 3.2.3: reserved characters and triplets stay. A # would end the query. */
const reserved = (text: string): string =>
  text.replaceAll(/%[0-9a-f]{2}|[:/?[\]@!$&'()*+,;=]|[^]/giu, (part) =>
    /^(?:%..|[:/?[\]@!$&'()*+,;=])$/.test(part) ? part : unreserved(part),
  )

type Chosen = Omit<Form, 'style' | 'explode'> & { style: string; explode: boolean }

/** By style: what is before all, what is between exploded values, and whether each has the name. */
const shapes: Readonly<Record<string, { first: string; between: string; isNamed: boolean }>> = {
  simple: { first: '', between: ',', isNamed: false },
  label: { first: '.', between: '.', isNamed: false },
  matrix: { first: ';', between: ';', isNamed: true },
  form: { first: '', between: '&', isNamed: true },
}

const delimiters: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' }

const textOf = (parts: Parts, form: Chosen): string => {
  const encode = encoderFor(form)
  const name = form.place === 'header' ? form.name : unreserved(form.name)
  if (form.style === 'deepObject') {
    const pairs = parts.kind === 'object' ? parts.pairs : []
    return pairs.map(([key, text]) => `${name}%5B${unreserved(key)}%5D=${encode(text)}`).join('&')
  }
  const { first, between, isNamed } = shapes[form.style] ?? { first: '', between: '', isNamed: true }
  const equals = (key: string, text: string): string =>
    // RFC 6570 3.2.7: an empty value has no sign in a matrix
    form.style === 'matrix' && text === '' ? key : `${key}=${text}`
  const named = (text: string): string => (isNamed ? equals(name, text) : text)
  if (parts.kind === 'primitive') return first + named(encode(parts.text))
  if (form.explode) {
    const each =
      parts.kind === 'array'
        ? parts.texts.map((text) => named(encode(text)))
        : parts.pairs.map(([key, text]) => equals(encode(key), encode(text)))
    return first + each.join(between)
  }
  const texts = parts.kind === 'array' ? parts.texts : parts.pairs.flat()
  return first + named(texts.map(encode).join(delimiters[form.style] ?? ','))
}
