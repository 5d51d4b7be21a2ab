import type { JsonConfigOf, JsonForm } from '@probe-mesh/contracts/channel/json-forms'
import { z } from 'zod'
import type { ChannelMessage } from '../message.ts'
import type { ChannelRequest } from '../request.ts'

/** What each vendor's documentation demands, written down without the builders' code. */
export type VendorForm = Exclude<JsonForm, 'default' | 'template'>

export type Step = 'trigger' | 'acknowledge' | 'resolve'

/** What a message does to the alert of its receiver. */
export const stepOf = ({ event }: Pick<ChannelMessage, 'event'>): Step => {
  if (event === 'acknowledged') return 'acknowledge'
  return event === 'recovery' || event === 'resolved' ? 'resolve' : 'trigger'
}

type Sent = Pick<ChannelRequest, 'headers' | 'body'> & { path: string }

export type Vendor<Form extends VendorForm = VendorForm> = {
  /** A config that sends to this receiver. */
  config: (origin: string) => JsonConfigOf<Form>
  path: (step: Step) => string | RegExp
  headers: Readonly<Record<string, string>>
  body: (step: Step) => z.ZodType
  /** The whole body, in bytes. */
  bytesMax: number
  /** What the receiver answers to an accepted message. */
  accepted: { status: number; body: string }
  /** What it answers to one that it refuses, with the part that a person has to see. */
  refused: { status: number; body: string; says: string }
  /** The texts that a person reads, by path, and how the receiver decodes them; throws at markup. */
  shown: Readonly<Record<string, (text: string) => string>>
}

export const plain = (text: string): string => text

export const short = (max: number) => z.string().min(1).max(max)
export const httpUrl = z.url({ protocol: /^https?$/ })

/** Decodes the three entities of Slack; any other control character is markup. */
export const fromEntities = (text: string): string => {
  if (/[<>]|&(?!amp;|lt;|gt;)/.test(text)) throw new Error(`markup in ${text}`)
  return text.replace(/&(amp|lt|gt);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>' })[name] ?? '')
}

/** HTML with these tags only; texts between them. */
export const fromHtml =
  (tags: RegExp) =>
  (html: string): string =>
    fromEntities(html.replace(tags, ''))

/** Every character of Markdown has a backslash before it, and no @ is followed by a name. */
export const fromMarkdown = (text: string): string => {
  const unescaped = text.replace(/\\[\\`*_~|<>[\]()#]/g, '')
  if (/[\\`*_~|<>[\]()#]|@\w/.test(unescaped)) throw new Error(`markup in ${text}`)
  return text.replace(/\\([\\`*_~|<>[\]()#])/g, '$1').replaceAll('@\u200b', '@')
}

/** Every way in which a request is not what the vendor documents. */
export const vendorProblems = (vendor: Vendor, { path, headers, body }: Sent, step: Step): string[] => {
  const wanted = vendor.path(step)
  const parsed = vendor.body(step).safeParse(JSON.parse(body))
  return [
    ...((typeof wanted === 'string' ? path === wanted : wanted.test(path)) ? [] : [`path ${path}`]),
    ...Object.entries({ 'content-type': 'application/json', ...vendor.headers }).flatMap(([name, value]) =>
      headers[name] === value ? [] : [`header ${name}`],
    ),
    ...(Buffer.byteLength(body) <= vendor.bytesMax ? [] : ['too many bytes']),
    ...(parsed.error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? []),
  ]
}

/** The texts that a person reads, decoded. @throws at markup that a message brought in */
export const shownTexts = (vendor: Vendor, body: string): string[] =>
  Object.entries(vendor.shown).flatMap(([path, decode]) =>
    valuesAt(JSON.parse(body), path.split('.')).flatMap((value) =>
      typeof value === 'string' ? [decode(value)] : [],
    ),
  )

const valuesAt = (value: unknown, [part, ...rest]: readonly string[]): unknown[] => {
  if (part === undefined) return [value]
  if (typeof value !== 'object' || value === null) return []
  const inner = part === '*' ? Object.values(value) : [(value as Record<string, unknown>)[part]]
  return inner.flatMap((each) => valuesAt(each, rest))
}
