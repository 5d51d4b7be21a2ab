import { parseJsonPath, valueAt } from '@probe-mesh/contracts/check/json-path'
import type { Trial } from '@probe-mesh/contracts/check/trial'
import { z } from 'zod'
import type { Typed } from '../../html/components/form.ts'

/** An assertion that the trial's answer satisfies: its text, and the form fields that create it. */
export type Offer = { text: string; fields: Readonly<Record<string, string>> }

const offersMax = 6
const valuesMax = 3
const depthMax = 4
const textMax = 60
const plainKey = /^[A-Za-z_][\w-]{0,39}$/

const names = [
  'assertionStatusMin',
  'assertionStatusMax',
  'assertionBodyOp',
  'assertionBodyValue',
  'assertionJsonPath',
  'assertionJsonOp',
  'assertionJsonValue',
] as const
const OfferFields = z.partialRecord(z.enum(names), z.string().max(500))
const OfferList = z.array(z.strictObject({ text: z.string().max(300), fields: OfferFields })).max(offersMax)

/**
 * Assertions from the answer: its status, its first JSON values, or its title. None without an answer; a
 * server error is never expected.
 */
export const offersOf = ({ readings, excerpt }: Pick<Trial, 'readings' | 'excerpt'>): Offer[] => {
  const status =
    readings.find(({ httpStatus }) => httpStatus !== null && httpStatus < 500)?.httpStatus ?? null
  const ofStatus =
    status === null
      ? []
      : [
          {
            text: `status ${status}`,
            fields: { assertionStatusMin: String(status), assertionStatusMax: String(status) },
          },
        ]
  return [...ofStatus, ...(excerpt === undefined ? [] : bodyOffers(excerpt))].slice(0, offersMax)
}

const bodyOffers = ({ body, isCut }: NonNullable<Trial['excerpt']>): Offer[] => {
  const root = isCut ? undefined : jsonOf(body)
  if (root !== undefined) return jsonOffers(root)
  const title = /<title[^<>]*>([^<&]+)<\/title>/i.exec(body)?.[1]?.trim() ?? ''
  if (title === '' || title.length > 60) return []
  return [
    { text: `body contains ${title}`, fields: { assertionBodyOp: 'contains', assertionBodyValue: title } },
  ]
}

/** Only objects and arrays have paths. */
const jsonOf = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

const jsonOffers = (root: unknown): Offer[] =>
  leavesOf(root, '', 0)
    .filter(({ path, value }) => {
      const parsed = parseJsonPath(path)
      return parsed.ok && String(valueAt(root, parsed.parts)) === value
    })
    .slice(0, valuesMax)
    .map(({ path, value }) => ({
      text: `JSON ${path} = ${value}`,
      fields: { assertionJsonPath: path, assertionJsonOp: 'equals', assertionJsonValue: value },
    }))

type Leaf = { path: string; value: string }

/** Short values with plain paths, in the order of the answer; the first element represents its array. */
const leavesOf = (value: unknown, path: string, depth: number): Leaf[] => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    const text = String(value)
    return text === '' || text.length > textMax ? [] : [{ path, value: text }]
  }
  if (value === null || typeof value !== 'object' || depth >= depthMax) return []
  if (Array.isArray(value)) return value.slice(0, 1).flatMap((one) => leavesOf(one, `${path}[0]`, depth + 1))
  return Object.entries(value)
    .filter(([key]) => plainKey.test(key))
    .flatMap(([key, one]) => leavesOf(one, path === '' ? key : `${path}.${key}`, depth + 1))
}

/** The offers that a form was shown with; invalid ones are ignored. */
export const offersIn = (typed: Typed): Offer[] => {
  try {
    const { data } = OfferList.safeParse(JSON.parse(typed['offers'] ?? '[]'))
    return (data ?? []).map(({ text, fields }) => ({ text, fields: { ...fields } as Record<string, string> }))
  } catch {
    return []
  }
}

/** The form after accepting an offer, by the `act` of its button; null for any other. */
export const takeOffer = (act: string | null, typed: Typed): Typed | null => {
  const number = /^offer-(\d)$/.exec(act ?? '')?.[1]
  const offers = offersIn(typed)
  const taken = number === undefined ? undefined : offers[Number(number)]
  if (taken === undefined) return null
  const left = offers.filter((offer) => offer !== taken)
  return { ...typed, ...taken.fields, offers: JSON.stringify(left) }
}
