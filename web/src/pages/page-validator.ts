import { listMembers } from '@probe-mesh/runtime/headers'
import type { PageValidator } from './public-route.ts'

/** A copy is confirmed for this long; then the page is sent again with newer times. */
export const confirmedMinutesMax = 10

/**
 * A weak tag (RFC 9110, 8.8.1), since pages with one revision differ in the times of their data. It contains
 * the minute of the data as well.
 */
export const tagOf = ({ revision, asOf }: PageValidator): string =>
  `W/"${revision}.${minuteOf(asOf).toString(36)}"`

/**
 * The tag of the copy that a client has, if it shows the same and its data is at most `confirmedMinutesMax`
 * old; null: send the page.
 * @param ifNoneMatch the header
 */
export const confirmedTag = (ifNoneMatch: string | undefined, validator: PageValidator): string | null => {
  const minute = minuteOf(validator.asOf)
  const own = listMembers(ifNoneMatch).find((tag) => {
    const [, revision, from = ''] = /^(?:W\/)?"([\w-]+)\.([0-9a-z]{1,8})"$/.exec(tag) ?? []
    const age = minute - Number.parseInt(from, 36)
    return revision === validator.revision && age >= 0 && age <= confirmedMinutesMax
  })
  return own ?? null
}

const minuteOf = (instant: string): number => Math.floor(Date.parse(instant) / 60_000)
