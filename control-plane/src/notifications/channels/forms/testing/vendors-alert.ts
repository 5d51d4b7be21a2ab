import { z } from 'zod'
import { httpUrl, plain, short, type Vendor } from './vendor.ts'

/** developer.pagerduty.com/docs/send-alert-event */
export const pagerduty: Vendor<'pagerduty'> = {
  config: (origin) => ({ form: 'pagerduty', routingKey: 'r'.repeat(32), apiUrl: origin }),
  path: () => '/v2/enqueue',
  headers: {},
  body: (step) =>
    z.strictObject({
      routing_key: z.string().length(32),
      event_action: z.literal(step),
      dedup_key: short(255),
      client: z.string().optional(),
      client_url: httpUrl.optional(),
      links: z.array(z.strictObject({ href: httpUrl, text: z.string().optional() })).optional(),
      payload: z.strictObject({
        summary: short(1_024),
        source: short(10_000),
        severity: z.enum(['critical', 'error', 'warning', 'info']),
        timestamp: z.iso.datetime().optional(),
        component: z.string().optional(),
        group: z.string().optional(),
        class: z.string().optional(),
        custom_details: z.record(z.string(), z.unknown()).optional(),
      }),
    }),
  bytesMax: 512 * 1024,
  accepted: { status: 202, body: '{"status":"success","message":"Event processed","dedup_key":"k"}' },
  refused: {
    status: 400,
    body: '{"status":"invalid event","message":"Event object is invalid","errors":["Length of \'routing_key\' is incorrect"]}',
    says: 'Event object is invalid',
  },
  shown: { 'payload.summary': plain, 'payload.custom_details.text': plain },
}

/** developer.atlassian.com/cloud/jira/service-desk-ops/rest/v1/api-group-integration-events */
export const jsm: Vendor<'jsm'> = {
  config: (origin) => ({ form: 'jsm', apiKey: 'the-key-of-jsm', apiUrl: origin }),
  path: (step) =>
    step === 'trigger'
      ? '/jsm/ops/integration/v2/alerts'
      : new RegExp(
          `^/jsm/ops/integration/v2/alerts/[^/?#]+/${step === 'resolve' ? 'close' : 'acknowledge'}\\?identifierType=alias$`,
        ),
  headers: { authorization: 'GenieKey the-key-of-jsm' },
  body: (step) =>
    step !== 'trigger'
      ? z.strictObject({ note: z.string().max(25_000) })
      : z.strictObject({
          message: short(130),
          alias: short(512),
          description: z.string().max(15_000),
          details: z
            .record(z.string(), z.string())
            .refine((details) => Object.entries(details).flat().join('').length <= 8_000, 'too long'),
          priority: z.enum(['P1', 'P2', 'P3', 'P4', 'P5']),
        }),
  bytesMax: 100_000,
  accepted: { status: 202, body: '{"result":"Request will be processed","requestId":"r"}' },
  refused: { status: 401, body: '{"message":"Could not authenticate"}', says: 'Could not authenticate' },
  shown: { message: plain, description: plain, note: plain },
}

/** docs.ntfy.sh/publish/#publish-as-json; a message beyond 4,096 bytes becomes an attachment */
export const ntfy: Vendor<'ntfy'> = {
  config: (origin) => ({ form: 'ntfy', topicUrl: `${origin}/alerts-of-us`, accessToken: 'tk_abcdefgh' }),
  path: () => '/',
  headers: { authorization: 'Bearer tk_abcdefgh' },
  body: () =>
    z.strictObject({
      topic: z.literal('alerts-of-us'),
      title: z.string().optional(),
      message: z.string().refine((text) => Buffer.byteLength(text) <= 4_096, 'must have 4,096 bytes'),
      priority: z.int().min(1).max(5),
      tags: z.array(z.string()),
      click: httpUrl,
    }),
  bytesMax: 100_000,
  accepted: { status: 200, body: '{"id":"x","event":"message"}' },
  refused: { status: 403, body: '{"code":40301,"http":403,"error":"forbidden"}', says: 'forbidden' },
  shown: { title: plain, message: plain },
}

/** gotify.net/api-docs, gotify.net/docs/msgextras */
export const gotify: Vendor<'gotify'> = {
  config: (origin) => ({ form: 'gotify', url: `${origin}/gotify/`, token: 'AiOLxxDxYOCc7bY' }),
  path: () => '/gotify/message',
  headers: { 'x-gotify-key': 'AiOLxxDxYOCc7bY' },
  body: () =>
    z.strictObject({
      title: z.string(),
      message: z.string().min(1),
      priority: z.int().min(0).max(10),
      extras: z.strictObject({
        'client::display': z.strictObject({ contentType: z.literal('text/plain') }),
        'client::notification': z.strictObject({ click: z.strictObject({ url: httpUrl }) }),
      }),
    }),
  bytesMax: 100_000,
  accepted: { status: 200, body: '{"id":1}' },
  refused: { status: 401, body: '{"error":"Unauthorized","errorCode":401}', says: 'Unauthorized' },
  shown: { title: plain, message: plain },
}

/** pushover.net/api, with its limits */
export const pushover: Vendor<'pushover'> = {
  config: (origin) => ({
    form: 'pushover',
    token: 'azGDORePK8gMaC0QOYAMyEEuzJnyUi',
    user: 'u'.repeat(30),
    apiUrl: origin,
  }),
  path: () => '/1/messages.json',
  headers: {},
  body: () =>
    z.strictObject({
      token: z.string().length(30),
      user: z.string().length(30),
      message: short(1_024),
      title: z.string().max(250),
      url: httpUrl.max(512),
      url_title: z.string().max(100),
      // 2 would also need retry and expire
      priority: z.int().min(-2).max(1),
      timestamp: z.int().positive(),
    }),
  bytesMax: 100_000,
  accepted: { status: 200, body: '{"status":1,"request":"r"}' },
  refused: {
    status: 400,
    body: '{"user":"invalid","errors":["user identifier is invalid"],"status":0}',
    says: 'user identifier',
  },
  shown: { title: plain, message: plain },
}
