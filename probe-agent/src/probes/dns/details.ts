import { limits } from '@probe-mesh/contracts/schema/limits'
import type { ReadingDetails } from '@probe-mesh/contracts/reading/reading-details'
import type { Answer } from './query.ts'

const valueCharactersMax = 300

/** What a reading notes of an answer, within the bounds of readings. */
export const detailsOf = ({ rcode, ttlSeconds, values }: Answer): ReadingDetails => ({
  type: 'dns',
  rcode,
  ttlSeconds,
  values: values.slice(0, limits.dnsValuesMax).map(shown),
})

/** Control characters, which only free text can hold, as `\010`; a pair is not cut in half. */
const shown = (value: string): string => {
  const escaped = value.replace(/\p{Cc}/gu, (control) => {
    return `\\${String(control.charCodeAt(0)).padStart(3, '0')}`
  })
  return escaped.slice(0, valueCharactersMax).replace(/[\uD800-\uDBFF]$/, '')
}
