import { z } from 'zod'
import { limits } from '../schema/limits.ts'

/** The URL of a channel's receiver. Saving and sending check separately that it is safe. */
export const ChannelUrl = z
  .string()
  .max(limits.urlCharactersMax)
  .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), 'must be an http or https URL')

/** A key or a token of a receiver, as it is sent in a header or a body. */
export const ChannelKey = z
  .string()
  .max(200)
  .regex(/^[\x21-\x7e]+$/, 'must be visible ASCII without spaces')

const isBase64 = (text: string): boolean => z.base64().min(16).safeParse(text).success

/** Standard Webhooks: `whsec_` and base64, or any text. Without a secret messages are not signed. */
export const SigningSecret = z
  .string()
  .min(16, 'must have at least 16 characters')
  .max(200)
  .refine(
    (text) => !text.startsWith('whsec_') || isBase64(text.slice('whsec_'.length)),
    'must be base64 after whsec_',
  )
