import { NestedTooDeep, parseForeignJson } from '@probe-mesh/runtime/foreign-json'
import { z } from 'zod'
import { otherFormat } from './other-formats.ts'

// HAR 1.2, as browsers and proxies write it. What a journey does not need is not read.

/** A header as an object, or as older tools write it: `Name: value`. Others are counted. */
const Pair = z.union([
  z.object({ name: z.string(), value: z.union([z.string(), z.number(), z.boolean()]).transform(String) }),
  z
    .string()
    .regex(/^[^:\s]+:/)
    .transform((text) => ({
      name: text.slice(0, text.indexOf(':')),
      value: text.slice(text.indexOf(':') + 1).trim(),
    })),
])
type Pair = z.infer<typeof Pair>

const Pairs = z
  .array(z.unknown())
  .nullish()
  .transform((values) => {
    const read = (values ?? []).map((each) => Pair.safeParse(each))
    const pairs = read.flatMap((each): Pair[] => (each.success ? [each.data] : []))
    return { pairs, unread: read.length - pairs.length }
  })

const PostData = z.object({
  mimeType: z.string().nullish().catch(null),
  text: z.string().nullish(),
  /** `base64` in some proxies. */
  encoding: z.string().nullish().catch(null),
  params: z
    .array(
      z.object({
        name: z.string(),
        value: z.string().nullish(),
        fileName: z.string().nullish(),
      }),
    )
    .nullish(),
})

const Entry = z
  .object({
    startedDateTime: z.string().catch(''),
    /** Of Chromium: `document`, `xhr`, `fetch`, `script` and others. */
    _resourceType: z.string().nullish().catch(null),
    request: z.object({
      method: z.string(),
      url: z.string(),
      headers: Pairs,
      cookies: Pairs.catch({ pairs: [], unread: 0 }),
      queryString: Pairs.catch({ pairs: [], unread: 0 }),
      bodySize: z.number().nullish().catch(null),
      postData: PostData.nullish(),
    }),
    response: z.object({
      status: z.int().catch(0),
      headers: Pairs.catch({ pairs: [], unread: 0 }),
      cookies: Pairs.catch({ pairs: [], unread: 0 }),
      redirectURL: z.string().nullish().catch(null),
      content: z
        .object({
          mimeType: z.string().catch(''),
          text: z.string().nullish().catch(null),
          encoding: z.string().nullish().catch(null),
        })
        .catch({ mimeType: '', text: null, encoding: null }),
    }),
  })
  .transform(({ ['_resourceType']: type, request, response, ...entry }) => ({
    ...entry,
    type: type ?? null,
    request: {
      ...request,
      headers: request.headers.pairs,
      cookies: request.cookies.pairs,
      queryString: request.queryString.pairs,
      /** Headers that could not be read. */
      unreadHeaders: request.headers.unread,
    },
    response: { ...response, headers: response.headers.pairs, cookies: response.cookies.pairs },
  }))

const HarFile = z.object({
  log: z.object({
    creator: z.object({ name: z.string() }).nullish().catch(null),
    entries: z.array(z.unknown()),
  }),
})

/** One request with its answer. */
export type Entry = z.infer<typeof Entry>

/** The entries of a file in their order. `unread`: those that are none. `creator`: the program that wrote it. */
export type Recording = { entries: Entry[]; unread: number; creator: string }

/** More than the stacks in which Chromium says what started a request. */
const depthMax = 1_000
const entriesMax = 10_000

/** The recording of a file, or why it is none. */
export const recordingOf = (text: string): Recording | { problem: string } => {
  const json = jsonOf(text)
  const file = HarFile.safeParse(json)
  if (!file.success) return { problem: otherFormat(text, json) }
  const { entries, creator } = file.data.log
  if (entries.length > entriesMax)
    return { problem: `The file has ${entries.length} requests; ${entriesMax} are read at most.` }
  const read = entries
    .map((each) => Entry.safeParse(each))
    .flatMap((each) => (each.success ? [each.data] : []))
  return { entries: inOrder(read), unread: entries.length - read.length, creator: creator?.name ?? '' }
}

/** By time. An entry without one stays behind the one before it. */
const inOrder = (entries: readonly Entry[]): Entry[] => {
  let last = 0
  return entries
    .map((entry) => {
      const at = Date.parse(entry.startedDateTime)
      last = Number.isNaN(at) ? last : at
      return { entry, at: last }
    })
    .toSorted((a, b) => a.at - b.at)
    .map(({ entry }) => entry)
}

const jsonOf = (text: string): unknown => {
  try {
    return parseForeignJson(text, depthMax)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof NestedTooDeep || error instanceof TypeError)
      return null
    throw error
  }
}

export const headerOf = (headers: Entry['request']['headers'], name: string): string | null =>
  headers.find((each) => each.name.toLowerCase() === name)?.value ?? null
