import { oneLine } from '@probe-mesh/runtime/one-line'
import type { ChannelMessage } from '../../notifications/channels/forms/message.ts'
import { instantText } from '../../alerts/alert-message.ts'
import type { WatchedCheck } from '../../alerts/evidence.ts'
import type { ExpiryEvent, ExpiryKind } from './expiry.ts'

/** Something that expires. Times are Unix milliseconds. */
export type Expiring = {
  kind: ExpiryKind
  /** The domain, or the known names of a certificate. */
  names: readonly string[]
  nameCount: number
  /** The issuer of the certificate, or the registrar of the domain. */
  by: string | null
  expiresAtMs: number
  /** The name of the certificate above it that ends first; null or absent: it ends first itself. */
  endsWith?: string | null
  /** When the target showed it, or the registry reported it. */
  seenAtMs: number
}

/** One notification, for all checks that share its cause. */
export type ExpiryNotice = {
  event: ExpiryEvent
  expiring: Expiring
  checks: readonly Pick<WatchedCheck, 'id' | 'name' | 'url' | 'target'>[]
}

const dayMs = 86_400_000
/** Beyond these, only the number of the rest is given. */
const namesMax = 5
const checksMax = 10

/** The message, as plain text: each channel formats it. */
export const composeExpiry = (
  notice: ExpiryNotice,
  by: { ruleName: string; publicUrl: string; nowMs: number },
): ChannelMessage => {
  const { event, expiring, checks } = notice
  const [first] = checks
  const subject = subjectOf(notice)
  const { expiresAtMs } = expiring
  const { title, text } =
    event === 'renewed'
      ? {
          title: `${subject} was renewed`,
          text: `It is valid until ${instantText(expiresAtMs)}.`,
        }
      : {
          title: `${subject} ${whenText(expiresAtMs - by.nowMs)}`,
          text: `${expiresAtMs > by.nowMs ? 'It expires' : 'It expired'} at ${instantText(expiresAtMs)}.`,
        }
  return {
    event: event === 'renewed' ? 'recovery' : 'alert',
    title,
    text: [text, sourceText(expiring), checksText(checks)].filter((line) => line !== '').join('\n'),
    facts: factsOf(notice, by.ruleName),
    url:
      checks.length === 1
        ? `${by.publicUrl}/dashboard/checks/${first?.id}`
        : `${by.publicUrl}/dashboard/checks`,
    at: new Date(by.nowMs).toISOString(),
    alertKey: `expiry:${expiring.kind}:${expiring.kind === 'domain' ? expiring.names[0] : first?.id}`,
  }
}

const subjectOf = ({ expiring, checks }: ExpiryNotice): string => {
  if (expiring.kind === 'domain') return `The domain ${oneLine(expiring.names[0] ?? '')}`
  return checks.length === 1
    ? `The certificate of ${checks[0]?.name}`
    : `A certificate of ${checks.length} checks`
}

const whenText = (leftMs: number): string => {
  if (leftMs <= 0) return 'has expired'
  const days = Math.floor(leftMs / dayMs)
  if (days === 0) return 'expires in less than a day'
  return `expires in ${days} ${days === 1 ? 'day' : 'days'}`
}

const listed = (names: readonly string[], count: number, max: number): string => {
  const some = names.slice(0, max).map(oneLine)
  const more = count - some.length
  return `${some.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const sourceText = ({ kind, by, names, nameCount, endsWith = null, seenAtMs }: Expiring): string => {
  const whose = by === null ? '' : ` by ${oneLine(by)}`
  if (kind === 'domain') {
    const registrar = by === null ? '' : ` Registrar: ${oneLine(by)}.`
    return `Reported by its registry at ${instantText(seenAtMs)}.${registrar}`
  }
  const issued = names.length === 0 ? '' : `Issued${whose} for ${listed(names, nameCount, namesMax)}. `
  const above =
    endsWith === null
      ? ''
      : `The one that expires is above it: ${oneLine(endsWith)}. Install the chain that replaces it. `
  return `${above}${issued}Last shown at ${instantText(seenAtMs)}.`
}

const checksText = (checks: ExpiryNotice['checks']): string =>
  checks.length === 1
    ? ''
    : `Checks: ${listed(
        checks.map(({ name }) => name),
        checks.length,
        checksMax,
      )}.`

const factsOf = ({ event, expiring, checks }: ExpiryNotice, ruleName: string): ChannelMessage['facts'] => {
  const [only] = checks.length === 1 ? checks : []
  return [
    { name: 'Check', value: only?.name ?? '' },
    { name: 'Target', value: only?.url ?? only?.target ?? '' },
    {
      name: event === 'renewed' ? 'Valid until' : 'Expires',
      value: instantText(expiring.expiresAtMs),
    },
    {
      name: expiring.kind === 'domain' ? 'Registrar' : 'Issuer',
      value: oneLine(expiring.by ?? ''),
    },
    { name: 'Rule', value: ruleName },
  ].filter(({ value }) => value !== '')
}
