import { z } from 'zod'
import { field } from '../schema/field.ts'
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

export const webhookUrl = field(
  ChannelUrl,
  'Webhook URL of the receiver.',
  'https://hooks.example.com/services/T000/B000',
)
export const postUrl = field(
  ChannelUrl,
  'URL that receives a POST for each message.',
  'https://hooks.example.com/mesh',
)
export const apiKey = field(ChannelKey, 'Key of the integration.', '00000000-0000-0000-0000-000000000000')
export const apiUrl = field(
  ChannelUrl.optional(),
  'Root of the API. Absent: the one that most accounts use.',
  'https://api.eu.opsgenie.com',
)
