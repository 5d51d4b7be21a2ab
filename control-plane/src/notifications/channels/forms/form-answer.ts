import type { JsonForm } from '@probe-mesh/contracts/channel/json-forms'
import { z } from 'zod'
import type { Answer } from '../../outgoing/guarded-request.ts'

type Read = Pick<Answer, 'httpStatus' | 'text'>

const parsedBy = <T>(schema: z.ZodType<T>, text: string): T | null => {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

const PagerDuty = z.object({ status: z.literal('success') })
const Telegram = z.object({ ok: z.literal(true) })
const Pushover = z.object({ status: z.literal(1) })
const Throttled = z.object({ parameters: z.object({ retry_after: z.number().nonnegative() }) })

/** What an answer with a 2xx status has to say; a form without an entry says no more than the status. */
const accepts: Readonly<Partial<Record<JsonForm, (answer: Read) => boolean>>> = {
  slack: ({ text }) => text.trim() === 'ok',
  pagerduty: ({ httpStatus, text }) => httpStatus === 202 && parsedBy(PagerDuty, text) !== null,
  telegram: ({ text }) => parsedBy(Telegram, text) !== null,
  ntfy: ({ httpStatus }) => httpStatus === 200,
  mattermost: ({ httpStatus }) => httpStatus === 200,
  google_chat: ({ httpStatus }) => httpStatus === 200,
  gotify: ({ httpStatus }) => httpStatus === 200,
  pushover: ({ text }) => parsedBy(Pushover, text) !== null,
  jsm: ({ httpStatus }) => httpStatus === 202,
}

/** Whether an answer with a 2xx status is what the vendor documents as a success. */
export const isAccepted = (form: JsonForm, answer: Read): boolean => accepts[form]?.(answer) ?? true

/** The wait that Telegram requests, which is in the body, as a Retry-After header has it. */
export const retryAfterOf = (form: JsonForm, { text, retryAfter }: Pick<Answer, 'text' | 'retryAfter'>) => {
  if (form !== 'telegram' || retryAfter !== null) return retryAfter
  const seconds = parsedBy(Throttled, text)?.parameters.retry_after
  return seconds === undefined ? null : String(Math.ceil(seconds))
}
