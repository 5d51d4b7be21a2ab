import { inFigures } from '../schema/in-figures.ts'
import { z } from 'zod'
import { AssertionFields } from './assertions.ts'
import { HttpRequest } from './request-options.ts'
import { limits } from '../schema/limits.ts'
import { write, type Route } from '../schema/route.ts'
import { StepInput } from './step.ts'
import { TimeoutSeconds } from './check-timeout.ts'

// Requests that people have elsewhere become drafts of checks. Nothing but their credentials is stored.

export const ImportKind = z.enum(['curl', 'openapi', 'har'])
export type ImportKind = z.infer<typeof ImportKind>

/** The longest text of each kind, bytes. */
export const importBytesMax = {
  curl: 40_000,
  openapi: 1_048_576,
  har: 5 * 1_048_576,
} as const satisfies Record<ImportKind, number>
/** Requests of a HAR file that are offered, and operations of an OpenAPI document. */
export const importedMax = 100

export const ImportInput = z
  .strictObject({
    kind: ImportKind,
    text: z.string().min(1, 'must not be empty'),
    /** The address of an API whose document names a server without a host. */
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .max(limits.urlCharactersMax)
      .optional(),
  })
  .superRefine(({ kind, text }, context) => {
    if (Buffer.byteLength(text) <= importBytesMax[kind]) return
    const message = `must have at most ${inFigures(importBytesMax[kind])} bytes`
    context.addIssue({ code: 'custom', path: ['text'], message })
  })
export type ImportInput = z.infer<typeof ImportInput>

/** An http check as it can be created. Its texts name secrets as {{ secret.name }}. */
export const ImportedHttpCheck = z.object({
  type: z.literal('http'),
  name: z.string(),
  url: z.string(),
  timeoutSeconds: TimeoutSeconds.optional(),
  request: HttpRequest.optional(),
  assertions: AssertionFields.optional(),
})
export type ImportedHttpCheck = z.infer<typeof ImportedHttpCheck>

/** A secret that an import stored, or that its checks need. */
const NamedSecret = z.object({ name: z.string(), hosts: z.array(z.string()) })

const warnings = z.array(z.string())

const CurlDraft = z.object({
  kind: z.literal('curl'),
  check: ImportedHttpCheck,
  /** Stored with the draft: their values are not in it. */
  secrets: z.array(NamedSecret),
  warnings,
})

/** One operation of an OpenAPI document. */
export const ImportedOperation = z.object({
  /** `GET /pets/{id}` */
  operation: z.string(),
  check: ImportedHttpCheck,
  /** The method changes nothing, so that the operation is chosen at first. */
  isSafe: z.boolean(),
  /** A property that the document requires of the answer, as a JSON path. */
  jsonPath: z.string().nullable(),
})
export type ImportedOperation = z.infer<typeof ImportedOperation>

export const OpenApiDraft = z.object({
  kind: z.literal('openapi'),
  title: z.string(),
  operations: z.array(ImportedOperation),
  leftOut: z.array(z.object({ operation: z.string(), why: z.string() })),
  /** Credentials that the document names and does not have. `about` says where each is sent. */
  neededSecrets: z.array(NamedSecret.extend({ about: z.string() })),
  warnings,
})
export type OpenApiDraft = z.infer<typeof OpenApiDraft>

export const HarDraft = z.object({
  kind: z.literal('har'),
  name: z.string(),
  /** In order. A journey has ten at most. */
  steps: z.array(z.object({ step: StepInput, problems: z.array(z.string()) })),
  secrets: z.array(NamedSecret),
  warnings,
})
export type HarDraft = z.infer<typeof HarDraft>

export const ImportDraft = z.discriminatedUnion('kind', [CurlDraft, OpenApiDraft, HarDraft])
export type ImportDraft = z.infer<typeof ImportDraft>

export const checkImportRoutes = {
  readImport: write({
    method: 'POST',
    path: '/imports',
    summary:
      'Read a curl command, an OpenAPI document or a HAR file as drafts of checks; its credentials become secrets',
    body: ImportInput,
    // a document may have an example of a key; the checks that follow from it may not
    secretFields: ['text'],
    // JSON escapes make a text longer
    bodyBytesMax: 2 * importBytesMax.har,
    output: ImportDraft,
  }),
} as const satisfies Record<string, Route>
