import { z } from 'zod'
import { fromEntities, fromHtml, fromMarkdown, httpUrl, plain, short, type Vendor } from './vendor.ts'

/** Block Kit: docs.slack.dev/reference/block-kit. Escapes: docs.slack.dev/messaging/formatting-message-text. */
const slackText = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: short(max), emoji: z.boolean().optional() })
export const slack: Vendor<'slack'> = {
  config: (origin) => ({ form: 'slack', webhookUrl: `${origin}/services/T000/B000/XXXX` }),
  path: () => '/services/T000/B000/XXXX',
  headers: {},
  body: () =>
    z.strictObject({
      text: short(40_000),
      mrkdwn: z.boolean().optional(),
      attachments: z
        .array(
          z.strictObject({
            color: z.string().regex(/^#[0-9a-f]{6}$/i),
            blocks: z
              .array(
                z.discriminatedUnion('type', [
                  z.strictObject({ type: z.literal('header'), text: slackText(150) }),
                  z.strictObject({
                    type: z.literal('section'),
                    text: slackText(3_000).optional(),
                    fields: z.array(slackText(2_000)).min(1).max(10).optional(),
                  }),
                  z.strictObject({
                    type: z.literal('actions'),
                    elements: z
                      .array(
                        z.strictObject({
                          type: z.literal('button'),
                          text: slackText(75),
                          url: httpUrl.max(3_000),
                        }),
                      )
                      .min(1)
                      .max(25),
                  }),
                ]),
              )
              .max(50),
          }),
        )
        .max(100),
    }),
  bytesMax: 100_000,
  accepted: { status: 200, body: 'ok' },
  refused: { status: 404, body: 'no_service', says: 'no_service' },
  shown: {
    text: fromEntities,
    'attachments.*.blocks.*.text.text': fromEntities,
    'attachments.*.blocks.*.fields.*.text': fromEntities,
  },
}

/** core.telegram.org/bots/api#sendmessage, #html-style */
const telegramTags = /<\/?b>|<a href="https?:\/\/[^"<>\s]*">|<\/a>/g
export const telegram: Vendor<'telegram'> = {
  config: (origin) => ({
    form: 'telegram',
    botToken: '123456:ABC-DEF',
    chatId: '-1001234567890',
    apiUrl: origin,
  }),
  path: () => '/bot123456:ABC-DEF/sendMessage',
  headers: {},
  body: () =>
    z.strictObject({
      chat_id: z.string().regex(/^(-?\d+|@\w+)$/),
      text: z.string().refine((text) => {
        const { length } = fromHtml(telegramTags)(text)
        return length >= 1 && length <= 4_096 && text.split('<a ').length === 2
      }, 'must have 1 to 4,096 characters after its entities are parsed, and one link'),
      parse_mode: z.literal('HTML'),
      link_preview_options: z.strictObject({ is_disabled: z.boolean() }).optional(),
      disable_notification: z.boolean().optional(),
    }),
  bytesMax: 100_000,
  accepted: { status: 200, body: '{"ok":true,"result":{"message_id":1}}' },
  refused: {
    status: 400,
    body: '{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}',
    says: 'chat not found',
  },
  shown: { text: fromHtml(telegramTags) },
}

/** developers.mattermost.com/integrate/reference/message-attachments; a post has 16,383 characters */
export const mattermost: Vendor<'mattermost'> = {
  config: (origin) => ({ form: 'mattermost', webhookUrl: `${origin}/hooks/xxx-generatedkey-xxx` }),
  path: () => '/hooks/xxx-generatedkey-xxx',
  headers: {},
  body: () =>
    z.strictObject({
      attachments: z
        .array(
          z.strictObject({
            fallback: short(16_383),
            color: z.string().regex(/^#[0-9a-f]{6}$/i),
            title: short(1_000),
            title_link: httpUrl,
            text: z.string().max(16_383),
            fields: z.array(z.strictObject({ title: z.string(), value: z.string(), short: z.boolean() })),
          }),
        )
        .min(1),
    }),
  bytesMax: 100_000,
  accepted: { status: 200, body: 'ok' },
  refused: {
    status: 403,
    body: '{"id":"web.incoming_webhook.disabled.app_error","message":"disabled"}',
    says: 'disabled',
  },
  shown: {
    'attachments.*.fallback': fromMarkdown,
    'attachments.*.title': fromMarkdown,
    'attachments.*.text': fromMarkdown,
    'attachments.*.fields.*.title': fromMarkdown,
    'attachments.*.fields.*.value': fromMarkdown,
  },
}

/** developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages and .../cards */
export const googleChat: Vendor<'google_chat'> = {
  config: (origin) => ({ form: 'google_chat', webhookUrl: `${origin}/v1/spaces/AAA/messages?key=k&token=t` }),
  path: () => '/v1/spaces/AAA/messages?key=k&token=t&messageReplyOption=REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD',
  headers: {},
  body: () =>
    z.strictObject({
      fallbackText: z.string(),
      thread: z.strictObject({ threadKey: short(4_000) }),
      cardsV2: z
        .array(
          z.strictObject({
            cardId: z.string(),
            card: z.strictObject({
              header: z.strictObject({ title: short(1_000) }),
              sections: z.array(
                z.strictObject({
                  widgets: z
                    .array(
                      z.union([
                        z.strictObject({ textParagraph: z.strictObject({ text: short(10_000) }) }),
                        z.strictObject({
                          buttonList: z.strictObject({
                            buttons: z.array(
                              z.strictObject({
                                text: short(100),
                                onClick: z.strictObject({ openLink: z.strictObject({ url: httpUrl }) }),
                              }),
                            ),
                          }),
                        }),
                      ]),
                    )
                    .min(1)
                    .max(100),
                }),
              ),
            }),
          }),
        )
        .length(1),
    }),
  bytesMax: 32_000,
  accepted: { status: 200, body: '{"name":"spaces/AAA/messages/1"}' },
  refused: {
    status: 400,
    body: '{"error":{"code":400,"message":"Invalid JSON payload"}}',
    says: 'Invalid JSON payload',
  },
  shown: {
    'cardsV2.*.card.header.title': plain,
    'cardsV2.*.card.sections.*.widgets.*.textParagraph.text': fromHtml(/<br>/g),
  },
}
