import { fieldsOf, isCredentialField } from '../draft/credentials.ts'
import { snakeCase } from '../draft/found-secrets.ts'
import { headerOf, type Entry } from './har-file.ts'

/** A value of a request with the name that people know it by. */
export type Sent = { name: string; value: string }

/** Where values come from: the first answer that has each, and the first request. */
export type Origins = {
  /** The entry whose answer was the first to give this id, by a key such as `id` or in its Location. */
  idFrom(value: string, before: number): number | null
  /** The entry whose answer was the first to have all of this value; null: none, or a request had it before. */
  answerWith(value: string, before: number): number | null
}

/** Text is cut here; what is left are words, numbers and tokens. */
const between = /[\s"'<>&=,;:(){}[\]\\]+/
const partCharactersMin = 6
/** Longer ones are files within a text. */
const partCharactersMax = 4_096

const partsOf = (text: string): string[] =>
  text.split(between).filter((part) => part.length >= partCharactersMin && part.length <= partCharactersMax)

/**
 * Indexes the values of all entries once, each at the first answer and the first request that had it. The jar of a journey
 * carries cookies, but not what a page reads from them: so a cookie counts as an answer.
 */
export const originsOf = (entries: readonly Entry[]): Origins => {
  const [answers, requests] = [new Map<string, number>(), new Map<string, number>()]
  const ids = new Map<string, number>()
  const note = (into: Map<string, number>, text: string, index: number): void => {
    for (const part of partsOf(text)) if (!into.has(part)) into.set(part, index)
  }
  for (const [index, entry] of entries.entries()) {
    const { request, response } = entry
    for (const text of [request.url, request.postData?.text ?? '']) {
      note(requests, text, index)
      note(requests, decoded(text), index)
    }
    for (const { name, value } of request.headers) {
      if (name.toLowerCase() !== 'cookie') note(requests, value, index)
    }
    for (const text of answerTexts(response)) note(answers, text, index)
    for (const { value } of plainValues(entry)) if (!ids.has(value)) ids.set(value, Number.POSITIVE_INFINITY)
    for (const id of idsIn(response)) if (!ids.has(id)) ids.set(id, index)
  }
  return {
    idFrom: (value, before) => {
      const at = ids.get(value) ?? Number.POSITIVE_INFINITY
      return at < before ? at : null
    },
    answerWith: (value, before) => {
      const parts = partsOf(value)
      if (parts.length === 0) return null
      const places = parts.map((part) => answers.get(part) ?? Number.POSITIVE_INFINITY)
      const at = Math.max(...places)
      const isSentBefore = parts.some((part) => (requests.get(part) ?? Number.POSITIVE_INFINITY) <= at)
      return at < before && !isSentBefore ? at : null
    },
  }
}

/** Ids that an answer gives: values of keys for ids in its JSON, and the last part of its Location. */
const idsIn = ({ content, headers }: Entry['response']): string[] => {
  const location = URL.parse(headerOf(headers, 'location') ?? '', 'http://host')
  const last = location?.pathname.split('/').findLast((part) => part !== '')
  const found = /json/i.test(content.mimeType) ? fieldsOf(bodyText(content), 'application/json') : []
  return [
    ...(last !== undefined && /\d/.test(last) ? [decoded(last)] : []),
    ...found.filter(([name]) => isIdField(name)).map(([, value]) => value),
  ].filter((value) => value !== '')
}

const isIdField = (name: string): boolean =>
  /(?:^|_)(?:id|uuid|guid|key|number|no|ref|reference|handle|slug)$/.test(snakeCase(name))

/** The values of a request that may be ids: of its query, its body and the parts of its path. */
export const plainValues = ({ request }: Entry): Sent[] => {
  const url = URL.parse(request.url)
  if (url === null) return []
  return [
    ...url.pathname
      .split('/')
      .filter((part) => part !== '')
      .map(decoded)
      .map((value) => ({ name: `the part ${value.slice(0, 40)} of the path`, value })),
    ...[...url.searchParams].map(([name, value]) => ({ name, value })),
    ...fieldsOf(request.postData?.text ?? null, request.postData?.mimeType ?? null)
      .filter(([name]) => isIdField(name))
      .map(([name, value]) => ({ name, value })),
  ]
}

const bodyText = ({ text, encoding }: Entry['response']['content']): string =>
  encoding === 'base64' ? Buffer.from(text ?? '', 'base64').toString() : (text ?? '')

/** What an answer says, also as the page or program that reads it sees it. */
const answerTexts = ({ content, headers }: Entry['response']): string[] => {
  const body = bodyText(content)
  return [
    body,
    ...(body.includes('&') ? [withoutEntities(body)] : []),
    ...(body.includes('\\') ? [withoutEscapes(body)] : []),
    ...headers.flatMap(({ value }) => [value, decoded(value)]),
  ]
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const withoutEntities = (text: string): string =>
  text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gi,
    (whole, hex, number, name) => {
      if (name !== undefined) return entities[String(name).toLowerCase()] ?? whole
      const code = hex === undefined ? Number(number) : Number.parseInt(hex, 16)
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
    },
  )

const withoutEscapes = (text: string): string =>
  text
    .replaceAll('\\/', '/')
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16)))

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Headers whose values a browser chooses by the page it is on. */
const ownHeaders =
  /^(?:accept|accept-.*|cookie|host|origin|referer|user-agent|content-.*|connection|sec-.*|:.*)$/i

/** The values of a request that an answer may have given: of headers, body, query and path. */
export const sentBy = ({ request }: Entry, body: string | null): Sent[] => {
  const url = new URL(request.url)
  return [
    ...request.headers
      .filter(({ name }) => !ownHeaders.test(name))
      .map(({ name, value }) => ({ name, value: value.replace(/^(?:bearer|basic|token)\s+/i, '') })),
    ...fieldsOf(body, request.postData?.mimeType ?? null).map(([name, value]) => ({ name, value })),
    ...[...url.searchParams].map(([name, value]) => ({ name, value })),
    ...url.pathname
      .split('/')
      .map(decoded)
      .filter(isGenerated)
      .map((value) => ({ name: `the part ${value.slice(0, 40)} of the path`, value })),
  ]
}

/** Fields that protect forms: servers make their values anew for each session. */
export const isSessionField = (name: string): boolean =>
  /csrf|xsrf|authenticity_token|requestverificationtoken|request_verification_token|viewstate|nonce/.test(
    snakeCase(name),
  )

/** Whether a value can be one that an answer gave: a word of a page that is sent by chance is not. */
export const mayBePassed = ({ name, value }: Sent): boolean =>
  /^authorization$/i.test(name) || isSessionField(name) || isCredentialField(name) || isGenerated(value)

/** Whether a program made this text, such as a token or an id: no word, name, date or address. */
const isGenerated = (text: string): boolean =>
  !/\s/.test(text) &&
  !/^\d{4}-\d\d-\d\d/.test(text) &&
  !/^[^@]+@[^@]+\.[a-z]+$/i.test(text) &&
  !/^https?:\/\//i.test(text) &&
  (text.match(/[a-z0-9]{8,}/gi) ?? []).some(
    (run) => /^\d+$/.test(run) || (run.match(/[a-z]\d|\d[a-z]/gi) ?? []).length >= 2,
  )
