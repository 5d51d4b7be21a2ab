import { removedMark } from '@probe-mesh/contracts/error-tracking/removed'

const email = /[\p{L}\p{N}_.+%'-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}(?![\p{L}\p{N}])/gu

/** Four numbers up to 255, that are no version: none follows a name and a slash, or a "v". */
const octet = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const ipv4 = new RegExp(
  `(?<![\\w.]|[A-Za-z]\\/|[Vv]ersion[ :=]{1,2})${octet}(?:\\.${octet}){3}(?![\\w]|\\.\\d)`,
  'g',
)
const ipv6 = /(?<![\w:.])[0-9a-f:]{2,39}(?:\d{0,2}(?:\.\d{1,3}){3})?(?![\w:])/gi

/** What an address has in any case: a text without it is not searched for one. */
const hint4 = /\d\.\d{1,3}\.\d/
const hint6 = /::|:(?:[0-9a-f]{1,4}:){5}/i

/** Takes out e-mail and IP addresses, but for those that are every machine's own. Pure. */
export const scrubAddresses = (text: string): string => {
  let rest = text
  const sign = rest.indexOf('@')
  if (sign !== -1 && rest.includes('.', sign)) rest = rest.replaceAll(email, removedMark('email'))
  if (hint4.test(rest)) {
    rest = rest.replaceAll(ipv4, (found) => (isOwn4(found) ? found : removedMark('ip address')))
  }
  if (rest.includes(':') && hint6.test(rest)) {
    rest = rest.replaceAll(ipv6, (found) => (isAddress6(found) ? removedMark('ip address') : found))
  }
  return rest
}

const isOwn4 = (found: string): boolean => found.startsWith('127.') || found === '0.0.0.0'

/** With a digit, since `Face::Add` is a function; and neither `::` nor `::1`, which every machine has. */
const isAddress6 = (found: string): boolean => {
  if (!/[1-9]/.test(found) || found === '::1') return false
  const halves = found.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group) || /^\d+(?:\.\d+){3}$/.test(group)))
    return false
  const count = groups.length + (groups.at(-1)?.includes('.') === true ? 1 : 0)
  return halves.length === 2 ? count < 8 : count === 8
}
